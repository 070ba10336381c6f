// What NumPy's arrays have and the standard's do not: methods, each the function of that name, and
// flags.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "warpwise/array_numeric.hpp"
#include "warpwise/array_shapes.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

nb::object clip_to(const Array& self, nb::handle min, nb::handle max, nb::handle out) {
    std::array<std::optional<Array>, 2> lists;
    std::array<std::optional<Operand>, 2> limits;
    if (!min.is_none()) limits[0] = operand_beside(min, self, lists[0]);
    if (!max.is_none()) limits[1] = operand_beside(max, self, lists[1]);
    const Elementwise options{.out = optional_array(out, "out")};
    return result_or_out(clipped(self, limits[0], limits[1], options), out);
}

// A coordinate for each axis, or the number of an element in C order.
std::vector<IndexItem> element_index(const Array& self, const nb::args& given) {
    const bool is_tuple = given.size() == 1 && PyTuple_Check(given[0].ptr()) != 0;
    const nb::object index = is_tuple ? nb::object(given[0]) : nb::object(given);
    std::vector<IndexItem> items;
    for (const nb::handle one : index) items.emplace_back(integer_of(one, "item"));
    const auto rank = static_cast<std::size_t>(self.ndim());
    if (items.size() == rank) return items;
    if (items.size() != 1) {
        throw ArgumentError(ArgumentError::Kind::Value,
                            "item got " + std::to_string(items.size()) +
                                " indices for an array of " + std::to_string(rank) +
                                " axes; give one for each, or the number of an element");
    }
    std::int64_t place = std::get<std::int64_t>(items[0]);
    if (place < -self.size() || place >= self.size()) {
        throw ArgumentError(ArgumentError::Kind::Index,
                            "item got index " + std::to_string(place) + ", which is out of " +
                                "bounds for an array of " + std::to_string(self.size()) +
                                " elements");
    }
    if (place < 0) place += self.size();
    items.assign(rank, std::int64_t{0});
    for (std::size_t axis = rank; axis-- > 0;) {
        const std::int64_t extent = self.shape()[static_cast<int>(axis)];
        items[axis] = place % extent;
        place /= extent;
    }
    return items;
}

// NumPy's flags, as far as they are properties of arrays here.
struct ArrayFlags {
    bool c_contiguous;
    bool f_contiguous;
    bool writeable;

    bool is_either() const { return c_contiguous || f_contiguous; }
    bool is_fortran() const { return f_contiguous && !c_contiguous; }

    // By NumPy's names and their first letters; empty for others.
    std::optional<bool> find(std::string_view name) const {
        if (name == "C_CONTIGUOUS" || name == "CONTIGUOUS" || name == "C") return c_contiguous;
        if (name == "F_CONTIGUOUS" || name == "FORTRAN" || name == "F") return f_contiguous;
        if (name == "WRITEABLE" || name == "W") return writeable;
        if (name == "FORC") return is_either();
        if (name == "FNC") return is_fortran();
        return std::nullopt;
    }
};

void bind_flags_class(nb::module_& module) {
    nb::class_<ArrayFlags>(module, "ArrayFlags", "How the elements of an array lie.")
        .def_ro("c_contiguous", &ArrayFlags::c_contiguous,
                "Whether they lie without gaps, the last axis fastest.")
        .def_ro("f_contiguous", &ArrayFlags::f_contiguous,
                "Whether they lie without gaps, the first axis fastest.")
        .def_ro("writeable", &ArrayFlags::writeable)
        .def_prop_ro("forc", &ArrayFlags::is_either, "Whether either of both is true.")
        .def_prop_ro("fnc", &ArrayFlags::is_fortran,
                     "Whether f_contiguous is true and c_contiguous is not.")
        .def(
            "__getitem__",
            [](const ArrayFlags& self, const std::string& name) {
                const std::optional<bool> found = self.find(name);
                if (!found) {
                    throw nb::key_error(("no flag of this name: " + name).c_str());
                }
                return *found;
            },
            "name"_a)
        .def("__repr__", [](const ArrayFlags& self) {
            const auto text = [](bool value) { return value ? "True" : "False"; };
            return std::string("ArrayFlags(c_contiguous=") + text(self.c_contiguous) +
                   ", f_contiguous=" + text(self.f_contiguous) +
                   ", writeable=" + text(self.writeable) + ")";
        });
}

