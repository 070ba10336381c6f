// The heap of kernels (malloc and new in device code): host memory with a bound, so that a runaway
// kernel gets null instead of the machine's last page. Blocks outlive their kernel, as on a GPU.
//
// Threading: every function may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "src/base/mutex.hpp"

namespace warpwise::cpu {

class DeviceHeap {
  public:
    static DeviceHeap& instance();

    explicit DeviceHeap(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}

    // 16-byte aligned; null when the bound is reached or memory is out.
    void* allocate(std::uint64_t bytes) noexcept;
    // False when `pointer` is no live block of this heap; null is fine.
    bool release(void* pointer) noexcept;

    void before_fork() WARPWISE_ACQUIRE(mutex_) { mutex_.lock(); }
    void after_fork() WARPWISE_RELEASE(mutex_) { mutex_.unlock(); }

  private:
    const std::uint64_t max_bytes_;
    Mutex mutex_;
    std::uint64_t used_ WARPWISE_GUARDED_BY(mutex_) = 0;
    std::unordered_map<void*, std::uint64_t> blocks_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::cpu
