// Records from shapes and settings. Everything that a fetch would otherwise compute again, the
// scale of coordinates for example, is computed here.
#include "src/backends/cpu/image/images.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "src/backends/cpu/launch/box_copy.hpp"
#include "src/backends/cpu/launch/queue.hpp"
#include "src/runtime/profile/work_records.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cpu {
namespace {

// Rows begin at cache lines.
constexpr std::size_t kRowAlignment = 64;
constexpr std::size_t kSlabBytes = std::size_t{64} << 10;
constexpr std::uint64_t kMaxUses = 0x7fff;  // bits 48 to 62 of a handle

class CpuArray final : public runtime::ArrayImpl {
  public:
    CpuArray(CpuAllocator& allocator, const CudaArrayShape& shape, const DType& format)
        : allocator_(&allocator), extent_(runtime::extent_of(shape)) {
        const std::size_t row = extent_.width * format.size();
        row_bytes_ = (row + kRowAlignment - 1) / kRowAlignment * kRowAlignment;
        bytes_ = slice_bytes() * extent_.planes();
        address_ = allocator.allocate(bytes_, runtime::MemoryKind::Device);
    }
    // The same memory, which stays the other's.
    enum class View : bool { Of };
    CpuArray(View, const CpuArray& other)
        : allocator_(nullptr),
          extent_(other.extent_),
          row_bytes_(other.row_bytes_),
          address_(other.address_) {}
    ~CpuArray() override {
        if (allocator_ == nullptr) return;
        allocator_->release(address_, bytes_, runtime::MemoryKind::Device);
    }
    CpuArray(const CpuArray&) = delete;
    CpuArray& operator=(const CpuArray&) = delete;

    runtime::DeviceAddress address() const noexcept { return address_; }
    std::size_t row_bytes() const noexcept { return row_bytes_; }
    std::size_t slice_bytes() const noexcept { return row_bytes_ * extent_.height; }

  private:
    CpuAllocator* const allocator_;  // null: memory of another owner
    const runtime::ImageExtent extent_;
    std::size_t row_bytes_ = 0;
    std::size_t bytes_ = 0;
    runtime::DeviceAddress address_ = 0;
};

class CpuMipmaps final : public runtime::MipmapImpl {
  public:
    CpuMipmaps(CpuAllocator& allocator, const CudaArrayShape& shape, const DType& format,
               std::uint32_t levels) {
        for (std::uint32_t i = 0; i < levels; ++i) {
            levels_.push_back(
                std::make_unique<CpuArray>(allocator, runtime::shape_of_level(shape, i), format));
        }
    }
    std::unique_ptr<runtime::ArrayImpl> level(std::uint32_t index) override {
        return std::make_unique<CpuArray>(CpuArray::View::Of, *levels_[index]);
    }

  private:
    std::vector<std::unique_ptr<CpuArray>> levels_;
};

class CpuImage final : public runtime::ImageImpl {
  public:
    CpuImage(const ImageRecord& content, bool is_surface, std::vector<ImageRecord> levels = {})
        : levels_(std::move(levels)), record_(ImageRecords::instance().add(content, is_surface)) {
        record_->levels = levels_.empty() ? record_ : levels_.data();
        handle = record_->handle;
    }
    ~CpuImage() override { ImageRecords::instance().remove(record_); }
    CpuImage(const CpuImage&) = delete;
    CpuImage& operator=(const CpuImage&) = delete;

