// Linear interpolation between points.
#include <algorithm>
#include <cmath>

#include "src/array/parts.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_numeric.hpp"
#include "warpwise/array_sorting.hpp"

namespace warpwise {
namespace {

struct Points {
    Array x;
    Array f;
};

// Sorted within one period, with the last point in front and the first one behind.
Points periodic(const Points& points, double period) {
    const Array inside = remainder(points.x, Scalar(period));
    const Array order = argsort(inside);
    const Array x = take(inside, order, 0, "clip");
    const Array f = take(points.f, order, 0, "clip");
    const Slice first{0, 1, std::nullopt};
    const Slice last{-1, std::nullopt, std::nullopt};
    const Array x_before = subtract(x.at({last}), Scalar(period));
    const Array x_behind = add(x.at({first}), Scalar(period));
    const Array f_before = f.at({last});
    const Array f_behind = f.at({first});
    const Array* const xs[] = {&x_before, &x, &x_behind};
    const Array* const fs[] = {&f_before, &f, &f_behind};
    return {concat(xs), concat(fs)};
}

// On the line through two points. Where one is infinite, what the other one gives, as NumPy's.
Array between(const Array& at, const Array& x0, const Array& x1, const Array& f0, const Array& f1) {
    const Array slope = divide(subtract(f1, f0), subtract(x1, x0));
    const Array from_first = add(multiply(slope, subtract(at, x0)), f0);
    const Array from_second = add(multiply(slope, subtract(at, x1)), f1);
    const Array value = where(isnan(from_first), from_second, from_first);
    return where(logical_and(isnan(value), equal(f0, f1)), f0, value);
}

// Of complex values: a product with a real number has no infinite part times zero then.
Array by_parts(const Array& at, const Array& x0, const Array& x1, const Array& f0,
               const Array& f1) {
    Array result = empty(at.shape(), f0.dtype(), at.device());
    result.real().assign(between(at, x0, x1, f0.real(), f1.real()));
    result.imag().assign(between(at, x0, x1, f0.imag(), f1.imag()));
    return result;
}

}  // namespace

Array interp(const Array& x, const Array& xp, const Array& fp, std::optional<double> left,
             std::optional<double> right, std::optional<double> period) {
    for (const Array* one : {&xp, &fp}) {
        array::require_same_device(x, *one, "interp");
        array::require_numbers(*one, "interp");
        if (one->ndim() == 1 && one->size() == xp.size() && xp.size() > 0) continue;
        array::refuse_value(
            "interp got points of shapes {} and {}; give one axis of as many of both",
            text_of(xp.shape()), text_of(fp.shape()));
    }
    if (period && (*period == 0 || !std::isfinite(*period))) {
        array::refuse_value("interp got period={}; give a number other than 0", *period);
    }
    const bool is_complex = types::is_complex(array::kind_of(fp));
    const Kind kind = is_complex ? Kind::Complex128 : Kind::Float64;
    Array at = array::converted(x, Kind::Float64);
    Points points{array::converted(xp, Kind::Float64), array::converted(fp, kind)};
    if (period) {
        at = remainder(at, Scalar(std::abs(*period)));
        points = periodic(points, std::abs(*period));
    }
    const std::int64_t count = points.x.size();
    const Array behind = searchsorted(points.x, at, Side::Right);
    const Array place = subtract(behind, Scalar(1));
    const Array below =
        minimum(maximum(place, Scalar(0)), Scalar(std::max<std::int64_t>(count - 2, 0)));
    const Array above = minimum(add(below, Scalar(1)), Scalar(count - 1));
    const Array x0 = take(points.x, below, 0, "clip");
    const Array x1 = take(points.x, above, 0, "clip");
    const Array f0 = take(points.f, below, 0, "clip");
    const Array f1 = take(points.f, above, 0, "clip");
    const Array inside = is_complex ? by_parts(at, x0, x1, f0, f1) : between(at, x0, x1, f0, f1);
    const Array first = points.f.at({std::int64_t{0}});
    const Array last = points.f.at({std::int64_t{-1}});
    const Array low = left && !period
                          ? array::constant(Scalar(*left), kind, Shape{}, array::context_of(x))
                          : first;
    const Array high = right && !period
                           ? array::constant(Scalar(*right), kind, Shape{}, array::context_of(x))
                           : last;
    // At a point exactly, its value: the slope beside it may be infinite.
    // Of one point there is no slope.
    Array result = count == 1 ? f0 : where(equal(at, x0), f0, inside);
    result = where(greater(at, points.x.at({std::int64_t{-1}})), high, result);
    result = where(equal(at, points.x.at({std::int64_t{-1}})), last, result);
    result = where(less(at, points.x.at({std::int64_t{0}})), low, result);
    return count == 1 ? result : where(isnan(at), at, result);
}

}  // namespace warpwise
