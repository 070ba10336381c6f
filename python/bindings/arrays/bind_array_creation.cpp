// New arrays: constants, ranges, host memory.
#include "python/bindings/arrays/array_import.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <complex>
#include <optional>
#include <string>
#include <utility>
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
using Like = Array (*)(const Array&, const std::optional<DType>&);

template <Filled kFunction>
void bind_filled(nb::module_& module, const char* name, const char* signature, const char* doc) {
    module.def(
        name,
        [](nb::handle shape, nb::handle dtype, nb::handle order, nb::handle device) {
            return kFunction(shape_of(shape), optional_dtype(dtype).value_or(float64),
                             optional_device(device), order_of(order).value_or(Order::C));
        },
        "shape"_a, "dtype"_a = nb::none(), "order"_a = "C", nb::kw_only(), "device"_a = nb::none(),
        nb::sig(signature), doc);
}

Array like_of(const Array& array, const std::optional<Device>& device) {
    return device ? to_device(array, *device) : array;
}

template <Like kFunction>
void bind_like(nb::module_& module, const char* name, const char* signature, const char* doc) {
    module.def(
        name,
        [](const Array& x, nb::handle dtype, nb::handle device) {
            return like_of(kFunction(x, optional_dtype(dtype)), optional_device(device));
        },
        nb::arg(), nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
        nb::sig(signature), doc);
}

Array range(nb::handle start, nb::handle stop, nb::handle step, nb::handle dtype,
            nb::handle device) {
    const Scalar first = stop.is_none() ? Scalar(0) : number_of(start, "start");
    const Scalar last = stop.is_none() ? number_of(start, "stop") : number_of(stop, "stop");
    return arange(first, last, number_of(step, "step"), optional_dtype(dtype),
                  optional_device(device));
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
                        "str = 'C', *, device: Device | str | None = None) -> Array",
                        "An array with undefined contents.");
    bind_filled<&zeros>(module, "zeros",
                        "def zeros(shape: int | tuple[int, ...], dtype: typing.Any = None, order: "
                        "str = 'C', *, device: Device | str | None = None) -> Array",
                        "An array of zeros; records of zero bytes.");
    bind_filled<&ones>(module, "ones",
                       "def ones(shape: int | tuple[int, ...], dtype: typing.Any = None, order: "
                       "str = 'C', *, device: Device | str | None = None) -> Array",
                       "An array of ones.");
    bind_like<&empty_like>(module, "empty_like",
                           "def empty_like(x: Array, /, *, dtype: typing.Any = None, device: "
                           "Device | str | None = None) -> Array",
                           "An array with the shape and axis order of x and undefined contents.");
    bind_like<&zeros_like>(module, "zeros_like",
                           "def zeros_like(x: Array, /, *, dtype: typing.Any = None, device: "
                           "Device | str | None = None) -> Array",
                           "Zeros, with the shape and axis order of x.");
    bind_like<&ones_like>(module, "ones_like",
                          "def ones_like(x: Array, /, *, dtype: typing.Any = None, device: "
                          "Device | str | None = None) -> Array",
                          "Ones, with the shape and axis order of x.");
    module.def(
        "full",
        [](nb::handle shape, nb::handle value, nb::handle dtype, nb::handle order,
           nb::handle device) {
            return filled_with(value, [&](const auto& values) {
                return full(shape_of(shape), values, optional_dtype(dtype), optional_device(device),
                            order_of(order).value_or(Order::C));
            });
        },
        "shape"_a, "fill_value"_a, "dtype"_a = nb::none(), "order"_a = "C", nb::kw_only(),
        "device"_a = nb::none(),
        nb::sig(
            "def full(shape: int | tuple[int, ...], fill_value: complex | Array, dtype: "
            "typing.Any = None, order: str = 'C', *, device: Device | str | None = None) -> Array"),
        "An array of one number, or of the elements of an array that broadcasts to the shape.");
    module.def(
        "full_like",
        [](const Array& x, nb::handle value, nb::handle dtype, nb::handle device) {
            const auto type = optional_dtype(dtype);
            const auto fill = [&](const auto& values) { return full_like(x, values, type); };
            return like_of(filled_with(value, fill), optional_device(device));
        },
        nb::arg(), "fill_value"_a, nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
        nb::sig(
            "def full_like(x: Array, /, fill_value: complex | Array, *, dtype: typing.Any = None, "
            "device: Device | str | None = None) -> Array"),
        "As full(), with the shape and axis order of x.");
}

