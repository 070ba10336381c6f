// Streams of other libraries, by the driver's handles.
//
// Threading: every function may be called from any thread.
#pragma once

#include <utility>
#include <vector>

#include "src/backends/cuda/device/device_state.hpp"
#include "src/runtime/stream_handles.hpp"

namespace warpwise::cuda {

class CudaStreamHandles final : public runtime::StreamHandles {
  public:
    explicit CudaStreamHandles(std::vector<DeviceState*> devices) : devices_(std::move(devices)) {}

    std::uint64_t handle(runtime::Queue& queue) override;
    bool is_default(std::uint64_t handle) override;
    Wrapped wrap(int ordinal, std::uint64_t handle) override;
    PriorityRange priorities(int ordinal) override;

  private:
    std::vector<DeviceState*> devices_;
};

}  // namespace warpwise::cuda
