// Which pending nodes are computed where: nodes to drafts, one kernel each.
//
// Cheap nodes float: they are computed again wherever they are read, at most kCheap operations at a
// place. Every other node is assigned to one draft, and is computed there once. A draft visits one
// space; what it computes passes between its nodes in registers where it is read at the same
// point, and is stored where a later draft reads it, an array names it, or the caller asked for it.
// A draft that reduces has a second space, that of its results: nodes that read results at their
// own point may be computed behind them, in the same kernel.
//
// Order. Drafts run in their order. A node is in a draft behind all it reads. A write in place is
// behind everything that reads what it overwrites, or beside reads of exactly the elements it
// writes; nodes that would read the old values later are stored before.
//
// Threading: under the lock; a plan is valid until it is released.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "src/graph/node.hpp"

namespace warpwise::graph {

// Operations that may be computed again rather than stored.
inline constexpr int kCheap = 8;
// Of one draft, floating nodes counted wherever they are computed.
inline constexpr int kMostOperations = 128;
// Of these behind the results of a reduction, where one thread of a warp or a block is at work.
inline constexpr int kMostBehind = 24;

// How a node reads one input: the coordinates of the input's node, where they are known.
struct Edge {
    bool is_identity = false;
    bool is_known = false;
    IndexMap map;
};

struct Planned {
    NodeRef node;
    int draft = -1;          // -1: floats
    bool is_behind = false;  // computed from results of the draft's reductions
    bool is_stored = false;
    int cost = 0;             // of computing it from what is stored or assigned
    std::vector<Edge> edges;  // one for each input; of inputs in memory they are empty
};

struct Touch {
    std::shared_ptr<Memory> memory;
    Access access;
    bool writes = false;
    bool anywhere = false;  // of a gather: elements that the access does not determine
};

struct Draft {
    Shape space;
    std::shared_ptr<runtime::StreamState> stream;
    bool is_opaque = false;
    std::optional<std::uint32_t> reduced;  // axes, where it reduces
    Shape results;                         // of its reductions
    int operations = 0;
    int behind = 0;                  // operations on its results
    std::size_t operands = 0;        // in memory, at most
    std::size_t state_bytes = 0;     // of its reductions, what a thread keeps at most
    std::vector<std::size_t> nodes;  // of Plan::nodes(), in their order
    std::vector<Touch> touches;
    const char* end_reason = "nothing else is pending";
};

class Plan {
  public:
    explicit Plan(std::span<const NodeRef> roots);

    const std::vector<Draft>& drafts() const noexcept { return drafts_; }
    const std::vector<Planned>& nodes() const noexcept { return nodes_; }
    const Planned& of(const Node& node) const noexcept { return nodes_[node.mark]; }

  private:
    struct Reads;
    void collect(std::span<const NodeRef> roots);
    void find_edges();
    void store(std::span<const NodeRef> roots);
    void protect_overwritten();
    void find_costs();
    void assign(Planned& planned);
    int earliest_of(const Node& node, const Reads& reads) const;
    static bool has_room(Draft& draft, const Planned& planned, const Reads& reads);
    int draft_of_space(const Planned& planned, const Reads& reads, int earliest);
    int draft_of_results(const Planned& planned, const Reads& reads);
    void visit(const Planned& planned, const IndexMap* map, Reads& reads) const;
    bool is_planned(const Node& node) const noexcept;
    Planned& planned(const Node& node) noexcept { return nodes_[node.mark]; }

    std::vector<Planned> nodes_;  // in the order of recording
    std::vector<Draft> drafts_;
};

}  // namespace warpwise::graph
