// New arrays of values between two ends: linspace(), logspace(), geomspace().
#include <nanobind/stl/optional.h>

#include <array>
#include <cmath>
#include <complex>
#include <optional>
#include <tuple>
#include <vector>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

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
        for (const auto& [end, number, role] :
             {std::tuple(start, first, "start"), std::tuple(stop, last, "stop")}) {
            if (known == nullptr) {
                arrays.push_back(import_array(end, std::nullopt, device, std::nullopt));
            } else if (number) {  // Python's are of the array's type where that holds them
                const std::array<Operand, 2> both{*known, *number};
                arrays.push_back(full(Shape{}, *number, result_type(both), known->device()));
            } else {
                arrays.push_back(array_beside(end, *known, role));
            }
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

}  // namespace

void bind_array_spacing(nb::module_& module) {
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

}  // namespace warpwise::python
