// How a kernel's blocks are cut into gangs.
#pragma once

#include <llvm/Analysis/TargetTransformInfo.h>

#include <optional>

#include "src/backends/cpu/compiler/gang/analysis/candidate.hpp"
#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"
#include "src/backends/cpu/compiler/translation.hpp"

namespace warpwise::cpu_compiler::gang {

// For blocks of any shape, or of `block`, on a processor whose registers have `vector_bits`.
Layout choose_layout(const KernelFacts& facts, const std::optional<BlockShape>& block,
                     unsigned vector_bits);

// One vector a value, or as few as make a warp: the least code.
Layout narrowest_layout(const KernelFacts& facts, const std::optional<BlockShape>& block);

// The whole block as one gang, where its threads meet and it is small enough: then a barrier is
// nothing at all.
std::optional<Layout> whole_block(const KernelFacts& facts, const BlockShape& block);

// Whether the vectors that stay alive through each loop leave room in the registers to work in.
bool fits_registers(const Plan& plan, const Shapes& shapes, const Layout& layout,
                    const llvm::TargetTransformInfo& target, unsigned vector_bits);

// As many pieces as leave that room, but two at least, at most those of `layout`.
unsigned pieces_that_fit(const Plan& plan, const Shapes& shapes, const Layout& layout,
                         const llvm::TargetTransformInfo& target, unsigned vector_bits);

}  // namespace warpwise::cpu_compiler::gang
