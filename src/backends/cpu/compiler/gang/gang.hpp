// Executor *gang*: a whole-function vectoriser of our own. Turns the scalar function of a kernel
// into one that runs a gang of its threads in lock step, lanes being elements of vectors.
//
//   candidate    what cannot be vectorised stays with executor *reference*, with the reason
//   guard_chains one test for the guards of a run of elements
//   normal_form  one return, no switches, reducible and simple loops, scalars only
//   uniformity   which values and branches are the same for all lanes
//   plan         the order of blocks, which may be pending meanwhile, where masks can be empty
//   shape        how a value differs from lane to lane: not, by a constant step, or anyhow
//   emitter      the new function, block by block; emit_*.cpp by kind of instruction
//   finish       the optimisations behind it
//   block_runs   loops over gangs and blocks around it, where they never wait
//
// Invariant: no load, store, call or division runs under an empty mask, and values of dead lanes
// reach no memory, branch or live lane.
#pragma once

#include "src/backends/cpu/compiler/lowering/lowering.hpp"

namespace warpwise::cpu_compiler {

// After bind_thread_state(). Replaces each kernel that can be vectorised by its gang function,
// marked with the attributes below. Throws UnsupportedError when the request insists on executor
// *gang* and a kernel has no such form.
void form_gangs(Lowering& job);

// What summarise_kernels() reads.
inline constexpr const char* kGangColumnsAttribute = "warpwise-gang-columns";
inline constexpr const char* kGangRowsAttribute = "warpwise-gang-rows";
inline constexpr const char* kLinearGangsAttribute = "warpwise-linear-gangs";
inline constexpr const char* kLaneByLaneAttribute = "warpwise-lane-by-lane";  // per mille
inline constexpr const char* kGangCopyAttribute = "warpwise-gang-copy";       // for full gangs
inline constexpr const char* kRegionsAttribute = "warpwise-regions";  // meets without fibers
inline constexpr const char* kFrameAttribute = "warpwise-frame";      // bytes; returns at barriers

}  // namespace warpwise::cpu_compiler
