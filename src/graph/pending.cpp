// The list of pending nodes, where it is cut, and the answers to the runtime's requests.
#include "src/graph/pending.hpp"

#include "src/graph/evaluate.hpp"
#include "src/graph/lock.hpp"
#include "src/graph/storage.hpp"
#include "src/graph/unnamed/kept_writes.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::graph {
namespace {

bool touches(const Node& node, const runtime::BufferState* buffer) {
    const auto lies_in = [buffer](const std::shared_ptr<Memory>& memory) {
        return memory && memory->buffer().state().get() == buffer;
    };
    if (lies_in(node.memory)) return true;
    for (const Input& input : node.inputs) {
        if (lies_in(input.node->memory)) return true;
    }
    return false;
}

// Whether it does more than give its value: writes to memory that is there, or runs what a user
// wrote, which may print.
bool has_effects(const Node& node) {
    return node.form == Form::Opaque || (node.form == Form::Update && node.memory != nullptr);
}

// The nodes that an array names, or that work which may not be delayed needs; of those, when the
// program ends, the ones with effects.
class Work final : public runtime::PendingWork {
  public:
    void flush(const runtime::FlushRequest& request) override {
        if (GraphLock::is_held_here()) return;  // an allocation, an event: ours
        GraphLock lock;
        std::vector<NodeRef> roots;
        for (Node* node = pending().first(); node != nullptr; node = node->next) {
            if (is_asked(*node, request)) roots.emplace_back(node);
        }
        if (request.buffer == nullptr) {
            const auto kept = kept_writes();
            roots.insert(roots.end(), kept.begin(), kept.end());
        }
        evaluate_nodes(roots, lock);
    }

  private:
    static bool is_asked(const Node& node, const runtime::FlushRequest& request) {
        if (request.buffer != nullptr) return touches(node, request.buffer);
        if (node.storage == nullptr) return false;
        return request.reason != runtime::FlushReason::Exit || has_effects(node);
    }
};

void announce_memory(const Memory& memory, Visibility& visibility) {
    const auto& state = memory.buffer().state();
    if (memory.is_shared() && state && !state->has_pending()) state->set_pending(pending_work());
    visibility.is_exposed |= memory.is_exposed();
    visibility.is_exported |= memory.exports > 0;
}

}  // namespace

void Pending::add(Node& node) noexcept {
    node.previous = last_;
    node.next = nullptr;
    (last_ != nullptr ? last_->next : first_) = &node;
    last_ = &node;
    ++count_;
}

void Pending::remove(Node& node) noexcept {
    // A node that was given up before it was complete (no elements, an error) never waited.
    if (node.previous == nullptr && first_ != &node) return;
    (node.previous != nullptr ? node.previous->next : first_) = node.next;
    (node.next != nullptr ? node.next->previous : last_) = node.previous;
    node.previous = node.next = nullptr;
    --count_;
}

namespace {

// The least distance at which the nodes repeat, from the first nodes on, which read what was there
// before; 0 where they do not.
std::size_t period_of(const std::vector<Node*>& nodes) {
    constexpr std::size_t kFirst = 4;
    for (std::size_t period = 1; period <= nodes.size() / 2; ++period) {
        std::size_t at = kFirst + period;
        while (at < nodes.size() && nodes[at]->signatures[1] == nodes[at - period]->signatures[1]) {
            ++at;
        }
        if (at >= nodes.size()) return period;
    }
    return 0;
}

}  // namespace

Node* Pending::cut() noexcept {
    std::vector<Node*> nodes;
    for (Node* node = first_; node != nullptr; node = node->next) nodes.push_back(node);
    if (nodes.empty()) return nullptr;
    const std::size_t period = period_of(nodes);
    if (period == 0) return nodes.back();
    return nodes[nodes.size() / period * period - 1];
}

Pending& pending() noexcept {
    static Pending list;
    return list;
}

const std::shared_ptr<runtime::PendingWork>& pending_work() {
    // Never destroyed: streams may outlive static objects.
    static const auto* const work =
        new std::shared_ptr<runtime::PendingWork>(std::make_shared<Work>());
    return *work;
}

Visibility announce(const Node& node) {
    if (!node.stream->has_pending()) node.stream->set_pending(pending_work());
    Visibility visibility;
    if (node.memory) announce_memory(*node.memory, visibility);
    for (const Input& input : node.inputs) {
        if (input.node->memory) announce_memory(*input.node->memory, visibility);
    }
    return visibility;
}

}  // namespace warpwise::graph
