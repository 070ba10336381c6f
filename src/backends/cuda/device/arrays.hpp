// Arrays of the driver, plain and with mipmaps: memory that textures and surfaces read.
//
// Every array may be bound as a surface, and a plane be gathered from, where its extents allow it.
//
// Errors: ArgumentError for what this GPU refuses though others may take it (extents), with its
// limits. Threading: as runtime::TextureSupport.
#pragma once

#include <memory>

#include "src/backends/cuda/driver/primary_context.hpp"
#include "src/runtime/images.hpp"

namespace warpwise::cuda {

// Of texels.
ArrayFormat format_of(const DType& format);
unsigned channels_of(const DType& format);

class DriverArray final : public runtime::ArrayImpl {
  public:
    // Throws ArgumentError for extents that are too large for the GPU.
    DriverArray(PrimaryContext& context, const CudaArrayShape& shape, const DType& format);
    // One that something else destroys.
    DriverArray(PrimaryContext& context, ArrayHandle handle, const DType& format,
                bool is_surface) noexcept
        : context_(context),
          texel_bytes_(format.size()),
          handle_(handle),
          is_surface_(is_surface),
          is_own_(false) {}
    ~DriverArray() override;
    DriverArray(const DriverArray&) = delete;
    DriverArray& operator=(const DriverArray&) = delete;

    ArrayHandle handle() const noexcept { return handle_; }
    std::size_t texel_bytes() const noexcept { return texel_bytes_; }
    bool is_surface() const noexcept { return is_surface_; }

  private:
    PrimaryContext& context_;
    const std::size_t texel_bytes_;
    ArrayHandle handle_ = nullptr;
    bool is_surface_ = false;
    bool is_own_ = true;
};

class DriverMipmaps final : public runtime::MipmapImpl {
  public:
    // Throws ArgumentError for extents that are too large for the GPU.
    DriverMipmaps(PrimaryContext& context, const CudaArrayShape& shape, const DType& format,
                  std::uint32_t levels);
    ~DriverMipmaps() override;
    DriverMipmaps(const DriverMipmaps&) = delete;
    DriverMipmaps& operator=(const DriverMipmaps&) = delete;

    MipmapHandle handle() const noexcept { return handle_; }
    std::unique_ptr<runtime::ArrayImpl> level(std::uint32_t index) override;

  private:
    PrimaryContext& context_;
    const DType format_;
    MipmapHandle handle_ = nullptr;
    bool is_surface_ = false;
};

}  // namespace warpwise::cuda
