// The public functions: of the one back end that has such software.
#include "src/runtime/vendor_software.hpp"

#include "src/runtime/registry.hpp"
#include "warpwise/error.hpp"

namespace warpwise {
namespace {

runtime::VendorSupport& support() {
    for (const runtime::RegistryRow& row : runtime::registry()) {
        if (runtime::VendorSupport* const found = row.backend().vendor_software()) return *found;
    }
    throw UnsupportedError("this build of Warpwise has no CUDA devices, nor NVIDIA's libraries");
}

}  // namespace

CudaDriver cuda_driver() {
    return support().driver();
}

std::vector<CudaLibrary> cuda_libraries() {
    return support().libraries();
}

CudaLibrary cuda_library(std::string_view name) {
    return support().library(name);
}

}  // namespace warpwise
