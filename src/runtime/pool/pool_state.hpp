// A pool: memory of one kind that is handed out, kept when it is given back, and handed out again
// in stream order; and the map of all memory the library has from that device.
//
// Memory that one stream alone used is handed to that stream again at once, without an event; to
// streams that come after it anyway as well; and to others when its work is known to have ended
// (PoolLane says how). A request never makes one stream wait for another. What is kept is coalesced
// (PieceMap) and given back to the device when a request would fail else, or when it exceeds what
// the policy allows.
//
// New memory is a segment, or chunks in a reserved range (PoolGrowth); a pool may have both.
//
// In front of it all lies a shelf of whole buffers (PoolShelf), for the loop that lets one go and
// asks for the same again.
//
// Invariants: held_bytes_ is the sum of all segments and chunks, those being requested included;
// active_bytes_ that of the Used pieces, those of shelved buffers included.
// Locks: no call of the device is made under mutex_ but EventImpl::is_done(Wait::No), which returns
// at once. Waiting, recording, allocating and releasing are done without it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/base/mutex.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/device/context.hpp"
#include "src/runtime/memory/buffer_state.hpp"
#include "src/runtime/pool/pool_pieces.hpp"
#include "src/runtime/pool/pool_policy.hpp"
#include "src/runtime/pool/pool_shelf.hpp"
#include "src/runtime/reserved_memory.hpp"
#include "warpwise/error.hpp"
#include "warpwise/pool.hpp"

namespace warpwise::runtime {

class PoolState {
  public:
    PoolState(Context& context, const PoolPolicy& policy) noexcept;
    ~PoolState();
    PoolState(const PoolState&) = delete;
    PoolState& operator=(const PoolState&) = delete;

    Context& context() const noexcept { return context_; }

    // Memory for work on `core`; with null, for the host, which uses it at once: then all earlier
    // work on it has ended. 0 bytes give a buffer with address 0. Throws OutOfMemoryError after all
    // that is kept has been tried.
    std::shared_ptr<BufferState> allocate(std::size_t bytes,
                                          const std::shared_ptr<StreamCore>& core);
    // The same, at once: a block that `core` gave back. Null where there is none, or 0 bytes are
    // asked for.
    std::shared_ptr<BufferState> allocate_kept(std::size_t bytes, StreamCore& core);
    // Keeps `buffer`, whose only owner this is and which `core` alone has used, whole for the next
    // request (PoolShelf). False: it is to be given back.
    bool shelve(std::shared_ptr<BufferState>& buffer, const StreamCore& core,
                const Piece& piece) noexcept;
    // Aside from the pool.
    std::shared_ptr<BufferState> allocate_direct(std::size_t bytes, MemoryKind kind);
    // Memory of the program's own that the device is to reach; `owner` (may be null) keeps it.
    std::shared_ptr<BufferState> register_host(DeviceAddress address, std::size_t bytes,
                                               bool read_only, std::shared_ptr<const void> owner);
    std::shared_ptr<BufferState> wrap(DeviceAddress address, std::size_t bytes,
                                      std::shared_ptr<const void> owner);
    // Never waits. `at` (0: now) is the position in the work of `first` behind which it is free.
    void give_back(Block& block, std::shared_ptr<StreamCore> first,
                   std::vector<std::shared_ptr<StreamCore>> more, std::uint64_t at) noexcept;

    // The allocation `address` lies in.
    MemoryPlace find(DeviceAddress address);
    // Whether the address is of a reserved range.
    bool is_in_range(DeviceAddress address);

    MemoryInfo memory();
    PoolStatistics statistics();
    void reset_peak();
    // Who holds what, for people: live allocations by size, largest first, and what is free.
    std::string report();
    // Runs `make`, which asks the device for memory. Where that is short, gives it back what is
    // kept, then also flushes what is pending (FlushReason::Memory), and tries again after each.
    template <class Make>
    auto with_memory(Make&& make) {
        try {
            return make();
        } catch (const OutOfMemoryError&) {
            trim();
        }
        try {
            return make();
        } catch (const OutOfMemoryError&) {
            if (!settle_pending()) throw;
            trim();
        }
        return make();
    }
    // Waits for what still uses kept memory, then gives the device all segments and chunks that are
    // free, and ranges without memory.
    void free_held();
    // Releases direct memory whose work has ended by now, and what is kept beyond the policy.
    void sweep() noexcept;
    std::optional<std::uint64_t> limit();
    void set_limit(std::optional<std::uint64_t> bytes);
    PoolGrowth growth();
    // Throws UnsupportedError where the device, or this kind of memory, has only segments.
    void set_growth(PoolGrowth growth);

  private:
    using Cores = std::vector<std::shared_ptr<StreamCore>>;
    struct Request {
        std::size_t bytes = 0;  // of the block
        std::size_t asked = 0;
        std::uint16_t size_class = 0;
        bool is_small = false;
        StreamCore* core = nullptr;
    };
    // Taken out of the pieces, to be given back to the device.
    struct Unneeded {
        std::vector<Segment> segments;
        std::vector<Extent> extents;
    };
    struct Leaving {
        Block block;
        Uses uses;
    };
    struct Known {
        std::size_t bytes = 0;
        MemoryKind kind = MemoryKind::Device;
        std::weak_ptr<BufferState> buffer;
    };

