// Memory of one GPU, and page-locked host memory, straight from the driver: the pool above it
// (src/runtime/pool_state.hpp) keeps what is given back.
//
// Threading: as runtime::Allocator.
#pragma once

#include "src/backends/cuda/primary_context.hpp"
#include "src/runtime/backend.hpp"

namespace warpwise::cuda {

class CudaAllocator final : public runtime::Allocator {
  public:
    explicit CudaAllocator(PrimaryContext& context) : context_(context) {}

    runtime::DeviceAddress allocate(std::size_t bytes, runtime::MemoryKind kind) override;
    void release(runtime::DeviceAddress address, std::size_t bytes,
                 runtime::MemoryKind kind) noexcept override;
    MemoryInfo info() override;

  private:
    PrimaryContext& context_;
};

}  // namespace warpwise::cuda
