// Where the lanes of a vector lie from each other, guessed from how an index is computed: as if
// what all lanes share were a multiple of every power of two. t ^ 1, 2 * t - t % 4, (t + 1) % 32, t
// / 2 and their like have the same pattern in every vector, or one for each piece. Code tests a
// guess before it relies on it.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Value.h>

#include <cstdint>
#include <optional>

#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"

namespace warpwise::cpu_compiler::gang {

// Of each lane, from lane 0 on, which is 0.
using LanePattern = llvm::SmallVector<std::int64_t, 16>;

// Of each lane, from the least one on.
using LaneElements = llvm::SmallVector<unsigned, 16>;

// Nothing where the index depends on something else than thread indices and numbers in a way that
// no pattern follows from. What t / n leaves is thought to be the same in all lanes, and so is what
// is loaded from there.
std::optional<LanePattern> lane_pattern(const llvm::Value* index, unsigned piece,
                                        const Shapes& shapes, const Layout& layout);

}  // namespace warpwise::cpu_compiler::gang
