// A kernel of a loaded module.
//
// Threading: any thread; the limit of dynamic shared memory only grows.
#pragma once

#include <atomic>

#include "src/backends/cuda/primary_context.hpp"
#include "src/runtime/backend.hpp"

namespace warpwise::cuda {

struct CudaKernel final : runtime::KernelImpl {
    // With the context current. `kernel` lives as long as the module.
    CudaKernel(PrimaryContext& context, ModuleHandle module, const compiler::KernelInfo& kernel);

    std::string executor() const override { return "cuda"; }
    // A GPU gives more than 48 KiB only to kernels that have asked for it.
    void allow_dynamic_shared(PrimaryContext& context, std::uint32_t bytes);

    FunctionHandle function = nullptr;

  private:
    std::atomic<std::uint32_t> dynamic_limit_ = 0;
};

}  // namespace warpwise::cuda
