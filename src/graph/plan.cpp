// Assigning nodes to drafts, in the order of recording, and what must be stored for that.
#include "src/graph/plan.hpp"

#include <algorithm>

#include "src/graph/pending.hpp"
#include "src/ir/op.hpp"

namespace warpwise::graph {
namespace {

constexpr int kNeverAgain = 1000;                // the cost of what must not be computed twice
constexpr std::size_t kMostOperandBytes = 3400;  // of arguments; scalars and extents come besides

int own_cost(const Node& node) {
    switch (node.form) {
        case Form::Scalar:
            return 0;
        case Form::Index:
        case Form::Cast:
        case Form::Bound:
            return 1;
        case Form::Apply:
            return ir::row_of(node.op).cost == ir::Cost::Cheap ? 1 : kNeverAgain;
        default:
            return kNeverAgain;
    }
}

// Of the draft's reductions, with the node's.
std::size_t state_bytes(const Draft& draft, const Node& node) {
    if (!node.reduction) return draft.state_bytes;
    const codegen::Reducer reducer{node.reduction->reduce, node.reduction->accumulator};
    return reducer.state_behind(draft.state_bytes);
}

// What a gather reads is in memory: its elements are not known before.
bool is_gathered(const Node& reader, const Input& input) {
    return reader.form == Form::Gather && &input == reader.inputs.data();
}

Edge edge_to(const Node& reader, const Input& input) {
    const Node& node = *input.node;
    Edge edge;
    if (is_gathered(reader, input)) return edge;
    // Of what is written in part, only the memory has all.
    if (!node.is_pending() || node.base || input.kind != node.kind) return edge;
    edge.is_identity = input.access.offset == 0 && reader.space == node.shape &&
                       input.access.strides == node.layout;
    edge.is_known = edge.is_identity;
    if (edge.is_identity) return edge;
    if (auto map = index_map(input.access, reader.space, node.shape, node.layout)) {
        edge.is_known = true;
        edge.is_identity = reader.space.size() == node.shape.size() && reader.space == node.shape &&
                           map->is_identity();
        edge.map = std::move(*map);
    }
    return edge;
}

bool overlaps(const std::shared_ptr<Memory>& a, const std::shared_ptr<Memory>& b) {
    if (!a || !b) return false;
    return a == b || (a->is_allocated() && b->is_allocated() && a->overlaps(*b));
}

// Reads memory that the update overwrites, as it was before.
bool reads_before(const Node& node, const Node& update) {
    if (&node == &update || node.id > update.id) return false;
    return std::ranges::any_of(node.inputs, [&](const Input& input) {
        return overlaps(input.node->memory, update.memory);
    });
}

// Operands that the kernel has for the node itself: what it computes, and the state of a generator.
std::size_t own_operands(const Node& node) {
    return node.form == Form::Draw ? 5 : 1;
}

// Of computing the node, with those that float.
int operations_of(const Planned& planned) {
    return planned.cost % kNeverAgain + 1;
}

std::size_t operand_bytes(int rank) {
    return 8 + 8 * static_cast<std::size_t>(rank);
}

}  // namespace

// What computing one node reads, through everything that floats.
struct Plan::Reads {
    struct Use {
        const Node* node;
        bool at_same_point;
    };
    std::vector<Use> assigned;
    std::vector<Touch> memory;
    bool all_at_same_point = true;  // what floats is read at the point where it is computed
    bool has_places = false;        // coordinates, or what is found by them
};

Plan::Plan(std::span<const NodeRef> roots) {
    collect(roots);
    find_edges();
    store(roots);
    find_costs();
    protect_overwritten();
    find_costs();
    for (Planned& planned : nodes_) {
        const bool floats = planned.cost <= kCheap && !planned.is_stored;
        if (!floats) assign(planned);
    }
}

bool Plan::is_planned(const Node& node) const noexcept {
    return node.mark < nodes_.size() && nodes_[node.mark].node.get() == &node;
}

void Plan::collect(std::span<const NodeRef> roots) {
    std::vector<Node*> waiting;
    const auto need = [&](const NodeRef& ref) {
        if (!ref || !ref->is_pending() || is_planned(*ref)) return;
        ref->mark = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back({.node = ref});
        waiting.push_back(ref.get());
    };
    for (const NodeRef& root : roots) need(root);
    while (!waiting.empty()) {
        Node* node = waiting.back();
        waiting.pop_back();
        for (const Input& input : node->inputs) need(input.node);
        need(node->base);
        if (node->form != Form::Update) continue;
        for (Node* other = pending().first(); other != nullptr; other = other->next) {
            if (reads_before(*other, *node)) need(NodeRef(other));
        }
    }
    std::ranges::sort(nodes_, {}, [](const Planned& planned) { return planned.node->id; });
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        nodes_[i].node->mark = static_cast<std::uint32_t>(i);
    }
}

