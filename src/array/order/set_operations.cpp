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

// The elements of the raveled array, of the common type, sorted; each once, unless they are so.
Array elements_of(const Array& array, const Array& other, const char* function,
                  bool assume_unique = false) {
    array::require_sortable(array, function);
    array::require_sortable(other, function);
    array::require_same_device(array, other, function);
    const Operand both[] = {array, other};
    const Array typed = array::converted(array, result_type(both).kind());
    return assume_unique ? sort(typed, {.axis = std::nullopt}) : unique(typed).values;
}

// The same, and the place of each.
struct Placed {
    Array values, places;

    Placed(const Array& array, const Array& other, bool assume_unique) {
        const char* const function = "intersect1d";
        array::require_sortable(array, function);
        array::require_sortable(other, function);
        array::require_same_device(array, other, function);
        const Operand both[] = {array, other};
        const Array typed = array::converted(array, result_type(both).kind());
        if (assume_unique) {
            places = argsort(typed, {.axis = std::nullopt});
            values = take(typed, places);
        } else {
            Unique found = unique(typed, {.indices = true});
            values = found.values;
            places = *found.indices;
        }
    }
};

}  // namespace

Array intersect1d(const Array& x1, const Array& x2, bool assume_unique) {
    const Array values = elements_of(x1, x2, "intersect1d", assume_unique);
    return compact(values, isin(values, elements_of(x2, x1, "intersect1d", assume_unique)));
}

Intersection intersection(const Array& x1, const Array& x2, bool assume_unique) {
    const Placed first(x1, x2, assume_unique);
    const Placed second(x2, x1, assume_unique);
    const Array in_second = isin(first.values, second.values);
    return {compact(first.values, in_second), compact(first.places, in_second),
            compact(second.places, isin(second.values, first.values))};
}

Array union1d(const Array& x1, const Array& x2) {
    const Array first = elements_of(x1, x2, "union1d");
    const Array second = elements_of(x2, x1, "union1d");
    const std::array<const Array*, 2> both{&first, &second};
    return unique(concat(both)).values;
}

Array setdiff1d(const Array& x1, const Array& x2, bool assume_unique) {
    array::require_sortable(x2, "setdiff1d");
    array::require_sortable(x1, "setdiff1d");
    array::require_same_device(x1, x2, "setdiff1d");
    const Array values = assume_unique ? ravel(x1) : unique(x1).values;
    return compact(values, isin(values, x2, /*invert=*/true));
}

Array setxor1d(const Array& x1, const Array& x2, bool assume_unique) {
    const Array first = elements_of(x1, x2, "setxor1d", assume_unique);
    const Array second = elements_of(x2, x1, "setxor1d", assume_unique);
    const Array left = compact(first, isin(first, second, /*invert=*/true));
    const Array right = compact(second, isin(second, first, /*invert=*/true));
    const std::array<const Array*, 2> both{&left, &right};
    return sort(concat(both), {.axis = 0});
}

}  // namespace warpwise
