// Arrays whose elements follow from their coordinates: ranges, identity matrices, triangles.
//
// Invariant: values are NumPy's, bit by bit, wherever NumPy computes them one by one too.
#include <algorithm>
#include <cmath>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array.hpp"

namespace warpwise {
namespace {

using Wide = __int128;

Wide wide(const Scalar& scalar) {
    return scalar.kind() == Kind::UInt64 ? Wide{scalar.as_uint()} : Wide{scalar.as_int()};
}

std::int64_t length_of_integers(const Scalar& start, const Scalar& stop, const Scalar& step) {
    const Wide by = wide(step);
    const Wide distance = by > 0 ? wide(stop) - wide(start) : wide(start) - wide(stop);
    if (distance <= 0) return 0;
    const Wide width = by > 0 ? by : -by;
    const Wide count = (distance + width - 1) / width;
    if (count > INT64_MAX) {
        array::refuse_value("arange({}, {}, {}) has more than 2^63 - 1 values", start.text(),
                            stop.text(), step.text());
    }
    return static_cast<std::int64_t>(count);
}

std::int64_t length_of_reals(const Scalar& start, const Scalar& stop, const Scalar& step) {
    const double count = std::ceil((stop.real() - start.real()) / step.real());
    if (!(count < 0x1p63)) {  // NaN too
        array::refuse_value(
            "arange({}, {}, {}) has no length that an array can have; give finite "
            "limits and a larger step",
            start.text(), stop.text(), step.text());
    }
    return std::max<std::int64_t>(static_cast<std::int64_t>(count), 0);
}

Kind kind_of_range(std::initializer_list<Scalar> scalars) {
    std::vector<Operand> operands(scalars.begin(), scalars.end());
    const Kind kind = result_type(operands).kind();
    return kind == Kind::Bool ? Kind::Int64 : kind;
}

void require_in_range(Wide value, Kind kind) {
    const bool is_unsigned = types::is_unsigned(kind);
    const int bits = static_cast<int>(DType(kind).size()) * 8 - (is_unsigned ? 0 : 1);
    const Wide limit = Wide{1} << bits;
    if (value < limit && value >= (is_unsigned ? Wide{0} : -limit)) return;
    array::refuse_value("arange has values that {} cannot hold; use a wider dtype",
                        DType(kind).name());
}

// start + i * delta in the arithmetic of `kind`; 16-bit floats in float32, as NumPy.
Array progression(std::int64_t count, const Scalar& start, const Scalar& delta, Kind kind,
                  runtime::Context& context) {
    const Array place = array::converted(array::coordinate(Shape{count}, 0, context), kind);
    return add(multiply(place, delta.typed(kind)), start.typed(kind));
}

Array real_range(std::int64_t count, const Scalar& start, const Scalar& step, Kind kind,
                 runtime::Context& context) {
    // NumPy converts the first two values to the type, and counts on by their difference: the
    // second is not the first and the difference, which may be rounded.
    const Scalar first = start.typed(kind);
    const Scalar second = Scalar(start.real() + step.real()).typed(kind);
    const bool is_double = kind == Kind::Float64;
    const float delta = static_cast<float>(second.real()) - static_cast<float>(first.real());
    const Scalar difference = is_double ? Scalar(second.real() - first.real()) : Scalar(delta);
    const Kind own = is_double ? kind : Kind::Float32;
    const Array values = progression(count, first, difference, own, context);
    const Array is_second = equal(array::coordinate(Shape{count}, 0, context), Scalar(1));
    return array::converted(where(is_second, second.typed(own), values), kind);
}

}  // namespace

Array arange(const Scalar& start, const Scalar& stop, const Scalar& step,
             const std::optional<DType>& dtype, const std::optional<Device>& device) {
    for (const Scalar& scalar : {start, stop, step}) {
        if (types::is_complex(scalar.kind())) {
            array::refuse_type("arange got {}; complex numbers have no order", scalar.text());
        }
    }
    const Kind own = kind_of_range({start, stop, step});
    // As NumPy has it, no range has a smaller type of its own than int64 or float64.
    const DType type = dtype.value_or(DType(types::promote(Kind::Int64, own)));
    array::require_array_dtype(type);
    const Kind kind = type.kind();
    if (kind == Kind::Bool || kind == Kind::Struct) {
        array::refuse_type("arange got dtype={}; use an integer, floating or complex type",
                           type.name());
    }
    if (step.real() == 0) array::refuse_value("arange got step 0; use a step that leads to stop");
    const bool is_exact = types::is_integer(own) && own != Kind::Void &&
                          !types::is_real_float(start.kind()) &&
                          !types::is_real_float(stop.kind()) && !types::is_real_float(step.kind());
    const std::int64_t count =
        is_exact ? length_of_integers(start, stop, step) : length_of_reals(start, stop, step);
    runtime::Context& context = array::context_of(device);
    if (count == 0) return empty(Shape{0}, type, device);
    if (types::is_real_float(kind)) return real_range(count, start, step, kind, context);
    if (types::is_complex(kind)) {
        return array::converted(real_range(count, start, step, types::real_kind(kind), context),
                                kind);
    }
    // Integers, from real limits too: NumPy truncates the first two values.
    const Wide first = is_exact ? wide(start) : Wide{start.as_int()};
    const Wide second =
        is_exact ? first + wide(step) : Wide{Scalar(start.real() + step.real()).as_int()};
    require_in_range(first, kind);
    require_in_range(first + (second - first) * (count - 1), kind);
    const auto bits = [](Wide value) { return Scalar(static_cast<std::int64_t>(value)); };
    const Array values = progression(count, bits(first), bits(second - first),
                                     kind == Kind::UInt64 ? kind : Kind::Int64, context);
    return array::converted(values, kind);
}

Array eye(std::int64_t rows, std::int64_t columns, std::int64_t diagonal, const DType& dtype,
          const std::optional<Device>& device, Order order) {
    // By columns it is the transposed of another one.
    if (order == Order::F) return eye(columns, rows, -diagonal, dtype, device).transpose();
    array::require_array_dtype(dtype);
    const Shape shape{rows, columns};
    count_of(shape);
    runtime::Context& context = array::context_of(device);
    const Array row = array::coordinate(shape, 0, context);
    const Array column = array::coordinate(shape, 1, context);
    return array::converted(equal(row + Scalar(diagonal), column), dtype.kind());
}

namespace {

Array triangle(const Array& array, std::int64_t diagonal, bool is_lower, const char* function) {
    array::require_numbers(array, function);
    const int rank = array.ndim();
    if (rank < 1) {
        array::refuse_type("{} got an array without axes; it takes matrices, or a row", function);
    }
    // A row stands for as many of it as make a square.
    const Shape matrix{array.shape()[std::max(rank - 2, 0)], array.shape()[rank - 1]};
    runtime::Context& context = array::context_of(array);
    const Array row = array::coordinate(matrix, 0, context) + Scalar(diagonal);
    const Array column = array::coordinate(matrix, 1, context);
    const Array kept = is_lower ? less_equal(column, row) : greater_equal(column, row);
    return where(kept, array, Scalar(false).typed(array::kind_of(array)));
}

}  // namespace

Array tril(const Array& array, std::int64_t diagonal) {
    return triangle(array, diagonal, true, "tril");
}
Array triu(const Array& array, std::int64_t diagonal) {
    return triangle(array, diagonal, false, "triu");
}

}  // namespace warpwise
