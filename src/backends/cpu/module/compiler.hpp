// The CPU device's compiler: clang and LLVM behind the entry point of src/compiler/service.hpp.
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
    void open() override;
    // The same in a child process: waits for it, and may be left at any moment.
    compiler::Program compile_in_child(const compiler::CompileRequest& request) const;
    std::string fingerprint() const override;
    bool is_permanent() const noexcept override { return true; }
    // Of a level, without what this host has beyond it.
    std::string portable_fingerprint() const override;
    compiler::Program compile_portable(const compiler::CompileRequest& request) override;
    // What is compiled: the request, with the settings' choice where it leaves one open. A program
    // for this process is compiled quickly first, as its module compiles again what pays.
    compiler::CompileRequest for_this_host(const compiler::CompileRequest& request) const;

  private:
    std::string level_;
};

}  // namespace warpwise::cpu
