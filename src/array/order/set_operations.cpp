// Operations on two sets of elements.
#include <array>

#include "src/array/order/sorting.hpp"
#include "src/array/refuse.hpp"
#include "src/types/promotion.hpp"
#include "warpwise/array_functions.hpp"
#include "warpwise/array_scans.hpp"
#include "warpwise/array_sorting.hpp"

namespace warpwise {
namespace {

Array elements_of(const Array& array, const Array& other, const char* function) {
    array::require_sortable(array, function);
    array::require_sortable(other, function);
    array::require_same_device(array, other, function);
    const Operand both[] = {array, other};
    return unique(array::converted(array, result_type(both).kind())).values;
}

}  // namespace

Array intersect1d(const Array& x1, const Array& x2) {
    const Array values = elements_of(x1, x2, "intersect1d");
    return compact(values, isin(values, elements_of(x2, x1, "intersect1d")));
}

Array union1d(const Array& x1, const Array& x2) {
    const Array first = elements_of(x1, x2, "union1d");
    const Array second = elements_of(x2, x1, "union1d");
    const std::array<const Array*, 2> both{&first, &second};
    return unique(concat(both)).values;
}

Array setdiff1d(const Array& x1, const Array& x2) {
    array::require_sortable(x2, "setdiff1d");
    array::require_sortable(x1, "setdiff1d");
    array::require_same_device(x1, x2, "setdiff1d");
    const Array values = unique(x1).values;
    return compact(values, isin(values, x2, /*invert=*/true));
}

Array setxor1d(const Array& x1, const Array& x2) {
    const Array first = elements_of(x1, x2, "setxor1d");
    const Array second = elements_of(x2, x1, "setxor1d");
    const Array left = compact(first, isin(first, second, /*invert=*/true));
    const Array right = compact(second, isin(second, first, /*invert=*/true));
    const std::array<const Array*, 2> both{&left, &right};
    return sort(concat(both), {.axis = 0});
}

}  // namespace warpwise
