// Rules first, then the back end makes the object.
#include "src/runtime/image/image_state.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "src/runtime/pool/buffer_state.hpp"
#include "src/runtime/pool/pool_state.hpp"
#include "src/runtime/refuse.hpp"

namespace warpwise::runtime {
namespace {

// Texels are counted with 32-bit numbers by device code.
constexpr std::uint64_t kMaxElements = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kLinearAlignment = 16;
constexpr std::uint32_t kMaxAnisotropy = 16;  // CUDA's

std::string text_of(const CudaArrayShape& shape) {
    std::string text = fmt::format("width {}", shape.width);
    if (shape.height != 0) text += fmt::format(", height {}", shape.height);
    if (shape.depth != 0) text += fmt::format(", depth {}", shape.depth);
    if (shape.layers != 0) text += fmt::format(", {} layers", shape.layers);
    if (shape.cubemap) text += ", a cubemap";
    return text;
}

void check_elements(std::uint64_t elements, const std::string& what) {
    if (elements <= kMaxElements) return;
    refuse_value("{} of {} elements is too large: there can be {}", what, elements, kMaxElements);
}

bool is_integer(const DType& format) {
    return format.kind() != Kind::Float16 && format.kind() != Kind::Float32;
}

std::size_t channel_bytes(const DType& format) {
    return format.size() / static_cast<std::size_t>(format.lanes());
}

void check_srgb(const DType& format, const TextureSettings& settings) {
    if (!settings.srgb) return;
    if (format.kind() != Kind::UInt8 || settings.read != ReadMode::NormalizedFloat) {
        refuse_value(
            "a texture of {} cannot be read as sRGB; only uint8 read as normalized floats can",
            format.name());
    }
}

void check_levels(const DType& format, const TextureSettings& settings) {
    const bool gives_integers = settings.read == ReadMode::Element && is_integer(format);
    if (settings.mip_filter == FilterMode::Linear && gives_integers) {
        refuse_value(
            "the levels of a texture of {} cannot be filtered linearly: its fetches give integers; "
            "read it as normalized floats, or use the point filter between levels",
            format.name());
    }
    if (!std::isfinite(settings.level_bias) || !std::isfinite(settings.lowest_level) ||
        !(settings.lowest_level >= 0.0f) || !(settings.highest_level >= settings.lowest_level)) {
        refuse_value(
            "a texture cannot have levels from {} to {} with a bias of {}: they are 0 or more, the "
            "highest is not below the lowest, and the bias is finite",
            settings.lowest_level, settings.highest_level, settings.level_bias);
    }
    if (settings.max_anisotropy < 1 || settings.max_anisotropy > kMaxAnisotropy) {
        refuse_value("a texture has a maximum anisotropy of 1 to {}, not {}", kMaxAnisotropy,
                     settings.max_anisotropy);
    }
}

void check_linear(const LinearSource& source) {
    const std::size_t texel = source.format.size();
    if (source.buffer.state() == nullptr || source.width == 0) {
        refuse_value("a texture over linear memory needs memory: the buffer has {} bytes",
                     source.buffer.size());
    }
    source.buffer.state()->refuse_freed("cannot make a texture over");
    if (address_of(source.buffer) % kLinearAlignment != 0) {
        refuse_value("a texture over linear memory must begin at a multiple of {} bytes, not at {}",
                     kLinearAlignment, hex_address(address_of(source.buffer)));
    }
    if (source.row_bytes % texel != 0 || source.row_bytes / texel < source.width) {
        refuse_value(
            "rows of {} {} cannot be {} bytes apart: that is no multiple of {}, or less "
            "than a row",
            source.width, source.format.name(), source.row_bytes, texel);
    }
    const std::size_t rows = source.height == 0 ? 1 : source.height;
    // The last row need not be padded.
    const std::size_t needed = (rows - 1) * source.row_bytes + source.width * texel;
    if (needed > source.buffer.size()) {
        refuse_value("a texture of {} by {} {} needs {} bytes, the buffer has {}", source.width,
                     rows, source.format.name(), needed, source.buffer.size());
    }
    check_elements(
        rows * (source.row_bytes / texel) * static_cast<std::uint64_t>(source.format.lanes()),
        "a texture");
}

}  // namespace

void check_shape(const CudaArrayShape& shape, const DType& format) {
    const char* reason = nullptr;
    if (shape.width == 0) reason = "the width is 0";
    if (shape.depth != 0 && shape.height == 0) reason = "a depth needs a height";
    if (shape.depth != 0 && shape.layers != 0) reason = "a volume cannot have layers";
    if (shape.cubemap && (shape.width != shape.height || shape.depth != 0)) {
        reason = "the faces of a cubemap are squares";
    }
    if (reason != nullptr) {
        refuse_value("a CUDA array of {} cannot be: {}", text_of(shape), reason);
    }
    const ImageExtent extent = extent_of(shape);
    // Rows may be padded, by less than a cache line each.
    const std::uint64_t row = (extent.width + std::uint64_t{63}) / 64 * 64;
    check_elements(
        row * static_cast<std::uint64_t>(format.lanes()) * extent.height * extent.planes(),
        fmt::format("a CUDA array ({})", text_of(shape)));
}

void check_settings(const DType& format, const TextureSettings& settings) {
    const std::size_t bytes = channel_bytes(format);
    if (settings.read == ReadMode::NormalizedFloat && (!is_integer(format) || bytes > 2)) {
        refuse_value(
            "a texture of {} cannot be read as normalized floats; only integers of 8 or 16 bits "
            "can",
            format.name());
    }
    if (settings.filter == FilterMode::Linear && settings.read == ReadMode::Element &&
        is_integer(format)) {
        refuse_value(
            "a texture of {} cannot be filtered linearly: its fetches give integers; read it as "
            "normalized floats, or use the point filter",
            format.name());
    }
    check_srgb(format, settings);
    check_levels(format, settings);
}

std::uint32_t level_count(const CudaArrayShape& shape) noexcept {
    const ImageExtent extent = extent_of(shape);
    return static_cast<std::uint32_t>(
        std::bit_width(std::max({extent.width, extent.height, extent.depth})));
}

CudaArrayShape shape_of_level(const CudaArrayShape& shape, std::uint32_t level) noexcept {
    const auto halved = [level](std::uint32_t extent) {
        return extent == 0 ? 0 : std::max(extent >> level, 1U);
    };
    CudaArrayShape smaller = shape;
    smaller.width = halved(shape.width);
    smaller.height = halved(shape.height);
    smaller.depth = halved(shape.depth);
    return smaller;
}

ImageSource source_of(ArrayState& array) {
    ImageSource source;
    source.array = &array.impl();
    source.shape = array.shape();
    source.format = array.format();
    return source;
}

void check_format(const DType& format) {
    switch (format.kind()) {
        case Kind::Int8:
        case Kind::UInt8:
        case Kind::Int16:
        case Kind::UInt16:
        case Kind::Int32:
        case Kind::UInt32:
        case Kind::Float16:
        case Kind::Float32:
            if (format.lanes() != 3) return;
            break;
        default:
            break;
    }
    refuse_value(
        "{} is no format of texels; they are integers of 8, 16 or 32 bits, float16 or float32, "
        "with 1, 2 or 4 channels",
        format.name());
}

ArrayState::ArrayState(std::shared_ptr<Context> context, const CudaArrayShape& shape,
                       const DType& format)
    : context_(std::move(context)), shape_(shape), format_(format) {
    check_format(format);
    check_shape(shape, format);
    TextureSupport& support = context_->textures();
    impl_ = context_->pool()->with_memory(
        [&] { return support.make_array(context_->ordinal(), shape, format); });
}

ArrayState::ArrayState(std::shared_ptr<Context> context, const CudaArrayShape& shape,
                       const DType& format, std::unique_ptr<ArrayImpl> impl,
                       std::shared_ptr<const void> owner)
    : context_(std::move(context)),
      shape_(shape),
      format_(format),
      owner_(std::move(owner)),
      impl_(std::move(impl)) {}

MipmapState::MipmapState(std::shared_ptr<Context> context, const CudaArrayShape& shape,
                         const DType& format, std::uint32_t levels)
    : context_(std::move(context)), shape_(shape), format_(format) {
    check_format(format);
    check_shape(shape, format);
    const std::uint32_t most = level_count(shape);
    if (levels > most) {
        refuse_value("a mipmapped array of {} has {} levels at most, not {}", text_of(shape), most,
                     levels);
    }
    levels_ = levels == 0 ? most : levels;
    TextureSupport& support = context_->textures();
    impl_ = context_->pool()->with_memory(
        [&] { return support.make_mipmaps(context_->ordinal(), shape, format, levels_); });
}

std::shared_ptr<ArrayState> MipmapState::level(std::uint32_t index) {
    if (index >= levels_) {
        refuse_value("there is no level {} in a mipmapped array of {} levels", index, levels_);
    }
    return std::make_shared<ArrayState>(context_, shape_of_level(shape_, index), format_,
                                        impl_->level(index), shared_from_this());
}

std::size_t ArrayState::row_bytes() const noexcept {
    return shape_.width * format_.size();
}

std::size_t ArrayState::size() const noexcept {
    const ImageExtent extent = extent_of(shape_);
    return row_bytes() * extent.height * extent.planes();
}

ImageState::ImageState(std::shared_ptr<Context> context, const DType& format, bool is_surface)
    : context_(std::move(context)), format_(format), is_surface_(is_surface) {}

std::shared_ptr<ImageState> ImageState::texture(std::shared_ptr<ArrayState> array,
                                                const TextureSettings& settings) {
    check_settings(array->format(), settings);
    std::shared_ptr<ImageState> state(
        new ImageState(array->shared_context(), array->format(), /*is_surface=*/false));
    state->settings_ = settings;
    const ImageSource source = source_of(*array);
    state->array_ = std::move(array);
    Context& context = state->context();
    state->impl_ = context.textures().make_texture(context.ordinal(), source, settings);
    return state;
}

std::shared_ptr<ImageState> ImageState::texture(std::shared_ptr<MipmapState> mipmaps,
                                                const TextureSettings& settings) {
    check_settings(mipmaps->format(), settings);
    if (!settings.normalized_coordinates && !mipmaps->shape().cubemap) {
        refuse_value(
            "a texture over a mipmapped array needs normalized coordinates: its levels differ in "
            "size");
    }
    std::shared_ptr<ImageState> state(
        new ImageState(mipmaps->shared_context(), mipmaps->format(), /*is_surface=*/false));
    state->settings_ = settings;
    ImageSource source;
    source.mipmaps = &mipmaps->impl();
    source.levels = mipmaps->levels();
    source.shape = mipmaps->shape();
    source.format = mipmaps->format();
    state->array_ = std::move(mipmaps);
    Context& context = state->context();
    state->impl_ = context.textures().make_texture(context.ordinal(), source, settings);
    return state;
}

std::shared_ptr<ImageState> ImageState::texture(LinearSource linear,
                                                const TextureSettings& settings) {
    check_format(linear.format);
    check_linear(linear);
    check_settings(linear.format, settings);
    if (settings.srgb && linear.height == 0) {
        refuse_value(
            "linear memory in one row cannot be read as sRGB: it is fetched by index; give it "
            "rows, or copy it to an array");
    }
    Context& context = linear.buffer.state()->context();
    std::shared_ptr<ImageState> state(
        new ImageState(context.shared(), linear.format, /*is_surface=*/false));
    state->settings_ = settings;
    ImageSource source;
    source.address = address_of(linear.buffer);
    source.row_bytes = linear.row_bytes;
    source.shape = {.width = linear.width, .height = linear.height};
    source.format = linear.format;
    state->linear_ = std::move(linear);
    state->impl_ = context.textures().make_texture(context.ordinal(), source, settings);
    return state;
}

std::shared_ptr<ImageState> ImageState::surface(std::shared_ptr<ArrayState> array) {
    std::shared_ptr<ImageState> state(
        new ImageState(array->shared_context(), array->format(), /*is_surface=*/true));
    const ImageSource source = source_of(*array);
    state->array_ = std::move(array);
    Context& context = state->context();
    state->impl_ = context.textures().make_surface(context.ordinal(), source);
    return state;
}

}  // namespace warpwise::runtime
