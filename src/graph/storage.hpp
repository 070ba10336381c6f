// What arrays are handles of: values in memory, or the operation that will compute them.
//
// Several arrays (views) share a storage. A storage gets its memory when it is first evaluated and
// keeps it; later values, written in place, are stored there.
//
// Threading: members under the lock of the graph, but for `device`, `bytes` and the count of
// handles (std::shared_ptr).
#pragma once

#include <cstddef>
#include <memory>

#include "src/graph/node.hpp"

namespace warpwise::runtime {
class Context;
}

namespace warpwise::graph {

class Storage {
  public:
    explicit Storage(std::shared_ptr<runtime::Context> context, std::size_t bytes) noexcept
        : context_(std::move(context)), bytes_(bytes) {}
    ~Storage();  // takes the graph's lock
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    runtime::Context& context() const noexcept { return *context_; }
    const std::shared_ptr<runtime::Context>& shared_context() const noexcept { return context_; }
    std::size_t bytes() const noexcept { return bytes_; }

    // The newest value: a pending node, or Form::Memory.
    const NodeRef& value() const noexcept { return value_; }
    void set_value(NodeRef value) noexcept;
    // Null until it was evaluated.
    const std::shared_ptr<Memory>& memory() const noexcept { return memory_; }
    void set_memory(std::shared_ptr<Memory> memory) noexcept { memory_ = std::move(memory); }
    bool is_pending() const noexcept { return value_ && value_->is_pending(); }

  private:
    std::shared_ptr<runtime::Context> context_;
    std::size_t bytes_;
    NodeRef value_;
    std::shared_ptr<Memory> memory_;
};

}  // namespace warpwise::graph
