// Registered and managed memory of one GPU, straight from the driver.
//
// Threading: as runtime::MemorySupport.
#pragma once

#include "src/backends/cuda/driver/primary_context.hpp"
#include "src/runtime/memory_kinds.hpp"

namespace warpwise::cuda {

class CudaMemorySupport final : public runtime::MemorySupport {
  public:
    explicit CudaMemorySupport(PrimaryContext& context) : context_(context) {}

    void register_host(runtime::DeviceAddress address, std::size_t bytes, bool read_only) override;
    void unregister_host(runtime::DeviceAddress address) noexcept override;
    void advise(runtime::DeviceAddress address, std::size_t bytes, MemoryAdvice advice,
                int location) override;
    void prefetch(runtime::Queue& queue, runtime::DeviceAddress address, std::size_t bytes,
                  int location) override;
    void attach(runtime::Queue& queue, runtime::DeviceAddress address, std::size_t bytes,
                ManagedAccess access) override;

  private:
    DeviceHandle place(int location);

    PrimaryContext& context_;
};

}  // namespace warpwise::cuda
