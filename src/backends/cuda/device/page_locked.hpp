// Where the page-locked memory lies that this library has from the driver. The driver knows too,
// but takes a third of a small copy's time to report it.
//
// Threading: every function may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

#include "src/base/mutex.hpp"

namespace warpwise::cuda {

class PageLocked {
  public:
    void add(std::uint64_t address, std::size_t bytes) {
        MutexLock lock(mutex_);
        ranges_[address] = address + bytes;
    }
    void remove(std::uint64_t address) noexcept {
        MutexLock lock(mutex_);
        ranges_.erase(address);
    }
    bool contains(std::uint64_t address) {
        MutexLock lock(mutex_);
        const auto above = ranges_.upper_bound(address);
        return above != ranges_.begin() && address < std::prev(above)->second;
    }

  private:
    Mutex mutex_;
    std::map<std::uint64_t, std::uint64_t> ranges_ WARPWISE_GUARDED_BY(mutex_);  // begin, end
};

}  // namespace warpwise::cuda
