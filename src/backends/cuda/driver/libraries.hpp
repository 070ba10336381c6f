// The libraries of NVIDIA's that are opened at run time: one table of them, one way to find, open
// and name each. Opened at the first need, never closed.
//
// Where one lies: the setting that names its file, where it has one; else library_search.hpp. Of
// two, the one of the driver's CUDA.
//
// Threading: every function may be called from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/runtime/blas.hpp"
#include "src/runtime/vendor_software.hpp"

namespace warpwise::cuda {

enum class Library : std::uint8_t {
    Nvrtc,
    NvJitLink,
    Cupti,
    Cublas,
    Cufft,
    Curand,
    Cusparse,
    Cusolver,
};

// The file that open_library() has opened or would open; empty when there is none. Opens nothing.
// When none is found, the next call looks again.
std::filesystem::path library_file(Library library);

struct OpenedLibrary {
    void* handle = nullptr;  // of dlopen()
    std::string path;
};
// Throws DeviceError with what it is for, where it was searched, and what to install.
OpenedLibrary open_library(Library library);

class CudaSoftware final : public runtime::VendorSupport {
  public:
    CudaDriver driver() override;
    std::vector<CudaLibrary> libraries() override;
    CudaLibrary library(std::string_view name) override;
    runtime::BlasSupport* blas() noexcept override { return blas_.get(); }
    void set_blas(std::unique_ptr<runtime::BlasSupport> blas) noexcept { blas_ = std::move(blas); }

  private:
    std::unique_ptr<runtime::BlasSupport> blas_;
};

}  // namespace warpwise::cuda
