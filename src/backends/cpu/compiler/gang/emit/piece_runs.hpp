// Runs of a block's instructions that are written piece by piece, each behind a test whether any of
// its lanes runs them: under `if (t < d)` most vectors of a gang have no lane, and a gather or
// scatter without one takes as long as any other.
#pragma once

#include <vector>

#include "src/backends/cpu/compiler/gang/emit/memory/block_schedule.hpp"

namespace warpwise::cpu_compiler::gang {

// Steps of a block in the order they are written.
struct Run {
    std::vector<BlockSchedule::Step> steps;
    bool is_by_piece = false;
};

// Instructions that all pieces share go ahead of the run they stand in.
std::vector<Run> piece_runs(const BlockSchedule& schedule, const EmitState& state);

}  // namespace warpwise::cpu_compiler::gang
