// cuBLAS, opened when first needed. Never in TF32.
//
// Threading: every function may be called from any thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/backends/cuda/device/device_state.hpp"
#include "src/runtime/blas.hpp"

namespace warpwise::cuda {

class CudaBlas final : public runtime::BlasSupport {
  public:
    explicit CudaBlas(const std::vector<DeviceState*>& devices);
    ~CudaBlas() override;
    bool has_products(Kind kind) noexcept override;
    std::string library() override;
    std::size_t workspace_bytes(int ordinal) noexcept override;
    void multiply(int ordinal, runtime::Queue& queue, const runtime::MatrixProducts& products,
                  runtime::DeviceAddress workspace) override;

  private:
    class Device;
    std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace warpwise::cuda
