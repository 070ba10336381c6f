// Reshaping: when the elements of a new shape, in C order, are a view of the old ones.
#include <optional>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "warpwise/array_functions.hpp"

namespace warpwise {
namespace {

// Replaces -1 by what is left and checks the count.
Shape completed(const Shape& shape, const Array& array) {
    Shape result = shape;
    int unknown = -1;
    Shape known;
    for (int axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] != -1) {
            known.push_back(shape[axis]);
            continue;
        }
        if (unknown >= 0) {
            array::refuse_value("reshape got {}; -1 can stand for one extent only", text_of(shape));
        }
        unknown = axis;
    }
    const std::int64_t count = count_of(known);
    if (unknown >= 0 && count > 0 && array.size() % count == 0) {
        result[unknown] = array.size() / count;
        return result;
    }
    if (unknown < 0 && count == array.size()) return result;
    array::refuse_value(
        "reshape cannot make shape {} of an array of shape {}, which has {} elements",
        text_of(shape), text_of(array.shape()), array.size());
}

// The strides of `target` over the same elements; empty where there are none. Runs of axes of both
// shapes with equal products are matched, as in NumPy: inside of a run the old axes must lie
// without gaps in C order.
std::optional<Strides> strides_of_view(const graph::View& view, const Shape& target) {
    Shape from;
    Strides strides;
    for (int axis = 0; axis < view.shape.size(); ++axis) {
        if (view.shape[axis] == 1) continue;
        from.push_back(view.shape[axis]);
        strides.push_back(view.strides[axis]);
    }
    Strides result = Strides::filled(target.size(), static_cast<std::int64_t>(view.dtype.size()));
    int old_begin = 0;
    int new_begin = 0;
    while (new_begin < target.size() && old_begin < from.size()) {
        int old_end = old_begin + 1;
        int new_end = new_begin + 1;
        std::int64_t old_count = from[old_begin];
        std::int64_t new_count = target[new_begin];
        while (old_count != new_count) {
            if (new_count < old_count)
                new_count *= target[new_end++];
            else
                old_count *= from[old_end++];
        }
        for (int axis = old_begin; axis + 1 < old_end; ++axis) {
            if (strides[axis] != from[axis + 1] * strides[axis + 1]) return std::nullopt;
        }
        result[new_end - 1] = strides[old_end - 1];
        for (int axis = new_end - 1; axis > new_begin; --axis) {
            result[axis - 1] = result[axis] * target[axis];
        }
        old_begin = old_end;
        new_begin = new_end;
    }
    // What is left has extent 1.
    const std::int64_t last =
        new_begin > 0 ? result[new_begin - 1] : static_cast<std::int64_t>(view.dtype.size());
    for (int axis = new_begin; axis < target.size(); ++axis) result[axis] = last;
    return result;
}

}  // namespace

Array Array::reshape(const Shape& shape, std::optional<bool> copy) const {
    const Shape target = completed(shape, *this);
    graph::View view = value_->view;
    std::optional<Strides> strides;
    if (size() == 0) {
        strides = c_strides(target, static_cast<std::int64_t>(view.dtype.size()));
    } else if (!copy.value_or(false)) {
        strides = strides_of_view(view, target);
    }
    if (!strides && copy && !*copy) {
        array::refuse_value(
            "reshape got copy=False, but an array of shape {} and strides {} has no "
            "view of shape {}; let it copy",
            text_of(this->shape()), text_of(this->strides()), text_of(target));
    }
    if (strides && !copy.value_or(false)) {
        view.shape = target;
        view.strides = *strides;
        return array::show(*this, view);
    }
    return warpwise::copy(*this, Order::C).reshape(target, false);
}

Array reshape(const Array& array, const Shape& shape, Order order, std::optional<bool> copy) {
    if (order == Order::C) return array.reshape(shape, copy);
    Shape reversed;
    for (int axis = shape.size() - 1; axis >= 0; --axis) reversed.push_back(shape[axis]);
    return array.transpose().reshape(reversed, copy).transpose();
}

}  // namespace warpwise
