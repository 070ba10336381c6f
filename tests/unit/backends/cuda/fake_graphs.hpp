// The graphs of the fake driver: nodes in the order they were added, which each push their work
// into the stream of a launch.
//
// Threading: every function may be called from any thread; one graph is built by one.
#pragma once

#include <cstddef>
#include <functional>

#include "src/backends/cuda/driver/abi.hpp"
#include "tests/unit/backends/cuda/fake_machine.hpp"

namespace warpwise::cuda::fake {

using Submit = std::function<void(Stream*)>;

struct Graph;
struct ExecutableGraph;

Graph* make_graph();
void destroy(Graph* graph);
// Null when a dependency is no node of this graph, or given twice.
GraphNode add_node(Graph* graph, const char* kind, const GraphNode* dependencies, std::size_t count,
                   Submit submit);
// Of the one that was instantiated last: "1:fill 2:kernel<1".
const char* last_graph();
// Is not changed by what happens to `graph` afterwards.
ExecutableGraph* instantiate(const Graph* graph);
void destroy(ExecutableGraph* graph);
// False when it has no such node.
bool set_node(ExecutableGraph* graph, GraphNode node, Submit submit);
// Behind the run before, whatever stream that went to.
void launch(ExecutableGraph* graph, Stream* stream);

}  // namespace warpwise::cuda::fake
