// Functions that read and write by index arrays: take, put, and along an axis.
#include <optional>

#include "src/array/index/selection.hpp"
#include "src/array/refuse.hpp"
#include "warpwise/array_functions.hpp"

namespace warpwise {
namespace {

// The values of put(), one for each place: from the front again where there are too few.
Array cycled(const Array& values, const Shape& shape, runtime::Context& context) {
    const std::int64_t count = count_of(shape);
    const Array flat = values.reshape(Shape{-1});
    if (flat.size() == 1 || count == 0) return flat;
    const Array number = array::coordinate(Shape{count}, 0, context);
    const Array place = remainder(number, Scalar(flat.size()));
    array::Selection all;
    all.view = {.offset = flat.value().view.offset,
                .shape = Shape{count},
                .strides = Strides{0},
                .dtype = flat.dtype()};
    all.offset = multiply(place, Scalar(flat.strides()[0]));
    return array::gathered(flat, all).reshape(shape);
}

}  // namespace

Array take(const Array& given, const IndexArray& indices, std::optional<int> axis,
           std::string_view mode) {
    const array::IndexMode rule = array::index_mode(mode, "take");
    if (!axis) return take(given.reshape(Shape{-1}), indices, 0, mode);
    const Array array = array::with_axis_of_scalar(given, axis);
    const int at = checked_axis(*axis, array.ndim());
    return array::gathered(array, array::along(array, indices, at, rule, "take"));
}

Array take_along_axis(const Array& array, const IndexArray& indices, std::optional<int> axis) {
    if (!axis) return take_along_axis(array.reshape(Shape{-1}), indices, 0);
    const int at = checked_axis(*axis, array.ndim());
    return array::gathered(array, array::along_lines(array, indices, at, "take_along_axis"));
}

void put(Array& array, const IndexArray& indices, const Operand& values, std::string_view mode) {
    array::require_writable(array, "put");
    const array::IndexMode rule = array::index_mode(mode, "put");
    const array::Selection selection = array::positions(array, indices, rule, "put");
    const Shape& shape = selection.view.shape;
    if (values.array() == nullptr) {
        array::scatter(array, selection, array::assignable(array, shape, values));
        return;
    }
    if (values.array()->size() == 0 && count_of(shape) > 0) {
        array::refuse_value("put got no values for {} indices; give at least one", count_of(shape));
    }
    array::require_same_device(array, *values.array(), "put");
    const Array source = cycled(*values.array(), shape, array::context_of(array));
    if (count_of(shape) == 0) return;
    array::scatter(array, selection, array::assignable(array, shape, source));
}

void put_along_axis(Array& array, const IndexArray& indices, const Operand& values,
                    std::optional<int> axis) {
    array::require_writable(array, "put_along_axis");
    if (!axis) {
        Array flat = array.reshape(Shape{-1}, false);
        return put_along_axis(flat, indices, values, 0);
    }
    const int at = checked_axis(*axis, array.ndim());
    const array::Selection selection = array::along_lines(array, indices, at, "put_along_axis");
    array::scatter(array, selection, array::assignable(array, selection.view.shape, values));
}

}  // namespace warpwise