// The ends of an interval: two numbers or, where one is an array or a list, two arrays.
struct Ends {
    Ends(nb::handle start, nb::handle stop, nb::handle on)
        : device(optional_device(on)), first(number_in(start)), last(number_in(stop)) {
        if (first && last) return;
        const Array* const known = array_in(start) != nullptr ? array_in(start) : array_in(stop);
        if (known != nullptr && device) {
            throw ArgumentError(ArgumentError::Kind::Value,
                                "device= is for numbers; values lie on the device of the arrays");
        }
        for (const auto& [end, role] : {std::pair(start, "start"), std::pair(stop, "stop")}) {
            arrays.push_back(known != nullptr
                                 ? array_beside(end, *known, role)
                                 : import_array(end, std::nullopt, device, std::nullopt));
        }
    }

    std::optional<Device> device;
    std::optional<Scalar> first, last;
    std::vector<Array> arrays;  // two, or none
};

nb::object linear(nb::handle start, nb::handle stop, nb::handle num, bool endpoint, bool retstep,
                  nb::handle dtype, int axis, nb::handle device) {
    const Ends ends(start, stop, device);
    const std::int64_t count = integer_of(num, "num");
    const auto type = optional_dtype(dtype);
    const auto parts = static_cast<double>(endpoint ? count - 1 : count);
    const double part = parts > 0 ? parts : std::nan("");  // one value has no distance to another
    nb::object values =
        make_instance(ends.arrays.empty()
                          ? linspace(*ends.first, *ends.last, count, type, endpoint, ends.device)
                          : linspace(ends.arrays[0], ends.arrays[1], count, type, endpoint, axis));
    if (!retstep) return values;
    if (!ends.arrays.empty()) {
        const Array distance = subtract(ends.arrays[1], ends.arrays[0]);
        return nb::make_tuple(values, make_instance(divide(distance, Scalar(part))));
    }
    const auto number = [](const Scalar& end) { return std::complex(end.real(), end.imaginary()); };
    const std::complex<double> distance = number(*ends.last) - number(*ends.first);
    return nb::make_tuple(values, to_python(distance.imag() == 0 ? Scalar(distance.real() / part)
                                                                 : Scalar(distance / part)));
}

Array logarithmic(nb::handle start, nb::handle stop, nb::handle num, bool endpoint, nb::handle base,
                  nb::handle dtype, int axis, nb::handle device) {
    const Ends ends(start, stop, device);
    const std::int64_t count = integer_of(num, "num");
    const Scalar of = number_of(base, "base");
    const auto type = optional_dtype(dtype);
    return ends.arrays.empty()
               ? logspace(*ends.first, *ends.last, count, of, type, endpoint, ends.device)
               : logspace(ends.arrays[0], ends.arrays[1], count, of, type, endpoint, axis);
}

Array geometric(nb::handle start, nb::handle stop, nb::handle num, bool endpoint, nb::handle dtype,
                int axis, nb::handle device) {
    const Ends ends(start, stop, device);
    const std::int64_t count = integer_of(num, "num");
    const auto type = optional_dtype(dtype);
    if (ends.arrays.empty())
        return geomspace(*ends.first, *ends.last, count, type, endpoint, ends.device);
    return geomspace(ends.arrays[0], ends.arrays[1], count, type, endpoint, axis);
}

