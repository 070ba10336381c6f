// The primary context of one GPU: shared with every other library of the process that uses the
// runtime API's context, retained at first use, never released (a release at exit races with
// those who still use it; the driver ends it with the process).
//
// Every call of the driver that needs a context is made in a Scope, which restores what was current
// in the thread before: other libraries rely on theirs. Where nothing was, that of the first GPU
// stays current, which the runtime API takes by itself too: every later call is spared two of the
// driver.
//
// A fault of a kernel ends the context for the whole process: the driver gives no other one (a
// reset does not help). Whichever call of the driver reports it first throws LaunchError, which
// names the kernels that ran; from then on every call throws DeviceError with that reason. So does
// a GPU that fails itself (its memory, its link, it falls off the bus), but no kernel is named
// then.
//
// Threading: every function may be called from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "src/backends/cuda/driver/driver.hpp"
#include "src/base/mutex.hpp"

namespace warpwise::cuda {

class PrimaryContext {
  public:
    // What ran when a kernel failed: the names of kernels, each once.
    using Suspects = std::function<std::vector<std::string>()>;

    PrimaryContext(int ordinal, Suspects suspects)
        : ordinal_(ordinal), suspects_(std::move(suspects)) {}
    PrimaryContext(const PrimaryContext&) = delete;
    PrimaryContext& operator=(const PrimaryContext&) = delete;

    int ordinal() const noexcept { return ordinal_; }
    // Made at first use. Throws DeviceError or OutOfMemoryError when it cannot be.
    ContextHandle handle() {
        if (const ContextHandle known = handle_.load(std::memory_order_acquire)) return known;
        return retain();
    }

    // Current for this thread while it lives. Throws DeviceError when there is no context or it is
    // lost.
    class Scope {
      public:
        explicit Scope(PrimaryContext& context);
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        const Driver& driver_;
        ContextHandle previous_ = nullptr;
        bool is_to_be_put_back_ = false;
    };

    // For destructors and what they call: does `work` with the context current, or nothing if there
    // is no driver any more, as at exit and in a child of fork().
    template <class Work>
    void ignoring_errors(Work&& work) noexcept {
        const Driver* const driver = driver_or_null();
        ContextHandle previous = nullptr;
        if (driver == nullptr || driver->context_get_current(&previous) != Status::Success) return;
        driver->context_set_current(handle_.load());
        work(*driver);
        driver->context_set_current(previous);
    }

    // Nothing when `status` is Success. Throws OutOfMemoryError or DeviceError: "cannot <doing>:
    // CUDA_ERROR_... (...)"; LaunchError for a fault of a kernel, which any call may report.
    // DeviceError as well when the GPU itself has failed, which any call may report too.
    void check(Status status, const char* doing);

  private:
    ContextHandle retain();
    void throw_if_lost() {
        if (is_lost_.load(std::memory_order_acquire)) [[unlikely]]
            throw_lost();
    }
    [[noreturn]] void throw_lost();
    [[noreturn]] void throw_fault(Status status);
    [[noreturn]] void throw_failed_device(Status status);
    // False when another thread has done so before.
    bool lose(const std::string& why, bool is_kernels_fault);

    const int ordinal_;
    const Suspects suspects_;
    std::atomic<ContextHandle> handle_ = nullptr;
    std::atomic<bool> is_lost_ = false;
    Mutex mutex_;
    std::string why_lost_ WARPWISE_GUARDED_BY(mutex_);
    bool is_kernels_fault_ WARPWISE_GUARDED_BY(mutex_) = false;
};

// Whether it is the fault of a kernel, after which the context is lost.
bool is_fault(Status status) noexcept;
// Whether the GPU itself has failed, or is taken from this process.
bool is_device_failure(Status status) noexcept;

}  // namespace warpwise::cuda
