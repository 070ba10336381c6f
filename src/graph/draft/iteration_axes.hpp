// The axes that a kernel iterates over: those of its draft without axes of one element, in the
// order of memory, neighbours merged where all operands allow it.
//
// Threading: under the lock of the graph.
#pragma once

#include <vector>

#include "src/graph/draft/draft.hpp"

namespace warpwise::graph {

// Gives `kernel`, whose instructions and operands are complete, its extents, and every operand its
// strides, start and class of access over them. `index_axes`: of the draft, those whose index the
// body reads; they are kept.
void choose_axes(const Draft& draft, DraftKernel& kernel, const std::vector<int>& index_axes);

}  // namespace warpwise::graph
