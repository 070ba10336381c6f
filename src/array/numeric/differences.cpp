// Differences, gradients and integrals along an axis.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_numeric.hpp"
#include "warpwise/array_scans.hpp"

namespace warpwise {
namespace {

// array[:, ..., begin:end] along `axis`; negative places count from the end.
Array part_along(const Array& array, int axis, std::optional<std::int64_t> begin,
                 std::optional<std::int64_t> end) {
    std::vector<IndexItem> index(static_cast<std::size_t>(axis), Slice{});
    index.emplace_back(Slice{begin, end, std::nullopt});
    return array.at(index);
}

// What diff() puts in front or behind: an array, or a number as one element along the axis.
Array end_piece(const Operand& piece, const Array& array, int axis) {
    if (piece.array() != nullptr && piece.array()->ndim() > 0) return *piece.array();
    Shape shape = array.shape();
    shape[axis] = 1;
    if (piece.array() != nullptr) return piece.array()->broadcast_to(shape);
    const Operand both[] = {array, piece};
    return array::constant(piece.scalar(), result_type(both).kind(), shape,
                           array::context_of(array));
}

// A number or an array of one axis, behind or in front of differences.
Array flat_piece(const Operand& piece, const Array& array) {
    if (piece.array() != nullptr) return ravel(*piece.array());
    return array::constant(piece.scalar(), array::kind_of(array), Shape{1},
                           array::context_of(array));
}

// Coordinates along `axis` in the shape that broadcasts with the array.
Array lying_along(const Array& coordinates, const Array& array, int axis) {
    Shape shape = Axes::filled(array.ndim(), 1);
    shape[axis] = coordinates.size();
    return coordinates.reshape(shape);
}

// The gradient along one axis, for even or uneven distances.
class Gradient {
  public:
    Gradient(const Array& array, int axis, const Operand& spacing)
        : f_(array), axis_(axis), extent_(array.shape()[axis]) {
        if (spacing.array() == nullptr || spacing.array()->ndim() == 0) {
            distance_ =
                spacing.array() != nullptr
                    ? *spacing.array()
                    : array::constant(spacing.scalar(), kind(), Shape{}, array::context_of(array));
            return;
        }
        const Array& x = *spacing.array();
        if (x.ndim() != 1 || x.size() != extent_) {
            array::refuse_value(
                "gradient got coordinates of shape {} for axis {} with size {}; "
                "give one for each element, or a distance",
                text_of(x.shape()), axis, extent_);
        }
        const Array wide =
            types::is_integer(array::kind_of(x)) ? array::converted(x, Kind::Float64) : x;
        steps_ = lying_along(diff(wide), array, axis);
    }

    Array result(int edge_order) const {
        const Array first = edge_order == 1 ? at_edge(true) : at_edge_of_second_order(true);
        const Array last = edge_order == 1 ? at_edge(false) : at_edge_of_second_order(false);
        const Array middle = inside();
        const Array* const parts[] = {&first, &middle, &last};
        return array::converted(concat(parts, axis_), kind());
    }

  private:
    Kind kind() const { return array::kind_of(f_); }
    Array f(std::int64_t begin, std::int64_t end) const {
        return part_along(f_, axis_, begin, end);
    }
    Array step(std::int64_t begin, std::int64_t end) const {
        return part_along(*steps_, axis_, begin, end);
    }

    Array inside() const {
        const Array below = f(0, extent_ - 2);
        const Array here = f(1, extent_ - 1);
        const Array above = f(2, extent_);
        if (!steps_) return divide(subtract(above, below), multiply(*distance_, Scalar(2.0)));
        const Array d1 = step(0, extent_ - 2);
        const Array d2 = step(1, extent_ - 1);
        const Array both = add(d1, d2);
        const Array a = divide(negative(d2), multiply(d1, both));
        const Array b = divide(subtract(d2, d1), multiply(d1, d2));
        const Array c = divide(d1, multiply(d2, both));
        return add(add(multiply(a, below), multiply(b, here)), multiply(c, above));
    }

    Array at_edge(bool is_first) const {
        const std::int64_t at = is_first ? 0 : extent_ - 2;
        const Array change = subtract(f(at + 1, at + 2), f(at, at + 1));
        return divide(change, steps_ ? step(at, at + 1) : *distance_);
    }

    Array at_edge_of_second_order(bool is_first) const {
        const std::int64_t at = is_first ? 0 : extent_ - 3;
        const Array f0 = f(at, at + 1);
        const Array f1 = f(at + 1, at + 2);
        const Array f2 = f(at + 2, at + 3);
        if (!steps_) {
            const double signs[] = {is_first ? -1.5 : 0.5, is_first ? 2.0 : -2.0,
                                    is_first ? -0.5 : 1.5};
            const Array a = divide(Scalar(signs[0]), *distance_);
            const Array b = divide(Scalar(signs[1]), *distance_);
            const Array c = divide(Scalar(signs[2]), *distance_);
            return add(add(multiply(a, f0), multiply(b, f1)), multiply(c, f2));
        }
        const Array d1 = step(at, at + 1);
        const Array d2 = step(at + 1, at + 2);
        const Array both = add(d1, d2);
        if (is_first) {
            const Array a =
                divide(negative(add(multiply(d1, Scalar(2.0)), d2)), multiply(d1, both));
            const Array b = divide(both, multiply(d1, d2));
            const Array c = divide(negative(d1), multiply(d2, both));
            return add(add(multiply(a, f0), multiply(b, f1)), multiply(c, f2));
        }
        const Array a = divide(d2, multiply(d1, both));
        const Array b = divide(negative(both), multiply(d1, d2));
        const Array c = divide(add(multiply(d2, Scalar(2.0)), d1), multiply(d2, both));
        return add(add(multiply(a, f0), multiply(b, f1)), multiply(c, f2));
    }

