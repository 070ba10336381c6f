// Events: the driver's, and which of the queue's host calls lie before them.
//
// Threading: as runtime::EventImpl.
#pragma once

#include <atomic>
#include <cstdint>

#include "src/backends/cuda/driver/primary_context.hpp"
#include "src/runtime/backend.hpp"

namespace warpwise::cuda {

class CudaEvent final : public runtime::EventImpl {
  public:
    CudaEvent(PrimaryContext& context, bool timing);
    // Owns `handle`.
    CudaEvent(PrimaryContext& context, EventHandle handle) noexcept
        : context_(context), handle_(handle) {}
    ~CudaEvent() override;

    // True as well when the context is lost or not there: the queue reports that. Throws no more
    // than Interrupted, and that only where it waits.
    bool is_done(runtime::Wait wait) override;
    double milliseconds_until(const runtime::EventImpl& end) override;

    EventHandle handle() const noexcept { return handle_; }
    PrimaryContext& context() const noexcept { return context_; }
    // With the context current: queries the driver only. False after a fault.
    bool has_passed() const;
    // Host calls given to its queue before it was last recorded.
    std::uint64_t host_calls() const noexcept {
        return host_calls_.load(std::memory_order_acquire);
    }
    void set_host_calls(std::uint64_t count) noexcept {
        host_calls_.store(count, std::memory_order_release);
    }

  private:
    PrimaryContext& context_;
    EventHandle handle_ = nullptr;
    std::atomic<std::uint64_t> host_calls_ = 0;
};

}  // namespace warpwise::cuda
