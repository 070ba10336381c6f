// Words of nodes, and the bounded table of plans. Invariant: two sequences of equal words make the
// same plan, whatever else is pending.
#include "src/graph/plan_cache.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "src/graph/pending.hpp"
#include "src/graph/storage.hpp"
#include "src/runtime/stream/stream_state.hpp"

namespace warpwise::graph {
namespace {

// Of memory that is not ours: kernels depend on it.
std::uint64_t misalignment(const Memory* memory) {
    constexpr std::uint64_t kLargestElement = 16;
    return memory != nullptr && memory->is_allocated() ? memory->address() % kLargestElement : 0;
}

constexpr std::size_t kMostPlans = 512;
constexpr std::uint32_t kNone = ~0u;

std::uint64_t hash_of(std::span<const std::uint64_t> words) {
    const auto mixed = [](std::uint64_t state, std::uint64_t word) {
        state = (state ^ word) * 0x9E3779B97F4A7C15ull;
        return state ^ state >> 32;
    };
    // Four at a time: each waits for a multiplication.
    std::array<std::uint64_t, 4> states{0xCBF29CE484222325ull, 1, 2, 3};
    std::size_t at = 0;
    for (; at + states.size() <= words.size(); at += states.size()) {
        for (std::size_t i = 0; i < states.size(); ++i) states[i] = mixed(states[i], words[at + i]);
    }
    for (; at < words.size(); ++at) states[0] = mixed(states[0], words[at]);
    return mixed(mixed(mixed(states[0], states[1]), states[2]), states[3]);
}

template <class T>
std::uint64_t as_word(T value) {
    return static_cast<std::uint64_t>(value);
}

}  // namespace

void Sequence::clear() noexcept {
    nodes_.clear();
    count_ = 0;
    memories_.clear();
}

void Sequence::renumber() noexcept {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        nodes_[i]->mark = static_cast<std::uint32_t>(i);
    }
}

bool Sequence::is_collected(const Node& node) const noexcept {
    return node.mark < nodes_.size() && nodes_[node.mark].get() == &node;
}

bool Sequence::collect(std::span<const NodeRef> roots) {
    const auto need = [&](const NodeRef& ref) {
        if (!ref || !ref->is_pending() || is_collected(*ref)) return;
        ref->mark = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back(ref);
    };
    for (const NodeRef& root : roots) need(root);
    bool has_update = false;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const Node& node = *nodes_[i];
        if (node.form == Form::Opaque) return false;
        has_update |= node.form == Form::Update;
        for (const Input& input : node.inputs) need(input.node);
        need(node.base);
    }
    const auto by_id = [](const NodeRef& node) { return node->id; };
    std::ranges::reverse(nodes_);  // most are found from the last one to the first
    if (!std::ranges::is_sorted(nodes_, {}, by_id)) std::ranges::sort(nodes_, {}, by_id);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        nodes_[i]->mark = static_cast<std::uint32_t>(i);
    }
    // Who waits besides may read what is overwritten.
    return !has_update || nodes_.size() == pending().count();
}

void Sequence::make_room(std::size_t words) {
    if (words_.size() < count_ + words) words_.resize(2 * (count_ + words));
}

void Sequence::add(const Axes& axes) {
    for (const std::int64_t number : axes) add(as_word(number));
}

void Sequence::add(const Access& access) {
    add(as_word(access.offset));
    add(access.strides);
}

void Sequence::add(const ir::Body& body) {
    add(body.instructions.size());
    for (const ir::Instruction& one : body.instructions) {
        add(as_word(one.form) << 56 | as_word(one.kind) << 48 | as_word(one.op) << 16 | one.number);
        add(as_word(one.operands[0]) << 32 | as_word(one.operands[1]) << 16 | one.operands[2]);
    }
}

// From 1 on, in the order of their occurrence; 0: none.
std::uint64_t Sequence::number_of_memory(const Memory* memory) {
    if (memory == nullptr) return 0;
    const auto known = std::ranges::find(memories_, memory);
    if (known == memories_.end()) {
        memories_.push_back(memory);
        return memories_.size();
    }
    return static_cast<std::uint64_t>(known - memories_.begin()) + 1;
}

void Sequence::add(const Memory* memory) {
    add(number_of_memory(memory) | misalignment(memory) << 32);
}

void Sequence::add(const Node& node) {
    // At most: what is added below for each input, with the axes of both kinds, and for the rest.
    make_room(std::size_t{64} + kMaxRank * 4 + node.inputs.size() * (kMaxRank + 2) +
              (node.reduction ? 2 * node.reduction->epilogue.instructions.size() : 0));
    const bool is_update = node.form == Form::Update;
    add(as_word(node.form) << 56 | as_word(node.kind) << 48 | as_word(node.computation) << 40 |
        as_word(node.op) << 16 | as_word(node.space.size()) << 8 |
        as_word(node.inputs.size()) << 4 | (node.was_recomputed ? 2u : 0u) |
        (node.storage != nullptr ? 1u : 0u));
    add(as_word(static_cast<std::uint8_t>(node.operands[0])) << 48 |
        as_word(static_cast<std::uint8_t>(node.operands[1])) << 40 |
        as_word(static_cast<std::uint8_t>(node.operands[2])) << 32 | as_word(node.number) << 16 |
        as_word(node.layout.size()) << 8 | (node.base ? 4u : 0u) | (node.reduction ? 2u : 0u) |
        (is_root_[node.mark] != 0 ? 1u : 0u));
    if (node.form == Form::Draw) add(as_word(node.draw));
    add(node.space);
    add(node.layout);
    for (const Input& input : node.inputs) {
        add(as_word(input.node->mark) << 32 | as_word(input.kind));
        add(input.access);
    }
    if (node.reduction) {
        add(as_word(node.reduction->reduce) << 48 | as_word(node.reduction->accumulator) << 32 |
            node.reduction->axes);
        add(node.reduction->epilogue);
    }
    if (node.base) add(std::uint64_t{node.base->mark});
    if (is_update) add(node.target);
    add(node.memory.get());
}

