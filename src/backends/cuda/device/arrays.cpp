// Descriptors from shapes; arrays as capable as their extents allow.
#include "src/backends/cuda/device/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "warpwise/error.hpp"

namespace warpwise::cuda {

ArrayFormat format_of(const DType& format) {
    switch (format.kind()) {
        case Kind::UInt8:
            return ArrayFormat::UInt8;
        case Kind::Int8:
            return ArrayFormat::Int8;
        case Kind::UInt16:
            return ArrayFormat::UInt16;
        case Kind::Int16:
            return ArrayFormat::Int16;
        case Kind::UInt32:
            return ArrayFormat::UInt32;
        case Kind::Int32:
            return ArrayFormat::Int32;
        case Kind::Float16:
            return ArrayFormat::Half;
        case Kind::Float32:
            return ArrayFormat::Float;
        default:
            throw DeviceError("CUDA devices have no texels of " + format.name());
    }
}

unsigned channels_of(const DType& format) {
    return static_cast<unsigned>(format.lanes());
}

namespace {

ArrayDescriptor descriptor_of(const CudaArrayShape& shape, const DType& format) {
    ArrayDescriptor descriptor{.width = shape.width,
                               .height = shape.height,
                               .depth = shape.depth,
                               .format = format_of(format),
                               .channels = channels_of(format),
                               .flags = 0};
    const std::size_t layers = std::max<std::size_t>(1, shape.layers);
    if (shape.layers != 0) {
        descriptor.flags |= kArrayLayered;
        descriptor.depth = layers;
    }
    if (shape.cubemap) {
        descriptor.flags |= kArrayCubemap;
        descriptor.depth = 6 * layers;
    }
    return descriptor;
}

// Textures may be larger than surfaces, and these than what gathers. `create` is given the
// descriptor; whether it made what may be a surface is returned.
template <class Create>
bool create_largest(PrimaryContext& context, const CudaArrayShape& shape, const DType& format,
                    const char* what, Create&& create) {
    ArrayDescriptor descriptor = descriptor_of(shape, format);
    const unsigned base = descriptor.flags;
    const bool is_plane = shape.height != 0 && base == 0 && shape.depth == 0;
    Status status = Status::InvalidValue;
    for (const unsigned more : {kArraySurface | (is_plane ? kArrayGather : 0), kArraySurface, 0U}) {
        descriptor.flags = base | more;
        status = create(descriptor);
        if (status == Status::Success) return (more & kArraySurface) != 0;
        if (status != Status::InvalidValue) break;
    }
    if (status == Status::InvalidValue) {
        throw ArgumentError(
            ArgumentError::Kind::Value,
            fmt::format("cuda:{} has no {} of {} by {} by {} {}: an extent is above its limits",
                        context.ordinal(), what, descriptor.width, descriptor.height,
                        descriptor.depth, format.name()));
    }
    context.check(status, "make an array");
    return false;
}

}  // namespace

DriverArray::DriverArray(PrimaryContext& context, const CudaArrayShape& shape, const DType& format)
    : context_(context), texel_bytes_(format.size()) {
    const PrimaryContext::Scope scope(context_);
    is_surface_ = create_largest(context_, shape, format, "arrays",
                                 [this](const ArrayDescriptor& descriptor) {
                                     return driver().array_create(&handle_, &descriptor);
                                 });
}

DriverArray::~DriverArray() {
    if (!is_own_) return;
    context_.ignoring_errors([this](const Driver& driver) { driver.array_destroy(handle_); });
}

DriverMipmaps::DriverMipmaps(PrimaryContext& context, const CudaArrayShape& shape,
                             const DType& format, std::uint32_t levels)
    : context_(context), format_(format) {
    const PrimaryContext::Scope scope(context_);
    is_surface_ = create_largest(context_, shape, format, "mipmapped arrays",
                                 [&](const ArrayDescriptor& descriptor) {
                                     return driver().mipmaps_create(&handle_, &descriptor, levels);
                                 });
}

DriverMipmaps::~DriverMipmaps() {
    context_.ignoring_errors([this](const Driver& driver) { driver.mipmaps_destroy(handle_); });
}

std::unique_ptr<runtime::ArrayImpl> DriverMipmaps::level(std::uint32_t index) {
    const PrimaryContext::Scope scope(context_);
    ArrayHandle array = nullptr;
    context_.check(driver().mipmaps_level(&array, handle_, index), "find a level of an array");
    return std::make_unique<DriverArray>(context_, array, format_, is_surface_);
}

}  // namespace warpwise::cuda
