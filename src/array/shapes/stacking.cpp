// Splitting, stacking, axes and diagonals.
#include <algorithm>
#include <array>
#include <numeric>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "warpwise/array_functions.hpp"
#include "warpwise/array_shapes.hpp"

namespace warpwise {
namespace {

Array part_of(const Array& array, int axis, std::int64_t begin, std::int64_t end) {
    std::vector<IndexItem> index(static_cast<std::size_t>(axis), Slice{});
    index.emplace_back(Slice{begin, end, std::nullopt});
    return array.at(index);
}

// Parts between 0, the given places and the end.
std::vector<Array> parts_between(const Array& array, std::span<const std::int64_t> at, int axis) {
    std::vector<Array> parts;
    std::int64_t begin = 0;
    for (const std::int64_t end : at) {
        parts.push_back(part_of(array, axis, begin, end));
        begin = end;
    }
    parts.push_back(part_of(array, axis, begin, array.shape()[axis]));
    return parts;
}

int axis_of_split(const Array& array, const char* name, int axis, int least) {
    if (array.ndim() >= least) return axis;
    array::refuse_value("{} got an array of {} axes; it takes {} at least", name, array.ndim(),
                        least);
}

using Prepare = Array (*)(const Array&);

Array joined(std::span<const Array* const> arrays, Prepare prepare, int axis, const char* name) {
    if (arrays.empty()) array::refuse_value("{} got no arrays; give at least one", name);
    std::vector<Array> prepared;
    std::vector<const Array*> pointers;
    prepared.reserve(arrays.size());
    for (const Array* one : arrays) pointers.push_back(&prepared.emplace_back(prepare(*one)));
    return concat(pointers, axis);
}

Array with_axis(const Array& array, int axis) {
    return expand_dims(array, std::span(&axis, 1));
}

Array as_column(const Array& array) {
    return array.ndim() < 2 ? with_axis(atleast_1d(array), 1) : array;
}

}  // namespace

std::vector<Array> split(const Array& array, std::int64_t sections, int axis) {
    const int along = checked_axis(axis, array.ndim());
    const std::int64_t extent = array.shape()[along];
    if (sections > 0 && extent % sections != 0) {
        array::refuse_value(
            "split got {} sections for axis {} with size {}, which is no multiple; use array_split",
            sections, along, extent);
    }
    return array_split(array, sections, axis);
}

std::vector<Array> split(const Array& array, std::span<const std::int64_t> at, int axis) {
    return parts_between(array, at, checked_axis(axis, array.ndim()));
}

std::vector<Array> array_split(const Array& array, std::int64_t sections, int axis) {
    const int along = checked_axis(axis, array.ndim());
    if (sections < 1) array::refuse_value("a split got {} sections; give 1 or more", sections);
    const std::int64_t extent = array.shape()[along];
    std::vector<std::int64_t> at;
    std::int64_t end = 0;
    for (std::int64_t i = 0; i + 1 < sections; ++i) {
        end += extent / sections + (i < extent % sections ? 1 : 0);
        at.push_back(end);
    }
    return parts_between(array, at, along);
}

std::vector<Array> hsplit(const Array& array, std::int64_t sections) {
    return split(array, sections, axis_of_split(array, "hsplit", array.ndim() > 1 ? 1 : 0, 1));
}
std::vector<Array> hsplit(const Array& array, std::span<const std::int64_t> at) {
    return split(array, at, axis_of_split(array, "hsplit", array.ndim() > 1 ? 1 : 0, 1));
}
std::vector<Array> vsplit(const Array& array, std::int64_t sections) {
    return split(array, sections, axis_of_split(array, "vsplit", 0, 2));
}
std::vector<Array> vsplit(const Array& array, std::span<const std::int64_t> at) {
    return split(array, at, axis_of_split(array, "vsplit", 0, 2));
}
std::vector<Array> dsplit(const Array& array, std::int64_t sections) {
    return split(array, sections, axis_of_split(array, "dsplit", 2, 3));
}
std::vector<Array> dsplit(const Array& array, std::span<const std::int64_t> at) {
    return split(array, at, axis_of_split(array, "dsplit", 2, 3));
}

Array vstack(std::span<const Array* const> arrays) {
    return joined(arrays, &atleast_2d, 0, "vstack");
}
Array hstack(std::span<const Array* const> arrays) {
    const bool is_flat = !arrays.empty() && arrays[0]->ndim() < 2;
    return joined(arrays, &atleast_1d, is_flat ? 0 : 1, "hstack");
}
Array dstack(std::span<const Array* const> arrays) {
    return joined(arrays, &atleast_3d, 2, "dstack");
}
Array column_stack(std::span<const Array* const> arrays) {
    return joined(arrays, &as_column, 1, "column_stack");
}
Array append(const Array& array, const Array& values, std::optional<int> axis) {
    const Array* const both[] = {&array, &values};
    return concat(both, axis);
}

Array atleast_1d(const Array& array) {
    return array.ndim() == 0 ? with_axis(array, 0) : array;
}
Array atleast_2d(const Array& array) {
    return array.ndim() < 2 ? with_axis(atleast_1d(array), 0) : array;
}
Array atleast_3d(const Array& array) {
    return array.ndim() < 3 ? with_axis(atleast_2d(array), 2) : array;
}

Array rollaxis(const Array& array, int axis, int start) {
    const int from = checked_axis(axis, array.ndim());
    const int before = start < 0 ? start + array.ndim() : start;
    if (before < 0 || before > array.ndim()) {
        array::refuse_value("rollaxis got start={} for an array of {} axes", start, array.ndim());
    }
    const int to = from < before ? before - 1 : before;
    return moveaxis(array, std::span(&from, 1), std::span(&to, 1));
}

Array fliplr(const Array& array) {
    if (array.ndim() < 2) {
        array::refuse_value("fliplr got an array of {} axes; it takes 2 at least", array.ndim());
    }
    return flip(array, std::vector<int>{1});
}
Array flipud(const Array& array) {
    if (array.ndim() < 1) array::refuse_value("flipud got an array without axes; it takes one");
    return flip(array, std::vector<int>{0});
}

Array rot90(const Array& array, int times, std::pair<int, int> axes) {
    const int both[] = {axes.first, axes.second};
    const std::vector<int> plane = array::checked_axes(both, array.ndim(), "rot90");
    switch (((times % 4) + 4) % 4) {
        case 0:
            return array;
        case 1:
            return swapaxes(flip(array, std::vector<int>{plane[1]}), plane[0], plane[1]);
        case 2:
            return flip(array, plane);
        default:
            return flip(swapaxes(array, plane[0], plane[1]), std::vector<int>{plane[1]});
    }
}

Array diagonal(const Array& array, std::int64_t offset, int axis1, int axis2) {
    if (array.ndim() < 2) {
        array::refuse_value("diagonal got an array of {} axes; it takes 2 at least", array.ndim());
    }
    const int both[] = {axis1, axis2};
    const std::vector<int> plane = array::checked_axes(both, array.ndim(), "diagonal");
    const graph::View& from = array.value().view;
    graph::View view{.offset = from.offset, .dtype = from.dtype};
    for (int axis = 0; axis < array.ndim(); ++axis) {
        if (axis == plane[0] || axis == plane[1]) continue;
        view.shape.push_back(from.shape[axis]);
        view.strides.push_back(from.strides[axis]);
    }
    const std::int64_t down = offset < 0 ? -std::max(offset, -INT64_MAX) : 0;
    const std::int64_t right = std::max<std::int64_t>(offset, 0);
    const std::int64_t rows = std::max<std::int64_t>(from.shape[plane[0]] - down, 0);
    const std::int64_t columns = std::max<std::int64_t>(from.shape[plane[1]] - right, 0);
    const std::int64_t length = std::min(rows, columns);
    if (length > 0) view.offset += down * from.strides[plane[0]] + right * from.strides[plane[1]];
    view.shape.push_back(length);
    view.strides.push_back(from.strides[plane[0]] + from.strides[plane[1]]);
    return Array(graph::Value{array.value().storage, view}, /*read_only=*/true);
}

Array trace(const Array& array, std::int64_t offset, int axis1, int axis2,
            const std::optional<DType>& dtype) {
    return sum(diagonal(array, offset, axis1, axis2),
               {.axes = std::vector<int>{-1}, .dtype = dtype});
}

Array diag(const Array& array, std::int64_t offset) {
    if (array.ndim() == 2) return copy(diagonal(array, offset));
    if (array.ndim() != 1) {
        array::refuse_value("diag got an array of shape {}; it takes one or two axes",
                            text_of(array.shape()));
    }
    const std::int64_t extent = array.size() + (offset < 0 ? -offset : offset);
    Array result = zeros(Shape{extent, extent}, array.dtype(), array.device());
    graph::View view = diagonal(result, offset).value().view;
    array::write_into(array::show(result, view), array);
    return result;
}

Array diagflat(const Array& array, std::int64_t offset) {
    return diag(array.reshape(Shape{-1}), offset);
}

}  // namespace warpwise
