// Addresses of lanes that are unknown when the code is written, but computed: of thread indices and
// what all lanes share, by remainders, quotients, selections, minima, bits. Such places are often
// neighbours when the code runs: (x + 1) % width, min(x + k, width - 1), t / 8 * 16 + t % 8,
// x > 0 ? x - 1 : width - 1, t ^ distance. An index that was loaded is taken for scattered, unless
// all lanes seem to load the same one: rows[t / n].
#pragma once

#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "src/backends/cpu/compiler/gang/analysis/exact_sum.hpp"
#include "src/backends/cpu/compiler/gang/analysis/shape.hpp"
#include "src/backends/cpu/compiler/gang/emit/memory/lane_pattern.hpp"

namespace warpwise::cpu_compiler::gang {

struct ComputedPlace {
    // Of the access, but for `offset`; null: the parts below are not at hand in the block of the
    // access, or several indices vary.
    const llvm::GetElementPtrInst* address = nullptr;
    std::int64_t offset = 0;        // bytes
    unsigned position = 0;          // of the only index that varies, an operand's number
    llvm::Value* index = nullptr;   // that one, before it was widened
    NoWrap widening = NoWrap::Any;  // Any: it was not
    // Of the only index that varies: the bytes from one of its numbers to the next. They need not
    // be the access's size where lanes lie in a pattern.
    std::uint64_t stride = 0;
    // By piece, how the lanes are thought to lie, in elements of the access; nothing: side by side,
    // if they lie in any way that pays. Empty where several indices vary.
    std::vector<std::optional<LanePattern>> patterns = {};
    bool is_guessed = false;  // whether the lanes are thought to lie in some way at all
};

// Of a simple load or store whose address has no step from lane to lane.
std::optional<ComputedPlace> computed_place(llvm::Instruction& access, const Shapes& shapes,
                                            const Layout& layout);

}  // namespace warpwise::cpu_compiler::gang
