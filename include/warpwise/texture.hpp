// Texture and surface objects: memory as kernels read it by coordinates.
//
//   ww::Texture texture(array, {.address = {ww::AddressMode::Wrap, ww::AddressMode::Wrap},
//                               .filter = ww::FilterMode::Linear,
//                               .normalized_coordinates = true});
//   ww::Surface surface(array);
//   kernel(config, texture, surface, n);     // cudaTextureObject_t, cudaSurfaceObject_t
//
// The arithmetic is CUDA's: a linear filter weighs texels with fractions of 8 bits, wrap and mirror
// need normalised coordinates and are clamp without, what lies outside is the border under Border.
//
// Over a MipmappedArray, functions with a level (tex2DLod) or derivatives (tex2DGrad) choose among
// its levels; the others read level 0. docs/reference/textures.md has the definitions.
//
// Ownership: objects are shared handles that keep their memory alive, and a launch keeps what it
// was given until it has run. A handle() passed on as a number keeps nothing: a kernel that reads
// through a handle whose object has gone fails with LaunchError.
// Threading: immutable; safe to share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "warpwise/buffer.hpp"
#include "warpwise/cuda_array.hpp"
#include "warpwise/dtype.hpp"
#include "warpwise/export.hpp"

namespace warpwise {

namespace runtime {
class ImageState;
}

// In CUDA's numbers.
enum class AddressMode : std::uint8_t { Wrap = 0, Clamp = 1, Mirror = 2, Border = 3 };
enum class FilterMode : std::uint8_t { Point = 0, Linear = 1 };
// What a fetch from integers gives: the integers, or floats in [0, 1] or [-1, 1].
enum class ReadMode : std::uint8_t { Element = 0, NormalizedFloat = 1 };

// Beyond the last level of every array.
inline constexpr float kAllLevels = 1000.0f;

struct TextureSettings {
    std::array<AddressMode, 3> address{AddressMode::Clamp, AddressMode::Clamp, AddressMode::Clamp};
    FilterMode filter = FilterMode::Point;  // Linear: fetches must give floats
    ReadMode read = ReadMode::Element;      // NormalizedFloat: integers of 8 or 16 bits
    bool normalized_coordinates = false;    // [0, 1) spans the texture
    std::array<double, 4> border{};         // by channel
    bool srgb = false;  // bytes read as normalized floats are sRGB: turned to linear intensity, all
                        // but the fourth channel; not for linear memory in one row
    FilterMode mip_filter = FilterMode::Point;  // between levels; Linear: fetches must give floats
    float level_bias = 0.0f;                    // added to levels that a function names
    float lowest_level = 0.0f;                  // levels are brought between these two
    float highest_level = kAllLevels;
    // The most fetches that are averaged along the longer derivative, 1 to 16; 1: none.
    std::uint32_t max_anisotropy = 1;
    friend bool operator==(const TextureSettings&, const TextureSettings&) = default;
};

class WARPWISE_API Texture {
  public:
    explicit Texture(const CudaArray& array, const TextureSettings& settings = {});
    // All its levels. Coordinates must be normalized.
    explicit Texture(const MipmappedArray& array, const TextureSettings& settings = {});
    // Linear memory, for tex1Dfetch: as many texels as the buffer holds. Address 16-byte aligned.
    Texture(const Buffer& buffer, const DType& format, const TextureSettings& settings = {});
    // Rows of linear memory, for tex2D; `row_bytes` from one to the next, a multiple of a texel.
    Texture(const Buffer& buffer, const DType& format, std::uint32_t width, std::uint32_t height,
            std::size_t row_bytes, const TextureSettings& settings = {});

    std::uint64_t handle() const noexcept;  // the cudaTextureObject_t
    const TextureSettings& settings() const noexcept;
    const DType& format() const noexcept;
    Device device() const;

    explicit Texture(std::shared_ptr<runtime::ImageState> state) noexcept;
    const std::shared_ptr<runtime::ImageState>& state() const noexcept { return state_; }

  private:
    std::shared_ptr<runtime::ImageState> state_;
};

class WARPWISE_API Surface {
  public:
    explicit Surface(const CudaArray& array);

    std::uint64_t handle() const noexcept;  // the cudaSurfaceObject_t
    Device device() const;
    const std::shared_ptr<runtime::ImageState>& state() const noexcept { return state_; }

  private:
    std::shared_ptr<runtime::ImageState> state_;
};

}  // namespace warpwise