void bind_spacing(nb::module_& module) {
    module.def("linspace", &linear, "start"_a, "stop"_a, "num"_a = 50, "endpoint"_a = true,
               "retstep"_a = false, "dtype"_a = nb::none(), "axis"_a = 0, "device"_a = nb::none(),
               nb::sig("def linspace(start: typing.Any, stop: typing.Any, num: int = 50, "
                       "endpoint: bool = True, retstep: bool = False, dtype: typing.Any = None, "
                       "axis: int = 0, device: Device | str | None = None) -> typing.Any"),
               "`num` values at equal distances, of arrays along a new axis; NumPy's.");
    module.def("logspace", &logarithmic, "start"_a, "stop"_a, "num"_a = 50, "endpoint"_a = true,
               "base"_a = 10.0, "dtype"_a = nb::none(), "axis"_a = 0, "device"_a = nb::none(),
               nb::sig("def logspace(start: typing.Any, stop: typing.Any, num: int = 50, endpoint: "
                       "bool = True, base: float = 10.0, dtype: typing.Any = None, axis: int = 0, "
                       "device: Device | str | None = None) -> Array"),
               "base ** linspace(start, stop, num).");
    module.def("geomspace", &geometric, "start"_a, "stop"_a, "num"_a = 50, "endpoint"_a = true,
               "dtype"_a = nb::none(), "axis"_a = 0, "device"_a = nb::none(),
               nb::sig("def geomspace(start: typing.Any, stop: typing.Any, num: int = 50, "
                       "endpoint: bool = True, dtype: typing.Any = None, axis: int = 0, "
                       "device: Device | str | None = None) -> Array"),
               "`num` values, each the same multiple of the one before it.");
}

void bind_ranges(nb::module_& module) {
    module.def(
        "arange", &range, "start"_a, "stop"_a = nb::none(), "step"_a = 1, nb::kw_only(),
        "dtype"_a = nb::none(), "device"_a = nb::none(),
        nb::sig("def arange(start: typing.Any, stop: typing.Any = None, step: typing.Any = 1, *, "
                "dtype: typing.Any = None, device: Device | str | None = None) -> Array"),
        "start, start + step, ... before stop; NumPy's values.");
    module.def(
        "eye",
        [](nb::handle rows, nb::handle columns, nb::handle k, nb::handle dtype, nb::handle device) {
            const std::int64_t count = integer_of(rows, "n_rows");
            return eye(count, columns.is_none() ? count : integer_of(columns, "n_cols"),
                       integer_of(k, "k"), optional_dtype(dtype).value_or(float64),
                       optional_device(device));
        },
        "n_rows"_a, "n_cols"_a = nb::none(), nb::kw_only(), "k"_a = 0, "dtype"_a = nb::none(),
        "device"_a = nb::none(),
        nb::sig(
            "def eye(n_rows: int, n_cols: int | None = None, *, k: int = 0, dtype: typing.Any = "
            "None, device: Device | str | None = None) -> Array"),
        "Ones on diagonal k, zeros elsewhere.");
}

void bind_imports(nb::module_& module) {
    module.def(
        "asarray",
        [](nb::handle object, nb::handle dtype, nb::handle device, std::optional<bool> copy) {
            return import_array(object, optional_dtype(dtype), optional_device(device), copy);
        },
        nb::arg(), nb::kw_only(), "dtype"_a = nb::none(), "device"_a = nb::none(),
        "copy"_a = nb::none(),
        nb::sig("def asarray(obj: typing.Any, /, *, dtype: typing.Any = None, device: Device | str "
                "| None = None, copy: bool | None = None) -> Array"),
        "An array of a number, of nested sequences, of a NumPy array, or of an array of another "
        "library (DLPack, __cuda_array_interface__). Host memory is copied, unless copy=False on a "
        "device that shares it; arrays of other libraries are not, unless copy=True.");
    module.def(
        "array",
        [](nb::handle object, nb::handle dtype, bool copy, nb::handle order, nb::handle device) {
            const Array array = import_array(object, optional_dtype(dtype), optional_device(device),
                                             copy ? std::optional<bool>(true) : std::nullopt);
            const std::optional<Order> wanted = order_of(order, &array);
            const bool is_right = !wanted || (*wanted == Order::C ? array.is_c_contiguous()
                                                                  : array.is_f_contiguous());
            return is_right ? array : warpwise::copy(array, wanted);
        },
        "object"_a, "dtype"_a = nb::none(), nb::kw_only(), "copy"_a = true, "order"_a = "K",
        "device"_a = nb::none(),
        nb::sig("def array(object: typing.Any, dtype: typing.Any = None, *, copy: bool = True, "
                "order: str = 'K', device: Device | str | None = None) -> Array"),
        "As asarray, but always a copy.");
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
    bind_spacing(module);
    bind_imports(module);
}

}  // namespace warpwise::python
