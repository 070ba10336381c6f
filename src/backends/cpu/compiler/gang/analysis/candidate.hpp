// What the vectoriser cannot do.
#pragma once

#include <llvm/IR/Function.h>

#include <string>

#include "src/backends/cpu/compiler/lowering/scalar/call_graph.hpp"

namespace warpwise::cpu_compiler::gang {

struct KernelFacts {
    bool has_warp_operations = false;  // or accesses that count on the warp's lock step
    bool has_barriers = false;         // of any kind
    bool has_other_barriers = false;   // than __syncthreads() and its variants
    bool yields = false;               // in a loop that waits for what other threads write
    bool reads_rows = false;           // threadIdx.y: made for blocks of several rows
    unsigned size = 0;                 // instructions
};

inline constexpr const char* kReasonToWait = "threads may wait for each other through memory";

// Why `kernel` must stay scalar, in words for a log; empty when it need not.
std::string reason_against(const llvm::Function& kernel, const CallGraph& graph);

KernelFacts facts_of(const llvm::Function& kernel);

}  // namespace warpwise::cpu_compiler::gang
