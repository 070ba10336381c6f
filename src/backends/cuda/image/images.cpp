// Descriptors from shapes and settings.
#include "src/backends/cuda/image/images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "src/backends/cuda/stream/queue.hpp"
#include "warpwise/error.hpp"

namespace warpwise::cuda {
namespace {

using runtime::ImageSource;

bool is_integer(const DType& format) {
    return format.kind() != Kind::Float16 && format.kind() != Kind::Float32;
}

int attribute(const PrimaryContext& context, DeviceAttribute which, int next = 0) {
    const Driver& driver = cuda::driver();
    DeviceHandle device = 0;
    int value = 0;
    const auto numbered = static_cast<DeviceAttribute>(static_cast<int>(which) + next);
    if (driver.device_get(&device, context.ordinal()) != Status::Success) return 0;
    return driver.device_attribute(&value, numbered, device) == Status::Success ? value : 0;
}

[[noreturn]] void refuse_linear(const PrimaryContext& context, const ImageSource& source) {
    const auto get = [&](DeviceAttribute which, int next = 0) {
        return attribute(context, which, next);
    };
    if (source.shape.height == 0) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            fmt::format("cuda:{} makes no texture of {} texels at {:#x}: it takes {} texels at "
                        "most, at multiples of {} bytes",
                        context.ordinal(), source.shape.width, source.address,
                        get(DeviceAttribute::MaxLinearTextureWidth),
                        get(DeviceAttribute::TextureAlignment)));
    }
    throw ArgumentError(
        ArgumentError::Kind::Value,
        fmt::format(
            "cuda:{} makes no texture of {} by {} texels at {:#x} with rows {} bytes apart: "
            "it takes {} by {} at most, at multiples of {} bytes, with rows a multiple of "
            "{} bytes apart (mem_alloc_pitch finds one)",
            context.ordinal(), source.shape.width, source.shape.height, source.address,
            source.row_bytes, get(DeviceAttribute::MaxPitchedTextureWidth),
            get(DeviceAttribute::MaxPitchedTextureWidth, 1), get(DeviceAttribute::TextureAlignment),
            get(DeviceAttribute::TexturePitchAlignment)));
}

ResourceDescriptor resource_of(const ImageSource& source) {
    ResourceDescriptor resource{};
    if (source.mipmaps != nullptr) {
        resource.type = ResourceDescriptor::Type::Mipmaps;
        resource.mipmaps = static_cast<const DriverMipmaps&>(*source.mipmaps).handle();
    } else if (source.array != nullptr) {
        resource.type = ResourceDescriptor::Type::Array;
        resource.array = static_cast<const DriverArray&>(*source.array).handle();
    } else if (source.shape.height == 0) {
        resource.type = ResourceDescriptor::Type::Linear;
        resource.linear = {.address = source.address,
                           .format = format_of(source.format),
                           .channels = channels_of(source.format),
                           .bytes = source.shape.width * source.format.size()};
    } else {
        resource.type = ResourceDescriptor::Type::Pitched;
        resource.pitched = {.address = source.address,
                            .format = format_of(source.format),
                            .channels = channels_of(source.format),
                            .width = source.shape.width,
                            .height = source.shape.height,
                            .pitch = source.row_bytes};
    }
    return resource;
}

// Wrap and mirror are clamp without normalized coordinates; a cube's are normalized always. Axes
// that the texture lacks are clamped: a GPU filters along them too, and would blend the border in.
TextureDescriptor descriptor_of(const ImageSource& source, const TextureSettings& settings) {
    TextureDescriptor descriptor{};
    const bool is_cube = source.shape.cubemap;
    const bool is_normalized = settings.normalized_coordinates || is_cube;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        AddressMode mode = settings.address[axis];
        const bool repeats = mode == AddressMode::Wrap || mode == AddressMode::Mirror;
        const bool is_lacking =
            (axis == 1 && source.shape.height == 0) || (axis == 2 && source.shape.depth == 0);
        if (is_cube || is_lacking || (repeats && !is_normalized)) mode = AddressMode::Clamp;
        descriptor.address[axis] = static_cast<int>(mode);
    }
    descriptor.filter = static_cast<int>(settings.filter);
    if (is_normalized) descriptor.flags |= kTextureNormalized;
    const bool reads_integers = is_integer(source.format) && settings.read == ReadMode::Element;
    if (reads_integers) descriptor.flags |= kTextureReadAsInteger;
    if (settings.srgb) descriptor.flags |= kTextureSrgb;
    descriptor.anisotropy = settings.max_anisotropy;
    if (source.mipmaps != nullptr) {
        descriptor.level_filter = static_cast<int>(settings.mip_filter);
        descriptor.level_bias = settings.level_bias;
        descriptor.lowest_level = settings.lowest_level;
        descriptor.highest_level = settings.highest_level;
        if (settings.mip_filter == FilterMode::Linear) descriptor.flags |= kTextureExactLevels;
    }
    for (std::size_t i = 0; i < channels_of(source.format); ++i) {
        // The hardware keeps 32 bits for each channel, in the texture's own kind of number.
        descriptor.border[i] = reads_integers ? std::bit_cast<float>(static_cast<std::int32_t>(
                                                    static_cast<std::int64_t>(settings.border[i])))
                                              : static_cast<float>(settings.border[i]);
    }
    return descriptor;
}

