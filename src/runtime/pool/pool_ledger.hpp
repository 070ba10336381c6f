// What a pool holds, under one lock: the pieces, the lists of recent ones, the figures, and which
// work has ended. The parts of the pool share it: PoolState takes and keeps, PoolSource asks the
// device, PoolMarks records events.
//
// Invariants: held_bytes is the sum of all segments and chunks, those being requested included;
// active_bytes that of the Used pieces, those of shelved buffers included.
// Locks: no call of the device is made under the mutex but EventImpl::is_done(Wait::No), which
// returns at once. Lambdas that the map of pieces calls run under the lock of the caller of the
// map; clang's analysis of locks does not follow that.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "src/base/mutex.hpp"
#include "src/runtime/backend.hpp"
#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/pool/pool_pieces.hpp"
#include "src/runtime/pool/pool_policy.hpp"
#include "src/runtime/pool/pool_shelf.hpp"
#include "src/runtime/queue/pool_lane.hpp"
#include "src/runtime/reserved_memory.hpp"
#include "warpwise/pool.hpp"

namespace warpwise::runtime {

using PoolCores = std::vector<std::shared_ptr<StreamCore>>;

// A request to the pool.
struct PoolRequest {
    std::size_t bytes = 0;  // of the block
    std::size_t asked = 0;
    std::uint16_t size_class = 0;
    bool is_small = false;
    StreamCore* core = nullptr;
};

// Taken out of the pieces, to be given back to the device.
struct UnneededMemory {
    std::vector<Segment> segments;
    std::vector<Extent> extents;
};

// Direct and foreign memory that waits for its work.
struct LeavingMemory {
    Block block;
    Uses uses;
};

// Memory aside from the pieces.
struct DirectMemory {
    std::size_t bytes = 0;
    MemoryKind kind = MemoryKind::Device;
    std::weak_ptr<BufferState> buffer;
};

class PoolLedger {
  public:
    PoolLedger(Context& owner, const PoolPolicy& rules) noexcept
        : context(owner), policy(rules), look_above(rules.most_kept) {}
    PoolLedger(const PoolLedger&) = delete;
    PoolLedger& operator=(const PoolLedger&) = delete;

    // Pieces and buffers.
    void take_piece(Piece& piece, const PoolRequest& request, BufferState& buffer,
                    const std::shared_ptr<StreamCore>& core) WARPWISE_REQUIRES(mutex);
    void activate(Piece& piece, BufferState& buffer, const PoolRequest& request)
        WARPWISE_REQUIRES(mutex) {
        piece.state = Piece::State::Used;
        piece.size_class = request.size_class;
        piece.buffer = &buffer;
        ++active_blocks;
        active_bytes.store(active_bytes.load(std::memory_order_relaxed) + piece.bytes,
                           std::memory_order_relaxed);
        note_peak();
    }
    // Makes it the memory of a buffer that no other thread has seen.
    void adopt(Piece& piece, BufferState& buffer, std::shared_ptr<StreamCore> core) const {
        // Counts as a use from the start: what used the block before is over only in this order.
        buffer.adopt({.address = piece.address,
                      .bytes = piece.bytes,
                      .kind = policy.kind,
                      .owner = nullptr,
                      .piece = &piece},
                     std::move(core));
    }
    // Whether work on the request's stream comes after all uses of the piece.
    bool is_usable(const Piece& piece, const PoolRequest& request) WARPWISE_REQUIRES(mutex);
    bool splits() const WARPWISE_REQUIRES(mutex) {
        return policy.splits || growth == PoolGrowth::Reserved;
    }
    PoolLane& lane_of(StreamCore* core) WARPWISE_REQUIRES(mutex) {
        return core != nullptr ? core->lane(policy.kind) : host_lane;
    }
    // All recent pieces become free ones.
    void drain_lanes() WARPWISE_REQUIRES(mutex);
    // Coalesces what was kept apart by work that has ended.
    void settle() WARPWISE_REQUIRES(mutex);
    // Takes free memory of so many bytes out of the pieces, as far as there is any.
    UnneededMemory take_unneeded(std::uint64_t bytes) WARPWISE_REQUIRES(mutex);
    void widen(DeviceAddress address, std::size_t bytes) noexcept WARPWISE_REQUIRES(mutex);

    // Work of streams.
    bool has_passed(const Use& use) WARPWISE_REQUIRES(mutex);
    // Adds the streams whose marks do not reach as far as `uses`.
    void note_unmarked(const Uses& uses, PoolCores& unmarked) WARPWISE_REQUIRES(mutex);
    void drop_passed_marks(StreamCore& core) WARPWISE_REQUIRES(mutex);
    void recycle(std::unique_ptr<EventImpl> event) WARPWISE_REQUIRES(mutex);

    // Figures.
    std::uint64_t kept_bytes() const WARPWISE_REQUIRES(mutex) {
        return held_bytes - requested_bytes - active_bytes;
    }
    std::uint64_t bytes_in_use() const noexcept;
    // Reads the shelf, two lines of the cache, only when it may matter.
    bool is_peak() const noexcept {
        const std::uint64_t peak = peak_bytes.load(std::memory_order_relaxed);
        return active_bytes.load(std::memory_order_relaxed) > peak && bytes_in_use() > peak;
    }
    void note_peak() noexcept WARPWISE_REQUIRES(mutex) {
        if (!is_peak()) return;
        // Other threads may have filled the shelf meanwhile.
        peak_bytes = std::max(peak_bytes.load(), bytes_in_use());
    }

    Context& context;
    const PoolPolicy policy;
    PoolShelf shelf;
    Mutex mutex;
    PieceMap pieces WARPWISE_GUARDED_BY(mutex);
    PoolLane host_lane WARPWISE_GUARDED_BY(mutex);  // of memory that no stream used
    PoolCores listed WARPWISE_GUARDED_BY(mutex);    // streams whose lanes may hold pieces
    std::uint64_t search WARPWISE_GUARDED_BY(mutex) = 0;
    std::vector<LeavingMemory> leaving WARPWISE_GUARDED_BY(mutex);
    std::map<DeviceAddress, DirectMemory> direct WARPWISE_GUARDED_BY(mutex);
    std::vector<std::unique_ptr<EventImpl>> spare_events WARPWISE_GUARDED_BY(mutex);
    std::uint64_t held_bytes WARPWISE_GUARDED_BY(mutex) = 0;
    std::uint64_t requested_bytes WARPWISE_GUARDED_BY(mutex) = 0;  // asked of the device just now
    // Changed under the mutex, and looked at without.
    std::atomic<std::uint64_t> active_bytes{0}, peak_bytes{0};
    std::uint64_t active_blocks WARPWISE_GUARDED_BY(mutex) = 0;
    // Above it, what is kept is searched for what may go; higher while nothing may.
    std::uint64_t look_above WARPWISE_GUARDED_BY(mutex);
    std::optional<std::uint64_t> limit WARPWISE_GUARDED_BY(mutex);
    PoolGrowth growth WARPWISE_GUARDED_BY(mutex) = PoolGrowth::Segments;
    std::atomic<bool> has_leaving{false};
    // All memory that was ever known lies between them. Most addresses of the host do not, and are
    // answered without a lock.
    std::atomic<DeviceAddress> lowest{~DeviceAddress{0}}, end{0};
};

}  // namespace warpwise::runtime
