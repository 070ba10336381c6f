// Splitting, stacking, padding, rotation and diagonals.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>
#include <utility>
#include <vector>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/arrays/index_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "warpwise/array_shapes.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

std::vector<std::int64_t> places_of(nb::handle object) {
    const Shape places = shape_of(object, "indices_or_sections");
    return {places.begin(), places.end()};
}

// One number, or a sequence of places.
template <class Sections, class Places>
nb::list parted(nb::handle given, Sections&& sections, Places&& places) {
    if (PyIndex_Check(given.ptr()) != 0) {
        return list_of(sections(integer_of(given, "indices_or_sections")));
    }
    const std::vector<std::int64_t> at = places_of(given);
    return list_of(places(std::span<const std::int64_t>(at)));
}

#define WARPWISE_SPLIT_SIG(name) \
    nb::sig("def " name          \
            "(x: Array, /, indices_or_sections: int | typing.Sequence[int]) -> list[Array]")

void bind_splits(nb::module_& module) {
    module.def(
        "split",
        [](const Array& x, nb::handle at, int axis) {
            return parted(
                at, [&](auto n) { return split(x, n, axis); },
                [&](auto places) { return split(x, places, axis); });
        },
        nb::arg(), "indices_or_sections"_a, "axis"_a = 0,
        nb::sig("def split(x: Array, /, indices_or_sections: int | typing.Sequence[int], axis: int "
                "= 0) -> list[Array]"),
        "Views of equal parts along an axis, or of the parts between places.");
    module.def(
        "array_split",
        [](const Array& x, nb::handle at, int axis) {
            return parted(
                at, [&](auto n) { return array_split(x, n, axis); },
                [&](auto places) { return split(x, places, axis); });
        },
        nb::arg(), "indices_or_sections"_a, "axis"_a = 0,
        nb::sig("def array_split(x: Array, /, indices_or_sections: int | typing.Sequence[int], "
                "axis: int = 0) -> list[Array]"),
        "As split; the first parts may be longer by one.");
#define WARPWISE_SPLIT(name, doc)                              \
    module.def(                                                \
        #name,                                                 \
        [](const Array& x, nb::handle at) {                    \
            return parted(                                     \
                at, [&](auto n) { return name(x, n); },        \
                [&](auto places) { return name(x, places); }); \
        },                                                     \
        nb::arg(), "indices_or_sections"_a, WARPWISE_SPLIT_SIG(#name), doc)
    WARPWISE_SPLIT(hsplit, "split along the second axis, of 1-d arrays the first.");
    WARPWISE_SPLIT(vsplit, "split along the first axis.");
    WARPWISE_SPLIT(dsplit, "split along the third axis.");
#undef WARPWISE_SPLIT
#undef WARPWISE_SPLIT_SIG
}

void bind_stacks(nb::module_& module) {
#define WARPWISE_STACK(name, doc)                          \
    module.def(                                            \
        #name,                                             \
        [](nb::handle arrays) {                            \
            nb::object holder;                             \
            return name(arrays_of(arrays, holder, #name)); \
        },                                                 \
        nb::arg(), nb::sig("def " #name "(arrays: typing.Sequence[Array], /) -> Array"), doc)
    WARPWISE_STACK(vstack, "The arrays along the first axis, 1-d ones as rows.");
    WARPWISE_STACK(hstack, "The arrays along the second axis, 1-d ones along the first.");
    WARPWISE_STACK(dstack, "The arrays along the third axis, which those of fewer axes are given.");
    WARPWISE_STACK(column_stack, "1-d arrays as columns of a matrix.");
#undef WARPWISE_STACK
    module.def(
        "append",
        [](const Array& x, nb::handle values, std::optional<int> axis) {
            return append(x, array_beside(values, x, "values"), axis);
        },
        "arr"_a, "values"_a, "axis"_a = nb::none(),
        nb::sig("def append(arr: Array, values: typing.Any, axis: int | None = None) -> Array"),
        "The arrays one after another along an axis, or raveled.");
}

// One array for one, a tuple for several, as NumPy.
template <Array (*kFunction)(const Array&)>
void bind_at_least(nb::module_& module, const char* name, const char* sig, const char* doc) {
    module.def(
        name,
        [name](const nb::args& arrays) -> nb::object {
            nb::list all;
            for (const nb::handle each : arrays) {
                all.append(nb::steal(new_array(kFunction(array_of(each, name)))));
            }
            if (nb::len(all) == 1) return nb::object(all[0]);
            return nb::tuple(all);
        },
        nb::sig(sig), doc);
}

void bind_axes(nb::module_& module) {
    bind_at_least<&atleast_1d>(module, "atleast_1d", "def atleast_1d(*arrays: Array) -> typing.Any",
                               "A view with one axis at least.");
    bind_at_least<&atleast_2d>(module, "atleast_2d", "def atleast_2d(*arrays: Array) -> typing.Any",
                               "A view with two axes at least, new ones in front.");
    bind_at_least<&atleast_3d>(module, "atleast_3d", "def atleast_3d(*arrays: Array) -> typing.Any",
                               "A view with three axes at least.");
    module.def("rollaxis", &rollaxis, nb::arg(), "axis"_a, "start"_a = 0,
               nb::sig("def rollaxis(x: Array, /, axis: int, start: int = 0) -> Array"),
               "A view with an axis moved in front of another.");
    module.def("fliplr", &fliplr, nb::arg(), nb::sig("def fliplr(x: Array, /) -> Array"),
               "A view with the second axis reversed.");
    module.def("flipud", &flipud, nb::arg(), nb::sig("def flipud(x: Array, /) -> Array"),
               "A view with the first axis reversed.");
    module.def(
        "rot90",
        [](const Array& x, int k, nb::handle axes) {
            const std::vector<int> plane = axes_of(axes, "axes");
            if (plane.size() != 2) {
                throw ArgumentError(ArgumentError::Kind::Value,
                                    "axes expects two ints, got " + value_text(axes));
            }
            return rot90(x, k, {plane[0], plane[1]});
        },
        nb::arg(), "k"_a = 1, "axes"_a = nb::make_tuple(0, 1),
        nb::sig("def rot90(x: Array, /, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Array"),
        "A view turned by 90 degrees k times, from the first axis towards the second.");
    module.def("diagonal", &diagonal, nb::arg(), "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1,
               nb::sig("def diagonal(x: Array, /, offset: int = 0, axis1: int = 0, axis2: int = 1) "
                       "-> Array"),
               "A read-only view of diagonals, which are the last axis.");
    module.def(
        "trace",
        [](const Array& x, std::int64_t offset, int axis1, int axis2, nb::handle dtype,
           nb::handle out) {
            return written_or_new(trace(x, offset, axis1, axis2, optional_dtype(dtype)), out,
                                  "trace");
        },
        nb::arg(), "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1, "dtype"_a = nb::none(),
        "out"_a = nb::none(),
        nb::sig("def trace(x: Array, /, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: "
                "typing.Any = None, out: Array | None = None) -> Array"),
        "The sum of diagonals.");
    module.def("diag", &diag, nb::arg(), "k"_a = 0,
               nb::sig("def diag(x: Array, /, k: int = 0) -> Array"),
               "A diagonal of a matrix, or the matrix with this diagonal.");
    module.def("diagflat", &diagflat, nb::arg(), "k"_a = 0,
               nb::sig("def diagflat(x: Array, /, k: int = 0) -> Array"),
               "The matrix with the raveled array as its diagonal.");
}

// An item, or (before, after), or one of these for each axis.
template <class Item, class Read>
std::vector<std::pair<Item, Item>> pairs_of(nb::handle given, Read&& read, const char* role) {
    const auto is_one = [](nb::handle object) {
        return PySequence_Check(object.ptr()) == 0 || array_in(object) != nullptr;
    };
    if (is_one(given)) return {{read(given), read(given)}};
    std::vector<nb::object> items;
    for (const nb::handle each : given) items.push_back(nb::borrow(each));
    if (!items.empty() && is_one(items[0])) {
        if (items.size() == 1) return {{read(items[0]), read(items[0])}};
        if (items.size() == 2) return {{read(items[0]), read(items[1])}};
    }
    std::vector<std::pair<Item, Item>> pairs;
    for (const nb::object& each : items) {
        if (is_one(each) || nb::len(each) < 1 || nb::len(each) > 2) {
            throw ArgumentError(ArgumentError::Kind::Value,
                                std::string(role) +
                                    " expects a number, (before, after), or such a pair for each "
                                    "axis, got " +
                                    value_text(given));
        }
        const nb::object first(each[0]);
        pairs.emplace_back(read(first),
                           nb::len(each) == 2 ? read(nb::object(each[1])) : read(first));
    }
    return pairs;
}

nb::list list_of_pairs(const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs) {
    nb::list list;
    for (const auto& [before, after] : pairs) list.append(nb::make_tuple(before, after));
    return list;
}

// What is left is for functions alone.
void require_no_more(const nb::kwargs& more) {
    for (const auto [name, value] : more) {
        throw ArgumentError(ArgumentError::Kind::Type,
                            "pad() has no parameter " + value_text(name) +
                                " for modes that are strings; it takes 'constant_values', "
                                "'end_values', 'stat_length' and 'reflect_type'");
    }
}

std::string string_of(nb::handle object, const char* role) {
    if (nb::isinstance<nb::str>(object)) return nb::cast<std::string>(object);
    throw ArgumentError(
        ArgumentError::Kind::Type,
        std::string(role) + " expects a string or a function, got " + value_text(object));
}

bool is_odd_reflection(const std::string& type) {
    if (type == "odd" || type == "even") return type == "odd";
    throw ArgumentError(ArgumentError::Kind::Value,
                        "reflect_type expects 'even' or 'odd', got '" + type + "'");
}

void bind_padding(nb::module_& module) {
    module.def(
        "pad",
        [](const Array& x, nb::handle width, nb::handle mode, nb::handle constants, nb::handle ends,
           nb::handle stat_length, const std::string& reflect_type,
           const nb::kwargs& more) -> nb::object {
            const auto integers = [](nb::handle given, const char* role) {
                return pairs_of<std::int64_t>(
                    given, [&](nb::handle each) { return integer_of(each, role); }, role);
            };
            const auto widths = integers(width, "pad_width");
            if (PyCallable_Check(mode.ptr()) != 0) {
                return nb::module_::import_("warpwise._numpy.borders")
                    .attr("pad_by")(x, list_of_pairs(widths), mode, more);
            }
            require_no_more(more);
            const auto name = string_of(mode, "mode");
            const bool is_ramp = name == "linear_ramp";
            const char* const role = is_ramp ? "end_values" : "constant_values";
            Padding padding{.mode = name,
                            .values = pairs_of<Scalar>(
                                is_ramp ? ends : constants,
                                [&](nb::handle each) { return number_of(each, role); }, role),
                            .is_odd = is_odd_reflection(reflect_type)};
            if (!stat_length.is_none()) padding.stat_lengths = integers(stat_length, "stat_length");
            return nb::steal(new_array(pad(x, widths, padding)));
        },
        nb::arg(), "pad_width"_a, "mode"_a.none() = "constant", nb::kw_only(),
        "constant_values"_a = 0, "end_values"_a = 0, "stat_length"_a = nb::none(),
        "reflect_type"_a = "even", "kwargs"_a,
        nb::sig("def pad(x: Array, /, pad_width: typing.Any, mode: str | typing.Callable[..., "
                "typing.Any] = 'constant', *, constant_values: typing.Any = 0, end_values: "
                "typing.Any = 0, stat_length: typing.Any = None, reflect_type: str = 'even', "
                "**kwargs: typing.Any) -> Array"),
        "The array with a border: 'constant', 'edge', 'reflect', 'symmetric', 'wrap', "
        "'linear_ramp', 'maximum', 'minimum', 'mean', 'median', 'empty', or what a function "
        "writes: function(row, (before, after), axis, kwargs), for each row of each axis.");
}

}  // namespace

void bind_array_shapes(nb::module_& module) {
    bind_splits(module);
    bind_stacks(module);
    bind_axes(module);
    bind_padding(module);
}

}  // namespace warpwise::python
