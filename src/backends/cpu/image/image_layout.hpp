// Textures and surfaces in memory: the records that device code reads inline, and the faults it
// reports. src/codegen/device/image/ has the same layouts and numbers; a change on one side is one
// on the other, and raises kAbiVersion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpwise::cpu {

// What an object's handle leads to. A handle is the record's address (48 bits) and, above it, the
// count of objects that have used the record; bit 63 marks surfaces. 0 is no object.
struct ImageRecord {
    std::uint64_t handle;  // of the object that lives here, else 0
    const void* data;
    std::int32_t extent[3];     // texels, x first; 1 where there is no such axis
    std::int32_t layers;        // layers or faces; at least 1
    std::int32_t row_texels;    // from one row to the next
    std::int32_t slice_texels;  // from one slice or layer to the next
    std::uint32_t kind;         // image_kind()
    std::uint32_t is_linear;
    std::uint32_t mode[3];  // ImageMode
    float scale[3];         // of coordinates: the extent when normalised, else 1
    std::uint32_t border[4];
    std::uint32_t texel_bytes;
    const float* ratios;  // of bytes in sRGB, 256 of them; null: of all others
    // Of mipmaps: a record for each level. This one is then that of the level which functions
    // without a level read.
    const ImageRecord* levels;  // never null: itself where there is one level
    std::int32_t level_count;
    std::uint32_t blends_levels;  // the filter between levels is linear
    std::uint32_t blends_base;    // functions without a level read between two
    std::int32_t anisotropy;      // the most fetches along a derivative
    float level_bias, lowest_level, highest_level;
};
static_assert(sizeof(ImageRecord) == 144 && offsetof(ImageRecord, scale) == 60 &&
              offsetof(ImageRecord, levels) == 104);

inline constexpr unsigned kImageHandleShift = 48;
inline constexpr std::uint64_t kSurfaceHandleBit = std::uint64_t{1} << 63;

enum ImageElement : std::uint32_t {
    kImageU8 = 0,
    kImageS8 = 1,
    kImageU16 = 2,
    kImageS16 = 3,
    kImageU32 = 4,
    kImageS32 = 5,
    kImageF16 = 6,
    kImageF32 = 7,
};
inline constexpr std::uint32_t kImageNormalized = 0x100;
inline constexpr std::uint32_t kImageRare = 0x200;  // no format that device code loads in place
constexpr std::uint32_t image_kind(std::uint32_t element, std::uint32_t channels) {
    return element | channels << 4;
}

enum ImageMode : std::uint32_t {
    kImageClamp = 0,
    kImageBorder = 1,
    kImageWrap = 2,
    kImageMirror = 3
};

enum ImageFault : std::uint32_t {
    kBadTexture = 0,
    kBadSurface = 1,
    kUnboundReference = 2,
    kOutsideSurface = 3,
    kMisalignedSurface = 4,
};

// The words of a fault for the error of the launch.
std::string describe_image_fault(std::uint32_t fault, std::uint64_t object, std::int32_t x,
                                 std::int32_t y, std::int32_t z);

}  // namespace warpwise::cpu
