// Views that permute, add, remove, repeat or reverse axes, and views of parts of elements.
#include <algorithm>
#include <numeric>
#include <string_view>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array.hpp"
#include "warpwise/axis_error.hpp"

namespace warpwise {

using array::show;

namespace {

// An error names the argument, as NumPy's does.
int axis_of_argument(int axis, int rank, std::string_view argument) {
    try {
        return checked_axis(axis, rank);
    } catch (const AxisError& error) {
        throw AxisError(fmt::format("{}: {}", argument, error.what()), axis, rank);
    }
}

}  // namespace

Array Array::transpose() const {
    std::vector<int> axes(static_cast<std::size_t>(ndim()));
    std::iota(axes.rbegin(), axes.rend(), 0);
    return transpose(axes);
}

Array Array::transpose(std::span<const int> axes) const {
    const std::vector<int> order = array::checked_axes(axes, ndim(), "transpose");
    if (static_cast<int>(order.size()) != ndim()) {
        array::refuse_value("transpose got {} axes for an array of {}; give each axis once",
                            order.size(), ndim());
    }
    graph::View view = value_->view;
    for (int i = 0; i < ndim(); ++i) {
        view.shape[i] = shape()[order[static_cast<std::size_t>(i)]];
        view.strides[i] = strides()[order[static_cast<std::size_t>(i)]];
    }
    return show(*this, view);
}

Array Array::broadcast_to(const Shape& shape) const {
    count_of(shape);
    graph::View view = value_->view;
    view.strides = broadcast_strides(this->shape(), strides(), shape);
    view.shape = shape;
    return Array(graph::Value{value_->storage, view}, /*read_only=*/true);
}

Array Array::real() const {
    array::require_numbers(*this, "real");
    const Kind kind = array::kind_of(*this);
    if (!types::is_complex(kind)) return *this;
    graph::View view = value_->view;
    view.dtype = DType(types::real_kind(kind));
    return show(*this, view);
}

Array Array::imag() const {
    array::require_numbers(*this, "imag");
    const Kind kind = array::kind_of(*this);
    if (!types::is_complex(kind)) {
        array::refuse_type("imag got an array of {}, which has no imaginary parts; use zeros_like",
                           dtype().name());
    }
    graph::View view = value_->view;
    view.dtype = DType(types::real_kind(kind));
    view.offset += static_cast<std::int64_t>(view.dtype.size());
    return show(*this, view);
}

Array Array::view(const DType& dtype) const {
    array::require_array_dtype(dtype);
    graph::View view = value_->view;
    const auto old_bytes = static_cast<std::int64_t>(view.dtype.size());
    const auto new_bytes = static_cast<std::int64_t>(dtype.size());
    view.dtype = dtype;
    if (old_bytes == new_bytes) return show(*this, view);
    const int last = ndim() - 1;
    const bool has_gaps = last >= 0 && view.strides[last] != old_bytes && view.shape[last] != 1;
    if (last < 0 || (has_gaps && size() > 0)) {
        array::refuse_value(
            "view got {} of {} bytes for an array of {} of {} bytes, whose last axis "
            "is not contiguous; use a dtype of the same size, or copy it first",
            dtype.name(), new_bytes, this->dtype().name(), old_bytes);
    }
    const std::int64_t bytes = view.shape[last] * old_bytes;
    if (bytes % new_bytes != 0) {
        array::refuse_value("view got {} of {} bytes for rows of {} bytes, which are no multiple",
                            dtype.name(), new_bytes, bytes);
    }
    view.shape[last] = bytes / new_bytes;
    view.strides[last] = new_bytes;
    return show(*this, view);
}

Array permute_dims(const Array& array, std::span<const int> axes) {
    return array.transpose(axes);
}

Array matrix_transpose(const Array& array) {
    if (array.ndim() < 2) {
        array::refuse_value("matrix_transpose got an array of shape {}, which has no two last axes",
                            text_of(array.shape()));
    }
    return swapaxes(array, -1, -2);
}

Array swapaxes(const Array& array, int axis1, int axis2) {
    graph::View view = array.value().view;
    const int a = axis_of_argument(axis1, array.ndim(), "axis1");
    const int b = axis_of_argument(axis2, array.ndim(), "axis2");
    std::swap(view.shape[a], view.shape[b]);
    std::swap(view.strides[a], view.strides[b]);
    return show(array, view);
}

Array moveaxis(const Array& array, std::span<const int> source, std::span<const int> destination) {
    for (const int axis : source) axis_of_argument(axis, array.ndim(), "source");
    for (const int axis : destination) axis_of_argument(axis, array.ndim(), "destination");
    const std::vector<int> from = array::checked_axes(source, array.ndim(), "moveaxis");
    const std::vector<int> to = array::checked_axes(destination, array.ndim(), "moveaxis");
    if (from.size() != to.size()) {
        array::refuse_value("moveaxis got {} source and {} destination axes; give as many of both",
                            from.size(), to.size());
    }
    std::vector<int> order(static_cast<std::size_t>(array.ndim()), -1);
    for (std::size_t i = 0; i < from.size(); ++i) order[static_cast<std::size_t>(to[i])] = from[i];
    int next = 0;  // the others keep their order
    for (int& axis : order) {
        if (axis >= 0) continue;
        while (std::ranges::find(from, next) != from.end()) ++next;
        axis = next++;
    }
    return array.transpose(order);
}

Array squeeze(const Array& array, const std::optional<std::vector<int>>& axes) {
    std::vector<int> removed;
    if (const auto named = array::without_axis_of_scalar(array, axes)) {
        removed = array::checked_axes(*named, array.ndim(), "squeeze");
    }
    graph::View view{.offset = array.value().view.offset, .dtype = array.dtype()};
    for (int axis = 0; axis < array.ndim(); ++axis) {
        const bool is_named = std::ranges::find(removed, axis) != removed.end();
        if (is_named && array.shape()[axis] != 1) {
            array::refuse_value(
                "squeeze got axis {}, whose extent is {}; only axes of extent 1 can "
                "be removed",
                axis, array.shape()[axis]);
        }
        if (axes ? is_named : array.shape()[axis] == 1) continue;
        view.shape.push_back(array.shape()[axis]);
        view.strides.push_back(array.strides()[axis]);
    }
    return show(array, view);
}

Array expand_dims(const Array& array, std::span<const int> axes) {
    const int rank = array.ndim() + static_cast<int>(axes.size());
    std::vector<int> added = array::checked_axes(axes, rank, "expand_dims");
    std::ranges::sort(added);
    graph::View view = array.value().view;
    for (const int axis : added) {
        view.shape.insert(axis, 1);
        view.strides.insert(axis, 0);
    }
    return show(array, view);
}

Array flip(const Array& array, const std::optional<std::vector<int>>& axes) {
    std::vector<int> flipped(static_cast<std::size_t>(array.ndim()));
    std::iota(flipped.begin(), flipped.end(), 0);
    if (axes) flipped = array::checked_axes(*axes, array.ndim(), "flip");
    std::vector<IndexItem> index(static_cast<std::size_t>(array.ndim()), Slice{});
    for (const int axis : flipped) index[static_cast<std::size_t>(axis)] = Slice{.step = -1};
    return array.at(index);
}

Array sliding_window_view(const Array& array, const Shape& window,
                          const std::optional<std::vector<int>>& axes) {
    std::vector<int> slid(static_cast<std::size_t>(array.ndim()));
    std::iota(slid.begin(), slid.end(), 0);
    if (axes) slid = array::checked_axes(*axes, array.ndim(), "sliding_window_view");
    if (slid.size() != static_cast<std::size_t>(window.size())) {
        array::refuse_value("sliding_window_view got {} extents of a window for {} axes",
                            window.size(), slid.size());
    }
    graph::View view = array.value().view;
    for (int k = 0; k < window.size(); ++k) {
        const int axis = slid[static_cast<std::size_t>(k)];
        if (window[k] < 0 || window[k] > view.shape[axis]) {
            array::refuse_value("sliding_window_view got a window of {} along axis {} of size {}",
                                window[k], axis, view.shape[axis]);
        }
        view.shape[axis] -= window[k] - 1;
        view.shape.push_back(window[k]);
        view.strides.push_back(view.strides[axis]);
    }
    return Array(graph::Value{array.value().storage, view}, /*read_only=*/true);
}

namespace {

// One after another in memory, which a view that skips elements is not.
Array packed(const Array& line) {
    return line.is_c_contiguous() ? line : copy(line);
}

}  // namespace

Array ravel(const Array& array, std::optional<Order> order) {
    if (order == Order::C) return packed(array.reshape(Shape{-1}));
    if (order == Order::F) return packed(array.transpose().reshape(Shape{-1}));
    // As NumPy's iterator goes; axes along which elements repeat stay where they are.
    const Strides layout = graph::keep_order(array.shape(), 1, {&array.strides()});
    std::vector<int> axes(static_cast<std::size_t>(array.ndim()));
    std::iota(axes.begin(), axes.end(), 0);
    std::ranges::sort(axes, {}, [&](int axis) { return std::pair{-layout[axis], axis}; });
    return packed(array.transpose(axes).reshape(Shape{-1}));
}

std::vector<Array> broadcast_arrays(std::span<const Array* const> arrays) {
    std::vector<Shape> shapes;
    shapes.reserve(arrays.size());
    for (const Array* array : arrays) shapes.push_back(array->shape());
    const Shape shape = broadcast_shapes(shapes);
    std::vector<Array> results;
    results.reserve(arrays.size());
    for (const Array* array : arrays) {
        results.push_back(array->shape() == shape ? *array : array->broadcast_to(shape));
    }
    return results;
}

std::vector<Array> meshgrid(std::span<const Array* const> arrays, std::string_view indexing,
                            bool sparse, bool copy) {
    if (indexing != "xy" && indexing != "ij") {
        array::refuse_value("meshgrid got indexing '{}'; it is 'xy' or 'ij'", indexing);
    }
    const int rank = static_cast<int>(arrays.size());
    std::vector<Array> open;
    for (int i = 0; i < rank; ++i) {
        const Array& coordinates = *arrays[static_cast<std::size_t>(i)];
        if (coordinates.ndim() > 1) {
            array::refuse_value("meshgrid got an array of shape {}; it takes arrays of one axis",
                                text_of(coordinates.shape()));
        }
        Shape shape = Shape::filled(rank, 1);
        shape[i] = coordinates.size();
        open.push_back(coordinates.reshape(shape));
        if (indexing == "xy" && rank > 1 && i < 2) open.back() = swapaxes(open.back(), 0, 1);
    }
    if (!sparse) {
        std::vector<const Array*> pointers;
        pointers.reserve(open.size());
        for (const Array& array : open) pointers.push_back(&array);
        open = broadcast_arrays(pointers);
    }
    if (copy) {
        for (Array& array : open) array = warpwise::copy(array, Order::C);
    }
    return open;
}

}  // namespace warpwise
