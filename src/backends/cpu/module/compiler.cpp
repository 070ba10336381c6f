// A request without a target is for this host.
#include "src/backends/cpu/module/compiler.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/backends/cpu/abi.hpp"
#include "src/compiler/service.hpp"
#include "src/compiler/worker/child.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cpu {
namespace {

bool compiles_twice() {
    return settings().tier != "full";
}

// Programs to run: what of them is launched often or long is compiled again (kernel_forms.hpp).
bool is_first_quick(const compiler::CompileRequest& request) {
    const auto names_block = [](const std::string& option) {
        return option.starts_with("--warpwise-block");
    };
    return request.format == "object" && compiles_twice() &&
           std::ranges::none_of(request.options, names_block);
}

}  // namespace

compiler::CompileRequest CpuCompiler::for_this_host(const compiler::CompileRequest& request) const {
    if (!request.target.empty() && request.target != "native") return request;
    compiler::CompileRequest local = request;
    local.target = level_;
    // Options that follow decide.
    if (is_first_quick(request)) {
        local.options.insert(local.options.begin(), "--warpwise-tier=quick");
    }
    return local;
}

compiler::Program CpuCompiler::compile(const compiler::CompileRequest& request) {
    return compiler::service().compile_for_cpu(for_this_host(request));
}

compiler::Program CpuCompiler::compile_in_child(const compiler::CompileRequest& request) const {
    return compiler::run_in_child(compiler::Job::CompileForCpu, for_this_host(request));
}

std::string CpuCompiler::fingerprint() const {
    return fmt::format("cpu {} abi {} {} {} {}", compiler::compiler_identity(), kAbiVersion, level_,
                       settings().executor, compiles_twice() ? "quick" : "full");
}

}  // namespace warpwise::cpu