  private:
    const std::vector<ImageRecord> levels_;  // which device code reads
    ImageRecord* record_;
};

std::uint32_t element_of(const DType& format) {
    switch (format.kind()) {
        case Kind::UInt8:
            return kImageU8;
        case Kind::Int8:
            return kImageS8;
        case Kind::UInt16:
            return kImageU16;
        case Kind::Int16:
            return kImageS16;
        case Kind::UInt32:
            return kImageU32;
        case Kind::Int32:
            return kImageS32;
        case Kind::Float16:
            return kImageF16;
        case Kind::Float32:
            return kImageF32;
        default:
            throw DeviceError("the CPU device has no texels of " + format.name());
    }
}

std::uint32_t mode_of(AddressMode mode, bool is_normalized) {
    switch (mode) {
        case AddressMode::Border:
            return kImageBorder;
        case AddressMode::Wrap:
            return is_normalized ? kImageWrap : kImageClamp;
        case AddressMode::Mirror:
            return is_normalized ? kImageMirror : kImageClamp;
        default:
            return kImageClamp;
    }
}

// The largest value of an element that is read as a ratio.
double largest_of(std::uint32_t element) {
    constexpr double kLargest[] = {255.0, 127.0, 65535.0, 32767.0};
    return kLargest[element & 3u];
}

// A border as fetches return it. A device keeps it in the texture's own format.
std::uint32_t border_of(double value, std::uint32_t kind) {
    const std::uint32_t element = kind & 15u;
    if ((kind & kImageNormalized) != 0) {
        const double lowest = element == kImageS8 || element == kImageS16 ? -1.0 : 0.0;
        const double steps = std::round(std::clamp(value, lowest, 1.0) * largest_of(element));
        return std::bit_cast<std::uint32_t>(static_cast<float>(steps / largest_of(element)));
    }
    if (element >= kImageF16) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}

ImageRecord record_of(const runtime::ImageSource& source) {
    const runtime::ImageExtent extent = runtime::extent_of(source.shape);
    const std::size_t texel = source.format.size();
    ImageRecord record{};
    std::size_t row_bytes = source.row_bytes, slice_bytes = source.row_bytes * extent.height;
    std::uint64_t address = source.address;
    if (source.array != nullptr) {
        const auto& array = static_cast<const CpuArray&>(*source.array);
        address = array.address();
        row_bytes = array.row_bytes();
        slice_bytes = array.slice_bytes();
    }
    record.data = reinterpret_cast<const void*>(address);
    record.extent[0] = static_cast<std::int32_t>(extent.width);
    record.extent[1] = static_cast<std::int32_t>(extent.height);
    record.extent[2] = static_cast<std::int32_t>(extent.depth);
    record.layers = static_cast<std::int32_t>(extent.layers);
    record.row_texels = static_cast<std::int32_t>(row_bytes / texel);
    record.slice_texels = static_cast<std::int32_t>(slice_bytes / texel);
    record.texel_bytes = static_cast<std::uint32_t>(texel);
    record.kind =
        image_kind(element_of(source.format), static_cast<std::uint32_t>(source.format.lanes()));
    return record;
}

// Linear intensities of the bytes of sRGB: IEC 61966-2-1.
const float* srgb_ratios() {
    static const std::array<float, 256> table = [] {
        std::array<float, 256> made{};
        for (std::size_t i = 0; i < made.size(); ++i) {
            const double value = static_cast<double>(i) / 255.0;
            made[i] = static_cast<float>(value <= 0.04045 ? value / 12.92
                                                          : std::pow((value + 0.055) / 1.055, 2.4));
        }
        return made;
    }();
    return table.data();
}

// Of one level.
ImageRecord texture_record(const runtime::ImageSource& source, const TextureSettings& settings) {
    ImageRecord record = record_of(source);
    const bool is_cube = source.shape.cubemap;
    const bool is_normalized = settings.normalized_coordinates || is_cube;
    if (settings.read == ReadMode::NormalizedFloat) record.kind |= kImageNormalized;
    record.is_linear = settings.filter == FilterMode::Linear ? 1 : 0;
    for (unsigned axis = 0; axis < 3; ++axis) {
        // The faces of a cube end at their edges.
        record.mode[axis] = is_cube ? kImageClamp : mode_of(settings.address[axis], is_normalized);
        record.scale[axis] = is_normalized ? static_cast<float>(record.extent[axis]) : 1.0f;
    }
    // Channels that the format lacks are 0 in the border too.
    for (int channel = 0; channel < source.format.lanes(); ++channel) {
        record.border[channel] =
            border_of(settings.border[static_cast<std::size_t>(channel)], record.kind);
    }
    if (settings.srgb) {
        record.ratios = srgb_ratios();
        record.kind |= kImageRare;
    }
    record.level_count = 1;
    record.anisotropy = static_cast<std::int32_t>(settings.max_anisotropy);
    return record;
}

// That of the level which functions without a level read, with how others are chosen.
ImageRecord base_of(const std::vector<ImageRecord>& levels, const TextureSettings& settings) {
    const float last = static_cast<float>(levels.size() - 1);
    const float lowest = std::min(settings.lowest_level, last);
    const float highest = std::min(settings.highest_level, last);
    const bool blends = settings.mip_filter == FilterMode::Linear;
    const float level = std::clamp(0.0f, lowest, highest);
    const float steps = std::floor(level * 256.0f);
    const bool is_between = blends && std::fmod(steps, 256.0f) != 0.0f;
    const float index = std::floor(blends ? steps / 256.0f : level + 0.5f);
    ImageRecord record = levels[static_cast<std::size_t>(index)];
    record.level_count = static_cast<std::int32_t>(levels.size());
    record.blends_levels = blends ? 1 : 0;
    record.blends_base = is_between ? 1 : 0;
    if (is_between) record.kind |= kImageRare;
    record.level_bias = settings.level_bias;
    record.lowest_level = lowest;
    record.highest_level = highest;
    return record;
}

// Where a box begins, and the way from row to row and slice to slice.
BoxCursor cursor_of(const runtime::BoxPlace& place) {
    BoxCursor cursor{reinterpret_cast<std::byte*>(place.address), place.row_bytes,
                     place.slice_bytes};
    if (place.array != nullptr) {
        const auto& array = static_cast<const CpuArray&>(*place.array);
        cursor = {reinterpret_cast<std::byte*>(array.address()), array.row_bytes(),
                  array.slice_bytes()};
    }
    cursor.start += place.x_bytes + place.y * cursor.row_bytes + place.z * cursor.slice_bytes;
    return cursor;
}

}  // namespace

