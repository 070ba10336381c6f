// Addresses of one GPU, and memory that is mapped behind them chunk by chunk: a chunk is an
// allocation of the driver without an address of its own, which lives for as long as it is mapped.
//
// Access is set for each chunk and GPU: its own, and the peers that were granted it, for what is
// mapped then and later.
// Threading: as runtime::ReservedMemory; grant() and revoke() may be called from any thread.
#pragma once

#include <map>
#include <vector>

#include "src/backends/cuda/driver/primary_context.hpp"
#include "src/base/mutex.hpp"
#include "src/runtime/reserved_memory.hpp"

namespace warpwise::cuda {

class CudaReservedMemory final : public runtime::ReservedMemory {
  public:
    explicit CudaReservedMemory(PrimaryContext& context) : context_(context) {}

    // Whether driver and GPU can do it.
    bool is_supported();
    std::size_t granule() override;
    runtime::DeviceAddress reserve(std::size_t bytes) override;
    void release(runtime::DeviceAddress address, std::size_t bytes) noexcept override;
    void map(runtime::DeviceAddress address, std::size_t bytes, std::size_t chunk) override;
    void unmap(runtime::DeviceAddress address, std::size_t bytes) noexcept override;

    // Access of another GPU, by its ordinal. Nothing changes when grant() throws.
    void grant(int peer);
    void revoke(int peer) noexcept;

  private:
    DeviceHandle device(int ordinal);
    ChunkProperties properties();
    // The error of the driver, if it has one; what is mapped of it then is counted in `mapped`.
    Status map_chunks(runtime::DeviceAddress address, std::size_t bytes, std::size_t chunk,
                      std::size_t& mapped);
    // Of the own GPU and the peers, for new chunks.
    Status open(runtime::DeviceAddress address, std::size_t bytes, std::size_t chunk);
    Status set_access(DeviceHandle peer, ChunkAccess::Rights rights) WARPWISE_REQUIRES(mutex_);

    PrimaryContext& context_;
    Mutex mutex_;
    std::size_t granule_ WARPWISE_GUARDED_BY(mutex_) = 0;  // 0: not known yet
    std::map<runtime::DeviceAddress, std::size_t> chunks_ WARPWISE_GUARDED_BY(mutex_);
    std::vector<DeviceHandle> peers_ WARPWISE_GUARDED_BY(mutex_);
};

}  // namespace warpwise::cuda
