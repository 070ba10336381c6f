// A request without a target, or for the level of this process, is for this host.
#include "src/backends/cpu/module/compiler.hpp"

#include <fmt/format.h>

#include "src/backends/cpu/abi.hpp"
#include "src/base/processor_level.hpp"
#include "src/base/text.hpp"
#include "src/compiler/service.hpp"
#include "src/compiler/worker/child.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cpu {
namespace {

bool compiles_twice() {
    return settings().tier != "full";
}

// Programs to run: what of them is launched often or long is compiled again (kernel_forms.hpp).
void make_quick_first(compiler::CompileRequest& request) {
    const bool is_first_quick =
        request.format == "object" && compiles_twice() && !request.mode.block;
    if (!request.mode.tier && is_first_quick) request.mode.tier = compiler::Tier::Quick;
}

// What the request leaves open is taken from the settings; fingerprint() has them.
compiler::CompileRequest with_settings(compiler::CompileRequest request) {
    if (!request.mode.executor) {
        request.mode.executor = compiler::executor_named(settings().executor);
    }
    if (!request.mode.skipped_passes) {
        request.mode.skipped_passes = split_at_commas(settings().skip_pass);
    }
    return request;
}

std::string fingerprint_for(std::string_view target) {
    return fmt::format("cpu {} abi {} {} {} {} without {}", compiler::compiler_identity(),
                       kAbiVersion, target, settings().executor,
                       compiles_twice() ? "quick" : "full", settings().skip_pass);
}

}  // namespace

compiler::CompileRequest CpuCompiler::for_this_host(const compiler::CompileRequest& request) const {
    compiler::CompileRequest local = with_settings(request);
    const bool is_for_this_host =
        request.target.empty() || request.target == "native" || request.target == level_;
    if (!is_for_this_host) return local;
    local.target = request.format == "preprocessed" ? level_ : tuned_for_host(level_);
    make_quick_first(local);
    return local;
}

compiler::Program CpuCompiler::compile(const compiler::CompileRequest& request) {
    return compiler::service().compile(for_this_host(request));
}

void CpuCompiler::open() {
    compiler::CompileRequest nothing;
    nothing.source = "extern \"C\" __global__ void nothing() {}";
    nothing.name = "nothing.cu";
    compile(nothing);
}

compiler::Program CpuCompiler::compile_in_child(const compiler::CompileRequest& request) const {
    return compiler::run_in_child(compiler::Job::Compile, for_this_host(request));
}

std::string CpuCompiler::fingerprint() const {
    return fingerprint_for(tuned_for_host(level_));
}

std::string CpuCompiler::portable_fingerprint() const {
    return fingerprint_for("a level");
}

compiler::Program CpuCompiler::compile_portable(const compiler::CompileRequest& request) {
    compiler::CompileRequest portable = with_settings(request);
    make_quick_first(portable);
    return compiler::service().compile(portable);
}

}  // namespace warpwise::cpu
