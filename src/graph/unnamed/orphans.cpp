// One pass over the pending nodes, inputs first.
#include "src/graph/unnamed/orphans.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "src/graph/memory.hpp"
#include "src/graph/pending.hpp"

namespace warpwise::graph {
namespace {

// Those that a node reads, through pending ones too.
using Orphans = std::set<const Memory*>;

Orphans orphans_of(const Node& node, const std::unordered_map<const Node*, Orphans>& known) {
    Orphans found;
    const auto add = [&](const Node& input) {
        if (input.memory && input.memory->is_orphaned()) found.insert(input.memory.get());
        const auto earlier = known.find(&input);
        if (earlier != known.end()) found.insert(earlier->second.begin(), earlier->second.end());
    };
    for (const Input& input : node.inputs) add(*input.node);
    if (node.base) add(*node.base);
    return found;
}

// Of memory that is not there yet.
std::size_t bytes_to_allocate(const Node& node) {
    if (node.memory && node.memory->is_allocated()) return 0;
    return static_cast<std::size_t>(count_of(node.shape)) * DType(node.kind).size();
}

}  // namespace

std::vector<NodeRef> readers_of_orphans() {
    std::unordered_map<const Node*, Orphans> known;
    std::vector<std::pair<std::size_t, Node*>> readers;
    for (Node* node = pending().first(); node != nullptr; node = node->next) {
        Orphans orphans = orphans_of(*node, known);
        if (orphans.empty()) continue;
        std::size_t released = 0;
        for (const Memory* memory : orphans) released += memory->size();
        const std::size_t needed = bytes_to_allocate(*node);
        if (node->storage != nullptr && needed <= released) readers.emplace_back(needed, node);
        known.emplace(node, std::move(orphans));
    }
    std::ranges::stable_sort(readers, {}, [](const auto& one) { return one.first; });
    std::vector<NodeRef> nodes;
    nodes.reserve(readers.size());
    for (const auto& [bytes, node] : readers) nodes.emplace_back(node);
    return nodes;
}

}  // namespace warpwise::graph
