// New arrays: constants, ranges, host memory.
#include "python/bindings/arrays/array_import.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

using Filled = Array (*)(const Shape&, const DType&, const std::optional<Device>&, Order);
using Like = Array (*)(const Array&, const std::optional<DType>&, std::optional<Order>,
                       const std::optional<Shape>&);

template <Filled kFunction>
void bind_filled(nb::module_& module, const char* name, const char* signature, const char* doc) {
    module.def(
        name,
        [](nb::handle shape, nb::handle dtype, nb::handle order, nb::handle device) {
            return kFunction(shape_of(shape), optional_dtype(dtype).value_or(float64),
                             optional_device(device), order_of(order).value_or(Order::C));
        },
        "shape"_a, "dtype"_a = nb::none(), "order"_a.none() = "C", nb::kw_only(),
        "device"_a = nb::none(), nb::sig(signature), doc);
}

Array like_of(const Array& array, const std::optional<Device>& device) {
    return device ? to_device(array, *device) : array;
}

std::optional<Shape> optional_shape(nb::handle shape) {
    if (shape.is_none()) return std::nullopt;
    return shape_of(shape);
}

template <Like kFunction>
void bind_like(nb::module_& module, const char* name, const char* signature, const char* doc) {
    module.def(
        name,
        [](const Array& x, nb::handle dtype, nb::handle order, nb::handle shape,
           nb::handle device) {
            return like_of(
                kFunction(x, optional_dtype(dtype), order_of(order, &x), optional_shape(shape)),
                optional_device(device));
        },
        nb::arg(), "dtype"_a = nb::none(), "order"_a.none() = "K", nb::kw_only(),
        "shape"_a = nb::none(), "device"_a = nb::none(), nb::sig(signature), doc);
}

Array range(nb::handle start, nb::handle stop, nb::handle step, nb::handle dtype,
            nb::handle device) {
    const Scalar first = stop.is_none() ? Scalar(0) : number_of(start, "start");
    const Scalar last = stop.is_none() ? number_of(start, "stop") : number_of(stop, "stop");
    const Scalar each = step.is_none() ? Scalar(1) : number_of(step, "step");
    return arange(first, last, each, optional_dtype(dtype), optional_device(device));
}

// fill(values) of an array, or of a number.
template <class Fill>
Array filled_with(nb::handle values, const Fill& fill) {
    if (const Array* const array = array_in(values)) return fill(*array);
    return fill(number_of(values, "fill_value"));
}

