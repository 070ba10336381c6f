// How much stack a kernel takes with all that it calls, once code has been generated: the vectors
// that a large gang spills are most of its frame, and show in no local variable.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <memory>

#include "src/backends/cpu/compiler/lowering/scalar/call_graph.hpp"
#include "src/backends/cpu/compiler/translation.hpp"

namespace warpwise::cpu_compiler {

// Saved registers and the return address, and spills before they are known.
constexpr std::uint64_t kFrameOverhead = 256;

// What a call of each function takes if frames have these sizes. Recursion counts once.
llvm::DenseMap<const llvm::Function*, std::uint64_t> stack_depths(
    const CallGraph& graph, llvm::function_ref<std::uint64_t(const llvm::Function&)> frame_of);

// The size of each function's frame, by name.
using FrameSizes = llvm::StringMap<std::uint64_t>;

// Made before code is generated from `module`, and filled by that.
std::shared_ptr<const FrameSizes> collect_frame_sizes(llvm::Module& module);

// Raises KernelInfo::local_bytes to what the frames need. Throws CompileError beyond 4 GiB.
void provide_stack(Translation& translation, const llvm::Module& module, const FrameSizes& frames);

}  // namespace warpwise::cpu_compiler
