// Profiles of GPUs: CUPTI's, or pairs of events.
//
// Threading: as runtime::ProfileSupport.
#pragma once

#include <utility>
#include <vector>

#include "src/backends/cuda/device/device_state.hpp"
#include "src/runtime/profiling.hpp"

namespace warpwise::cuda {

class CudaProfiles final : public runtime::ProfileSupport {
  public:
    explicit CudaProfiles(std::vector<DeviceState*> devices) : devices_(std::move(devices)) {}

    std::vector<std::string> sources() const override { return {"cupti", "events"}; }
    // Without a requested source: events, with a note, where CUPTI is unavailable.
    std::unique_ptr<runtime::Recording> start(int ordinal, std::string_view source) override;

  private:
    std::vector<DeviceState*> devices_;
};

}  // namespace warpwise::cuda
