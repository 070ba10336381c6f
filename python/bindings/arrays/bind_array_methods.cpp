// Methods of arrays beside operators and reductions: fetching, conversion, shape.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/numpy_types.hpp"
#include "python/bindings/interpreter/stream_argument.hpp"
#include "python/bindings/memory/host_memory.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

using Access = HostMemory::Access;

[[noreturn]] void refuse(const std::string& message) {
    throw ArgumentError(ArgumentError::Kind::Value, message);
}

// What `host`, which has the dtype of `self`, exports: bfloat16 has no buffer format, its bytes are
// passed.
nb::object bytes_for(const Array& self, nb::handle host) {
    if (self.dtype().kind() != Kind::BFloat16) return nb::borrow(host);
    return host.attr("view")(nb::module_::import_("numpy").attr("uint16"));
}

// Shape and dtype as `self`; both contiguous in C order.
void require_like(const Array& self, nb::handle host, const char* role) {
    if (!numpy_types().is_array(host)) {
        throw ArgumentError(ArgumentError::Kind::Type,
                            std::string(role) + " expects a NumPy array, got " + value_text(host));
    }
    const bool is_like = shape_of(nb::object(host.attr("shape"))) == self.shape() &&
                         dtype_from_numpy(host.attr("dtype")) == self.dtype();
    if (!is_like) {
        refuse(std::string(role) + " got " + describe(host) + " for an array of " +
               self.dtype().name() + " and shape " + text_of(self.shape()) +
               "; both must be equal");
    }
    if (!nb::cast<bool>(nb::object(host.attr("flags").attr("c_contiguous")))) {
        refuse(std::string(role) + " got " + describe(host) +
               ", which is not contiguous in C order; pass numpy.ascontiguousarray of it");
    }
}

nb::object get(const Array& self, nb::handle out, const StreamArgument& given) {
    const std::optional<Stream> stream = stream_of(given);
    nb::object host = nb::borrow(out);
    if (out.is_none()) {
        host = nb::module_::import_("numpy").attr("empty")(tuple_of(self.shape()),
                                                           numpy_dtype(self.dtype()));
    } else {
        require_like(self, out, "out");
    }
    HostMemory memory(bytes_for(self, host), Access::Write, "out");
    if (!stream) {
        const GilRelease unlocked;
        self.get(memory.data());
        return host;
    }
    self.get_async(memory.data(), *stream);
    keep_until_done(std::move(memory), *stream);
    return host;
}

void set(Array& self, nb::handle host, const StreamArgument& given) {
    const std::optional<Stream> stream = stream_of(given);
    require_like(self, host, "set");
    HostMemory memory(bytes_for(self, host), Access::Read, "set");
    if (!stream) {
        const GilRelease unlocked;
        self.set(memory.data());
        return;
    }
    self.set_async(memory.data(), *stream);
    keep_until_done(std::move(memory), *stream);
}

// NumPy's rules; any conversion is allowed where nothing is said.
void require_castable(const DType& from, const DType& to, const std::string& casting) {
    if (casting == "unsafe") return;
    const nb::object can_cast = nb::module_::import_("numpy").attr("can_cast");
    if (nb::cast<bool>(can_cast(numpy_from_dtype(from), numpy_from_dtype(to), casting))) return;
    throw ArgumentError(ArgumentError::Kind::Type, "astype got " + to.name() + " for an array of " +
                                                       from.name() + ", which casting='" + casting +
                                                       "' does not allow");
}

Array converted(const Array& self, nb::handle dtype, nb::handle order, const std::string& casting,
                bool copy, nb::handle device) {
    const DType wanted = dtype_of(dtype);
    require_castable(self.dtype(), wanted, casting);
    Array array = astype(self, wanted, copy);
    const std::optional<Order> layout = order_of(order, &self);
    if (layout) {
        const bool lies_so =
            *layout == Order::F ? array.is_f_contiguous() : array.is_c_contiguous();
        if (!lies_so) array = warpwise::copy(array, layout);
    }
    const std::optional<Device> on = optional_device(device);
    return on ? to_device(array, *on) : array;
}

// reshape(2, 3) and reshape((2, 3)).
nb::object only_or_all(const nb::args& given) {
    if (given.size() == 1 && !PyIndex_Check(given[0].ptr())) return nb::borrow(given[0]);
    return nb::borrow(given);
}

Array transposed(const Array& self, const nb::args& axes) {
    if (axes.empty() || (axes.size() == 1 && axes[0].is_none())) return self.transpose();
    return self.transpose(axes_of(only_or_all(axes)));
}

}  // namespace

