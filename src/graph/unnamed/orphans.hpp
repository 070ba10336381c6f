// Memory that no array names any more: which pending work would release it.
//
// Threading: under the lock of the graph.
#pragma once

#include <vector>

#include "src/graph/node.hpp"

namespace warpwise::graph {

// Pending nodes that arrays name and that read memory which pending work alone holds, directly or
// through other pending nodes; not those whose results take more than they may release. Those with
// small results come first: a sum needs no memory to speak of.
std::vector<NodeRef> readers_of_orphans();

}  // namespace warpwise::graph
