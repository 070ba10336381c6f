// Padding: elements around an array, read from it or computed.
//
// The modes that repeat elements are one gather: the coordinate along each padded axis, moved into
// the array by the mode's rule. The others write borders one axis after the other, as NumPy does,
// so that corners are those of the axes before.
#include <algorithm>
#include <optional>

#include "src/array/index/selection.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_functions.hpp"
#include "warpwise/array_shapes.hpp"

namespace warpwise {
namespace {

using Widths = std::vector<std::pair<std::int64_t, std::int64_t>>;

template <class Pair>
std::vector<Pair> one_each(std::span<const Pair> given, int rank, const char* what) {
    if (static_cast<int>(given.size()) == rank) return {given.begin(), given.end()};
    if (given.size() == 1) return std::vector<Pair>(static_cast<std::size_t>(rank), given[0]);
    array::refuse_value("pad got {} pairs of {} for an array of {} axes; give one for each, or one",
                        given.size(), what, rank);
}

Shape padded_shape(const Shape& shape, const Widths& widths) {
    Shape result = shape;
    for (int axis = 0; axis < shape.size(); ++axis) {
        const auto [before, after] = widths[static_cast<std::size_t>(axis)];
        if (before < 0 || after < 0) {
            array::refuse_value("pad got widths ({}, {}) for axis {}; give 0 or more", before,
                                after, axis);
        }
        result[axis] += before + after;
    }
    count_of(result);
    return result;
}

// The coordinate in the array of a coordinate of the result, less the width before.
Array moved(const Array& at, std::int64_t extent, std::string_view mode) {
    const Scalar last(extent - 1);
    if (mode == "edge") return minimum(maximum(at, Scalar(0)), last);
    if (mode == "wrap") return remainder(at, Scalar(extent));
    if (mode == "symmetric") {
        const Array turn = remainder(at, Scalar(2 * extent));
        return minimum(turn, subtract(Scalar(2 * extent - 1), turn));
    }
    if (extent == 1) return multiply(at, Scalar(0));
    const Array turn = remainder(at, Scalar(2 * (extent - 1)));  // reflect
    return minimum(turn, subtract(Scalar(2 * (extent - 1)), turn));
}

Array repeated(const Array& array, const Widths& widths, const Shape& shape,
               std::string_view mode) {
    runtime::Context& context = array::context_of(array);
    array::Selection selection;
    const graph::View& from = array.value().view;
    selection.view = {.offset = from.offset, .shape = shape, .dtype = from.dtype};
    std::optional<Array> offset;
    for (int axis = 0; axis < shape.size(); ++axis) {
        const auto [before, after] = widths[static_cast<std::size_t>(axis)];
        const bool is_padded = before + after > 0;
        selection.view.strides.push_back(is_padded ? 0 : from.strides[axis]);
        if (!is_padded) continue;
        if (from.shape[axis] == 0) {
            array::refuse_value(
                "pad got mode '{}' for axis {} with size 0, which has nothing to "
                "repeat; use mode 'constant'",
                mode, axis);
        }
        const Array at = subtract(array::coordinate(shape, axis, context), Scalar(before));
        const Array part = multiply(moved(at, from.shape[axis], mode), Scalar(from.strides[axis]));
        offset = offset ? add(*offset, part) : part;
    }
    if (!offset) return copy(array, Order::C);
    selection.offset = *offset;
    return array::gathered(array, selection);
}

// What fills the border before or after, of extent 1 along the axis or the border's.
class Border {
  public:
    Border(const Array& inside, int axis, std::string_view mode)
        : inside_(inside), axis_(axis), mode_(mode) {}

    Array fill(bool is_before, std::int64_t width, const Scalar& end) const {
        const Array& x = inside_;
        const Reduction over{.axes = std::vector<int>{axis_}, .keepdims = true};
        if (mode_ == "maximum") return max(x, over);
        if (mode_ == "minimum") return min(x, over);
        if (mode_ == "mean") return mean_of(over);
        return ramp(is_before, width, end);
    }

  private:
    Array mean_of(const Reduction& over) const {
        const Array value = mean(inside_, over);
        const bool is_whole = types::is_integer(inside_.dtype().kind());
        return is_whole ? round(value) : value;
    }

