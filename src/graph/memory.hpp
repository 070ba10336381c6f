// Memory of arrays: a buffer, and which streams have used it.
//
// Ownership: a Memory owns its buffer's handle. It is shared by the storages and nodes whose values
// lie in it. It is released outside of the graph's lock: the last handle of foreign memory may call
// its owner, which may be Python.
// Threading: under the lock of the graph.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "warpwise/buffer.hpp"

namespace warpwise::runtime {
class StreamCore;
class StreamState;
}  // namespace warpwise::runtime

namespace warpwise::graph {

class Memory {
  public:
    Memory() noexcept = default;  // without a buffer yet: see allocate()
    explicit Memory(Buffer buffer) noexcept : buffer_(std::move(buffer)), is_allocated_(true) {}
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    bool is_allocated() const noexcept { return is_allocated_; }
    // From the pool, for work on `stream`. Throws OutOfMemoryError.
    void allocate(std::size_t bytes, const std::shared_ptr<runtime::StreamState>& stream);
    const Buffer& buffer() const noexcept { return buffer_; }
    std::uint64_t address() const noexcept;
    std::size_t size() const noexcept { return buffer_.size(); }
    bool overlaps(const Memory& other) const noexcept;

    // Makes `stream` wait for what other streams have queued on this memory: writes before a read,
    // everything before a write. Counts the use.
    void before_use(const std::shared_ptr<runtime::StreamState>& stream, bool writes);

    // Whether code outside of the graph may use the buffer: then its BufferState knows when
    // something is pending (runtime/pending_work.hpp).
    bool is_shared() const noexcept { return shared_; }
    void share() noexcept { shared_ = true; }
    // Whether its address is known outside of the library: then nothing may be pending on it.
    bool is_exposed() const noexcept;
    // No array names it any more, only pending nodes: it counts as held by them until it goes.
    void orphan() noexcept;
    bool is_orphaned() const noexcept { return orphaned_; }
    static std::size_t orphaned_bytes() noexcept;
    // Exports that live (DLPack, NumPy views): as exposed, and work on it has ended when the call
    // that queued it returns, where the device shares the host's memory.
    int exports = 0;

  private:
    struct Use {
        std::shared_ptr<runtime::StreamCore> core;
        bool wrote = false;
    };
    Buffer buffer_;
    bool is_allocated_ = false;
    bool shared_ = false;
    bool orphaned_ = false;
    void use_of_several(const std::shared_ptr<runtime::StreamState>& stream, bool writes);

    // Since the last write, that write included.
    Use use_;  // without a core: none
    std::vector<Use> more_uses_;
};

}  // namespace warpwise::graph
