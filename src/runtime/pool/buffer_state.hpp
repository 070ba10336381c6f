// One allocation and the streams that used it.
//
// Invariant: the memory goes back exactly once, by free() or by the destructor, and the pool hands
// it out again only after everything that its uses name had been given to those streams. A buffer
// on the pool's shelf (pool_shelf.hpp) is handed out again as it is, to the one stream that used
// it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/base/mutex.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/pending_work.hpp"
#include "src/runtime/pool/pool_uses.hpp"
#include "src/runtime/queue/stream_core.hpp"
#include "warpwise/buffer.hpp"

namespace warpwise::runtime {

class Context;
class PoolState;
struct Piece;

// A piece of memory, as the pool sees it.
struct Block {
    enum class Origin : std::uint8_t {
        Pool,     // kept when given back
        Direct,   // released to the device when given back
        Foreign,  // owned elsewhere: only `owner` is released
    };
    DeviceAddress address = 0;
    std::size_t bytes = 0;  // taken from the device: the request, rounded up
    Origin origin = Origin::Pool;
    MemoryKind kind = MemoryKind::Device;
    std::shared_ptr<const void> owner;
    Piece* piece = nullptr;  // of Origin::Pool
};

class BufferState : public std::enable_shared_from_this<BufferState> {
  public:
    // Without memory; see adopt(). The pool outlives it.
    BufferState(PoolState& pool, std::size_t size) noexcept;
    ~BufferState();
    BufferState(const BufferState&) = delete;
    BufferState& operator=(const BufferState&) = delete;

    // Before any other thread sees the buffer. `first_use` (may be null) is a stream that counts as
    // using it from the start.
    void adopt(Block block, std::shared_ptr<StreamCore> first_use) noexcept {
        block_ = std::move(block);
        first_use_ = std::move(first_use);
        first_id_ = first_use_ ? first_use_->id() : 0;
        last_use_.store(first_id_, std::memory_order_relaxed);
        // The host, a module or another library knows the address.
        const bool is_private =
            block_.kind == MemoryKind::Device && block_.origin != Block::Origin::Foreign;
        marks_.store(is_private ? 0 : kExposed, std::memory_order_relaxed);
    }

    Context& context() const noexcept { return context_; }
    DeviceAddress address() const noexcept { return block_.address; }
    // Bytes asked for.
    std::size_t size() const noexcept { return size_.load(std::memory_order_relaxed); }
    MemoryKind kind() const noexcept { return block_.kind; }
    bool is_foreign() const noexcept { return block_.origin == Block::Origin::Foreign; }
    bool is_freed() const noexcept { return (marks() & kFreed) != 0; }
    // Neither freed nor with pending work.
    bool is_ready() const noexcept { return (marks() & (kFreed | kPending)) == 0; }
    // Throws ArgumentError after free(); `what` begins the message.
    void refuse_freed(const char* what) const;

    // Work on `core` uses the memory from now on.
    void note_use(const std::shared_ptr<StreamCore>& core) {
        if (last_use_.load(std::memory_order_relaxed) != core->id()) add_use(core);
    }
    // Work that touches this memory and was not queued yet; null: none (pending_work.hpp).
    void set_pending(std::shared_ptr<PendingWork> work);
    std::shared_ptr<PendingWork> pending();
    bool has_pending() const noexcept {
        return (marks_.load(std::memory_order_relaxed) & kPending) != 0;
    }
    void settle(FlushReason reason) {
        if (has_pending()) [[unlikely]]
            flush(reason);
    }
    // Whether the address is known outside the library: then nothing may be pending here.
    bool is_exposed() const noexcept { return (marks() & kExposed) != 0; }
    // From now on it is; what is pending has been flushed.
    void expose();

    // Whether any of its streams is being captured is for the caller to check. Throws ArgumentError
    // the second time.
    void free();

    // Of the last handle, which is empty afterwards: the pool keeps the whole buffer if it can.
    static void release_last(std::shared_ptr<BufferState>& last) noexcept;
    // Of the pool's shelf: the buffer owns itself, and is freed for all others, until
    // unshelve().
    void shelve(std::uint64_t key, std::shared_ptr<BufferState>& self) noexcept;
    std::shared_ptr<BufferState> unshelve() noexcept;
    std::uint64_t shelf_key() const noexcept { return shelf_key_; }
    // Before any other thread sees the buffer that comes from the shelf.
    void reuse(std::size_t bytes) noexcept {
        size_.store(bytes, std::memory_order_relaxed);
        shelved_at_ = 0;
    }

  private:
    static constexpr std::uint8_t kFreed = 1, kPending = 2, kExposed = 4;

    std::uint8_t marks() const noexcept { return marks_.load(std::memory_order_acquire); }
    void flush(FlushReason reason);
    void add_use(const std::shared_ptr<StreamCore>& core);
    void give_back() noexcept;

    // First what a launch reads, so that it lies in one line of the cache.
    std::atomic<std::uint64_t> last_use_{0};  // id of a stream that is among the uses; 0: none
    Context& context_;
    std::atomic<std::uint8_t> marks_{0};
    std::atomic<bool> has_more_uses_{false};
    Block block_;
    std::atomic<std::size_t> size_;
    PoolState& pool_;
    std::shared_ptr<StreamCore> first_use_;  // taken by the thread that frees the memory
    std::uint64_t first_id_ = 0;             // id of first_use_; 0: none
    std::shared_ptr<BufferState> shelved_;   // itself
    std::uint64_t shelf_key_ = 0;
    std::uint64_t shelved_at_ = 0;  // position in the work of first_use_; 0: not shelved since
    Mutex mutex_;
    std::vector<std::shared_ptr<StreamCore>> more_uses_ WARPWISE_GUARDED_BY(mutex_);
    std::shared_ptr<PendingWork> pending_ WARPWISE_GUARDED_BY(mutex_);
};

// What Buffer::address() gives, for use inside the library: the address does not leave it.
inline DeviceAddress address_of(const Buffer& buffer) noexcept {
    if (!buffer.state() || buffer.size() == 0) return 0;
    return buffer.state()->address() + buffer.offset();
}

// Null buffers have nothing pending.
inline void settle(const std::shared_ptr<BufferState>& buffer,
                   FlushReason reason = FlushReason::Access) {
    if (buffer) buffer->settle(reason);
}

}  // namespace warpwise::runtime
