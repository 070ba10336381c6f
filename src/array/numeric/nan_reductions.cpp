// Reductions that leave NaN out: it is replaced by what changes nothing, in the same kernel.
#include <cmath>
#include <limits>

#include "src/array/masked_reduction.hpp"
#include "src/array/reduction.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_numeric.hpp"

namespace warpwise {
namespace {

bool may_be_nan(const Array& array, const char* function) {
    array::require_numbers(array, function);
    const Kind kind = array::kind_of(array);
    return types::is_real_float(kind) || types::is_complex(kind);
}

Array without_nan(const Array& array, double instead) {
    return where(isnan(array), Scalar(instead), array);
}

void require_order(const Array& array, const char* function) {
    if (!types::is_complex(array::kind_of(array))) return;
    array::refuse_type("{} got {}; complex numbers have no order", function, array.dtype().name());
}

using Plain = Array (*)(const Array&, const Reduction&);

// The limit of the others; NaN where there are none.
Array limit(const Array& array, const Reduction& options, Plain plain, double instead,
            const char* name) {
    if (!may_be_nan(array, name)) return plain(array, options);
    require_order(array, name);
    // With a start there always is a value.
    if (array::is_masked(options)) return plain(without_nan(array, instead), options);
    Reduction inner = options;
    inner.out = nullptr;
    const Array value = plain(without_nan(array, instead), inner);
    const Array nothing = all(isnan(array), {.axes = options.axes, .keepdims = options.keepdims});
    const Scalar nan(std::numeric_limits<double>::quiet_NaN());
    return array::written(where(nothing, nan, value), options, name);
}

Array counts(const Array& array, const Reduction& options) {
    return sum(logical_not(isnan(array)), {.axes = options.axes,
                                           .keepdims = options.keepdims,
                                           .dtype = int64,
                                           .where = options.where});
}

using Position = Array (*)(const Array&, std::optional<int>, bool);

Array position(const Array& array, std::optional<int> axis, bool keepdims, Position plain,
               double instead, const char* name) {
    if (!may_be_nan(array, name)) return plain(array, axis, keepdims);
    require_order(array, name);
    Reduction over;
    if (axis) over.axes = std::vector<int>{*axis};
    const Array result = plain(without_nan(array, instead), axis, keepdims);
    if (any(all(isnan(array), over)).item().as_bool()) {
        array::refuse_value("{} got only NaN where it looks for a place; there is none", name);
    }
    return result;
}

Array spread(const Array& array, const Reduction& options, double correction, const char* name) {
    array::refuse_initial(options, name);
    const Reduction over{
        .axes = options.axes, .keepdims = true, .dtype = options.dtype, .where = options.where};
    const Array distance = subtract(array, nanmean(array, over));
    const Array magnitude = abs(distance);
    Reduction plain = options;
    plain.out = nullptr;
    if (types::is_complex(array::kind_of(array))) plain.dtype.reset();
    const Array total = nansum(multiply(magnitude, magnitude), plain);
    if (!std::isfinite(correction)) {
        array::refuse_value("{} got correction={}; give a number such as 0 or 1", name, correction);
    }
    const Array left = subtract(array::converted(counts(array, options), array::kind_of(total)),
                                Scalar(correction));
    const Scalar nan(std::numeric_limits<double>::quiet_NaN());
    return where(greater(left, Scalar(0)), divide(total, left), nan);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Array nansum(const Array& array, const Reduction& options) {
    return sum(may_be_nan(array, "nansum") ? without_nan(array, 0.0) : array, options);
}
Array nanprod(const Array& array, const Reduction& options) {
    return prod(may_be_nan(array, "nanprod") ? without_nan(array, 1.0) : array, options);
}
Array nanmin(const Array& array, const Reduction& options) {
    return limit(array, options, &min, kInfinity, "nanmin");
}
Array nanmax(const Array& array, const Reduction& options) {
    return limit(array, options, &max, -kInfinity, "nanmax");
}

Array nanmean(const Array& array, const Reduction& options) {
    if (!may_be_nan(array, "nanmean")) return mean(array, options);
    array::refuse_initial(options, "nanmean");
    Reduction inner = options;
    inner.out = nullptr;
    const Array total = nansum(array, inner);
    const Kind kind = types::real_kind(array::kind_of(total));
    return array::written(divide(total, array::converted(counts(array, options), kind)), options,
                          "nanmean");
}

Array nanvar(const Array& array, const Reduction& options, double correction) {
    if (!may_be_nan(array, "nanvar")) return var(array, options, correction);
    return array::written(spread(array, options, correction, "nanvar"), options, "nanvar");
}
Array nanstd(const Array& array, const Reduction& options, double correction) {
    if (!may_be_nan(array, "nanstd")) return std_(array, options, correction);
    return array::written(sqrt(spread(array, options, correction, "nanstd")), options, "nanstd");
}

Array nancumsum(const Array& array, const Cumulative& options) {
    return cumsum(may_be_nan(array, "nancumsum") ? without_nan(array, 0.0) : array, options);
}
Array nancumprod(const Array& array, const Cumulative& options) {
    return cumprod(may_be_nan(array, "nancumprod") ? without_nan(array, 1.0) : array, options);
}

Array nanargmin(const Array& array, std::optional<int> axis, bool keepdims) {
    return position(array, axis, keepdims, &argmin, kInfinity, "nanargmin");
}
Array nanargmax(const Array& array, std::optional<int> axis, bool keepdims) {
    return position(array, axis, keepdims, &argmax, -kInfinity, "nanargmax");
}

}  // namespace warpwise
