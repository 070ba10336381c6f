// Sorting, searching and sets.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>
#include <string_view>
#include <vector>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "warpwise/array_sorting.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

// numpy.sort's kind and order, which decide nothing here: every sort is stable.
void check_kind(nb::handle kind) {
    if (kind.is_none()) return;
    const std::string name = nb::isinstance<nb::str>(kind) ? text_of(kind) : "";
    for (const std::string_view known : {"quicksort", "heapsort", "mergesort", "stable"}) {
        if (name == known) return;
    }
    throw ArgumentError(ArgumentError::Kind::Value,
                        "kind got " + value_text(kind) +
                            "; it is 'quicksort', 'heapsort', 'mergesort' or 'stable'");
}

template <Array (*kFunction)(const Array&, const Sorting&)>
Array sorted(const Array& array, std::optional<int> axis, bool descending, bool /*stable*/,
             nb::handle kind) {
    check_kind(kind);
    return without_gil([&] { return kFunction(array, {.axis = axis, .descending = descending}); });
}

Side side_of(const std::string& side) {
    if (side == "left") return Side::Left;
    if (side == "right") return Side::Right;
    throw ArgumentError(ArgumentError::Kind::Value,
                        "side got '" + side + "'; it is 'left' or 'right'");
}

std::vector<std::int64_t> kth_of(nb::handle kth) {
    const Shape list = shape_of(kth, "kth");
    return {list.begin(), list.end()};
}

void bind_sorts(nb::module_& module, nb::class_<Array>& array) {
    module.def("sort", &sorted<&sort>, nb::arg(), "axis"_a.none() = -1, nb::kw_only(),
               "descending"_a = false, "stable"_a = true, "kind"_a = nb::none(),
               nb::sig("def sort(x: Array, /, axis: int | None = -1, *, descending: bool = False, "
                       "stable: bool = True, kind: str | None = None) -> Array"),
               "A sorted copy along an axis, NaN last; every sort is stable. axis=None: of the "
               "raveled array.");
    module.def("argsort", &sorted<&argsort>, nb::arg(), "axis"_a.none() = -1, nb::kw_only(),
               "descending"_a = false, "stable"_a = true, "kind"_a = nb::none(),
               nb::sig("def argsort(x: Array, /, axis: int | None = -1, *, descending: bool = "
                       "False, stable: bool = True, kind: str | None = None) -> Array"),
               "The int64 places along an axis that sort the array.");
    array.def("argsort", &sorted<&argsort>, "axis"_a.none() = -1, nb::kw_only(),
              "descending"_a = false, "stable"_a = true, "kind"_a = nb::none(),
              nb::sig("def argsort(self, axis: int | None = -1, *, descending: bool = False, "
                      "stable: bool = True, kind: str | None = None) -> Array"),
              "The int64 places along an axis that sort the array.");
    module.def(
        "lexsort",
        [](nb::handle keys, int axis) {
            nb::object holder;
            // A matrix has a key in each row.
            const Array* const matrix = array_in(keys);
            const std::vector<Array> rows =
                matrix != nullptr ? unstack(*matrix) : std::vector<Array>();
            std::vector<const Array*> all;
            if (matrix == nullptr) all = arrays_of(keys, holder, "lexsort");
            for (const Array& row : rows) all.push_back(&row);
            GilRelease unlocked;
            return lexsort(all, axis);
        },
        "keys"_a, "axis"_a = -1,
        nb::sig("def lexsort(keys: typing.Sequence[Array] | Array, axis: int = -1) -> Array"),
        "The int64 places that sort by the last key, of equal ones by the one before it.");
    array.def(
        "sort",
        [](Array& self, int axis, bool descending, nb::handle kind) {
            check_kind(kind);
            GilRelease unlocked;
            self.assign(sort(self, {.axis = axis, .descending = descending}));
        },
        "axis"_a = -1, nb::kw_only(), "descending"_a = false, "kind"_a = nb::none(),
        nb::sig("def sort(self, axis: int = -1, *, descending: bool = False, kind: str | None = "
                "None) -> None"),
        "Sorts the array in place.");
    module.def(
        "topk",
        [](const Array& x, std::int64_t k, int axis, bool largest) {
            TopK found = without_gil([&] { return topk(x, k, axis, largest); });
            return nb::make_tuple(nb::steal(new_array(std::move(found.values))),
                                  nb::steal(new_array(std::move(found.indices))));
        },
        nb::arg(), "k"_a, "axis"_a = -1, nb::kw_only(), "largest"_a = true,
        nb::sig("def topk(x: Array, /, k: int, axis: int = -1, *, largest: bool = True) -> "
                "tuple[Array, Array]"),
        "The k largest (or smallest) elements along an axis, in order, and their places.");
    module.def(
        "partition", &partitioned, nb::arg(), "kth"_a, "axis"_a.none() = -1,
        nb::sig("def partition(x: Array, /, kth: int | typing.Sequence[int], axis: int | None = "
                "-1) -> Array"),
        "Element kth is where sort puts it, smaller ones before; here all are sorted.");
    module.def(
        "argpartition", &partitioning, nb::arg(), "kth"_a, "axis"_a.none() = -1,
        nb::sig("def argpartition(x: Array, /, kth: int | typing.Sequence[int], axis: int | None "
                "= -1) -> Array"),
        "The places that partition the array.");
}

