// A pool: memory of one kind that is handed out, kept when it is given back, and handed out again
// in stream order; and the map of all memory the library has from that device.
//
// Memory that one stream alone used is handed to that stream again at once, without an event; to
// streams that come after it anyway as well; and to others when its work is known to have ended
// (see PoolLane). A request never makes one stream wait for another. What is kept is coalesced
// (PieceMap) and given back to the device when a request would fail else, or when it exceeds what
// the policy allows.
//
// New memory is a segment, or chunks in a reserved range (PoolGrowth); a pool may have both.
//
// In front of it all lies a shelf of whole buffers (PoolShelf), for the loop that lets one go and
// asks for the same again.
//
// Its parts: PoolLedger is what it holds, under one lock; PoolSource what it takes from the device
// and gives back; PoolMarks how it learns that work has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "src/runtime/context.hpp"
#include "src/runtime/pool/pool_ledger.hpp"
#include "src/runtime/pool/pool_marks.hpp"
#include "src/runtime/pool/pool_source.hpp"
#include "warpwise/error.hpp"
#include "warpwise/pool.hpp"

namespace warpwise::runtime {

class PoolState {
  public:
    PoolState(Context& context, const PoolPolicy& policy) noexcept;
    ~PoolState();
    PoolState(const PoolState&) = delete;
    PoolState& operator=(const PoolState&) = delete;

    Context& context() const noexcept { return ledger_.context; }

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
    PoolGrowth growth() { return source_.growth(); }
    // Throws UnsupportedError where the device, or this kind of memory, has only segments.
    void set_growth(PoolGrowth growth) { source_.set_growth(growth); }

  private:
    // Taking.
    BufferState* take_shelved(const PoolRequest& request) noexcept;
    void clear_shelf() noexcept;
    bool take_recent(const PoolRequest& request, BufferState& buffer);
    void take_slowly(const PoolRequest& request, BufferState& buffer,
                     const std::shared_ptr<StreamCore>& core);
    bool take_kept(const PoolRequest& request, BufferState& buffer,
                   const std::shared_ptr<StreamCore>& core, PoolCores& unmarked);
    [[noreturn]] void out_of_memory(std::size_t requested, const std::string& why);
    // Giving back.
    void keep(Piece& piece, Uses uses);
    void leave(Block& block, Uses uses);
    void give_back_beyond_policy();
    void trim();
    // False when nothing was pending.
    bool settle_pending();

    PoolLedger ledger_;
    PoolMarks marks_{ledger_};
    PoolSource source_{ledger_};
};

}  // namespace warpwise::runtime
