// Loops that wait for memory another thread writes. A gang can run them when the thread they wait
// for cannot be a lane of the same gang that stands aside meanwhile: lanes go in step.
#pragma once

#include "src/backends/cpu/compiler/gang/analysis/plan.hpp"

namespace warpwise::cpu_compiler::gang {

// Whether lanes that wait in a loop may keep from running the lane that would end their wait.
bool lanes_wait_for_each_other(const Plan& plan);

}  // namespace warpwise::cpu_compiler::gang
