// Functions that read and write by index arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/arrays/index_values.hpp"
#include "python/bindings/bindings.hpp"
#include "warpwise/array_shapes.hpp"

namespace warpwise::python {
namespace {

void bind_reading(nb::module_& module) {
    module.def(
        "take", &taken, nb::arg(), "indices"_a, "axis"_a = nb::none(), "out"_a = nb::none(),
        "mode"_a = "raise",
        nb::sig("def take(x: Array, /, indices: typing.Any, axis: int | None = None, out: Array | "
                "None = None, mode: str = 'raise') -> Array"),
        "The elements at indices along an axis, or of the raveled array; mode 'raise', 'wrap' or "
        "'clip'.");
    module.def(
        "take_along_axis",
        [](const Array& x, nb::handle indices, std::optional<int> axis) {
            return take_along_axis(x, integer_indices(indices, "indices"), axis);
        },
        nb::arg(), "indices"_a, "axis"_a = -1,
        nb::sig("def take_along_axis(x: Array, /, indices: typing.Any, axis: int | None = -1) -> "
                "Array"),
        "result[i, j] = x[i, indices[i, j]] for axis 1: what argsort and argmax index.");
}

void bind_insertion(nb::module_& module) {
    module.def(
        "delete",
        [](const Array& x, nb::handle object, std::optional<int> axis) {
            return delete_(x, indices_along(x, object, axis, "obj"), axis);
        },
        nb::arg(), "obj"_a, "axis"_a = nb::none(),
        nb::sig("def delete(x: Array, /, obj: typing.Any, axis: int | None = None) -> Array"),
        "Without the elements at an index, a slice or indices; without an axis, raveled.");
    module.def(
        "insert",
        [](const Array& x, nb::handle object, nb::handle values, std::optional<int> axis) {
            std::optional<Array> list;
            const Operand given = operand_beside(values, x, list);
            return insert(x, indices_along(x, object, axis, "obj"), given, axis);
        },
        nb::arg(), "obj"_a, "values"_a, "axis"_a = nb::none(),
        nb::sig("def insert(x: Array, /, obj: typing.Any, values: typing.Any, axis: int | None = "
                "None) -> Array"),
        "With values in front of an index, a slice or indices; without an axis, raveled.");
}

void bind_writing(nb::module_& module) {
    module.def(
        "put",
        [](Array& x, nb::handle indices, nb::handle values, const std::string& mode) {
            put_values(x, indices, values, mode, "ind");
        },
        nb::arg(), "ind"_a, "v"_a, "mode"_a = "raise",
        nb::sig("def put(x: Array, /, ind: typing.Any, v: typing.Any, mode: str = 'raise') -> "
                "None"),
        "Writes values at positions in C order; of equal ones the last stays.");
    module.def(
        "put_along_axis",
        [](Array& x, nb::handle indices, nb::handle values, std::optional<int> axis) {
            put_along_axis(x, integer_indices(indices, "indices"), operand_of(values), axis);
        },
        nb::arg(), "indices"_a, "values"_a, "axis"_a.none(),
        nb::sig("def put_along_axis(x: Array, /, indices: typing.Any, values: Array | complex, "
                "axis: int | None) -> None"),
        "Writes x[i, indices[i, j]] = values[i, j] for axis 1.");
}

}  // namespace

nb::object taken(const Array& array, nb::handle indices, std::optional<int> axis, nb::handle out,
                 const std::string& mode) {
    return written_or_new(take(array, integer_indices(indices, "indices"), axis, mode), out,
                          "take");
}

void put_values(Array& array, nb::handle indices, nb::handle values, const std::string& mode,
                const char* role) {
    std::optional<Array> list;
    put(array, integer_indices(indices, role), operand_beside(values, array, list), mode);
}

void bind_array_gather(nb::module_& module) {
    bind_reading(module);
    bind_insertion(module);
    bind_writing(module);
}

}  // namespace warpwise::python
