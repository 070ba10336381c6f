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
#include "warpwise/array_numeric.hpp"
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
    Border(const Array& inside, int axis, const Padding& padding)
        : inside_(inside), axis_(axis), mode_(padding.mode) {}

    // `length`: of how many elements next to the border a statistic is.
    Array fill(bool is_before, std::int64_t width, std::int64_t length, const Scalar& end) const {
        if (mode_ == "linear_ramp") return ramp(is_before, width, end);
        const std::int64_t extent = inside_.shape()[axis_];
        const Array near = is_before ? array::part_along(inside_, axis_, 0, length)
                                     : array::part_along(inside_, axis_, extent - length, extent);
        const Reduction over{.axes = std::vector<int>{axis_}, .keepdims = true};
        if (mode_ == "maximum") return max(near, over);
        if (mode_ == "minimum") return min(near, over);
        const Array value = mode_ == "median" ? median(near, over) : mean(near, over);
        return types::is_integer(inside_.dtype().kind()) ? round(value) : value;
    }

  private:
    // From the end's value to the edge's, as NumPy's linspace without its last point.
    Array ramp(bool is_before, std::int64_t width, const Scalar& end) const {
        const std::int64_t extent = inside_.shape()[axis_];
        const Array edge = is_before ? array::part_along(inside_, axis_, 0, 1)
                                     : array::part_along(inside_, axis_, extent - 1, extent);
        Shape shape = edge.shape();
        shape[axis_] = width;
        const Array at = array::coordinate(shape, axis_, array::context_of(inside_));
        const Array step = is_before ? at : subtract(Scalar(width - 1), at);
        const Kind kind =
            types::is_complex(inside_.dtype().kind()) ? Kind::Complex128 : Kind::Float64;
        const Array wide = array::converted(edge, kind);
        const Array slope = divide(subtract(wide, end.typed(kind)), Scalar(double(width)));
        const Array value = add(multiply(step, slope), end.typed(kind));
        return types::is_integer(inside_.dtype().kind()) ? floor(value) : value;
    }

    const Array& inside_;
    const int axis_;
    const std::string_view mode_;
};

// Of how many elements statistics are at both ends of the axis.
std::pair<std::int64_t, std::int64_t> lengths_along(const Padding& padding, int rank, int axis,
                                                    std::int64_t extent) {
    if (padding.stat_lengths.empty()) return {extent, extent};
    const auto [before, after] = one_each<std::pair<std::int64_t, std::int64_t>>(
        padding.stat_lengths, std::max(rank, 1), "stat_lengths")[static_cast<std::size_t>(axis)];
    if (before < 1 || after < 1) {
        array::refuse_value("pad got stat_length ({}, {}) for axis {}; give 1 or more", before,
                            after, axis);
    }
    return {std::min(before, extent), std::min(after, extent)};
}

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
        const auto lengths = lengths_along(padding, array.ndim(), axis, extent);
        const auto write = [&](bool is_before, std::int64_t begin, std::int64_t width) {
            if (width == 0) return;
            Array target = array::part_along(grown, axis, begin, begin + width);
            const auto& pair = ends[static_cast<std::size_t>(axis)];
            const Scalar& end = is_before ? pair.first : pair.second;
            if (padding.mode == "constant") {
                target.assign(end);
                return;
            }
            const std::int64_t length = is_before ? lengths.first : lengths.second;
            const Array value = Border(inside, axis, padding).fill(is_before, width, length, end);
            array::write_into(target, value.broadcast_to(target.shape()));
        };
        write(true, 0, before);
        write(false, before + extent, after);
        inside = grown;
    }
    return result;
}

// One end of the array, reflected there: `width` elements at most of the array's own.
Array reflected(const Array& array, int axis, bool is_before, std::int64_t width, bool has_edge) {
    const std::int64_t extent = array.shape()[axis];
    const std::int64_t skipped = has_edge ? 0 : 1;
    const std::int64_t begin = is_before ? skipped : extent - skipped - width;
    const Array edge = is_before ? array::part_along(array, axis, 0, 1)
                                 : array::part_along(array, axis, extent - 1, extent);
    const Array turned =
        flip(array::part_along(array, axis, begin, begin + width), std::vector<int>{axis});
    return subtract(multiply(edge, Scalar(2)), turned);
}

// Along one axis after the other; where a border is wider than the array, what is there already is
// reflected again, by whole periods, so that ends stay where the array's own are repeated.
Array reflected_oddly(const Array& array, const Widths& widths, bool has_edge) {
    Array result = array;
    for (int axis = 0; axis < array.ndim(); ++axis) {
        auto [before, after] = widths[static_cast<std::size_t>(axis)];
        if (array.shape()[axis] == 1 && !has_edge) {  // as NumPy: nothing to reflect
            Widths own(widths.size());
            own[static_cast<std::size_t>(axis)] = {before, after};
            Shape shape = result.shape();
            shape[axis] += before + after;
            result = repeated(result, own, shape, "edge");
            continue;
        }
        while (before > 0 || after > 0) {
            const std::int64_t period = array.shape()[axis] - (has_edge ? 0 : 1);
            const std::int64_t most = (result.shape()[axis] - (has_edge ? 0 : 1)) / period * period;
            const std::int64_t left = std::min(before, most);
            const std::int64_t right = std::min(after, most);
            std::vector<Array> parts;
            if (left > 0) parts.push_back(reflected(result, axis, true, left, has_edge));
            parts.push_back(result);
            if (right > 0) parts.push_back(reflected(result, axis, false, right, has_edge));
            std::vector<const Array*> pointers;
            pointers.reserve(parts.size());
            for (const Array& part : parts) pointers.push_back(&part);
            result = array::converted(concat(pointers, axis), array.dtype().kind());
            before -= left;
            after -= right;
        }
    }
    return result;
}

// What a setting is for.
void require_settings(const Padding& padding, bool is_statistic) {
    if (!padding.stat_lengths.empty() && !is_statistic) {
        array::refuse_value(
            "pad got stat_length and mode '{}'; it is for 'maximum', 'minimum', 'mean' and "
            "'median'",
            padding.mode);
    }
    if (padding.is_odd && padding.mode != "reflect" && padding.mode != "symmetric") {
        array::refuse_value(
            "pad got reflect_type 'odd' and mode '{}'; it is for 'reflect' and 'symmetric'",
            padding.mode);
    }
}

}  // namespace

Array pad(const Array& array, std::span<const std::pair<std::int64_t, std::int64_t>> widths,
          const Padding& padding) {
    constexpr std::string_view kRepeating[] = {"edge", "wrap", "reflect", "symmetric"};
    constexpr std::string_view kComputing[] = {"constant", "empty", "linear_ramp", "maximum",
                                               "minimum",  "mean",  "median"};
    const bool repeats = std::ranges::find(kRepeating, padding.mode) != std::end(kRepeating);
    if (!repeats && std::ranges::find(kComputing, padding.mode) == std::end(kComputing)) {
        array::refuse_value(
            "pad got mode '{}'; it is 'constant', 'edge', 'reflect', 'symmetric', "
            "'wrap', 'linear_ramp', 'maximum', 'minimum', 'mean', 'median' or 'empty'",
            padding.mode);
    }
    require_settings(padding, !repeats && std::ranges::find(kComputing + 3, std::end(kComputing),
                                                            padding.mode) != std::end(kComputing));
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
    if (padding.is_odd) return reflected_oddly(array, each, padding.mode == "symmetric");
    return repeats ? repeated(array, each, shape, padding.mode)
                   : bordered(array, each, shape, padding);
}

}  // namespace warpwise
