// A kernel of a loaded module.
//
// Threading: any thread; the limit of dynamic shared memory only grows.
#pragma once

#include <atomic>

#include "src/backends/cuda/driver/primary_context.hpp"
#include "src/runtime/backend.hpp"

namespace warpwise::cuda {

struct CudaKernel final : runtime::KernelImpl {
    // With the context current. `kernel` lives as long as the module.
    CudaKernel(PrimaryContext& context, ModuleHandle module, const compiler::KernelInfo& kernel);

    std::string executor() const override { return "cuda"; }
    std::uint32_t occupancy(std::uint32_t block, std::uint32_t shared) override;
    std::uint32_t best_block(std::uint32_t shared) override;
    bool bounds_cooperative() const noexcept override { return true; }
    std::uint32_t active_clusters(const runtime::Launch& launch) override;
    void prefer_cache(CachePreference preference) override;
    void set_shared_carveout(int percent) override;

    // A GPU gives more than 48 KiB only to kernels that have requested it.
    void allow_dynamic_shared(PrimaryContext& context, std::uint32_t bytes) {
        if (bytes > dynamic_limit_.load(std::memory_order_relaxed)) raise_limit(context, bytes);
    }

    // Changes with what prefer_cache() and set_shared_carveout() have set: an executable graph
    // keeps what was so when it was made.
    std::uint32_t preferences() const noexcept {
        return preferences_.load(std::memory_order_relaxed);
    }
    // Whether streams have executable graphs of it (stream/launch_graphs.hpp).
    bool has_graphs() const noexcept { return has_graphs_.load(std::memory_order_acquire); }
    void note_graph() noexcept { has_graphs_.store(true, std::memory_order_release); }

    FunctionHandle function = nullptr;

  private:
    void raise_limit(PrimaryContext& context, std::uint32_t bytes);

    PrimaryContext& context_;
    std::atomic<std::uint32_t> dynamic_limit_ = 0;
    std::atomic<std::uint32_t> preferences_ = 0;
    std::atomic<bool> has_graphs_ = false;
};

// What a launch requests besides its grid and block; 0 to 3 attributes. Returns how many.
unsigned launch_attributes(const runtime::Launch& launch, LaunchAttribute (&attributes)[3]);

}  // namespace warpwise::cuda
