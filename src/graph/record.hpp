// What recording operations and writing in place share. Under the lock.
#pragma once

#include <memory>

#include "src/graph/graph.hpp"
#include "src/graph/lock.hpp"
#include "src/graph/node.hpp"

namespace warpwise::graph {

std::int64_t item_bytes(Kind kind);
// In the current stream of the context.
NodeRef new_node(Form form, Kind kind, const Shape& space, runtime::Context& context);
// Throws ArgumentError where the memory was freed by who holds its buffer.
void require_memory(const Storage& storage);
// The value as an operation over `space` reads it; its shape broadcasts to that.
Input read(const Value& value, const Shape& space);
// Runs what waits already where that is too much. Before anything is recorded: where it throws,
// nothing was.
void make_room(const runtime::Context& context, GraphLock& lock);
// The node is complete: it waits from now on, or runs where nothing may wait. Where it throws the
// node has not run.
void finish(const NodeRef& node, runtime::Context& context, GraphLock& lock);
// A new array of the node's result; finishes the node.
Value new_value(const NodeRef& node, GraphLock& lock, std::shared_ptr<runtime::Context> context);
Value over_memory(std::shared_ptr<Memory> memory, View view,
                  std::shared_ptr<runtime::Context> context);

}  // namespace warpwise::graph
