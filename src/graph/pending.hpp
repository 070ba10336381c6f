// The nodes that have been recorded and have not run, in the order of recording, and the one object
// through which the runtime asks for them (runtime/pending_work.hpp).
//
// Threading: under the lock of the graph, except where noted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/graph/node.hpp"
#include "src/runtime/pending_work.hpp"

namespace warpwise::graph {

// As many nodes wait at most; then they are run.
inline constexpr std::size_t kMostPending = 256;
// The same, where pending nodes hold more than this part of the device's memory by themselves.
inline constexpr std::size_t kPartOfMemory = 16;

class Pending {
  public:
    void add(Node& node) noexcept;
    void remove(Node& node) noexcept;
    Node* first() const noexcept { return first_; }
    std::size_t count() const noexcept { return count_; }
    // The last node to run where too many wait. Where the nodes repeat, as those of a loop do, it
    // ends a whole number of repetitions: cuts fall at the same place of the body, and the same
    // kernels come out.
    Node* cut() noexcept;

  private:
    Node* first_ = nullptr;
    Node* last_ = nullptr;
    std::size_t count_ = 0;
};

Pending& pending() noexcept;

// Answers the runtime: takes the lock, evaluates what is asked for.
const std::shared_ptr<runtime::PendingWork>& pending_work();

// How others may see the memory that a node writes or reads.
struct Visibility {
    bool is_exposed = false;   // its address is known outside: the node runs now
    bool is_exported = false;  // and has ended where the host reads it without asking
};
// Makes the runtime ask before the stream's order becomes visible, and before the node's memory is
// used by others.
Visibility announce(const Node& node);

}  // namespace warpwise::graph
