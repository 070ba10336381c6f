// The list of them, which is short: it is looked through whenever something is evaluated.
#include "src/graph/unnamed/kept_writes.hpp"

#include <algorithm>
#include <vector>

#include "src/runtime/pool/buffer_state.hpp"

namespace warpwise::graph {
namespace {

// Never destroyed: arrays may outlive static objects.
std::vector<NodeRef>& list() {
    static auto* const nodes = new std::vector<NodeRef>;
    return *nodes;
}

}  // namespace

bool is_seen_outside(const Memory& memory) noexcept {
    return memory.is_shared() && memory.buffer().state().use_count() > 1;
}

void keep_write(const NodeRef& node) {
    list().push_back(node);
}

std::span<const NodeRef> kept_writes() {
    auto& nodes = list();
    std::erase_if(nodes, [](const NodeRef& node) {
        if (!node->is_pending()) return true;
        if (is_seen_outside(*node->memory)) return false;
        turn_into_value(*node);
        return true;
    });
    return nodes;
}

}  // namespace warpwise::graph