    const Array& f_;
    const int axis_;
    const std::int64_t extent_;
    std::optional<Array> distance_;
    std::optional<Array> steps_;
};

}  // namespace

Array diff(const Array& array, int axis, int n, const std::optional<Operand>& prepend,
           const std::optional<Operand>& append) {
    const int along = checked_axis(axis, array.ndim());
    if (n == 0) return array;
    std::vector<Array> pieces;
    if (prepend) pieces.push_back(end_piece(*prepend, array, along));
    pieces.push_back(array);
    if (append) pieces.push_back(end_piece(*append, array, along));
    if (pieces.size() == 1) return diff(array, axis, n);
    std::vector<const Array*> pointers;
    pointers.reserve(pieces.size());
    for (const Array& piece : pieces) pointers.push_back(&piece);
    return diff(concat(pointers, along), along, n);
}

Array ediff1d(const Array& array, const std::optional<Operand>& to_end,
              const std::optional<Operand>& to_begin) {
    const Array flat = array.reshape(Shape{-1});
    const Array differences = diff(flat);
    std::vector<Array> pieces;
    if (to_begin) pieces.push_back(flat_piece(*to_begin, flat));
    pieces.push_back(differences);
    if (to_end) pieces.push_back(flat_piece(*to_end, flat));
    if (pieces.size() == 1) return differences;
    std::vector<const Array*> pointers;
    pointers.reserve(pieces.size());
    for (const Array& piece : pieces) pointers.push_back(&piece);
    return astype(concat(pointers), differences.dtype(), false);
}

std::vector<Array> gradient(const Array& array, std::span<const Operand> spacing,
                            const std::optional<std::vector<int>>& axes, int edge_order) {
    array::require_numbers(array, "gradient");
    const Kind kind = array::kind_of(array);
    if (types::is_bool(kind)) {
        array::refuse_type("gradient got bool, which has no differences; use diff, or astype");
    }
    std::vector<int> along(static_cast<std::size_t>(array.ndim()));
    std::iota(along.begin(), along.end(), 0);
    if (axes) along = array::checked_axes(*axes, array.ndim(), "gradient");
    if (spacing.size() > 1 && spacing.size() != along.size()) {
        array::refuse_value("gradient got {} spacings for {} axes; give one for each, or one",
                            spacing.size(), along.size());
    }
    if (edge_order != 1 && edge_order != 2) {
        array::refuse_value("gradient got edge_order={}; it is 1 or 2", edge_order);
    }
    const Array f = types::is_integer(kind) ? array::converted(array, Kind::Float64) : array;
    std::vector<Array> results;
    for (std::size_t i = 0; i < along.size(); ++i) {
        const std::int64_t extent = array.shape()[along[i]];
        if (extent < edge_order + 1) {
            array::refuse_value(
                "gradient got axis {} with size {}; edge_order={} takes {} at least", along[i],
                extent, edge_order, edge_order + 1);
        }
        const Operand one =
            spacing.empty() ? Operand(Scalar(1.0)) : spacing[spacing.size() == 1 ? 0 : i];
        results.push_back(Gradient(f, along[i], one).result(edge_order));
    }
    return results;
}

Array trapezoid(const Array& y, const Array* x, double dx, int axis) {
    const int along = checked_axis(axis, y.ndim());
    const Array sums =
        add(part_along(y, along, 1, std::nullopt), part_along(y, along, std::nullopt, -1));
    const Reduction over{.axes = std::vector<int>{along}};
    if (x == nullptr) return sum(divide(multiply(sums, Scalar(dx)), Scalar(2.0)), over);
    array::require_same_device(y, *x, "trapezoid");
    const Array steps = x->ndim() == 1 ? lying_along(diff(*x), y, along) : diff(*x, axis);
    return sum(divide(multiply(steps, sums), Scalar(2.0)), over);
}

Array unwrap(const Array& phases, std::optional<double> discontinuity, int axis,
             std::optional<Scalar> period) {
    const int along = checked_axis(axis, phases.ndim());
    const Scalar full = period.value_or(Scalar(2 * std::numbers::pi));
    const Array change = diff(phases, along);
    const Operand both[] = {change, full};
    const DType type = result_type(both);
    const bool is_whole = types::is_integer(type.kind());
    const Scalar half = is_whole ? Scalar(full.as_int() / 2) : Scalar(full.real() / 2);
    const bool is_even = !is_whole || full.as_int() % 2 == 0;
    const Array wide = array::converted(change, type.kind());
    const Scalar low = is_whole ? Scalar(-half.as_int()) : Scalar(-half.real());
    Array inside = add(remainder(subtract(wide, low), full), low);
    if (is_even) {
        inside = where(logical_and(equal(inside, low), greater(wide, Scalar(0))), half, inside);
    }
    const double limit = discontinuity.value_or(full.real() / 2);
    const Array correction =
        where(less(abs(wide), Scalar(std::max(limit, 0.0))), Scalar(0), subtract(inside, wide));
    const Array first = array::converted(part_along(phases, along, 0, 1), type.kind());
    const Array rest = array::converted(part_along(phases, along, 1, std::nullopt), type.kind());
    const Array moved = add(rest, cumsum(correction, {.axis = along, .dtype = type}));
    const Array* const parts[] = {&first, &moved};
    return concat(parts, along);
}

}  // namespace warpwise
