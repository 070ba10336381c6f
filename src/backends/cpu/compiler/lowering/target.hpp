// Target machines, and what LLVM's code generators make of a module.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace warpwise::cpu_compiler {

// For "x86-64", "x86-64-v2", -v3 or -v4, and what tuned_for_host() writes behind it. Throws
// ArgumentError for another name.
std::unique_ptr<llvm::TargetMachine> host_machine(std::string_view target);
// For "sm_80" and the like. Throws ArgumentError for another name.
std::unique_ptr<llvm::TargetMachine> ptx_machine(std::string_view processor);

// A relocatable ELF object. Its relocations are R_X86_64_64, PC32, PLT32 and GOTPCREL(X); it refers
// to no symbol but its own and those of kLeafFunctions. Throws UnsupportedError if it would.
std::vector<std::byte> emit_object(llvm::Module& module, llvm::TargetMachine& machine);
std::vector<std::byte> emit_assembly(llvm::Module& module, llvm::TargetMachine& machine);
std::vector<std::byte> print_module(const llvm::Module& module);

}  // namespace warpwise::cpu_compiler
