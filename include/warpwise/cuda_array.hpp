// CUDA arrays: memory in the layout a device likes for textures and surfaces, and copies of
// rectangles and boxes between them, buffers and host memory.
//
//   ww::CudaArray image({.width = 640, .height = 480}, ww::DType(ww::Kind::UInt8, 4));  // uchar4
//   image.copy_from(pixels.data(), pixels.size());
//   ww::Texture texture(image, {.filter = ww::FilterMode::Linear});
//
// Ownership: a CudaArray is a shared handle; textures, surfaces and queued work keep it alive.
// A mipmapped array is an image in several sizes, each half of the one before; its levels are
// arrays, which kernels can write as surfaces and copies can fill.
//
//   ww::MipmappedArray images({.width = 640, .height = 480}, ww::DType(ww::Kind::UInt8, 4));
//   images.level(0).copy_from(pixels.data(), pixels.size());
//
// Errors: ArgumentError for shapes, formats and ranges; UnsupportedError on devices without
// textures. Threading: as buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "warpwise/buffer.hpp"
#include "warpwise/dtype.hpp"
#include "warpwise/export.hpp"
#include "warpwise/stream.hpp"

namespace warpwise {

namespace runtime {
class ArrayState;
class MipmapState;
}  // namespace runtime

// Extents in texels. 0 where there is no such axis: {.width = 5} is one-dimensional.
struct CudaArrayShape {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t depth = 0;   // of a volume
    std::uint32_t layers = 0;  // of a layered array; not together with depth
    bool cubemap = false;      // six square faces, times `layers` where that is given
    friend bool operator==(const CudaArrayShape&, const CudaArrayShape&) = default;
};

class WARPWISE_API CudaArray {
  public:
    // `format`: an integer of 8, 16 or 32 bits, float16 or float32, in 1, 2 or 4 lanes.
    CudaArray(const CudaArrayShape& shape, const DType& format);  // on the current device
    CudaArray(const CudaArrayShape& shape, const DType& format, const Device& device);

    const CudaArrayShape& shape() const noexcept;
    const DType& format() const noexcept;
    std::size_t size() const noexcept;  // bytes of its texels, without padding
    Device device() const;

    // The whole array from or to contiguous host memory of size() bytes: slices or layers, of them
    // rows, of them texels. Blocking, on the current stream.
    void copy_from(const void* host, std::size_t bytes);
    void copy_to(void* host, std::size_t bytes) const;

    explicit CudaArray(std::shared_ptr<runtime::ArrayState> state) noexcept;
    const std::shared_ptr<runtime::ArrayState>& state() const noexcept { return state_; }

  private:
    std::shared_ptr<runtime::ArrayState> state_;
};

class WARPWISE_API MipmappedArray {
  public:
    // `levels`: how many, level 0 included; 0: down to a single texel. Extents halve from level to
    // level, rounded down, and are 1 at least; layers and faces stay. Throws ArgumentError for more
    // levels than halving gives.
    explicit MipmappedArray(const CudaArrayShape& shape, const DType& format,
                            std::uint32_t levels = 0);  // on the current device
    MipmappedArray(const CudaArrayShape& shape, const DType& format, std::uint32_t levels,
                   const Device& device);

    const CudaArrayShape& shape() const noexcept;  // of level 0
    const DType& format() const noexcept;
    std::uint32_t levels() const noexcept;
    // Throws ArgumentError past the last level. The array keeps all of them alive.
    CudaArray level(std::uint32_t index) const;
    std::size_t size() const noexcept;  // bytes of all texels, without padding
    Device device() const;

    const std::shared_ptr<runtime::MipmapState>& state() const noexcept { return state_; }

  private:
    std::shared_ptr<runtime::MipmapState> state_;
};

// One side of a copy of boxes: an array, a buffer or host memory, and where in it the box begins.
struct CopyPlace {
    const CudaArray* array = nullptr;  // one of these three
    const Buffer* buffer = nullptr;
    void* host = nullptr;        // read only, when it is the source
    std::size_t row_bytes = 0;   // buffer and host: from one row to the next; 0: the box's width
    std::size_t slice_rows = 0;  // buffer and host: rows in a slice; 0: the box's height
    std::size_t x_bytes = 0;     // where the box begins
    std::size_t y = 0, z = 0;    // z counts layers and faces too
};

// Copies `depth` slices of `height` rows of `width_bytes` bytes, in the order of `stream`. Host
// memory must live until then.
WARPWISE_API void copy_box(const CopyPlace& destination, const CopyPlace& source,
                           std::size_t width_bytes, std::size_t height, std::size_t depth,
                           const Stream& stream);
// The same on the current stream, and waits until it has ended.
WARPWISE_API void copy_box(const CopyPlace& destination, const CopyPlace& source,
                           std::size_t width_bytes, std::size_t height, std::size_t depth);

}  // namespace warpwise
