// Memory and events of other processes.
//
// Threading: every function may be called from any thread.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "src/backends/cuda/driver/primary_context.hpp"
#include "src/runtime/ipc.hpp"

namespace warpwise::cuda {

class CudaIpc final : public runtime::IpcSupport {
  public:
    explicit CudaIpc(std::vector<PrimaryContext*> contexts) : contexts_(std::move(contexts)) {}

    std::array<std::byte, 16> device_identity(int ordinal) override;
    runtime::IpcMemory export_memory(int ordinal, runtime::DeviceAddress address,
                                     std::size_t bytes) override;
    std::shared_ptr<const runtime::DeviceAddress> open_memory(
        int ordinal, const runtime::IpcBytes& handle) override;
    std::unique_ptr<runtime::EventImpl> make_event(int ordinal) override;
    runtime::IpcBytes export_event(runtime::EventImpl& event) override;
    std::unique_ptr<runtime::EventImpl> open_event(int ordinal,
                                                   const runtime::IpcBytes& handle) override;

  private:
    PrimaryContext& context(int ordinal) { return *contexts_[static_cast<std::size_t>(ordinal)]; }

    std::vector<PrimaryContext*> contexts_;
    runtime::OpenedMemory opened_;
};

}  // namespace warpwise::cuda
