// Counting references to nodes, and what a node releases when it has run or has no reference left.
#include "src/graph/node.hpp"

#include <new>
#include <utility>

#include "src/graph/lock.hpp"
#include "src/graph/pending.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::graph {

namespace {

// Under the lock. As many as may wait, and their values in memory.
constexpr std::size_t kMostFree = 512;
struct FreeNode {
    FreeNode* next;
};
FreeNode* g_free = nullptr;
std::size_t g_free_count = 0;

}  // namespace

void* Node::operator new(std::size_t bytes) {
    if (g_free == nullptr) return ::operator new(bytes);
    --g_free_count;
    return std::exchange(g_free, g_free->next);
}

void Node::operator delete(void* place) noexcept {
    if (g_free_count >= kMostFree) return ::operator delete(place);
    g_free = new (place) FreeNode{g_free};
    ++g_free_count;
}

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

void Inputs::grow() {
    Input* const more = std::allocator<Input>().allocate(std::size_t{2} * capacity_);
    for (std::uint32_t i = 0; i < size_; ++i) {
        new (more + i) Input(std::move(first_[i]));
        first_[i].~Input();
    }
    if (capacity_ > kFew) std::allocator<Input>().deallocate(first_, capacity_);
    first_ = more;
    capacity_ *= 2;
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

void turn_into_value(Node& node) noexcept {
    if (node.base) return;
    if (node.form == Form::Update) {
        node.form = Form::Cast;
        node.target = {};
    }
    if (node.memory) discard_last(node.memory);
}

}  // namespace warpwise::graph