class CudaTexture final : public runtime::ImageImpl {
  public:
    CudaTexture(PrimaryContext& context, const ImageSource& source, const TextureSettings& settings)
        : context_(context) {
        const PrimaryContext::Scope scope(context_);
        const ResourceDescriptor resource = resource_of(source);
        TextureDescriptor texture = descriptor_of(source, settings);
        if (resource.type == ResourceDescriptor::Type::Linear) {
            // Fetched by index: only how integers are read counts.
            texture.flags &= kTextureReadAsInteger;
            texture.filter = 0;
            texture.anisotropy = 0;
        }
        const Status status = driver().texture_create(&handle, &resource, &texture, nullptr);
        if (status == Status::InvalidValue && source.address != 0) {
            refuse_linear(context_, source);
        }
        context_.check(status, "make a texture");
    }
    ~CudaTexture() override {
        context_.ignoring_errors([this](const Driver& driver) { driver.texture_destroy(handle); });
    }
    CudaTexture(const CudaTexture&) = delete;
    CudaTexture& operator=(const CudaTexture&) = delete;

  private:
    PrimaryContext& context_;
};

class CudaSurface final : public runtime::ImageImpl {
  public:
    CudaSurface(PrimaryContext& context, const ImageSource& source) : context_(context) {
        if (!static_cast<const DriverArray&>(*source.array).is_surface()) {
            throw ArgumentError(
                ArgumentError::Kind::Value,
                fmt::format("an array of this size (width {}, height {}) is no surface on cuda:{}: "
                            "its limits for surfaces are below those for textures",
                            source.shape.width, source.shape.height, context.ordinal()));
        }
        const PrimaryContext::Scope scope(context_);
        const ResourceDescriptor resource = resource_of(source);
        context_.check(driver().surface_create(&handle, &resource), "make a surface");
    }
    ~CudaSurface() override {
        context_.ignoring_errors([this](const Driver& driver) { driver.surface_destroy(handle); });
    }
    CudaSurface(const CudaSurface&) = delete;
    CudaSurface& operator=(const CudaSurface&) = delete;

  private:
    PrimaryContext& context_;
};

}  // namespace

std::unique_ptr<runtime::ArrayImpl> CudaTextures::make_array(int ordinal,
                                                             const CudaArrayShape& shape,
                                                             const DType& format) {
    return std::make_unique<DriverArray>(device_(ordinal).context(), shape, format);
}

std::unique_ptr<runtime::MipmapImpl> CudaTextures::make_mipmaps(int ordinal,
                                                                const CudaArrayShape& shape,
                                                                const DType& format,
                                                                std::uint32_t levels) {
    return std::make_unique<DriverMipmaps>(device_(ordinal).context(), shape, format, levels);
}

std::unique_ptr<runtime::ImageImpl> CudaTextures::make_texture(int ordinal,
                                                               const ImageSource& source,
                                                               const TextureSettings& settings) {
    return std::make_unique<CudaTexture>(device_(ordinal).context(), source, settings);
}

std::unique_ptr<runtime::ImageImpl> CudaTextures::make_surface(int ordinal,
                                                               const ImageSource& source) {
    return std::make_unique<CudaSurface>(device_(ordinal).context(), source);
}

void CudaTextures::copy(runtime::Queue& queue, const runtime::BoxCopy& copy) {
    static_cast<CudaQueue&>(queue).copy_box(copy);
}

// On a queue of its own: others may be held up, and the variable is not written before this.
runtime::ReferenceDeclaration CudaTextures::declaration(int ordinal,
                                                        runtime::DeviceAddress address) {
    runtime::ReferenceRecord record{};
    CudaQueue queue(device_(ordinal), {.non_blocking = true});
    queue.copy(reinterpret_cast<runtime::DeviceAddress>(&record), address, sizeof record,
               runtime::CopyKind::DeviceToHost);
    queue.is_done(runtime::Wait::Yes);
    return runtime::declaration_of(record);
}

}  // namespace warpwise::cuda
