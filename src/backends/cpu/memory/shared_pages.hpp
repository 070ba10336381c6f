// Device memory that other processes of the machine map: what IPC handles of the CPU device stand
// for.
//
// Device memory is private to the process, so that a forked child has its own. share() replaces the
// pages of an allocation, in place and with their contents, by pages of a file without a name
// (memfd), at the offset that is their address; the others open the file by /proc. Pages stay
// shared until the memory goes back to the system, also when a pool has handed it out again, and
// with children that are forked meanwhile. They are small pages.
//
// Invariant: no page of device memory holds anything else, so that whole pages can be given away.
// Threading: every function may be called from any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "src/base/address_ranges.hpp"
#include "src/base/file.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::cpu {

// Whole pages of a process. Bytes of it may cross the border of processes.
struct SharedPlace {
    std::int32_t process = 0;
    std::int32_t file = 0;  // descriptor, in that process
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
    std::array<std::uint64_t, 2> nonce{};  // of the file: processes and descriptors repeat
};

class SharedPages {
  public:
    // One for all: allocators and events share by it. Never destroyed.
    static SharedPages& instance();

    // The pages that hold these bytes of device memory. Other threads may read and write them
    // meanwhile; a system call that writes there may fail with EFAULT. Throws OutOfMemoryError, and
    // UnsupportedError where the system has no such files.
    SharedPlace share(std::uintptr_t address, std::size_t bytes);
    // Before memory goes back to the system: its pages are private again, with any contents.
    void forget(std::uintptr_t address, std::size_t bytes) noexcept {
        if (count_.load(std::memory_order_acquire) != 0) make_private(address, bytes);
    }

    // Around fork(): the child shares under its own name.
    void before_fork() WARPWISE_ACQUIRE(mutex_) { mutex_.lock(); }
    void after_fork(bool is_child) WARPWISE_RELEASE(mutex_);

  private:
    struct Pages {
        std::uintptr_t end = 0;
        bool is_inherited = false;  // in the file of the parent
    };

    void require_file() WARPWISE_REQUIRES(mutex_);
    void move(std::uintptr_t begin, std::uintptr_t end) WARPWISE_REQUIRES(mutex_);
    void adopt_inherited(std::uintptr_t begin, std::uintptr_t end) WARPWISE_REQUIRES(mutex_);
    void add(std::uintptr_t begin, std::uintptr_t end) WARPWISE_REQUIRES(mutex_);
    void make_private(std::uintptr_t address, std::size_t bytes) noexcept;

    Mutex mutex_;
    FileDescriptor file_ WARPWISE_GUARDED_BY(mutex_);
    std::array<std::uint64_t, 2> nonce_ WARPWISE_GUARDED_BY(mutex_){};
    // By their begin. None crosses a multiple of kRangeGranule, the unit in which memory goes back.
    std::map<std::uintptr_t, Pages> pages_ WARPWISE_GUARDED_BY(mutex_);
    std::atomic<std::size_t> count_ = 0;  // of pages_
};

// Maps pages of another process into this one, until the last copy of the pointer is gone; the
// value is their address here. Throws ArgumentError where the process, the file or the memory is
// gone or is of another user; `what` is what the pages hold.
std::shared_ptr<const std::uintptr_t> map_shared(const SharedPlace& place, const char* what);

}  // namespace warpwise::cpu
