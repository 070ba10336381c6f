// The compiler for GPUs: signatures from clang's front end, unless the request's mode has them;
// code from NVRTC.
//
// A program's code is a cubin for its target, or PTX where NVRTC does not know the target yet. An
// instance of a template in a source with variables is PTX: the module binds them (module.hpp).
//
// Threading: as compiler::Compiler.
#pragma once

#include <string>

#include "src/compiler/compiler.hpp"

namespace warpwise::cuda {

class CudaCompiler final : public compiler::Compiler {
  public:
    compiler::Program compile(const compiler::CompileRequest& request) override;
    void open() override;
    std::string fingerprint() const override;
    bool is_permanent() const noexcept override { return true; }
    // Cubins, without what NVRTC and the driver are: portable_programs.hpp.
    std::string portable_fingerprint() const override;
    std::string portable_target(const std::string& target) const override;
    bool is_loadable(const compiler::Program& portable) const override;
    // ArgumentError for a GPU that NVRTC here does not compile for.
    compiler::Program compile_portable(const compiler::CompileRequest& request) override;
};

}  // namespace warpwise::cuda