// Numbers say which nodes have the same memory, not which have parts of it: that matters where one
// is written.
bool Sequence::has_overlaps() const {
    const auto is_update = [](const NodeRef& node) { return node->form == Form::Update; };
    if (std::ranges::none_of(nodes_, is_update)) return false;
    for (std::size_t i = 0; i < memories_.size(); ++i) {
        if (!memories_[i]->is_shared() || !memories_[i]->is_allocated()) continue;
        for (std::size_t j = 0; j < memories_.size(); ++j) {
            if (i == j || !memories_[j]->is_allocated()) continue;
            if (memories_[i]->overlaps(*memories_[j])) return true;
        }
    }
    return false;
}

bool Sequence::describe(std::span<const NodeRef> roots) {
    clear();
    if (!collect(roots) || nodes_.empty()) return false;
    const std::size_t pending_count = nodes_.size();
    const auto& stream = nodes_.front()->stream;
    if (stream->is_capturing()) return false;
    is_root_.assign(pending_count, 0);
    for (const NodeRef& root : roots) {
        if (root->is_pending()) is_root_[root->mark] = 1;
    }
    const auto number = [&](const NodeRef& ref) {
        if (is_collected(*ref)) return;
        ref->mark = static_cast<std::uint32_t>(nodes_.size());
        nodes_.push_back(ref);
    };
    for (std::size_t i = 0; i < pending_count; ++i) {
        const Node& node = *nodes_[i];
        if (node.stream != stream) return false;
        for (const Input& input : node.inputs) number(input.node);
        if (node.base) number(node.base);
    }
    make_room(2);
    add(std::bit_cast<std::uintptr_t>(&stream->context()));
    add(pending_count);
    for (std::size_t i = 0; i < pending_count; ++i) {
        add(*nodes_[i]);
    }
    make_room(nodes_.size() - pending_count);
    for (std::size_t i = pending_count; i < nodes_.size(); ++i) {
        add(nodes_[i]->memory.get());
    }
    return !has_overlaps();
}

KnownPlan* PlanCache::find(std::span<const std::uint64_t> words) {
    const auto [begin, end] = places_.equal_range(hash_of(words));
    for (auto place = begin; place != end; ++place) {
        if (!std::ranges::equal(place->second->words, words)) continue;
        rows_.splice(rows_.begin(), rows_, place->second);
        return &place->second->plan;
    }
    return nullptr;
}

KnownPlan& PlanCache::add(std::span<const std::uint64_t> words, KnownPlan plan) {
    rows_.push_front({{words.begin(), words.end()}, std::move(plan)});
    places_.emplace(hash_of(words), rows_.begin());
    while (rows_.size() > kMostPlans) {
        const auto last = std::prev(rows_.end());
        const auto [begin, end] = places_.equal_range(hash_of(last->words));
        for (auto place = begin; place != end; ++place) {
            if (place->second != last) continue;
            places_.erase(place);
            break;
        }
        rows_.pop_back();
    }
    return rows_.front().plan;
}

PlanCache& plan_cache() {
    static auto* const cache = new PlanCache;
    return *cache;
}

KnownDraft remembered(DraftKernel kernel, std::shared_ptr<codegen::Fused> fused) {
    KnownDraft draft;
    for (const Leaf& leaf : kernel.inputs) {
        draft.inputs.push_back(leaf.node != nullptr ? leaf.node->mark : kNone);
    }
    for (const Leaf& leaf : kernel.kept_inputs) draft.kept_inputs.push_back(leaf.node->mark);
    for (const Node* node : kernel.stores) draft.stores.push_back(node->mark);
    for (const Node* node : kernel.kept_stores) draft.kept_stores.push_back(node->mark);
    for (const NumberSource& source : kernel.numbers) {
        draft.numbers.push_back(source.node != nullptr ? source.node->mark : kNone);
    }
    draft.kernel = std::move(kernel);
    draft.fused = std::move(fused);
    return draft;
}

void recall(KnownDraft& draft, std::span<const NodeRef> nodes) {
    DraftKernel& kernel = draft.kernel;
    for (std::size_t i = 0; i < draft.inputs.size(); ++i) {
        if (draft.inputs[i] == kNone) continue;
        kernel.inputs[i].node = nodes[draft.inputs[i]].get();
    }
    for (std::size_t i = 0; i < draft.kept_inputs.size(); ++i) {
        kernel.kept_inputs[i].node = nodes[draft.kept_inputs[i]].get();
    }
    for (std::size_t i = 0; i < draft.stores.size(); ++i) {
        kernel.stores[i] = nodes[draft.stores[i]].get();
    }
    for (std::size_t i = 0; i < draft.kept_stores.size(); ++i) {
        kernel.kept_stores[i] = nodes[draft.kept_stores[i]].get();
    }
    for (std::size_t i = 0; i < draft.numbers.size(); ++i) {
        if (draft.numbers[i] == kNone) continue;
        const NumberSource& source = kernel.numbers[i];
        kernel.binding.scalars[i] =
            nodes[draft.numbers[i]]->scalars[source.number].typed(source.kind);
    }
}

}  // namespace warpwise::graph
