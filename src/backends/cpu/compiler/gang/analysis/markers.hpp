// Functions without a body that passes before emission call and emission replaces: they carry facts
// that LLVM's IR has no instruction for.
//
//   kAllBelow     (left, right, is_signed) -> i1: whether left < right for all lanes of the gang,
//   and
//                 no wrap lies between their left sides
//   kAnyBits      (value, bits) -> i1: whether the value of any lane that runs has one of the bits
//   kWithoutWrap  (value, is_signed) -> value, whose lanes are known not to wrap
//   kFirstLane    (value) -> value: that of the gang's first lane
//   kTransposed   (index, step, length) -> index: where element `index` of an array of `length`
//   lies
//                 that is stored with every `step`-th element side by side
//                 (passes/transpose_shared.cpp)
//   kStop         (thread): the gang leaves here until all of its block have arrived (cut.hpp);
//                 written by emission, replaced by the pass cut-at-barriers
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <optional>

namespace warpwise::cpu_compiler::gang {

inline constexpr const char* kAllBelow = "warpwise.all.below";
inline constexpr const char* kAnyBits = "warpwise.any.bits";
inline constexpr const char* kWithoutWrap = "warpwise.without.wrap";
inline constexpr const char* kFirstLane = "warpwise.first.lane";
inline constexpr const char* kTransposed = "warpwise.transposed";
inline constexpr const char* kStop = "warpwise.stop";

// Metadata of the instruction that ends a gang in the loop over blocks
// (passes/blocks/block_runs.cpp).
inline constexpr const char* kEndOfGang = "warpwise.end.of.gang";

bool is_call_of(const llvm::Value& value, const char* marker);

// A marker that touches no memory.
llvm::CallInst* call_marker(llvm::IRBuilder<>& builder, const char* marker, llvm::Type* result,
                            llvm::ArrayRef<llvm::Value*> arguments);
// A local array whose elements, of so many bytes, lie side by side for all lanes: its size is that
// of all lanes' arrays (passes/interleave_locals.cpp).
void mark_interleaved(llvm::AllocaInst& local, std::uint64_t element_bytes);
// Bytes of an element; nothing for an array that each lane has to itself.
std::optional<std::uint64_t> interleaved_bytes(const llvm::AllocaInst& local);

// kStop counts as touching all memory.
void write_stop(llvm::IRBuilder<>& builder, llvm::Value* thread);

}  // namespace warpwise::cpu_compiler::gang
