// Device memory of the CPU device: host memory, accounted against what the machine has, so that a
// request that cannot be granted fails when it is made and not when the memory is touched.
//
// Invariant: the sum of live allocations never exceeds the total of host_memory().
// Threading: every function may be called from any thread.
#pragma once

#include <atomic>
#include <chrono>

#include "src/backends/cpu/memory/guarded_memory.hpp"
#include "src/base/mutex.hpp"
#include "src/runtime/backend.hpp"

namespace warpwise::cpu {

class CpuAllocator final : public runtime::Allocator {
  public:
    using Probe = MemoryInfo (*)();

    // `probe` reports what the host could provide; tests pass their own.
    // Allocations end at guards where `guarded` is not null, which outlives the allocator.
    explicit CpuAllocator(Probe probe, GuardedMemory* guarded = nullptr)
        : probe_(probe), guarded_(guarded) {}

    runtime::DeviceAddress allocate(std::size_t bytes, runtime::MemoryKind kind) override;
    void release(runtime::DeviceAddress address, std::size_t bytes,
                 runtime::MemoryKind kind) noexcept override;
    // Free is the capacity less what is allocated here, to the byte. The capacity is what the
    // system had to give at the first call; other processes come and go without changing it, until
    // a request is refused (it shrinks) or granted beyond it (it grows).
    MemoryInfo info() override;
    bool guards_ends() const noexcept override { return guarded_ != nullptr; }

    // For memory that others map. take() counts the bytes if they are free, and returns what was;
    // give() counts them back.
    MemoryInfo take(std::uint64_t bytes);
    void give(std::uint64_t bytes) noexcept;

    // Taken around fork(), so that the child finds it free.
    Mutex& mutex() WARPWISE_THREAD_ATTRIBUTE(lock_returned(mutex_)) { return mutex_; }

  private:
    MemoryInfo available(std::uint64_t request) WARPWISE_REQUIRES(mutex_);
    std::uint64_t unused_capacity() WARPWISE_REQUIRES(mutex_);
    // What was available; the bytes are taken if they fit.
    MemoryInfo claim(std::uint64_t bytes) WARPWISE_REQUIRES(mutex_);

    // What an allocation takes of the machine's memory.
    std::uint64_t charged_bytes(std::size_t bytes) const noexcept;
    void* obtain(std::size_t bytes) const noexcept;  // null without memory

    const Probe probe_;
    GuardedMemory* const guarded_;
    Mutex mutex_;
    std::uint64_t allocated_ WARPWISE_GUARDED_BY(mutex_) = 0;
    std::uint64_t capacity_ WARPWISE_GUARDED_BY(mutex_) = 0;
    bool has_capacity_ WARPWISE_GUARDED_BY(mutex_) = false;
    // Reading the system's files costs far more than a small allocation.
    MemoryInfo probed_ WARPWISE_GUARDED_BY(mutex_);
    std::uint64_t allocated_at_probe_ WARPWISE_GUARDED_BY(mutex_) = 0;
    std::chrono::steady_clock::time_point probe_time_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::cpu
