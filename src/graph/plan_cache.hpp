// Plans of expressions that were evaluated before: what is pending is described by words that hold
// everything a plan depends on, and equal words have the same plan. So a repeated expression costs
// no planning.
//
// Words hold forms, types, extents, strides and which nodes read which; neither addresses nor
// numbers. What depends on more has no words and is planned each time: nodes of several streams,
// opaque steps, captures, writes in place to memory that others may name or beside nodes that wait.
//
// Threading: under the lock.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "src/codegen/fused.hpp"
#include "src/graph/draft/draft.hpp"
#include "src/graph/node.hpp"

namespace warpwise::graph {

// The nodes that roots need, and their words.
class Sequence {
  public:
    // False where they have no words.
    bool describe(std::span<const NodeRef> roots);

    std::span<const std::uint64_t> words() const noexcept { return {words_.data(), count_}; }
    // Pending ones in the order of recording, then those in memory that they read.
    std::span<const NodeRef> nodes() const noexcept { return nodes_; }
    // Of a node that nodes() holds.
    std::uint32_t number_of(const Node& node) const noexcept { return node.mark; }
    // Numbers them again, after others have used the nodes' marks.
    void renumber() noexcept;
    void clear() noexcept;

  private:
    bool collect(std::span<const NodeRef> roots);
    bool is_collected(const Node& node) const noexcept;
    void add(const Node& node);
    void add(const Memory* memory);
    void make_room(std::size_t words);
    void add(std::uint64_t word) noexcept { words_[count_++] = word; }  // of that room
    bool has_overlaps() const;
    void add(const Axes& axes);
    void add(const Access& access);
    void add(const ir::Body& body);
    std::uint64_t number_of_memory(const Memory* memory);

    std::vector<NodeRef> nodes_;
    std::vector<std::uint64_t> words_;  // the first `count_`
    std::size_t count_ = 0;
    std::vector<const Memory*> memories_;
    std::vector<char> is_root_;
};

// A draft with the numbers of its nodes in the place of the nodes.
struct KnownDraft {
    DraftKernel kernel;
    std::shared_ptr<codegen::Fused> fused;
    std::vector<std::uint32_t> inputs;  // ~0: no node's
    std::vector<std::uint32_t> kept_inputs;
    std::vector<std::uint32_t> stores;
    std::vector<std::uint32_t> kept_stores;
    std::vector<std::uint32_t> numbers;  // of the node of each source; ~0: none
};

struct KnownPlan {
    std::vector<KnownDraft> drafts;
    std::vector<std::uint32_t> recomputed;  // arrays that name what was not stored
};

class PlanCache {
  public:
    // Null where it is not known. Valid until the next call.
    KnownPlan* find(std::span<const std::uint64_t> words);
    KnownPlan& add(std::span<const std::uint64_t> words, KnownPlan plan);

  private:
    struct Row {
        std::vector<std::uint64_t> words;
        KnownPlan plan;
    };
    std::list<Row> rows_;  // the one found last first
    std::unordered_multimap<std::uint64_t, std::list<Row>::iterator> places_;
};

// The one of the process. Never destroyed.
PlanCache& plan_cache();

// The draft as a known one of these nodes.
KnownDraft remembered(DraftKernel kernel, std::shared_ptr<codegen::Fused> fused);
// Puts the nodes and their numbers into the draft.
void recall(KnownDraft& draft, std::span<const NodeRef> nodes);

}  // namespace warpwise::graph
