// What the queues of one GPU share: its context, the staging memory, what kernels print, and each
// other (which of them are busy, and what runs when a kernel fails).
//
// Threading: every function may be called from any thread.
#pragma once

#include <string>
#include <vector>

#include "src/backends/cuda/device/event_log.hpp"
#include "src/backends/cuda/device/page_locked.hpp"
#include "src/backends/cuda/device/printf_ring.hpp"
#include "src/backends/cuda/device/staging.hpp"
#include "src/backends/cuda/driver/primary_context.hpp"
#include "src/base/mutex.hpp"
#include "src/runtime/backend.hpp"

namespace warpwise::cuda {

class InFlight;

// Of a stream: what refers to kernels between launches.
class KernelUser {
  public:
    virtual ~KernelUser() = default;
    // The kernel's module is about to be unloaded; none of its launches is under way.
    virtual void forget(const runtime::KernelImpl& kernel) noexcept = 0;
};

class DeviceState {
  public:
    explicit DeviceState(int ordinal)
        : context_(ordinal, [this] { return running_kernels(); }),
          staging_(context_),
          printf_(context_),
          event_log_(context_) {}

    PrimaryContext& context() noexcept { return context_; }
    Staging& staging() noexcept { return staging_; }
    PageLocked& page_locked() noexcept { return page_locked_; }
    PrintfRing& printf() noexcept { return printf_; }
    EventLog& event_log() noexcept { return event_log_; }

    // A stream that is open. `launches` and `kernels` are its own.
    struct OpenStream {
        StreamHandle stream = nullptr;
        runtime::QueueOptions options;
        InFlight* launches = nullptr;
        KernelUser* kernels = nullptr;
    };
    void add(const OpenStream& stream);
    void remove(StreamHandle stream) noexcept;
    // With the context current: whether work given to `stream` now starts at once, so that a call
    // of the driver which waits for that does not wait.
    bool is_idle(const OpenStream& stream);
    // Whether kernels that were launched on any stream may be running. Calls no driver.
    bool has_launches();
    // For all open streams: see KernelUser.
    void forget(const runtime::KernelImpl& kernel) noexcept;

  private:
    std::vector<std::string> running_kernels();

    PrimaryContext context_;
    Staging staging_;
    PageLocked page_locked_;
    PrintfRing printf_;
    EventLog event_log_;
    Mutex mutex_;
    std::vector<OpenStream> streams_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::cuda
