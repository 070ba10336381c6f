// Memory that detects accesses past its end, for WARPWISE_POOL=guard: each allocation ends where
// addresses without memory begin, so that the first access beyond it is a fault, and so is each
// access after its release.
//
//   | guard page | unused start of a page | allocation, to the byte | slack < 16 | guards |
//
// Allocations begin at multiples of 16 bytes, and of as many as divides their size, up to 256: code
// that reads float4 needs that. The slack this leaves at the end of a size that is no multiple of
// 16 has known contents, which take_overrun() compares. The addresses of released memory are kept
// without memory (quarantine), the last kMostReleased of them.
//
// Threading: every function may be called from any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "src/base/mutex.hpp"

namespace warpwise::cpu {

class GuardedMemory {
  public:
    // What faults behind an allocation. Only addresses: they cost no memory.
    static constexpr std::size_t kGuardBytes = std::size_t{64} << 10;
    static constexpr std::size_t kMostReleased = 8192;
    static constexpr std::uint64_t kMostReleasedBytes = std::uint64_t{64} << 30;

    struct Allocation {
        std::uintptr_t begin = 0;
        std::size_t bytes = 0;
        bool is_released = false;
    };
    struct Overrun {
        Allocation allocation;
        std::size_t first = 0;  // the first byte that was written, from the allocation's begin on
    };

    // One for all: faults are described where the allocator is unknown. Never destroyed.
    static GuardedMemory& instance();
    // What an allocation takes of the machine's memory.
    static std::size_t charged_bytes(std::size_t bytes) noexcept;

    // 0 where the system has no memory or no further mappings.
    std::uintptr_t allocate(std::size_t bytes) noexcept;
    // What allocate() gave and is not released.
    void release(std::uintptr_t address) noexcept;
    // The allocation, live or released, that the address lies in, or behind or before within its
    // guards.
    std::optional<Allocation> find(std::uintptr_t address);
    // A live allocation whose slack was written since the last call; its slack is restored.
    // Costs two instructions where nothing has slack.
    std::optional<Overrun> take_overrun();

    // Around fork(), so that the child finds it free.
    void before_fork() WARPWISE_ACQUIRE(mutex_) { mutex_.lock(); }
    void after_fork() WARPWISE_RELEASE(mutex_) { mutex_.unlock(); }

  private:
    struct Entry {
        Allocation allocation;
        std::size_t mapped = 0;            // bytes, guards included
        std::uintptr_t next_released = 0;  // key of the one released after this; 0: none
    };
    using Entries = std::map<std::uintptr_t, Entry>;  // by the begin of the mapping

    std::uintptr_t map(std::size_t bytes);
    void forget_oldest() WARPWISE_REQUIRES(mutex_);
    static std::optional<Overrun> overrun_of(const Allocation& allocation) noexcept;

    Mutex mutex_;
    Entries live_ WARPWISE_GUARDED_BY(mutex_);
    Entries released_ WARPWISE_GUARDED_BY(mutex_);
    std::uintptr_t oldest_ WARPWISE_GUARDED_BY(mutex_) = 0;  // of released_, in order of release
    std::uintptr_t newest_ WARPWISE_GUARDED_BY(mutex_) = 0;
    std::uint64_t released_bytes_ WARPWISE_GUARDED_BY(mutex_) = 0;
    std::atomic<std::size_t> with_slack_ = 0;  // live allocations
};

}  // namespace warpwise::cpu