void bind_constants(nb::module_& module) {
    bind_filled<&empty>(module, "empty",
                        "def empty(shape: int | tuple[int, ...], dtype: typing.Any = None, order: "
                        "str | None = 'C', *, device: Device | str | None = None) -> Array",
                        "An array with undefined contents.");
    bind_filled<&zeros>(module, "zeros",
                        "def zeros(shape: int | tuple[int, ...], dtype: typing.Any = None, order: "
                        "str | None = 'C', *, device: Device | str | None = None) -> Array",
                        "An array of zeros; records of zero bytes.");
    bind_filled<&ones>(module, "ones",
                       "def ones(shape: int | tuple[int, ...], dtype: typing.Any = None, order: "
                       "str | None = 'C', *, device: Device | str | None = None) -> Array",
                       "An array of ones.");
    bind_like<&empty_like>(
        module, "empty_like",
        "def empty_like(x: Array, /, dtype: typing.Any = None, order: str | None = 'K', *, shape: "
        "int | tuple[int, ...] | None = None, device: Device | str | None = None) -> Array",
        "An array with the shape and axis order of x and undefined contents, unless they are "
        "given.");
    bind_like<&zeros_like>(
        module, "zeros_like",
        "def zeros_like(x: Array, /, dtype: typing.Any = None, order: str | None = 'K', *, shape: "
        "int | tuple[int, ...] | None = None, device: Device | str | None = None) -> Array",
        "Zeros, with the shape and axis order of x, unless they are given.");
    bind_like<&ones_like>(
        module, "ones_like",
        "def ones_like(x: Array, /, dtype: typing.Any = None, order: str | None = 'K', *, shape: "
        "int | tuple[int, ...] | None = None, device: Device | str | None = None) -> Array",
        "Ones, with the shape and axis order of x, unless they are given.");
    module.def(
        "full",
        [](nb::handle shape, nb::handle value, nb::handle dtype, nb::handle order,
           nb::handle device) {
            return filled_with(value, [&](const auto& values) {
                return full(shape_of(shape), values, optional_dtype(dtype), optional_device(device),
                            order_of(order).value_or(Order::C));
            });
        },
        "shape"_a, "fill_value"_a, "dtype"_a = nb::none(), "order"_a.none() = "C", nb::kw_only(),
        "device"_a = nb::none(),
        nb::sig(
            "def full(shape: int | tuple[int, ...], fill_value: complex | Array, dtype: "
            "typing.Any = None, order: str | None = 'C', *, device: Device | str | None = None) -> "
            "Array"),
        "An array of one number, or of the elements of an array that broadcasts to the shape.");
    module.def(
        "full_like",
        [](const Array& x, nb::handle value, nb::handle dtype, nb::handle order, nb::handle shape,
           nb::handle device) {
            const auto fill = [&](const auto& values) {
                return full_like(x, values, optional_dtype(dtype), order_of(order, &x),
                                 optional_shape(shape));
            };
            return like_of(filled_with(value, fill), optional_device(device));
        },
        nb::arg(), "fill_value"_a, "dtype"_a = nb::none(), "order"_a.none() = "K", nb::kw_only(),
        "shape"_a = nb::none(), "device"_a = nb::none(),
        nb::sig("def full_like(x: Array, /, fill_value: complex | Array, dtype: typing.Any = None, "
                "order: str | None = 'K', *, shape: int | tuple[int, ...] | None = None, device: "
                "Device | str | None = None) -> Array"),
        "As full(), with the shape and axis order of x unless they are given.");
}

void bind_ranges(nb::module_& module) {
    module.def(
        "arange", &range, "start"_a, "stop"_a = nb::none(), "step"_a.none() = 1,
        "dtype"_a = nb::none(), nb::kw_only(), "device"_a = nb::none(),
        nb::sig("def arange(start: typing.Any, stop: typing.Any = None, step: typing.Any = 1, "
                "dtype: typing.Any = None, *, device: Device | str | None = None) -> Array"),
        "start, start + step, ... before stop; NumPy's values.");
    module.def(
        "eye",
        [](nb::handle rows, nb::handle columns, nb::handle k, nb::handle dtype, nb::handle order,
           nb::handle device) {
            const std::int64_t count = integer_of(rows, "n_rows");
            return eye(count, columns.is_none() ? count : integer_of(columns, "n_cols"),
                       integer_of(k, "k"), optional_dtype(dtype).value_or(float64),
                       optional_device(device), order_of(order).value_or(Order::C));
        },
        "n_rows"_a, "n_cols"_a = nb::none(), "k"_a = 0, "dtype"_a = nb::none(),
        "order"_a.none() = "C", nb::kw_only(), "device"_a = nb::none(),
        nb::sig("def eye(n_rows: int, n_cols: int | None = None, k: int = 0, dtype: typing.Any = "
                "None, order: str | None = 'C', *, device: Device | str | None = None) -> Array"),
        "Ones on diagonal k, zeros elsewhere.");
}

Array imported(nb::handle object, nb::handle dtype, nb::handle order, nb::handle device,
               std::optional<bool> copy) {
    const Array array = import_array(object, optional_dtype(dtype), optional_device(device), copy);
    const std::optional<Order> wanted = order_of(order, &array);
    if (!wanted || (*wanted == Order::C ? array.is_c_contiguous() : array.is_f_contiguous()))
        return array;
    if (copy == false) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            "copy=False got an array that is not in the order that order= asks "
                            "for; leave copy= or order= out");
    }
    return warpwise::copy(array, wanted);
}

