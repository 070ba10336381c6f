// Kernel printf, from blocks to readers: blocks finish in any order, readers see them in block
// order.
//
// Threading: every function may be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <string>

#include "src/base/mutex.hpp"

namespace warpwise::cpu {

// Finished text of the whole device, waiting for a thread that synchronises. Bounded: past
// kMaxBytes text is dropped, and a line of the output reports it.
class OutputQueue {
  public:
    static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
    // From here on a waiting thread should fetch without waiting for the end of the work.
    static constexpr std::size_t kManyBytes = std::size_t{1} << 20;

    void append(std::string&& text);
    std::string take();
    bool has_much() const noexcept { return size_.load(std::memory_order_relaxed) >= kManyBytes; }
    bool is_empty() const noexcept { return size_.load(std::memory_order_acquire) == 0; }
    Mutex& mutex() WARPWISE_THREAD_ATTRIBUTE(lock_returned(mutex_)) { return mutex_; }

  private:
    Mutex mutex_;
    std::string text_ WARPWISE_GUARDED_BY(mutex_);
    bool is_cut_ WARPWISE_GUARDED_BY(mutex_) = false;
    std::atomic<std::size_t> size_ = 0;
};

// The output of one grid. Ranges of blocks arrive once each; what follows the last complete prefix
// waits here, the prefix itself moves on at once.
class GridOutput {
  public:
    explicit GridOutput(OutputQueue& queue) : queue_(queue) {}
    OutputQueue& queue() noexcept { return queue_; }

    // The text of blocks [begin, end).
    void add(std::uint64_t begin, std::uint64_t end, std::string&& text);
    // No more blocks will come (the grid ended or was stopped): passes on what is left.
    void close();

  private:
    struct Range {
        std::uint64_t end = 0;
        std::string text;
    };

    OutputQueue& queue_;
    Mutex mutex_;
    std::uint64_t next_ WARPWISE_GUARDED_BY(mutex_) = 0;  // all blocks below have been passed on
    std::map<std::uint64_t, Range> waiting_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::cpu
