// The optional interface of a back end that finds its vendor's software at run time.
//
// Threading: every function may be called from any thread.
#pragma once

#include <string_view>
#include <vector>

#include "warpwise/cuda_libraries.hpp"

namespace warpwise::runtime {

class BlasSupport;

// As the functions of warpwise/cuda_libraries.hpp.
class VendorSupport {
  public:
    virtual ~VendorSupport() = default;
    virtual CudaDriver driver() = 0;
    virtual std::vector<CudaLibrary> libraries() = 0;
    virtual CudaLibrary library(std::string_view name) = 0;
    // See blas.hpp.
    virtual BlasSupport* blas() noexcept { return nullptr; }
};

}  // namespace warpwise::runtime
