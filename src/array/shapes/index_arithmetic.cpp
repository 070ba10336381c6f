// Coordinates, positions and repetition by counts.
#include <algorithm>
#include <numeric>
#include <optional>

#include "src/array/index/selection.hpp"
#include "src/array/refuse.hpp"
#include "src/runtime/context.hpp"
#include "warpwise/array_functions.hpp"
#include "warpwise/array_shapes.hpp"

namespace warpwise {
namespace {

// The axes of a shape, the fastest first.
std::vector<int> fastest_first(const Shape& shape, Order order) {
    std::vector<int> axes(static_cast<std::size_t>(shape.size()));
    std::iota(axes.begin(), axes.end(), 0);
    if (order == Order::C) std::ranges::reverse(axes);
    return axes;
}

// The counts of repeat(), in host memory, one for each of `extent` elements.
std::vector<std::int64_t> counts_of(const IndexArray& counts, std::int64_t extent) {
    std::vector<std::int64_t> values;
    if (const Array* const array = std::get_if<Array>(&counts)) {
        array::require_indices(*array, "repeat");
        values = ravel(array::converted(*array, Kind::Int64)).to_vector<std::int64_t>();
    } else {
        values = std::get<Indices>(counts).values;
    }
    if (array::shape_of(counts).size() > 1) {
        array::refuse_value("repeat got counts of shape {}; give one number, or one axis of them",
                            text_of(array::shape_of(counts)));
    }
    if (values.size() == 1) values.resize(static_cast<std::size_t>(extent), values[0]);
    if (static_cast<std::int64_t>(values.size()) != extent) {
        array::refuse_value("repeat got {} counts for {} elements; give one for each, or one",
                            values.size(), extent);
    }
    return values;
}

}  // namespace

Array repeat(const Array& given, const IndexArray& counts, std::optional<int> axis) {
    if (!axis) return repeat(given.reshape(Shape{-1}), counts, 0);
    const Array array = array::with_axis_of_scalar(given, axis);
    const int along = checked_axis(*axis, array.ndim());
    const Indices* const numbers = std::get_if<Indices>(&counts);
    if (numbers != nullptr && numbers->values.size() == 1) {
        return repeat(array, numbers->values[0], axis);
    }
    const std::vector<std::int64_t> each = counts_of(counts, array.shape()[along]);
    std::int64_t total = 0;
    for (const std::int64_t count : each) {
        if (count < 0) array::refuse_value("repeat got {} repetitions; give 0 or more", count);
        if (__builtin_add_overflow(total, count, &total)) {
            array::refuse_value("repeat got more repetitions than an array can hold");
        }
    }
    Shape shape = array.shape();
    shape[along] = total;
    count_of(shape);  // before the places are allocated
    std::vector<std::int64_t> places;
    places.reserve(static_cast<std::size_t>(total));
    for (std::size_t i = 0; i < each.size(); ++i) {
        places.insert(places.end(), static_cast<std::size_t>(each[i]),
                      static_cast<std::int64_t>(i));
    }
    return take(array, Indices(std::move(places)), along);
}

std::vector<Array> sparse_indices(const Shape& dimensions, const DType& dtype,
                                  const std::optional<Device>& device) {
    runtime::Context& context = array::context_of(device);
    std::vector<Array> all;
    for (int axis = 0; axis < dimensions.size(); ++axis) {
        Shape shape = Axes::filled(dimensions.size(), 1);
        shape[axis] = dimensions[axis];
        all.push_back(astype(array::coordinate(shape, axis, context), dtype, false));
    }
    return all;
}

Array indices(const Shape& dimensions, const DType& dtype, const std::optional<Device>& device) {
    count_of(dimensions);
    Shape shape{dimensions.size()};
    for (const std::int64_t extent : dimensions) shape.push_back(extent);
    Array result = empty(shape, dtype, device);
    const std::vector<Array> open = sparse_indices(dimensions, dtype, device);
    for (std::size_t axis = 0; axis < open.size(); ++axis) {
        result.at({static_cast<std::int64_t>(axis)}).assign(open[axis]);
    }
    return result;
}

std::vector<Array> unravel_index(const IndexArray& positions, const Shape& shape, Order order) {
    const Array* const on_device = std::get_if<Array>(&positions);
    runtime::Context& context =
        on_device != nullptr ? array::context_of(*on_device) : array::context_of(std::nullopt);
    Array rest = array::inside(positions, count_of(shape), array::IndexMode::Raise, 0,
                               "unravel_index", context);
    std::vector<Array> coordinates(static_cast<std::size_t>(shape.size()), rest);
    for (const int axis : fastest_first(shape, order)) {
        const Scalar extent(std::max<std::int64_t>(shape[axis], 1));
        coordinates[static_cast<std::size_t>(axis)] = remainder(rest, extent);
        rest = floor_divide(rest, extent);
    }
    return coordinates;
}

Array ravel_multi_index(std::span<const Array* const> coordinates, const Shape& shape,
                        std::string_view mode, Order order) {
    const array::IndexMode rule = array::index_mode(mode, "ravel_multi_index");
    if (static_cast<int>(coordinates.size()) != shape.size() || coordinates.empty()) {
        array::refuse_value("ravel_multi_index got {} arrays for shape {}; give one for each axis",
                            coordinates.size(), text_of(shape));
    }
    std::optional<Array> sum;
    std::int64_t step = 1;
    for (const int axis : fastest_first(shape, order)) {
        const Array& given = *coordinates[static_cast<std::size_t>(axis)];
        array::require_same_device(*coordinates[0], given, "ravel_multi_index");
        const Array at = array::inside(given, shape[axis], rule, axis, "ravel_multi_index",
                                       array::context_of(given));
        const Array part = multiply(at, Scalar(step));
        sum = sum ? add(*sum, part) : part;
        step *= shape[axis];
    }
    return *sum;
}

}  // namespace warpwise