void Plan::find_edges() {
    for (Planned& reader : nodes_) {
        for (const Input& input : reader.node->inputs) {
            reader.edges.push_back(edge_to(*reader.node, input));
        }
    }
}

// What has to lie in memory, whatever it costs.
void Plan::store(std::span<const NodeRef> roots) {
    for (const NodeRef& root : roots) {
        if (root->is_pending()) planned(*root).is_stored = true;
    }
    for (Planned& reader : nodes_) {
        const Node& node = *reader.node;
        if (node.form == Form::Update || node.form == Form::Opaque) reader.is_stored = true;
        if (node.storage != nullptr && node.was_recomputed) reader.is_stored = true;
        if (node.base && node.base->is_pending()) planned(*node.base).is_stored = true;
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const Node& input = *node.inputs[i].node;
            if (!input.is_pending()) continue;
            const bool is_computable = reader.edges[i].is_known && node.form != Form::Opaque;
            if (!is_computable) planned(input).is_stored = true;
        }
    }
}

// Nodes that read what a planned update overwrites, and are read again after it, are stored.
void Plan::protect_overwritten() {
    const auto is_update = [](const Planned& planned) {
        return planned.node->form == Form::Update;
    };
    if (std::ranges::none_of(nodes_, is_update)) return;
    struct Readers {
        std::uint64_t last = 0;  // id
        bool waits = false;      // one is not part of this plan
    };
    std::vector<Readers> readers(nodes_.size());
    const auto note = [&](const Node& read, const Node& reader) {
        if (!is_planned(read)) return;
        Readers& of = readers[read.mark];
        of.last = std::max(of.last, reader.id);
        of.waits |= !is_planned(reader);
    };
    for (Node* node = pending().first(); node != nullptr; node = node->next) {
        for (const Input& input : node->inputs) note(*input.node, *node);
        // A write in place of a part keeps the rest of what was there.
        if (node->base) note(*node->base, *node);
    }
    for (const Planned& update : nodes_) {
        if (!is_update(update)) continue;
        const Node& writer = *update.node;
        std::vector<char> touches(nodes_.size(), 0);
        for (std::size_t i = 0; i < nodes_.size() && nodes_[i].node->id < writer.id; ++i) {
            const Node& node = *nodes_[i].node;
            bool reads = reads_before(node, writer);
            for (const Input& input : node.inputs) {
                if (!is_planned(*input.node) || !input.node->is_pending()) continue;
                reads |= touches[input.node->mark] != 0 && !planned(*input.node).is_stored;
            }
            touches[i] = reads ? 1 : 0;
            const bool is_read_later = readers[i].waits || readers[i].last > writer.id;
            if (reads && (node.storage != nullptr || is_read_later)) nodes_[i].is_stored = true;
        }
        // The written value, where it reads the memory at other points than it writes.
        Reads reads;
        visit(update, nullptr, reads);
        for (const Touch& touch : reads.memory) {
            const bool differs = overlaps(touch.memory, writer.memory) &&
                                 !(touch.memory == writer.memory && !touch.anywhere &&
                                   touch.access == writer.target);
            if (!differs) continue;
            const Node& value = *writer.inputs[0].node;
            if (value.is_pending()) planned(value).is_stored = true;
        }
    }
}

void Plan::find_costs() {
    for (Planned& reader : nodes_) {
        const Node& node = *reader.node;
        reader.cost = own_cost(node);
        for (const Input& input : node.inputs) {
            if (!input.node->is_pending()) continue;
            const Planned& read = planned(*input.node);
            if (read.cost <= kCheap && !read.is_stored) reader.cost += read.cost;
        }
        // An array names it and computing it again is not cheap.
        if (node.storage != nullptr && reader.cost > kCheap) reader.is_stored = true;
    }
}

void Plan::visit(const Planned& reader, const IndexMap* map, Reads& reads) const {
    const Node& node = *reader.node;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const Input& input = node.inputs[i];
        const Edge& edge = reader.edges[i];
        const bool is_here = edge.is_identity && map == nullptr;
        const bool is_pending = input.node->is_pending();
        const bool floats = is_pending && of(*input.node).draft < 0 && !of(*input.node).is_stored &&
                            of(*input.node).cost <= kCheap;
        if (floats && edge.is_known) {
            const Form form = input.node->form;
            reads.has_places |= form != Form::Scalar && form != Form::Cast && form != Form::Apply;
            if (edge.is_identity) {
                visit(of(*input.node), map, reads);
            } else {
                reads.all_at_same_point = false;
                const IndexMap inner = map != nullptr ? edge.map.after(*map) : edge.map;
                visit(of(*input.node), &inner, reads);
            }
            continue;
        }
        if (is_pending) reads.assigned.push_back({input.node.get(), is_here});
        if (input.node->memory) {
            reads.memory.push_back(
                {.memory = input.node->memory,
                 .access = map != nullptr ? map->read(input.access) : input.access,
                 .anywhere = is_gathered(node, input)});
        } else {
            reads.memory.push_back({});  // an operand all the same
        }
    }
}

