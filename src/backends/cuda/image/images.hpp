// Textures and surfaces of GPUs: objects of the driver, of arrays or of plain memory.
//
// Errors: ArgumentError for what this GPU refuses though others may take it (extents, alignment),
// with its limits. Threading: as runtime::TextureSupport.
#pragma once

#include <functional>

#include "src/backends/cuda/device/arrays.hpp"
#include "src/backends/cuda/device/device_state.hpp"
#include "src/runtime/images.hpp"

namespace warpwise::cuda {

class CudaTextures final : public runtime::TextureSupport {
  public:
    explicit CudaTextures(std::function<DeviceState&(int ordinal)> device)
        : device_(std::move(device)) {}

    std::unique_ptr<runtime::ArrayImpl> make_array(int ordinal, const CudaArrayShape& shape,
                                                   const DType& format) override;
    std::unique_ptr<runtime::MipmapImpl> make_mipmaps(int ordinal, const CudaArrayShape& shape,
                                                      const DType& format,
                                                      std::uint32_t levels) override;
    std::unique_ptr<runtime::ImageImpl> make_texture(int ordinal,
                                                     const runtime::ImageSource& source,
                                                     const TextureSettings& settings) override;
    std::unique_ptr<runtime::ImageImpl> make_surface(int ordinal,
                                                     const runtime::ImageSource& source) override;
    void copy(runtime::Queue& queue, const runtime::BoxCopy& copy) override;
    runtime::ReferenceDeclaration declaration(int ordinal, runtime::DeviceAddress address) override;

  private:
    const std::function<DeviceState&(int ordinal)> device_;
};

}  // namespace warpwise::cuda
