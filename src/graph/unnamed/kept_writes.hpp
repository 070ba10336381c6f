// Pending writes in place whose arrays are gone, into memory that buffers outside of the graph
// still name: they run as if an array named them.
//
// Ownership: each is referenced from here until it has run, or until nobody but the graph names
// its memory. Then nothing can see the write: it is only a value for pending nodes that read it.
// Threading: under the lock of the graph.
#pragma once

#include <span>

#include "src/graph/node.hpp"

namespace warpwise::graph {

// Whether the buffer of `memory` is named outside of the graph: by a handle of a user's, by work
// that is queued.
bool is_seen_outside(const Memory& memory) noexcept;

// Of the storage that ends: the newest value, pending.
void keep_write(const NodeRef& node);

// Those that are pending and can be seen.
std::span<const NodeRef> kept_writes();

}  // namespace warpwise::graph
