// Running pending nodes: plan, compile what is new, launch and commit kernel by kernel.
//
// Threading: under the lock, which is released while kernels compile; then everything is planned
// again, since other threads may have recorded or run nodes meanwhile.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "src/graph/lock.hpp"
#include "src/graph/node.hpp"

namespace warpwise::graph {

// Those that are still pending, and what they need. What threw, and what depends on it, stays
// pending.
void evaluate_nodes(std::span<const NodeRef> roots, GraphLock& lock);

// What evaluate_nodes() would launch, for people.
std::string explain_nodes(std::span<const NodeRef> roots);

struct Launched {
    std::uint64_t kernels = 0;
    std::uint64_t stored_bytes = 0;
};
Launched launched() noexcept;

}  // namespace warpwise::graph
