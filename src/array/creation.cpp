// New arrays: constants, copies of host memory.
#include <cstring>
#include <vector>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/array/shapes/layouts.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array.hpp"

namespace warpwise {
namespace {

// Throws ArgumentError for what no device could hold, and for extents that are no extents.
void require_shape(const Shape& shape, const DType& dtype) {
    array::require_array_dtype(dtype);
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(count_of(shape), static_cast<std::int64_t>(dtype.size()), &bytes)) {
        throw OutOfMemoryError(
            fmt::format("an array of shape {} and type {} has more bytes than any "
                        "device; make it smaller",
                        text_of(shape), dtype.name()));
    }
}

Shape reversed(const Shape& shape) {
    Shape result = shape;
    std::reverse(result.begin(), result.end());
    return result;
}

// Elements at `strides`, packed in C order.
void gather(const std::byte* from, const Shape& shape, const Strides& strides, std::size_t item,
            std::byte* to) {
    const std::int64_t count = count_of(shape);
    Axes place = Axes::filled(shape.size(), 0);
    for (std::int64_t i = 0; i < count; ++i, to += item) {
        std::memcpy(to, from, item);
        for (int axis = shape.size() - 1; axis >= 0; --axis) {
            from += strides[axis];
            if (++place[axis] < shape[axis]) break;
            from -= strides[axis] * shape[axis];
            place[axis] = 0;
        }
    }
}

}  // namespace

Array empty(const Shape& shape, const DType& dtype, const std::optional<Device>& device,
            Order order) {
    require_shape(shape, dtype);
    runtime::Context& context = array::context_of(device);
    const Strides strides = f_strides(shape, static_cast<std::int64_t>(dtype.size()));
    return Array(graph::empty(shape, dtype, context, order == Order::F ? &strides : nullptr));
}

Array zeros(const Shape& shape, const DType& dtype, const std::optional<Device>& device,
            Order order) {
    if (dtype.kind() != Kind::Struct) return full(shape, Scalar(false), dtype, device, order);
    Array result = empty(shape, dtype, device, order);
    if (result.size() == 0) return result;
    const Buffer memory = graph::settled_memory(result.value());
    Buffer bytes = memory;
    bytes.fill(0, 1, static_cast<std::size_t>(result.nbytes()), Stream::current(result.device()));
    return result;
}

Array ones(const Shape& shape, const DType& dtype, const std::optional<Device>& device,
           Order order) {
    return full(shape, Scalar(true), dtype, device, order);
}

Array full(const Shape& shape, const Scalar& value, const std::optional<DType>& dtype,
           const std::optional<Device>& device, Order order) {
    const DType type =
        dtype.value_or(DType(value.is_weak() ? types::default_kind(value) : value.kind()));
    require_shape(shape, type);
    if (type.kind() == Kind::Struct) {
        array::refuse_type("full got the number {} for records of {}; use zeros and assign fields",
                           value.text(), type.name());
    }
    if (types::is_integer(type.kind()) && types::is_integer(value.kind()) &&
        !value.fits(type.kind())) {
        array::refuse_value("full got {}, which is out of bounds for {}", value.text(),
                            type.name());
    }
    runtime::Context& context = array::context_of(device);
    if (order == Order::C) return array::constant(value, type.kind(), shape, context);
    return array::constant(value, type.kind(), reversed(shape), context).transpose();
}

Array full(const Shape& shape, const Array& values, const std::optional<DType>& dtype,
           const std::optional<Device>& device, Order order) {
    Array result =
        empty(shape, dtype.value_or(values.dtype()), device.value_or(values.device()), order);
    result.assign(device ? to_device(values, *device) : values);
    return result;
}

Array empty_like(const Array& array, const std::optional<DType>& dtype, std::optional<Order> order,
                 const std::optional<Shape>& shape) {
    const DType type = dtype.value_or(array.dtype());
    const Shape& extents = shape ? *shape : array.shape();
    if (order || extents.size() != array.ndim())
        return empty(extents, type, array.device(), order.value_or(Order::C));
    require_shape(extents, type);
    const Strides layout = array::strides_like(array, extents, type);
    return Array(graph::empty(extents, type, array::context_of(array), &layout));
}

Array full_like(const Array& array, const Scalar& value, const std::optional<DType>& dtype,
                std::optional<Order> order, const std::optional<Shape>& shape) {
    const DType type = dtype.value_or(array.dtype());
    const Shape& extents = shape ? *shape : array.shape();
    if (order || extents.size() != array.ndim() ||
        array::strides_like(array, extents, type) ==
            c_strides(extents, static_cast<std::int64_t>(type.size()))) {
        return full(extents, value, type, array.device(), order.value_or(Order::C));
    }
    Array result = empty_like(array, type, order, shape);
    result.assign(value);
    return result;
}

Array full_like(const Array& array, const Array& values, const std::optional<DType>& dtype,
                std::optional<Order> order, const std::optional<Shape>& shape) {
    Array result = empty_like(array, dtype, order, shape);
    result.assign(values);
    return result;
}

Array zeros_like(const Array& array, const std::optional<DType>& dtype, std::optional<Order> order,
                 const std::optional<Shape>& shape) {
    const DType type = dtype.value_or(array.dtype());
    if (type.kind() == Kind::Struct) {
        return zeros(shape ? *shape : array.shape(), type, array.device(),
                     order.value_or(Order::C));
    }
    return full_like(array, Scalar(false), dtype, order, shape);
}

Array ones_like(const Array& array, const std::optional<DType>& dtype, std::optional<Order> order,
                const std::optional<Shape>& shape) {
    return full_like(array, Scalar(true), dtype, order, shape);
}

Array from_host(const void* data, const Shape& shape, const DType& dtype, const Strides* strides,
                const std::optional<Device>& device) {
    require_shape(shape, dtype);
    const auto item = static_cast<std::int64_t>(dtype.size());
    runtime::Context& context = array::context_of(device);
    const std::int64_t count = count_of(shape);
    // One number needs no memory until it is requested.
    if (count == 1 && dtype.kind() != Kind::Struct) {
        return array::constant(Scalar::load(dtype.kind(), data), dtype.kind(), shape, context);
    }
    const bool is_c = strides == nullptr || is_c_contiguous(shape, *strides, item);
    const bool is_f = !is_c && is_f_contiguous(shape, *strides, item);
    const Strides columns = f_strides(shape, item);
    Array result(graph::empty(shape, dtype, context, is_f ? &columns : nullptr));
    if (count == 0) return result;
    Buffer memory = graph::settled_memory(result.value());
    const auto bytes = static_cast<std::size_t>(result.nbytes());
    if (is_c || is_f) {
        memory.copy_from(data, bytes);
        return result;
    }
    std::vector<std::byte> packed(bytes);
    gather(static_cast<const std::byte*>(data), shape, *strides, dtype.size(), packed.data());
    memory.copy_from(packed.data(), bytes);
    return result;
}

}  // namespace warpwise
