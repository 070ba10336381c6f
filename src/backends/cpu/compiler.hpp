// The CPU device's compiler: clang and LLVM behind the door of src/compiler/service.hpp.
//
// Threading: as compiler::Compiler.
#pragma once

#include <string>

#include "src/compiler/compiler.hpp"

namespace warpwise::cpu {

class CpuCompiler final : public compiler::Compiler {
  public:
    // `level`: what programs are compiled for unless a request names a target, "x86-64-v4".
    explicit CpuCompiler(std::string level) : level_(std::move(level)) {}

    compiler::Program compile(const compiler::CompileRequest& request) override;
    std::string fingerprint() const override;

  private:
    std::string level_;
};

}  // namespace warpwise::cpu
