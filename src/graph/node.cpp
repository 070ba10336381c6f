// Counting references to nodes, and what a node gives up when it has run or nobody names it.
#include "src/graph/node.hpp"

#include "src/graph/lock.hpp"
#include "src/graph/pending.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::graph {

NodeRef::NodeRef(Node* node) noexcept : node_(node) {
    if (node_ != nullptr) ++node_->references;
}

NodeRef::~NodeRef() {
    if (node_ == nullptr || --node_->references > 0) return;
    if (node_->is_pending()) pending().remove(*node_);
    release_parts(*node_);
    if (node_->memory) discard_last(node_->memory);
    delete node_;
}

void release_parts(Node& node) noexcept {
    // A chain of inputs is no longer than what may be pending: the recursion is bounded.
    node.inputs.clear();
    node.base = NodeRef();
    node.scalars.clear();
    node.reduction.reset();
    if (node.run) discard(std::shared_ptr<const void>(std::move(node.run)));
    if (node.stream) discard_last(node.stream);
}

void turn_into_memory(Node& node) noexcept {
    pending().remove(node);
    node.form = Form::Memory;
    release_parts(node);
}

}  // namespace warpwise::graph
