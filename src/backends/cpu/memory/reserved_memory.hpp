// Reserved addresses of the host, and memory behind them; counted with the rest of the device's
// memory.
//
// Threading: as runtime::ReservedMemory.
#pragma once

#include "src/backends/cpu/memory/allocator.hpp"
#include "src/runtime/reserved_memory.hpp"

namespace warpwise::cpu {

class CpuReservedMemory final : public runtime::ReservedMemory {
  public:
    explicit CpuReservedMemory(CpuAllocator& allocator) : allocator_(allocator) {}

    std::size_t granule() override;
    runtime::DeviceAddress reserve(std::size_t bytes) override;
    void release(runtime::DeviceAddress address, std::size_t bytes) noexcept override;
    void map(runtime::DeviceAddress address, std::size_t bytes, std::size_t chunk) override;
    void unmap(runtime::DeviceAddress address, std::size_t bytes) noexcept override;

  private:
    CpuAllocator& allocator_;
};

}  // namespace warpwise::cpu