    // From the end's value to the edge's, as NumPy's linspace without its last point.
    Array ramp(bool is_before, std::int64_t width, const Scalar& end) const {
        const std::int64_t extent = inside_.shape()[axis_];
        const Array edge = is_before ? array::part_along(inside_, axis_, 0, 1)
                                     : array::part_along(inside_, axis_, extent - 1, extent);
        Shape shape = edge.shape();
        shape[axis_] = width;
        const Array at = array::coordinate(shape, axis_, array::context_of(inside_));
        const Array step = is_before ? at : subtract(Scalar(width - 1), at);
        const Array wide = array::converted(edge, Kind::Float64);
        const Array slope = divide(subtract(wide, end.typed(Kind::Float64)), Scalar(double(width)));
        const Array value = add(multiply(step, slope), end.typed(Kind::Float64));
        return types::is_integer(inside_.dtype().kind()) ? floor(value) : value;
    }

    const Array& inside_;
    const int axis_;
    const std::string_view mode_;
};

Array bordered(const Array& array, const Widths& widths, const Shape& shape,
               const Padding& padding) {
    const Array result = array::empty_beside(array, shape, array.dtype());
    const auto ends = one_each<std::pair<Scalar, Scalar>>(
        padding.values.empty() ? std::vector<std::pair<Scalar, Scalar>>{{Scalar(0), Scalar(0)}}
                               : padding.values,
        std::max(array.ndim(), 1), "values");
    Array inside = result;  // with the borders of the axes before
    for (int axis = 0; axis < array.ndim(); ++axis) {
        const std::int64_t before = widths[static_cast<std::size_t>(axis)].first;
        inside = array::part_along(inside, axis, before, before + array.shape()[axis]);
    }
    array::write_into(inside, array);
    if (padding.mode == "empty") return result;
    for (int axis = 0; axis < array.ndim(); ++axis) {
        const auto [before, after] = widths[static_cast<std::size_t>(axis)];
        const std::int64_t extent = array.shape()[axis];
        // Grown along this axis; the later ones are inside still.
        graph::View view = inside.value().view;
        view.offset -= before * view.strides[axis];
        view.shape[axis] = shape[axis];
        Array grown = array::show(result, view);
        const auto write = [&](bool is_before, std::int64_t begin, std::int64_t width) {
            if (width == 0) return;
            Array target = array::part_along(grown, axis, begin, begin + width);
            const auto& pair = ends[static_cast<std::size_t>(axis)];
            const Scalar& end = is_before ? pair.first : pair.second;
            if (padding.mode == "constant") {
                target.assign(end);
                return;
            }
            const Array value = Border(inside, axis, padding.mode).fill(is_before, width, end);
            array::write_into(target, value.broadcast_to(target.shape()));
        };
        write(true, 0, before);
        write(false, before + extent, after);
        inside = grown;
    }
    return result;
}

}  // namespace

Array pad(const Array& array, std::span<const std::pair<std::int64_t, std::int64_t>> widths,
          const Padding& padding) {
    constexpr std::string_view kRepeating[] = {"edge", "wrap", "reflect", "symmetric"};
    constexpr std::string_view kComputing[] = {"constant", "empty",   "linear_ramp",
                                               "maximum",  "minimum", "mean"};
    const bool repeats = std::ranges::find(kRepeating, padding.mode) != std::end(kRepeating);
    if (!repeats && std::ranges::find(kComputing, padding.mode) == std::end(kComputing)) {
        array::refuse_value(
            "pad got mode '{}'; it is 'constant', 'edge', 'reflect', 'symmetric', "
            "'wrap', 'linear_ramp', 'maximum', 'minimum', 'mean' or 'empty'",
            padding.mode);
    }
    const bool is_empty_allowed = padding.mode == "constant" || padding.mode == "empty";
    const Widths each =
        one_each<std::pair<std::int64_t, std::int64_t>>(widths, array.ndim(), "widths");
    const Shape shape = padded_shape(array.shape(), each);
    if (array.size() == 0 && !is_empty_allowed) {
        for (int axis = 0; axis < array.ndim(); ++axis) {
            if (array.shape()[axis] > 0 || shape[axis] == 0) continue;
            array::refuse_value(
                "pad got mode '{}' for axis {} with size 0, which has nothing to "
                "repeat; use mode 'constant'",
                padding.mode, axis);
        }
        return array::empty_beside(array, shape, array.dtype());
    }
    return repeats ? repeated(array, each, shape, padding.mode)
                   : bordered(array, each, shape, padding);
}

}  // namespace warpwise
