// Values at equal distances: linspace(), and by their logarithms logspace() and geomspace().
//
// Invariant: the values of linspace() are NumPy's, bit by bit.
#include <algorithm>
#include <array>
#include <complex>
#include <optional>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array.hpp"
#include "warpwise/axis_error.hpp"

namespace warpwise {
namespace {

void require_count(std::int64_t count, const char* function) {
    if (count < 0) array::refuse_value("{} got {} values; give 0 or more", function, count);
}

// 0, 1, ... along the first axis, of as many axes as the values.
Array places(std::int64_t count, int rank, runtime::Context& context) {
    Shape shape{count};
    for (int axis = 1; axis < rank; ++axis) shape.push_back(1);
    return array::coordinate(shape, 0, context);
}

// Values along the first axis to where the caller wants them, of the type that he wants.
Array arranged(Array values, int axis, Kind kind) {
    if (axis != 0) {
        const std::array<int, 1> from{0};
        const std::array<int, 1> to{axis};
        values = moveaxis(values, from, to);
    }
    return array::converted(values, kind);
}

// Two arrays that values lie between, of the real or complex type that these are computed in.
struct Interval {
    Array start, stop;
    Kind kind;
    DType type;  // that the caller gets
    int rank;    // of the values
};

Interval interval(const Array& start, const Array& stop, std::int64_t count,
                  const std::optional<DType>& dtype, int axis, const char* function) {
    require_count(count, function);
    const std::array<Operand, 3> operands{start, stop, Scalar(1.0)};  // Python's are no wider
    const Kind kind = result_type(operands).kind();
    const DType type = dtype.value_or(DType(kind));
    array::require_array_dtype(type);
    const int rank = std::max(start.ndim(), stop.ndim()) + 1;
    if (axis < -rank || axis >= rank) {
        throw AxisError(fmt::format("{} got axis {} for values of {} axes; give {} to {}", function,
                                    axis, rank, -rank, rank - 1),
                        axis, rank);
    }
    return {array::converted(start, kind), array::converted(stop, kind), kind, type, rank};
}

// The values of geomspace() where `start` and `stop` are of the computation's type.
Array geometric(const Array& start, const Array& stop, std::int64_t count, bool endpoint) {
    const Array direction = sign(start);
    const Array logarithms = linspace(log10(divide(start, direction)),
                                      log10(divide(stop, direction)), count, {}, endpoint, 0);
    const Kind kind = array::kind_of(start);
    const Array values = multiply(array::converted(pow(Scalar(10.0), logarithms), kind), direction);
    const Array place = places(count, values.ndim(), array::context_of(values));
    const Array from_start = where(equal(place, Scalar(0)), start, values);
    if (!endpoint || count < 2) return from_start;
    return where(equal(place, Scalar(count - 1)), stop, from_start);
}

// base ** exponents, of the type that the caller wants.
Array powers(const Scalar& base, const Array& exponents, const std::optional<DType>& dtype) {
    const Array values = pow(base, exponents);
    return array::converted(values, dtype.value_or(values.dtype()).kind());
}

bool is_zero(const Scalar& scalar) {
    return scalar.real() == 0 && scalar.imaginary() == 0;
}

}  // namespace

Array linspace(const Scalar& start, const Scalar& stop, std::int64_t count,
               const std::optional<DType>& dtype, bool endpoint,
               const std::optional<Device>& device) {
    require_count(count, "linspace");
    const bool is_complex = types::is_complex(start.kind()) || types::is_complex(stop.kind());
    const Kind kind = is_complex ? Kind::Complex128 : Kind::Float64;
    const DType type = dtype.value_or(DType(kind));
    array::require_array_dtype(type);
    if (count == 0) return empty(Shape{0}, type, device);
    runtime::Context& context = array::context_of(device);
    const std::complex<double> first(start.real(), start.imaginary());
    const std::complex<double> last(stop.real(), stop.imaginary());
    const std::complex<double> distance = last - first;
    const auto parts = static_cast<double>(endpoint ? count - 1 : count);
    const std::complex<double> step = parts > 0 ? distance / parts : distance;
    const auto scalar = [kind](const std::complex<double>& value) {
        return kind == Kind::Float64 ? Scalar(value.real()).typed(kind) : Scalar(value).typed(kind);
    };
    const Array place = array::coordinate(Shape{count}, 0, context);
    Array values = array::converted(place, kind);
    // Steps that round to zero would lose the distance.
    if (parts > 0 && step == 0.0)
        values = multiply(divide(values, scalar(parts)), scalar(distance));
    else
        values = multiply(values, scalar(step));
    values = add(values, scalar(first));
    if (endpoint && count > 1)
        values = where(equal(place, Scalar(count - 1)), scalar(last), values);
    if (types::is_integer(type.kind()) && !is_complex) values = floor(values);
    return array::converted(values, type.kind());
}

Array linspace(const Array& start, const Array& stop, std::int64_t count,
               const std::optional<DType>& dtype, bool endpoint, int axis) {
    const auto [first, last, kind, type, rank] =
        interval(start, stop, count, dtype, axis, "linspace");
    const Array distance = subtract(last, first);
    const Array place = places(count, rank, array::context_of(distance));
    const Array counted = array::converted(place, kind);
    const auto parts = Scalar(static_cast<double>(endpoint ? count - 1 : count));
    Array values = multiply(counted, distance);
    if (parts.real() > 0) {
        // Steps that round to zero would lose the distance. One of them decides for all, as
        // NumPy's.
        const Array step = divide(distance, parts);
        values = where(any(equal(step, Scalar(0))), multiply(divide(counted, parts), distance),
                       multiply(counted, step));
    }
    values = add(values, first);
    if (endpoint && count > 1) values = where(equal(place, Scalar(count - 1)), last, values);
    if (types::is_integer(type.kind()) && !types::is_complex(kind)) values = floor(values);
    return arranged(values, axis, type.kind());
}

Array logspace(const Scalar& start, const Scalar& stop, std::int64_t count, const Scalar& base,
               const std::optional<DType>& dtype, bool endpoint,
               const std::optional<Device>& device) {
    require_count(count, "logspace");
    return powers(base, linspace(start, stop, count, {}, endpoint, device), dtype);
}

Array logspace(const Array& start, const Array& stop, std::int64_t count, const Scalar& base,
               const std::optional<DType>& dtype, bool endpoint, int axis) {
    require_count(count, "logspace");
    return powers(base, linspace(start, stop, count, {}, endpoint, axis), dtype);
}

Array geomspace(const Scalar& start, const Scalar& stop, std::int64_t count,
                const std::optional<DType>& dtype, bool endpoint,
                const std::optional<Device>& device) {
    if (is_zero(start) || is_zero(stop)) {
        array::refuse_value("geomspace got {} to {}; a geometric sequence has no zero",
                            start.text(), stop.text());
    }
    return geomspace(full(Shape{}, start, std::nullopt, device),
                     full(Shape{}, stop, std::nullopt, device), count, dtype, endpoint, 0);
}

Array geomspace(const Array& start, const Array& stop, std::int64_t count,
                const std::optional<DType>& dtype, bool endpoint, int axis) {
    const Interval ends = interval(start, stop, count, dtype, axis, "geomspace");
    return arranged(geometric(ends.start, ends.stop, count, endpoint), axis, ends.type.kind());
}

}  // namespace warpwise