void bind_values(nb::class_<Array>& array) {
    array
        .def("clip", &clip_to, "min"_a = nb::none(), "max"_a = nb::none(), "out"_a = nb::none(),
             nb::sig("def clip(self, min: typing.Any = None, max: typing.Any = None, out: Array | "
                     "None = None) -> Array"),
             "Not below min nor above max; a limit of None is none.")
        .def(
            "item",
            [](const Array& self, const nb::args& index) {
                const std::vector<IndexItem> place = element_index(self, index);
                const auto value = [&] {
                    const GilRelease unlocked;
                    return self.at(place).item();
                };
                return to_python(value());
            },
            "index"_a, nb::sig("def item(self, *index: typing.Any) -> typing.Any"),
            "An element, by its coordinates or its number in C order.")
        .def(
            "round",
            [](const Array& self, int decimals, nb::handle out) {
                return written_or_new(round(self, decimals), out, "round");
            },
            "decimals"_a = 0, "out"_a = nb::none(),
            nb::sig("def round(self, decimals: int = 0, out: Array | None = None) -> Array"),
            "The nearest number with so many decimal places; of two the even one.")
        .def(
            "conjugate", [](const Array& self) { return conj(self); }, "The complex conjugate.")
        .def(
            "dot",
            [](const Array& self, const Array& b, nb::handle out) {
                return written_or_new(dot(self, b), out, "dot");
            },
            "b"_a, "out"_a = nb::none(),
            nb::sig("def dot(self, b: Array, out: Array | None = None) -> Array"),
            "The sum of products over the last axis and the second to last of b.")
        .def(
            "trace",
            [](const Array& self, std::int64_t offset, int axis1, int axis2, nb::handle dtype,
               nb::handle out) {
                return written_or_new(trace(self, offset, axis1, axis2, optional_dtype(dtype)), out,
                                      "trace");
            },
            "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1, "dtype"_a = nb::none(),
            "out"_a = nb::none(),
            nb::sig("def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: "
                    "typing.Any = None, out: Array | None = None) -> Array"),
            "The sum of diagonals.")
        .def("diagonal", &diagonal, "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1,
             nb::sig("def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> "
                     "Array"),
             "A read-only view of diagonals, which are the last axis.");
}

void bind_selection(nb::class_<Array>& array) {
    array
        .def("take", &taken, "indices"_a, "axis"_a = nb::none(), "out"_a = nb::none(),
             "mode"_a = "raise",
             nb::sig("def take(self, indices: typing.Any, axis: int | None = None, out: Array | "
                     "None = None, mode: str = 'raise') -> Array"),
             "The elements at indices along an axis, or of the raveled array.")
        .def(
            "put",
            [](Array& self, nb::handle indices, nb::handle values, const std::string& mode) {
                put_values(self, indices, values, mode, "indices");
            },
            "indices"_a, "values"_a, "mode"_a = "raise",
            nb::sig("def put(self, indices: typing.Any, values: typing.Any, mode: str = 'raise') "
                    "-> None"),
            "Writes values at positions in C order; of equal ones the last stays.")
        .def("choose", &chosen, "choices"_a, "out"_a = nb::none(), "mode"_a = "raise",
             nb::sig("def choose(self, choices: typing.Sequence[Array], out: Array | None = None, "
                     "mode: str = 'raise') -> Array"),
             "choices[self[i]][i].")
        .def("repeat", &repeated, "repeats"_a, "axis"_a = nb::none(),
             nb::sig("def repeat(self, repeats: typing.Any, axis: int | None = None) -> Array"),
             "Each element `repeats` times: a number for all, or one for each.")
        .def(
            "partition",
            [](Array& self, nb::handle kth, int axis) {
                self.assign(partitioned(self, kth, axis));
            },
            "kth"_a, "axis"_a = -1,
            nb::sig("def partition(self, kth: int | typing.Sequence[int], axis: int = -1) -> None"),
            "In place: element kth is where sort puts it, smaller ones before.")
        .def("argpartition", &partitioning, "kth"_a, "axis"_a.none() = -1,
             nb::sig("def argpartition(self, kth: int | typing.Sequence[int], axis: int | None = "
                     "-1) -> Array"),
             "The places that partition the array.");
}

}  // namespace

void bind_array_flags(nb::module_& module, nb::class_<Array>& array) {
    bind_flags_class(module);
    array.def_prop_ro(
        "flags",
        [](const Array& self) {
            return ArrayFlags{self.is_c_contiguous(), self.is_f_contiguous(), !self.is_read_only()};
        },
        "How the elements lie, under NumPy's names.");
    const auto flat_of = [](nb::handle self) {
        return nb::module_::import_("warpwise._numpy.flat").attr("Flat")(self);
    };
    array.def_prop_rw(
        "flat", flat_of,
        [flat_of](nb::handle self, nb::handle values) {
            nb::object flat = flat_of(self);
            flat[nb::slice(nb::none(), nb::none(), nb::none())] = values;
        },
        nb::for_getter(nb::sig("def flat(self) -> typing.Any")),
        nb::for_setter(nb::sig("def flat(self, values: typing.Any, /) -> None")),
        "The elements in C order, for reading and writing.");
}

void bind_array_numpy_methods(nb::class_<Array>& array) {
    bind_values(array);
    bind_selection(array);
}

}  // namespace warpwise::python