Array search(const Array& x1, nb::handle x2, const std::string& side, nb::handle sorter) {
    std::optional<Array> list;
    const Operand values = operand_beside(x2, x1, list);
    const Side from = side_of(side);
    const Array* const order = optional_array(sorter, "sorter");
    return without_gil([&] { return searchsorted(x1, values, from, order); });
}

void bind_searches(nb::module_& module, nb::class_<Array>& array) {
    module.def("searchsorted", &search, nb::arg(), nb::arg(), "side"_a = "left",
               "sorter"_a = nb::none(),
               nb::sig("def searchsorted(x1: Array, x2: typing.Any, /, side: str = 'left', "
                       "sorter: Array | None = None) -> Array"),
               "Where x2 belongs in the sorted x1: before what is equal, or ('right') behind it.");
    array.def("searchsorted", &search, nb::arg(), "side"_a = "left", "sorter"_a = nb::none(),
              nb::sig("def searchsorted(self, v: typing.Any, /, side: str = 'left', sorter: "
                      "Array | None = None) -> Array"),
              "Where v belongs in this sorted array.");
    module.def(
        "isin",
        [](const Array& elements, nb::handle test, bool invert) {
            const Array among = array_beside(test, elements, "x2");
            return without_gil([&] { return isin(elements, among, invert); });
        },
        nb::arg(), nb::arg(), nb::kw_only(), "invert"_a = false,
        nb::sig("def isin(x1: Array, x2: typing.Any, /, *, invert: bool = False) -> Array"),
        "Whether each element of x1 is among those of x2.");
    module.def(
        "digitize",
        [](const Array& x, nb::handle bins, bool right) {
            const Array edges = array_beside(bins, x, "bins");
            return without_gil([&] { return digitize(x, edges, right); });
        },
        nb::arg(), "bins"_a, "right"_a = false,
        nb::sig("def digitize(x: Array, /, bins: typing.Any, right: bool = False) -> Array"),
        "Which bin each element is in, of bins that increase or decrease.");
}

template <Array (*kFunction)(const Array&, const Array&, bool)>
void bind_set_operation(nb::module_& module, const char* name, const char* sig, const char* doc) {
    module.def(
        name,
        [](const Array& x1, nb::handle x2, bool assume_unique) {
            const Array other = array_beside(x2, x1, "x2");
            return without_gil([&] { return kFunction(x1, other, assume_unique); });
        },
        nb::arg(), nb::arg(), "assume_unique"_a = false, nb::sig(sig), doc);
}

// The values, or a tuple of the values and of where they come first.
nb::object intersected(const Array& x1, nb::handle x2, bool assume_unique, bool return_indices) {
    const Array other = array_beside(x2, x1, "x2");
    if (!return_indices) {
        return nb::steal(
            new_array(without_gil([&] { return intersect1d(x1, other, assume_unique); })));
    }
    Intersection found = without_gil([&] { return intersection(x1, other, assume_unique); });
    return nb::make_tuple(nb::steal(new_array(std::move(found.values))),
                          nb::steal(new_array(std::move(found.indices1))),
                          nb::steal(new_array(std::move(found.indices2))));
}

#define WARPWISE_SET_SIG(name, more) \
    "def " name "(x1: Array, x2: typing.Any, /, assume_unique: bool = False" more
#define WARPWISE_SET_TO_ARRAY(name) WARPWISE_SET_SIG(name, ") -> Array")

