// Memory of one GPU, and page-locked host memory, straight from the driver: the pool above it
// (src/runtime/pool/pool_state.hpp) keeps what is released.
//
// Threading: as runtime::Allocator.
#pragma once

#include "src/backends/cuda/device/page_locked.hpp"
#include "src/backends/cuda/driver/primary_context.hpp"
#include "src/runtime/backend.hpp"

namespace warpwise::cuda {

class CudaAllocator final : public runtime::Allocator {
  public:
    CudaAllocator(PrimaryContext& context, PageLocked& page_locked)
        : context_(context), page_locked_(page_locked) {}

    runtime::DeviceAddress allocate(std::size_t bytes, runtime::MemoryKind kind) override;
    void release(runtime::DeviceAddress address, std::size_t bytes,
                 runtime::MemoryKind kind) noexcept override;
    MemoryInfo info() override;

  private:
    PrimaryContext& context_;
    PageLocked& page_locked_;
};

}  // namespace warpwise::cuda
