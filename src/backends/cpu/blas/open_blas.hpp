// OpenBLAS, opened when first needed, as a single-threaded function: the device's own threads share
// the work.
//
// Threading: every function may be called from any thread.
#pragma once

#include <string>

#include "src/runtime/blas.hpp"

namespace warpwise::cpu {

class CpuBlas final : public runtime::BlasSupport {
  public:
    bool has_products(Kind kind) noexcept override;
    std::string library() override;
    std::size_t workspace_bytes(int) noexcept override { return 0; }
    void multiply(int ordinal, runtime::Queue& queue, const runtime::MatrixProducts& products,
                  runtime::DeviceAddress workspace) override;
};

}  // namespace warpwise::cpu