std::unique_ptr<runtime::ArrayImpl> CpuTextures::make_array(int, const CudaArrayShape& shape,
                                                            const DType& format) {
    return std::make_unique<CpuArray>(allocator_, shape, format);
}

std::unique_ptr<runtime::MipmapImpl> CpuTextures::make_mipmaps(int, const CudaArrayShape& shape,
                                                               const DType& format,
                                                               std::uint32_t levels) {
    return std::make_unique<CpuMipmaps>(allocator_, shape, format, levels);
}

std::unique_ptr<runtime::ImageImpl> CpuTextures::make_texture(int,
                                                              const runtime::ImageSource& source,
                                                              const TextureSettings& settings) {
    std::vector<ImageRecord> levels;
    runtime::ImageSource one = source;
    std::vector<std::unique_ptr<runtime::ArrayImpl>> arrays;
    for (std::uint32_t i = 0; i < source.levels; ++i) {
        if (source.mipmaps != nullptr) {
            arrays.push_back(source.mipmaps->level(i));
            one.array = arrays.back().get();
            one.shape = runtime::shape_of_level(source.shape, i);
        }
        levels.push_back(texture_record(one, settings));
    }
    const ImageRecord base = base_of(levels, settings);
    if (levels.size() == 1) levels.clear();  // the record describes itself
    return std::make_unique<CpuImage>(base, /*is_surface=*/false, std::move(levels));
}

std::unique_ptr<runtime::ImageImpl> CpuTextures::make_surface(int,
                                                              const runtime::ImageSource& source) {
    return std::make_unique<CpuImage>(record_of(source), /*is_surface=*/true);
}

void CpuTextures::copy(runtime::Queue& queue, const runtime::BoxCopy& copy) {
    static_cast<CpuQueue&>(queue).submit(
        std::make_unique<BoxCopyCommand>(cursor_of(copy.destination), cursor_of(copy.source),
                                         BoxSize{copy.width_bytes, copy.height, copy.depth},
                                         runtime::direction_of(copy), copy.keep_alive));
}

runtime::ReferenceDeclaration CpuTextures::declaration(int, runtime::DeviceAddress address) {
    runtime::ReferenceRecord record;
    std::memcpy(&record, reinterpret_cast<const void*>(address), sizeof record);
    return runtime::declaration_of(record);
}

// A record, and what outlives its objects: how many there were, and the next free one.
struct ImageRecords::Slot {
    alignas(128) ImageRecord record;
    std::uint64_t uses;
    Slot* next;
};

ImageRecords& ImageRecords::instance() {
    static auto* records = new ImageRecords;
    return *records;
}

ImageRecord* ImageRecords::add(const ImageRecord& content, bool is_surface) {
    MutexLock lock(mutex_);
    if (free_ == nullptr) {
        void* const memory =
            ::mmap(nullptr, kSlabBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            throw OutOfMemoryError(fmt::format(
                "no memory for the records of textures: {} bytes were asked for", kSlabBytes));
        }
        auto* const slots = static_cast<Slot*>(memory);
        for (std::size_t i = kSlabBytes / sizeof(Slot); i-- > 0;) {
            slots[i].next = std::exchange(free_, &slots[i]);
        }
    }
    Slot* const slot = std::exchange(free_, free_->next);
    slot->uses = slot->uses % kMaxUses + 1;
    slot->record = content;
    slot->record.handle = reinterpret_cast<std::uint64_t>(&slot->record) |
                          slot->uses << kImageHandleShift | (is_surface ? kSurfaceHandleBit : 0);
    return &slot->record;
}

void ImageRecords::remove(ImageRecord* record) noexcept {
    auto* const slot = reinterpret_cast<Slot*>(record);
    MutexLock lock(mutex_);
    slot->record.handle = 0;
    slot->next = std::exchange(free_, slot);
}

std::string describe_image_fault(std::uint32_t fault, std::uint64_t object, std::int32_t x,
                                 std::int32_t y, std::int32_t z) {
    switch (fault) {
        case kUnboundReference:
            return "a texture or surface reference is used that nothing is bound to; bind it "
                   "before the launch (module.get_texref(name).set_array(array))";
        case kOutsideSurface:
            return fmt::format(
                "surface access outside the surface: byte {} of row {}, slice {}; "
                "cudaBoundaryModeZero or cudaBoundaryModeClamp would allow it",
                x, y, z);
        case kMisalignedSurface:
            return fmt::format(
                "misaligned surface access: byte {} of row {} is no multiple of the "
                "size of what is read or written (x counts bytes)",
                x, y);
        default:
            break;
    }
    const char* const what = fault == kBadSurface ? "surface" : "texture";
    if (object == 0) return fmt::format("the {} object is 0: nothing was passed for it", what);
    return fmt::format("{:#x} is no {} object: it was destroyed, or is something else", object,
                       what);
}

}  // namespace warpwise::cpu
