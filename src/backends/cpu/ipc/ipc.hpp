// Memory and events of other processes. A handle names pages that the process which made it shares
// (memory/shared_pages.hpp); those of an event hold its counts.
//
// Threading: every function may be called from any thread.
#pragma once

#include <memory>

#include "src/backends/cpu/launch/scheduler.hpp"
#include "src/base/mutex.hpp"
#include "src/runtime/ipc.hpp"

namespace warpwise::cpu {

class CpuIpc final : public runtime::IpcSupport {
  public:
    explicit CpuIpc(Scheduler& scheduler) : scheduler_(scheduler) {}

    std::array<std::byte, 16> device_identity(int ordinal) override;
    bool shares_reserved_memory() const noexcept override { return true; }
    bool shares_foreign_memory() const noexcept override { return false; }
    runtime::IpcMemory export_memory(int ordinal, runtime::DeviceAddress address,
                                     std::size_t bytes) override;
    std::shared_ptr<const runtime::DeviceAddress> open_memory(
        int ordinal, const runtime::IpcBytes& handle) override;
    std::unique_ptr<runtime::EventImpl> make_event(int ordinal) override;
    runtime::IpcBytes export_event(runtime::EventImpl& event) override;
    std::unique_ptr<runtime::EventImpl> open_event(int ordinal,
                                                   const runtime::IpcBytes& handle) override;

    // Taken around fork(), so that the child finds it free.
    Mutex& mutex() WARPWISE_THREAD_ATTRIBUTE(lock_returned(opened_.mutex())) {
        return opened_.mutex();
    }

  private:
    Scheduler& scheduler_;
    runtime::OpenedMemory opened_;
};

}  // namespace warpwise::cpu