// Whether the draft may grow by the node; notes in it where that would be too much.
bool Plan::has_room(Draft& draft, const Planned& planned, const Reads& reads) {
    const std::size_t operands = reads.memory.size() + own_operands(*planned.node);
    const int operations = draft.operations + operations_of(planned);
    const std::size_t bytes = (draft.operands + operands) * operand_bytes(draft.space.size());
    if (operations <= kMostOperations && bytes <= kMostOperandBytes &&
        state_bytes(draft, *planned.node) <= codegen::kMostStateBytes) {
        return true;
    }
    draft.end_reason = "it is as large as a kernel may be";
    return false;
}

// The last draft that computes at the points of the node, and may grow by it; -1: none.
int Plan::draft_of_space(const Planned& planned, const Reads& reads, int earliest) {
    const Node& node = *planned.node;
    if (node.form == Form::Opaque) return -1;
    for (int i = static_cast<int>(drafts_.size()) - 1; i >= earliest; --i) {
        Draft& draft = drafts_[static_cast<std::size_t>(i)];
        if (draft.is_opaque || draft.stream != node.stream || !(draft.space == node.space))
            continue;
        if (node.reduction && draft.reduced && *draft.reduced != node.reduction->axes) continue;
        if (has_room(draft, planned, reads)) return i;
    }
    return -1;
}

// The draft behind whose results the node may be computed: of those that it reads, the last; -1:
// none.
int Plan::draft_of_results(const Planned& planned, const Reads& reads) {
    const Node& node = *planned.node;
    const bool is_computed = node.form == Form::Apply || node.form == Form::Cast;
    if (!is_computed || reads.has_places || !reads.all_at_same_point) return -1;
    int last = -1;
    for (const Reads::Use& use : reads.assigned) last = std::max(last, of(*use.node).draft);
    if (last < 0) return -1;
    Draft& draft = drafts_[static_cast<std::size_t>(last)];
    if (draft.reduced.value_or(0) == 0 || draft.stream != node.stream) return -1;
    if (!(draft.results == node.space)) return -1;
    for (const Reads::Use& use : reads.assigned) {
        const Planned& read = of(*use.node);
        const bool is_result = use.node->form == Form::Reduce || read.is_behind;
        if (read.draft == last && !(use.at_same_point && is_result)) return -1;
    }
    const bool is_short = draft.behind + operations_of(planned) <= kMostBehind;
    return is_short && has_room(draft, planned, reads) ? last : -1;
}

// The first draft whose space the node may share.
int Plan::earliest_of(const Node& node, const Reads& reads) const {
    int earliest = 0;
    for (const Reads::Use& use : reads.assigned) {
        const Planned& read = of(*use.node);
        const bool may_share = use.at_same_point && use.node->shape == use.node->space &&
                               !use.node->base && use.node->form != Form::Opaque;
        earliest = std::max(earliest, may_share ? read.draft : read.draft + 1);
    }
    for (std::size_t i = 0; node.form == Form::Update && i < drafts_.size(); ++i) {
        for (const Touch& touch : drafts_[i].touches) {
            if (!overlaps(touch.memory, node.memory)) continue;
            const bool is_same = touch.memory == node.memory && touch.access == node.target &&
                                 !touch.writes && !touch.anywhere && drafts_[i].space == node.space;
            earliest = std::max(earliest, static_cast<int>(i) + (is_same ? 0 : 1));
        }
    }
    return earliest;
}

void Plan::assign(Planned& planned) {
    const Node& node = *planned.node;
    Reads reads;
    visit(planned, nullptr, reads);
    if (node.base && node.base->is_pending()) reads.assigned.push_back({node.base.get(), false});
    int chosen = draft_of_space(planned, reads, earliest_of(node, reads));
    if (chosen < 0) {
        chosen = draft_of_results(planned, reads);
        planned.is_behind = chosen >= 0;
    }
    if (chosen < 0) {
        chosen = static_cast<int>(drafts_.size());
        drafts_.push_back(
            {.space = node.space, .stream = node.stream, .is_opaque = node.form == Form::Opaque});
    }
    planned.draft = chosen;
    for (const Reads::Use& use : reads.assigned) {
        if (of(*use.node).draft != chosen) this->planned(*use.node).is_stored = true;
    }
    Draft& draft = drafts_[static_cast<std::size_t>(chosen)];
    if (node.reduction) {
        draft.reduced = node.reduction->axes;
        draft.results = node.shape;
    }
    draft.state_bytes = state_bytes(draft, node);
    draft.operations += operations_of(planned);
    if (planned.is_behind) draft.behind += operations_of(planned);
    draft.operands += reads.memory.size() + own_operands(node);
    draft.nodes.push_back(node.mark);
    for (Touch& touch : reads.memory) {
        if (touch.memory) draft.touches.push_back(std::move(touch));
    }
    if (node.form == Form::Update) draft.touches.push_back({node.memory, node.target, true});
}

}  // namespace warpwise::graph
