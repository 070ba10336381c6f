// Executor *gang*: a whole-function vectoriser of our own. Turns the scalar function of a kernel
// into one that runs a gang of its threads in lock step, lanes being elements of vectors.
//
// README.md is the guide; pipeline.cpp has the passes in order.
//
// Invariant: no load, store, call or division runs under an empty mask, and values of dead lanes
// reach no memory, branch or live lane.
#pragma once

#include "src/backends/cpu/compiler/lowering/lowering.hpp"

namespace warpwise::cpu_compiler {

// After bind_thread_state(). Replaces each kernel that can be vectorised by its gang function, and
// puts its form into job.gangs. Throws UnsupportedError when the request insists on executor *gang*
// and a kernel has no such form.
void form_gangs(Lowering& job);

// After summarise_kernels() and lower_services(). A kernel that never waits, compiled for one shape
// of blocks, gets the third parameter of cpu::BlockRunEntry, and KernelRecord::flags the flag for
// it.
void loop_over_blocks(Lowering& job);

}  // namespace warpwise::cpu_compiler
