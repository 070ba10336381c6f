// All that a function does with an array, where that is known: then its elements may lie elsewhere.
#pragma once

#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace warpwise::cpu_compiler::gang {

struct ArrayUses {
    std::vector<llvm::GetElementPtrInst*> addresses;  // each behind the one it starts from
    std::vector<llvm::Instruction*> accesses;         // loads and stores
    std::vector<llvm::MemIntrinsic*> fills;           // with one byte
    std::vector<llvm::Instruction*> lifetimes;
};

// Nothing where `array`, an address, has other uses.
std::optional<ArrayUses> uses_of_array(llvm::Instruction& array);
// Bytes of what is accessed, 0 if that differs.
std::uint64_t element_size(const ArrayUses& uses, const llvm::DataLayout& data);
// Whether an address lies a multiple of `size` bytes behind the one it starts from.
bool has_whole_steps(const llvm::GetElementPtrInst& address, std::uint64_t size,
                     const llvm::DataLayout& data);
// For elements that may lie anywhere else.
void limit_alignment(llvm::Instruction& access, llvm::Align most);

}  // namespace warpwise::cpu_compiler::gang
