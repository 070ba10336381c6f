// Several GPUs: access to each other's memory, and copies between them.
//
// Threading: every function may be called from any thread.
#pragma once

#include <utility>
#include <vector>

#include "src/backends/cuda/driver/primary_context.hpp"
#include "src/backends/cuda/memory/reserved_memory.hpp"
#include "src/runtime/peers.hpp"

namespace warpwise::cuda {

class CudaPeers final : public runtime::PeerSupport {
  public:
    // One of each for every device.
    CudaPeers(std::vector<PrimaryContext*> contexts, std::vector<CudaReservedMemory*> reserved)
        : contexts_(std::move(contexts)), reserved_(std::move(reserved)) {}

    bool can_access(int ordinal, int peer) override;
    void enable_access(int ordinal, int peer) override;
    void disable_access(int ordinal, int peer) override;
    void copy(runtime::Queue& queue, const runtime::PeerCopy& copy) override;

  private:
    PrimaryContext& context(int ordinal) { return *contexts_[static_cast<std::size_t>(ordinal)]; }

    CudaReservedMemory& reserved(int ordinal) {
        return *reserved_[static_cast<std::size_t>(ordinal)];
    }

    std::vector<PrimaryContext*> contexts_;
    std::vector<CudaReservedMemory*> reserved_;
};

}  // namespace warpwise::cuda