void bind_array_methods(nb::class_<Array>& array) {
    array
        .def("get", &get, "out"_a = nb::none(), "stream"_a = nb::none(),
             nb::sig("def get(self, out: typing.Any = None, stream: Stream | typing.Any = None) -> "
                     "typing.Any"),
             "A NumPy array with the elements, or `out` with them. With a stream it returns before "
             "they have arrived.")
        .def("set", &set, "host"_a, "stream"_a = nb::none(),
             nb::sig("def set(self, host: typing.Any, stream: Stream | typing.Any = None) -> None"),
             "Copies the elements of a NumPy array of the same shape and dtype here.")
        .def(
            "tolist",
            [](const Array& self) {
                return get(self, nb::none(), StreamArgument{nb::none()}).attr("tolist")();
            },
            nb::sig("def tolist(self) -> typing.Any"), "Nested lists of Python numbers.")
        .def(
            "tobytes",
            [](const Array& self, nb::handle order) {
                const bool by_columns = order_of(order, &self) == Order::F;
                return get(self, nb::none(), StreamArgument{nb::none()})
                    .attr("tobytes")(by_columns ? "F" : "C");
            },
            "order"_a.none() = "C", nb::sig("def tobytes(self, order: str | None = 'C') -> bytes"),
            "The elements in C order; 'F': in F order; 'A': in F order where they lie so.")
        .def(
            "astype", &converted, "dtype"_a, "order"_a.none() = "K", "casting"_a = "unsafe",
            nb::kw_only(), "copy"_a = true, "device"_a = nb::none(),
            nb::sig("def astype(self, dtype: typing.Any, order: str | None = 'K', casting: str = "
                    "'unsafe', *, copy: bool = True, device: Device | str | None = None) -> Array"),
            "The elements as another type; a new array, unless copy=False allows this one.")
        .def(
            "copy",
            [](const Array& self, nb::handle order) { return copy(self, order_of(order, &self)); },
            "order"_a.none() = "C", nb::sig("def copy(self, order: str | None = 'C') -> Array"),
            "A new array of the same elements; order 'K' keeps that of memory.")
        .def(
            "fill",
            [](Array& self, nb::handle value) {
                const Array* const array = array_in(value);
                if (array != nullptr && array->ndim() == 0) return self.assign(*array);
                self.assign(number_of(value, "fill"));
            },
            "value"_a, nb::sig("def fill(self, value: complex | Array) -> None"),
            "Writes a number to every element.")
        .def(
            "view", [](const Array& self, nb::handle dtype) { return self.view(dtype_of(dtype)); },
            "dtype"_a, nb::sig("def view(self, dtype: typing.Any) -> Array"),
            "The same bytes as another type.")
        .def(
            "to_device",
            [](const Array& self, nb::handle device, nb::handle stream) {
                if (!stream.is_none()) {
                    throw UnsupportedError(
                        "to_device(stream=) is not in this version of Warpwise; "
                        "enter the stream with `with stream:`");
                }
                return to_device(self, optional_device(device).value_or(Device()));
            },
            "device"_a, nb::kw_only(), "stream"_a = nb::none(),
            nb::sig("def to_device(self, device: Device | str, *, stream: None = None) -> Array"),
            "A copy on the device; the array itself where it is there.")
        .def(
            "reshape",
            [](const Array& self, const nb::args& shape, nb::handle order,
               std::optional<bool> copy) {
                return reshaped(self, shape_of(only_or_all(shape)), order, copy);
            },
            "shape"_a, "order"_a = "C", "copy"_a = nb::none(),
            nb::sig("def reshape(self, *shape: int | tuple[int, ...], order: str = 'C', copy: bool "
                    "| None = None) -> Array"),
            "The elements, counted in C order or that of `order`, as another shape, -1 for what is "
            "left; a view where possible.")
        .def("ravel", &raveled, "order"_a = "C",
             nb::sig("def ravel(self, order: str = 'C') -> Array"),
             "One axis, in C order, 'F', 'A' or that of memory ('K'); a view where possible.")
        .def(
            "flatten",
            [](const Array& self, nb::handle order) { return copy(raveled(self, order)); },
            "order"_a = "C", nb::sig("def flatten(self, order: str = 'C') -> Array"),
            "A copy of one axis.")
        .def("transpose", &transposed, "axes"_a,
             nb::sig("def transpose(self, *axes: int | tuple[int, ...]) -> Array"),
             "A view with the axes in this order; without any, reversed.")
        .def(
            "squeeze",
            [](const Array& self, nb::handle axis) { return squeeze(self, optional_axes(axis)); },
            "axis"_a = nb::none(),
            nb::sig("def squeeze(self, axis: int | tuple[int, ...] | None = None) -> Array"),
            "A view without axes of extent 1.")
        .def("swapaxes", &swapaxes, "axis1"_a, "axis2"_a, "A view with two axes exchanged.")
        .def("conj", [](const Array& self) { return conj(self); }, "The complex conjugate.");
}

}  // namespace warpwise::python
