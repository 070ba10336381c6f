// Host functions in a stream: what a user's function throws is kept for the thread that waits.
//
// Threading: every function may be called from any thread; the functions run on a thread of the
// driver, which must not call the driver.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

#include "src/backends/cuda/driver/driver.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::cuda {

class HostCalls : public std::enable_shared_from_this<HostCalls> {
  public:
    // Queues `function` on `stream`.
    Status queue(const Driver& driver, StreamHandle stream, std::function<void()> function);
    std::uint64_t count() const noexcept { return count_.load(std::memory_order_acquire); }
    bool has_pending() const;
    // None is pending, and there is nothing to sweep nor an error to take.
    bool is_idle() const;
    // Destroys the functions that have run. Not done where they run: what they hold may call the
    // driver when it goes.
    void sweep();
    // The first error of a function among the first `count`, once; or null.
    std::exception_ptr take_error(std::uint64_t count);

  private:
    struct Call;
    struct Destroy {
        void operator()(Call* call) const noexcept;
    };
    using OwnedCall = std::unique_ptr<Call, Destroy>;
    static void run(void* call);
    void finish(OwnedCall call);
    void fail(std::uint64_t number, std::exception_ptr error);

    mutable Mutex mutex_;
    std::atomic<std::uint64_t> count_ = 0;  // grows under mutex_
    std::uint64_t finished_ WARPWISE_GUARDED_BY(mutex_) = 0;
    OwnedCall done_ WARPWISE_GUARDED_BY(mutex_);  // a list
    std::exception_ptr error_ WARPWISE_GUARDED_BY(mutex_);
    std::uint64_t error_number_ WARPWISE_GUARDED_BY(mutex_) = 0;
};

}  // namespace warpwise::cuda
