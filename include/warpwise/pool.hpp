// A device's stream-ordered memory pool: freed memory is kept and handed out again, at once to the
// stream that freed it and to others after the work that used it. Kept memory is released to the
// device before a request fails.
//
//   ww::Pool pool = ww::Device().pool();
//   pool.set_limit(4ull << 30);
//   fmt::print("{}\n", pool.report());     // what is in use and kept, by size
//
// Threading: every function may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "warpwise/buffer.hpp"
#include "warpwise/export.hpp"

namespace warpwise {

namespace runtime {
class PoolState;
}

// How a pool takes memory from the device. What it holds already stays as it is.
enum class PoolGrowth : std::uint8_t {
    Segments,  // by the driver's allocations
    // In reserved addresses, behind which memory comes and goes in chunks: free chunks serve a
    // request of any size, wherever they lie. Cannot be shared with other processes.
    Reserved,
};

// One moment's figures.
struct PoolStatistics {
    std::uint64_t held_bytes = 0;     // taken from the device, in use or kept
    std::uint64_t active_bytes = 0;   // in use, each allocation rounded up to its block
    std::uint64_t peak_bytes = 0;     // the most that was in use; see reset_peak()
    std::uint64_t held_blocks = 0;    // pieces, in use or kept
    std::uint64_t active_blocks = 0;  // pieces in use
    // Allocations of the device that the pieces lie in; in reserved addresses every chunk is one.
    std::uint64_t segments = 0;
    std::uint64_t largest_free_bytes = 0;  // the largest kept piece
};

class WARPWISE_API Pool {
  public:
    std::uint64_t held_bytes() const;
    std::uint64_t active_bytes() const;
    std::uint64_t held_blocks() const;
    std::uint64_t active_blocks() const;
    PoolStatistics statistics() const;
    void reset_peak();  // peak_bytes counts from now on
    // Who holds what, for people: live allocations by size, largest first, and what is kept.
    std::string report() const;
    void free_held();  // gives kept memory back to the device; waits for what still uses it
    // At most this many bytes are held; a request beyond it throws OutOfMemoryError.
    std::optional<std::uint64_t> limit() const;
    void set_limit(std::optional<std::uint64_t> bytes);
    // From now on; at first WARPWISE_POOL, else Segments. Throws UnsupportedError where
    // the device cannot do that, and for pools of page-locked memory.
    PoolGrowth growth() const;
    void set_growth(PoolGrowth growth);

    explicit Pool(std::shared_ptr<runtime::PoolState> state) noexcept;

  private:
    std::shared_ptr<runtime::PoolState> state_;
};

// As mem_alloc(), where the pool has a block ready that this stream released: at once, the device
// is not asked. Elsewhere, and for 0 bytes, a Buffer without memory (its state() is null).
WARPWISE_API Buffer mem_alloc_kept(std::size_t bytes);  // for the current stream
WARPWISE_API Buffer mem_alloc_kept(std::size_t bytes, const Stream& stream);

}  // namespace warpwise