void bind_set_operations(nb::module_& module) {
    module.def(
        "intersect1d", &intersected, nb::arg(), nb::arg(), "assume_unique"_a = false,
        "return_indices"_a = false,
        nb::sig(WARPWISE_SET_SIG("intersect1d", ", return_indices: bool = False) -> typing.Any")),
        "The elements that are in both arrays, each once, sorted; with return_indices a "
        "tuple of them and of where they come first in either.");
    module.def(
        "union1d",
        [](const Array& x1, nb::handle x2) {
            const Array other = array_beside(x2, x1, "x2");
            return without_gil([&] { return union1d(x1, other); });
        },
        nb::arg(), nb::arg(), nb::sig("def union1d(x1: Array, x2: typing.Any, /) -> Array"),
        "The elements that are in either array, each once, sorted.");
    bind_set_operation<&setdiff1d>(
        module, "setdiff1d", WARPWISE_SET_TO_ARRAY("setdiff1d"),
        "The elements of x1 that are not in x2, each once, sorted; with assume_unique as in x1.");
    bind_set_operation<&setxor1d>(module, "setxor1d", WARPWISE_SET_TO_ARRAY("setxor1d"),
                                  "The elements that are in one array alone, each once, sorted.");
}

void append(nb::list& list, std::optional<Array>& array) {
    if (array) list.append(nb::steal(new_array(std::move(*array))));
}

nb::object parts_of(Unique&& found) {
    if (!found.indices && !found.inverse && !found.counts) {
        return nb::steal(new_array(std::move(found.values)));
    }
    nb::list list;
    list.append(nb::steal(new_array(std::move(found.values))));
    append(list, found.indices);
    append(list, found.inverse);
    append(list, found.counts);
    return nb::tuple(list);
}

// NumPy's named tuples of these functions.
nb::object named(const char* name, Unique&& found) {
    nb::object type = nb::module_::import_("warpwise._sets").attr(name);
    return type(*nb::tuple(parts_of(std::move(found))));
}

void bind_sets(nb::module_& module) {
    module.def(
        "unique",
        [](const Array& x, bool indices, bool inverse, bool counts, std::optional<int> axis,
           bool equal_nan) {
            const UniqueOptions options{indices, inverse, counts, equal_nan, axis};
            return parts_of(without_gil([&] { return unique(x, options); }));
        },
        nb::arg(), "return_index"_a = false, "return_inverse"_a = false, "return_counts"_a = false,
        "axis"_a = nb::none(), nb::kw_only(), "equal_nan"_a = true,
        nb::sig("def unique(x: Array, /, return_index: bool = False, return_inverse: bool = "
                "False, return_counts: bool = False, axis: int | None = None, *, equal_nan: bool = "
                "True) -> typing.Any"),
        "The elements of the raveled array, or what lies along an axis, each once, sorted; where "
        "each comes first, which of them each element is, and how often each occurs.");
    module.def(
        "unique_values",
        [](const Array& x) { return without_gil([&] { return unique_values(x); }); }, nb::arg(),
        nb::sig("def unique_values(x: Array, /) -> Array"),
        "The elements of the raveled array, each once, sorted; every NaN.");
    module.def(
        "unique_counts",
        [](const Array& x) {
            return named("UniqueCounts", without_gil([&] {
                             return unique(x, {.counts = true, .equal_nan = false});
                         }));
        },
        nb::arg(), nb::sig("def unique_counts(x: Array, /) -> typing.Any"),
        "The elements, each once, sorted, and how often each occurs: (values, counts).");
    module.def(
        "unique_inverse",
        [](const Array& x) {
            return named("UniqueInverse", without_gil([&] {
                             return unique(x, {.inverse = true, .equal_nan = false});
                         }));
        },
        nb::arg(), nb::sig("def unique_inverse(x: Array, /) -> typing.Any"),
        "The elements, each once, sorted, and which of them each element is: (values, "
        "inverse_indices).");
    module.def(
        "unique_all",
        [](const Array& x) {
            return named("UniqueAll", without_gil([&] { return unique_all(x); }));
        },
        nb::arg(), nb::sig("def unique_all(x: Array, /) -> typing.Any"),
        "The elements, each once, sorted, where each comes first, which of them each element is, "
        "and how often each occurs: (values, indices, inverse_indices, counts).");
}

}  // namespace

Array partitioned(const Array& array, nb::handle kth, std::optional<int> axis) {
    const std::vector<std::int64_t> places = kth_of(kth);
    return without_gil([&] { return partition(array, places, axis); });
}

Array partitioning(const Array& array, nb::handle kth, std::optional<int> axis) {
    const std::vector<std::int64_t> places = kth_of(kth);
    return without_gil([&] { return argpartition(array, places, axis); });
}

void bind_array_sorting(nb::module_& module, nb::class_<Array>& array) {
    bind_sorts(module, array);
    bind_searches(module, array);
    bind_sets(module);
    bind_set_operations(module);
}

}  // namespace warpwise::python
