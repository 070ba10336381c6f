// A device's stream-ordered pool, and its map of all memory the library has from that device.
//
// Blocks come in 16 sizes for each power of two. A block given back is kept with one event for each
// stream that used it. It is handed out again at once to a stream that comes after those streams
// anyway, and to others once the events are done: a request never makes one stream wait for
// another. What is kept without being used is bounded by a share of the device's memory.
//
// Invariant: held_bytes_ is the sum of all pool blocks, in use, kept or being requested.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "src/base/mutex.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/buffer_state.hpp"

namespace warpwise::runtime {

// The size of the block that serves a request of `bytes` > 0: at most a sixteenth more, or the next
// multiple of 256.
std::size_t pool_block_bytes(std::size_t bytes) noexcept;

class PoolState : public std::enable_shared_from_this<PoolState> {
  public:
    explicit PoolState(Context& context) noexcept;

    Context& context() const noexcept { return context_; }

    // Memory for work on `core`. 0 bytes give a buffer with address 0. Throws OutOfMemoryError
    // after all kept blocks have been tried.
    std::shared_ptr<BufferState> allocate(std::size_t bytes,
                                          const std::shared_ptr<StreamCore>& core);
    // Aside from the pool.
    std::shared_ptr<BufferState> allocate_direct(std::size_t bytes, MemoryKind kind);
    std::shared_ptr<BufferState> wrap(DeviceAddress address, std::size_t bytes,
                                      std::shared_ptr<const void> owner);
    // Never waits.
    void give_back(const Block& block, std::span<const std::shared_ptr<StreamCore>> uses) noexcept;

    // The allocation `address` lies in. `found` without `buffer`: the library's memory, given back.
    struct Place {
        bool found = false;
        bool is_host = false;
        DeviceAddress start = 0;
        std::shared_ptr<BufferState> buffer;
    };
    Place find(DeviceAddress address);

    MemoryInfo memory();
    struct Figures {
        std::uint64_t held_bytes = 0, active_bytes = 0, held_blocks = 0, active_blocks = 0;
    };
    Figures figures();
    // Waits for what still uses kept blocks.
    void free_held();
    // Releases direct memory whose work has ended by now.
    void sweep() noexcept;
    std::optional<std::uint64_t> limit();
    void set_limit(std::optional<std::uint64_t> bytes);

  private:
    struct Use {
        std::shared_ptr<StreamCore> core;
        std::unique_ptr<EventImpl> event;
    };
    struct Kept {
        Block block;
        std::vector<Use> uses;
    };
    struct Known {
        std::size_t bytes = 0;
        bool is_host = false;
        std::weak_ptr<BufferState> buffer;
    };
    // Blocks by size. Within a size the latest come last.
    using Bins = std::map<std::size_t, std::vector<Kept>>;

    static bool is_done(const Kept& kept);
    static bool is_usable(const Kept& kept, const StreamCore& core);
    std::vector<Use> record_uses(std::span<const std::shared_ptr<StreamCore>> uses);
    std::optional<Block> take_kept(std::size_t bytes, const StreamCore& core);
    Block new_block(std::size_t bytes, std::size_t requested);
    bool reserve(std::size_t bytes);
    void unreserve(std::size_t bytes) noexcept;
    DeviceAddress allocate_or_trim(std::size_t bytes, MemoryKind kind);
    [[noreturn]] void out_of_memory(std::size_t requested, const char* why);
    void keep(Kept kept);
    void evict_beyond_share() noexcept;
    void release(const Block& block) noexcept;
    void wait_and_release(std::vector<Kept>& blocks);
    void put_back(std::vector<Kept>& blocks);
    void know(const Block& block, const std::shared_ptr<BufferState>& buffer);
    void recycle(std::vector<Use>& uses) WARPWISE_REQUIRES(mutex_);

    Context& context_;
    Allocator& allocator_;
    Mutex mutex_;
    Bins bins_ WARPWISE_GUARDED_BY(mutex_);
    // Direct and foreign memory that waits for its work.
    std::vector<Kept> leaving_ WARPWISE_GUARDED_BY(mutex_);
    std::map<DeviceAddress, Known> known_ WARPWISE_GUARDED_BY(mutex_);
    std::vector<std::unique_ptr<EventImpl>> spare_events_ WARPWISE_GUARDED_BY(mutex_);
    std::uint64_t held_bytes_ WARPWISE_GUARDED_BY(mutex_) = 0;
    std::uint64_t held_blocks_ WARPWISE_GUARDED_BY(mutex_) = 0;
    std::uint64_t kept_bytes_ WARPWISE_GUARDED_BY(mutex_) = 0;
    std::uint64_t kept_blocks_ WARPWISE_GUARDED_BY(mutex_) = 0;
    std::optional<std::uint64_t> limit_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::runtime
