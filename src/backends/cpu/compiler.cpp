// A request without a target is for this host.
#include "src/backends/cpu/compiler.hpp"

#include <fmt/format.h>

#include "src/backends/cpu/abi.hpp"
#include "src/compiler/service.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::cpu {

compiler::Program CpuCompiler::compile(const compiler::CompileRequest& request) {
    if (!request.target.empty() && request.target != "native") {
        return compiler::service().compile_for_cpu(request);
    }
    compiler::CompileRequest local = request;
    local.target = level_;
    return compiler::service().compile_for_cpu(local);
}

std::string CpuCompiler::fingerprint() const {
    return fmt::format("cpu {} abi {} {} {}", compiler::compiler_identity(), kAbiVersion, level_,
                       settings().executor);
}

}  // namespace warpwise::cpu
