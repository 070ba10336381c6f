// The optional part of the contract of back ends that is about textures and surfaces.
//
// As for the rest of the contract: the runtime component has checked shapes, formats and ranges
// before it calls, and the owner of an ArrayImpl or ImageImpl keeps it until no queued work uses
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/runtime/backend.hpp"
#include "warpwise/cuda_array.hpp"
#include "warpwise/texture.hpp"

namespace warpwise::runtime {

// Memory of an array, in a layout of the device's own.
class ArrayImpl {
  public:
    virtual ~ArrayImpl() = default;
};

// Memory of an array in several sizes.
class MipmapImpl {
  public:
    virtual ~MipmapImpl() = default;
    // Must go before this.
    virtual std::unique_ptr<ArrayImpl> level(std::uint32_t index) = 0;
};

// A texture or surface object: what stands behind a handle. The handle ends with it.
class ImageImpl {
  public:
    virtual ~ImageImpl() = default;
    std::uint64_t handle = 0;
};

// What a texture reads: an array, all levels of one, or linear memory of one or more rows.
struct ImageSource {
    ArrayImpl* array = nullptr;
    MipmapImpl* mipmaps = nullptr;  // then `shape` is that of level 0
    std::uint32_t levels = 1;
    DeviceAddress address = 0;
    std::size_t row_bytes = 0;
    CudaArrayShape shape;
    DType format;
};

// One side of a copy: an array, or memory of the device or the host.
struct BoxPlace {
    ArrayImpl* array = nullptr;
    DeviceAddress address = 0;
    bool is_host = false;  // `address` is one of the host
    std::size_t row_bytes = 0;
    std::size_t slice_bytes = 0;
    std::size_t x_bytes = 0, y = 0, z = 0;
};
struct BoxCopy {
    BoxPlace destination, source;
    std::size_t width_bytes = 0, height = 1, depth = 1;
    CopyKind kind = CopyKind::HostToDevice;
    std::shared_ptr<const void> keep_alive;  // until the copy is done
};

// The first words of a texture or surface reference, a variable of a module, as the device headers
// lay it out (src/codegen/device/image/references.cuh).
struct ReferenceRecord {
    std::uint64_t object;     // the handle of what is bound
    std::uint32_t type;       // cudaTextureType...
    std::uint32_t format;     // 0 for surfaces; see declaration_of()
    std::int32_t normalized;  // textures: as declared, in CUDA's numbers
    std::int32_t filter;
    std::int32_t address[3];
};
static_assert(offsetof(ReferenceRecord, normalized) == 16 && sizeof(ReferenceRecord) == 40);

// A module's texture or surface reference, as declared.
struct ReferenceDeclaration {
    bool is_surface = false;
    DType format;  // of textures: the type fetches are declared with
    TextureSettings settings;
};

ReferenceDeclaration declaration_of(const ReferenceRecord& record);

class TextureSupport {
  public:
    virtual ~TextureSupport() = default;
    virtual std::unique_ptr<ArrayImpl> make_array(int ordinal, const CudaArrayShape& shape,
                                                  const DType& format) = 0;
    virtual std::unique_ptr<MipmapImpl> make_mipmaps(int ordinal, const CudaArrayShape& shape,
                                                     const DType& format, std::uint32_t levels) = 0;
    virtual std::unique_ptr<ImageImpl> make_texture(int ordinal, const ImageSource& source,
                                                    const TextureSettings& settings) = 0;
    virtual std::unique_ptr<ImageImpl> make_surface(int ordinal, const ImageSource& source) = 0;
    // In the order of `queue`.
    virtual void copy(Queue& queue, const BoxCopy& copy) = 0;
    // Of the variable at `address`, which is of a reference's type. Its first 8 bytes take the
    // handle of what is bound, by Queue::fill().
    virtual ReferenceDeclaration declaration(int ordinal, DeviceAddress address) = 0;
};

// The shape of a level, and how many of them halving gives.
CudaArrayShape shape_of_level(const CudaArrayShape& shape, std::uint32_t level) noexcept;
std::uint32_t level_count(const CudaArrayShape& shape) noexcept;

// Extents with every axis there: 1 where the shape has none. Layers and faces in one.
struct ImageExtent {
    std::uint32_t width = 1, height = 1, depth = 1, layers = 1;
    std::uint32_t planes() const noexcept { return depth * layers; }
};
inline ImageExtent extent_of(const CudaArrayShape& shape) noexcept {
    const std::uint32_t layers = shape.layers == 0 ? 1 : shape.layers;
    return {.width = shape.width == 0 ? 1 : shape.width,
            .height = shape.height == 0 ? 1 : shape.height,
            .depth = shape.depth == 0 ? 1 : shape.depth,
            .layers = shape.cubemap ? 6 * layers : layers};
}

}  // namespace warpwise::runtime