    // Taking.
    Request request_for(std::size_t bytes, StreamCore* core) const noexcept;
    BufferState* take_shelved(const Request& request) noexcept;
    void clear_shelf() noexcept;
    std::uint64_t bytes_in_use() const noexcept;
    bool is_peak() const noexcept;
    void note_peak() noexcept WARPWISE_REQUIRES(mutex_);
    bool take_recent(const Request& request, BufferState& buffer);
    PoolLane& lane_of(StreamCore* core) WARPWISE_REQUIRES(mutex_);
    void activate(Piece& piece, BufferState& buffer, const Request& request)
        WARPWISE_REQUIRES(mutex_);
    void take_slowly(const Request& request, BufferState& buffer,
                     const std::shared_ptr<StreamCore>& core);
    bool take_kept(const Request& request, BufferState& buffer,
                   const std::shared_ptr<StreamCore>& core, Cores& unmarked);
    bool take_new(const Request& request, BufferState& buffer,
                  const std::shared_ptr<StreamCore>& core, std::string& why);
    void take_piece(Piece& piece, const Request& request, BufferState& buffer,
                    const std::shared_ptr<StreamCore>& core) WARPWISE_REQUIRES(mutex_);
    // Whether work on the request's stream comes after all uses of the piece.
    bool is_usable(const Piece& piece, const Request& request) WARPWISE_REQUIRES(mutex_);
    bool splits() const WARPWISE_REQUIRES(mutex_) {
        return policy_.splits || growth_ == PoolGrowth::Reserved;
    }
    bool grow(const Request& request, BufferState& buffer, const std::shared_ptr<StreamCore>& core,
              std::string& why);
    bool grow_by(std::size_t at_least, const Request& request, BufferState& buffer,
                 const std::shared_ptr<StreamCore>& core, std::string& why);
    std::optional<Claim> claim(std::size_t at_least, const Request& request, std::string& why);
    bool add_range(const Request& request, std::string& why);
    void give_up(const Claim& claim, std::size_t mapped_gaps) noexcept;
    void adopt(Piece& piece, BufferState& buffer, std::shared_ptr<StreamCore> core);
    std::optional<Segment> new_segment(std::size_t bytes, bool is_small, std::string& why);
    void widen(DeviceAddress address, std::size_t bytes) noexcept WARPWISE_REQUIRES(mutex_);
    bool reserve(std::size_t bytes);
    void unreserve(std::size_t bytes) noexcept;
    [[noreturn]] void out_of_memory(std::size_t requested, const std::string& why);
    // Giving back.
    void keep(Piece& piece, Uses uses);
    void leave(Block& block, Uses uses);
    void drain_lanes() WARPWISE_REQUIRES(mutex_);
    void settle() WARPWISE_REQUIRES(mutex_);
    bool is_over() const WARPWISE_REQUIRES(mutex_);
    void give_back_beyond_policy();
    void trim();
    // False when nothing was pending.
    bool settle_pending();
    Unneeded take_unneeded(std::uint64_t bytes) WARPWISE_REQUIRES(mutex_);
    void release(const Unneeded& unneeded) noexcept;
    void unmap(const std::vector<Extent>& extents) noexcept;
    void release_direct(const Block& block) noexcept;
    // Which work has ended.
    bool has_passed(const Use& use) WARPWISE_REQUIRES(mutex_);
    void note_unmarked(const Uses& uses, Cores& unmarked) WARPWISE_REQUIRES(mutex_);
    void mark(const std::shared_ptr<StreamCore>& core);
    void mark_all(const Cores& cores) noexcept;
    void wait_for(const std::shared_ptr<StreamCore>& core);
    std::unique_ptr<EventImpl> take_event();
    void recycle(std::unique_ptr<EventImpl> event) WARPWISE_REQUIRES(mutex_);

    std::uint64_t kept_bytes() const WARPWISE_REQUIRES(mutex_) {
        return held_bytes_ - requested_bytes_ - active_bytes_;
    }

    Context& context_;
    Allocator& allocator_;
    const PoolPolicy policy_;
    PoolShelf shelf_;
    Mutex mutex_;
    PieceMap pieces_ WARPWISE_GUARDED_BY(mutex_);
    PoolLane host_lane_ WARPWISE_GUARDED_BY(mutex_);  // of memory that no stream used
    Cores listed_ WARPWISE_GUARDED_BY(mutex_);        // streams whose lanes may hold pieces
    std::uint64_t search_ WARPWISE_GUARDED_BY(mutex_) = 0;
    // Direct and foreign memory that waits for its work.
    std::vector<Leaving> leaving_ WARPWISE_GUARDED_BY(mutex_);
    std::map<DeviceAddress, Known> known_ WARPWISE_GUARDED_BY(mutex_);  // direct memory
    std::vector<std::unique_ptr<EventImpl>> spare_events_ WARPWISE_GUARDED_BY(mutex_);
    std::uint64_t held_bytes_ WARPWISE_GUARDED_BY(mutex_) = 0;
    std::uint64_t requested_bytes_ WARPWISE_GUARDED_BY(mutex_) = 0;  // asked of the device just now
    // Changed under mutex_, and looked at without.
    std::atomic<std::uint64_t> active_bytes_{0}, peak_bytes_{0};
    std::uint64_t active_blocks_ WARPWISE_GUARDED_BY(mutex_) = 0;
    // Above it, what is kept is looked through for what may go; higher while nothing may.
    std::uint64_t look_above_ WARPWISE_GUARDED_BY(mutex_);
    std::optional<std::uint64_t> limit_ WARPWISE_GUARDED_BY(mutex_);
    PoolGrowth growth_ WARPWISE_GUARDED_BY(mutex_) = PoolGrowth::Segments;
    std::atomic<bool> has_leaving_{false};
    // All memory that was ever known lies between them. Most addresses of the host do not: they are
    // told so without a lock.
    std::atomic<DeviceAddress> lowest_{~DeviceAddress{0}}, end_{0};
    std::atomic<ReservedMemory*> reserved_{nullptr};  // since growth_ was Reserved first
};

}  // namespace warpwise::runtime
