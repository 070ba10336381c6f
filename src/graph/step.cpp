// Kernels of others: what they use is settled first, all of it at once.
#include <algorithm>

#include "src/graph/evaluate.hpp"
#include "src/graph/graph.hpp"
#include "src/graph/pending.hpp"
#include "src/runtime/context.hpp"
#include "src/runtime/launch/inline_list.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/stream/stream_state.hpp"
#include "warpwise/error.hpp"

namespace warpwise::graph {
namespace {

// Pending nodes that must run before: those that write the memory, and before a write those that
// read it too.
void add_pending(const Use& use, std::vector<NodeRef>& roots) {
    const Storage& storage = *use.value->storage;
    const Node* value = storage.value().get();
    const Memory* memory = storage.memory().get();
    for (Node* node = pending().first(); node != nullptr; node = node->next) {
        bool touches = node == value || (memory != nullptr && node->memory.get() == memory);
        for (const Input& input : node->inputs) {
            touches |= use.writes && (input.node.get() == value ||
                                      (memory != nullptr && input.node->memory.get() == memory));
        }
        const bool is_known =
            std::ranges::any_of(roots, [&](const NodeRef& root) { return root.get() == node; });
        if (touches && !is_known) roots.emplace_back(node);
    }
}

using Addresses = runtime::InlineList<std::uint64_t, 16>;

// Makes the memory of the values this stream's. Returns whether some of it is exported.
bool use_memory(std::span<const Use> uses, const std::shared_ptr<runtime::StreamState>& stream,
                Addresses& addresses) {
    bool is_exported = false;
    for (const Use& use : uses) {
        Memory& memory = *use.value->storage->memory();
        if (memory.size() > 0 && memory.buffer().is_freed()) {
            throw ArgumentError(ArgumentError::Kind::Value,
                                "a kernel got an array whose memory was freed before; use an array "
                                "over memory that is there");
        }
        memory.before_use(stream, use.writes);
        addresses.push_back(memory.address() + static_cast<std::uint64_t>(use.value->view.offset));
        is_exported |= memory.exports > 0;
    }
    return is_exported;
}

}  // namespace

std::vector<std::shared_ptr<runtime::BufferState>> UsedMemory::buffers() const {
    std::vector<std::shared_ptr<runtime::BufferState>> all;
    all.reserve(uses.size());
    for (const Use& use : uses) {
        const auto& state = use.value->storage->memory()->buffer().state();
        if (state) all.push_back(state);
    }
    return all;
}

void run_step(std::span<const Use> uses, const Stream& stream,
              const std::function<void(const UsedMemory&)>& run) {
    GraphLock lock;
    // The lock is released while kernels compile, and others may record meanwhile.
    for (std::vector<NodeRef> roots;; roots.clear()) {
        for (const Use& use : uses) add_pending(use, roots);
        if (roots.empty()) break;
        evaluate_nodes(roots, lock);
    }
    Addresses addresses;
    const bool is_exported = use_memory(uses, stream.state(), addresses);
    run({addresses.view(), uses});
    lock.unlock();
    runtime::StreamCore& core = *stream.state()->core();
    if (is_exported && core.context().info().shares_host_memory &&
        !stream.state()->is_capturing()) {
        core.wait_until_done();
    }
}

}  // namespace warpwise::graph
