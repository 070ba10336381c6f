// Texture and surface references: textures that a source declares as variables, CUDA's way before
// objects.
//
//   ww::TextureReference image = module.get_texref("image");  // texture<float, 2> image;
//   image.set_array(array);
//   image.set_filter_mode(ww::FilterMode::Linear);
//   kernel(config, n);                                        // reads `image`
//
// A launch sees what was bound when it was queued; launches queued before keep what they had. A
// module's launches on several streams wait for each other where a binding changes between them.
// Modes begin as the declaration left them.
//
// Ownership: a handle keeps its module alive; what is bound stays alive until it is replaced.
// Errors: what cannot be bound is an ArgumentError, of set_...() or, where it takes more than one
// setting to be wrong, of the next launch; a kernel that reads an unbound reference fails with
// LaunchError. Threading: any thread, but not while another binds and launches the same module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "warpwise/buffer.hpp"
#include "warpwise/cuda_array.hpp"
#include "warpwise/dtype.hpp"
#include "warpwise/export.hpp"
#include "warpwise/texture.hpp"

namespace warpwise {

namespace runtime {
class ReferenceState;
}

// Flags of set_flags(), in CUDA's numbers.
inline constexpr unsigned kReadAsInteger = 1;  // integers are not read as ratios
inline constexpr unsigned kNormalizedCoordinates = 2;
inline constexpr unsigned kReadSrgb = 16;  // bytes read as ratios are sRGB

class WARPWISE_API TextureReference {
  public:
    void set_array(const CudaArray& array);  // with the array's format
    // Linear memory in the format of set_format(), before that the declared one.
    void set_address(const Buffer& buffer);
    void set_address_2d(const Buffer& buffer, std::uint32_t width, std::uint32_t height,
                        std::size_t row_bytes);
    void set_format(const DType& format);
    void set_filter_mode(FilterMode mode);
    void set_address_mode(int axis, AddressMode mode);  // axis 0 is x
    void set_flags(unsigned flags);

    // What is bound; the other one is empty.
    const std::optional<CudaArray>& array() const noexcept;
    const Buffer& buffer() const noexcept;
    const DType& format() const noexcept;
    FilterMode filter_mode() const noexcept;
    AddressMode address_mode(int axis) const;
    unsigned flags() const noexcept;

    explicit TextureReference(std::shared_ptr<runtime::ReferenceState> state) noexcept;

  private:
    std::shared_ptr<runtime::ReferenceState> state_;
};

class WARPWISE_API SurfaceReference {
  public:
    void set_array(const CudaArray& array);
    const std::optional<CudaArray>& array() const noexcept;

    explicit SurfaceReference(std::shared_ptr<runtime::ReferenceState> state) noexcept;

  private:
    std::shared_ptr<runtime::ReferenceState> state_;
};

}  // namespace warpwise