// Axes of extent 1 in front of the others, where there are fewer than `rank`.
Array with_rank(const Array& array, int rank) {
    std::vector<int> axes(static_cast<std::size_t>(std::max(rank - array.ndim(), 0)));
    std::iota(axes.begin(), axes.end(), 0);
    return axes.empty() ? array : expand_dims(array, axes);
}

void bind_imports(nb::module_& module) {
    module.def(
        "asarray",
        [](nb::handle object, nb::handle dtype, nb::handle order, nb::handle device,
           std::optional<bool> copy) { return imported(object, dtype, order, device, copy); },
        nb::arg(), "dtype"_a = nb::none(), "order"_a = nb::none(), nb::kw_only(),
        "device"_a = nb::none(), "copy"_a = nb::none(),
        nb::sig("def asarray(obj: typing.Any, /, dtype: typing.Any = None, order: str | None = "
                "None, *, device: Device | str | None = None, copy: bool | None = None) -> Array"),
        "An array of a number, of nested sequences, of a NumPy array, or of an array of another "
        "library (DLPack, __cuda_array_interface__). Host memory is copied, unless copy=False on a "
        "device that shares it; arrays of other libraries are not, unless copy=True or their order "
        "is not the one asked for.");
    module.def(
        "array",
        [](nb::handle object, nb::handle dtype, bool copy, nb::handle order, int ndmin,
           nb::handle device) {
            const Array array = imported(object, dtype, order, device,
                                         copy ? std::optional<bool>(true) : std::nullopt);
            return with_rank(array, ndmin);
        },
        "object"_a, "dtype"_a = nb::none(), nb::kw_only(), "copy"_a = true, "order"_a.none() = "K",
        "ndmin"_a = 0, "device"_a = nb::none(),
        nb::sig("def array(object: typing.Any, dtype: typing.Any = None, *, copy: bool = True, "
                "order: str | None = 'K', ndmin: int = 0, device: Device | str | None = None) -> "
                "Array"),
        "As asarray, but always a copy; with `ndmin` axes at least, new ones in front.");
    module.def(
        "from_pointer",
        [](std::uint64_t address, nb::handle shape, nb::handle dtype, nb::handle strides,
           nb::handle owner, nb::handle device, bool read_only) {
            std::optional<Strides> steps;
            if (!strides.is_none()) steps = shape_of(strides, "strides");
            return from_pointer(address, shape_of(shape), dtype_of(dtype),
                                steps ? &*steps : nullptr, optional_device(device), share(owner),
                                read_only);
        },
        "address"_a, "shape"_a, "dtype"_a, "strides"_a = nb::none(), "owner"_a = nb::none(),
        nb::kw_only(), "device"_a = nb::none(), "read_only"_a = false,
        nb::sig("def from_pointer(address: int, shape: int | tuple[int, ...], dtype: typing.Any, "
                "strides: tuple[int, ...] | None = None, owner: object = None, *, device: Device | "
                "str | None = None, read_only: bool = False) -> Array"),
        "An array over memory that exists; it keeps `owner` alive. Strides count bytes.");
    module.def(
        "from_buffer",
        [](const Buffer& buffer, nb::handle shape, nb::handle dtype, nb::handle strides,
           std::int64_t offset) {
            std::optional<Strides> steps;
            if (!strides.is_none()) steps = shape_of(strides, "strides");
            return from_buffer(buffer, shape_of(shape), dtype_of(dtype), steps ? &*steps : nullptr,
                               offset);
        },
        "buffer"_a, "shape"_a, "dtype"_a, "strides"_a = nb::none(), nb::kw_only(), "offset"_a = 0,
        nb::sig("def from_buffer(buffer: Buffer, shape: int | tuple[int, ...], dtype: typing.Any, "
                "strides: tuple[int, ...] | None = None, *, offset: int = 0) -> Array"),
        "An array over a part of a Buffer, from byte `offset` on.");
}

}  // namespace

void bind_array_creation(nb::module_& module) {
    bind_constants(module);
    bind_ranges(module);
    bind_imports(module);
}

}  // namespace warpwise::python
