// x[...] and x[...] = value: integers, slices, None, ... and index arrays; names of fields. Then
// the functions that read and write by index arrays, and index arithmetic.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <array>
#include <optional>
#include <string>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array.hpp"
#include "python/bindings/arrays/bind_array_operators.hpp"
#include "python/bindings/arrays/index_values.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/hot_call.hpp"
#include "warpwise/array_shapes.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

// Calls `use` with the entries of an index that names no field.
template <class Use>
auto with_items(const Array& array, PyObject* key, Use&& use) {
    if (!PyTuple_Check(key)) {
        const IndexItem item = index_item(array, key);
        return use(std::span(&item, 1));
    }
    std::array<IndexItem, 2 * kMaxRank + 1> items;
    const auto count = static_cast<std::size_t>(PyTuple_Size(key));
    if (count > items.size()) {
        throw ArgumentError(ArgumentError::Kind::Index,
                            "too many indices: an array has at most " + std::to_string(kMaxRank) +
                                " axes, and the index has " + std::to_string(count) + " parts");
    }
    for (std::size_t i = 0; i < count; ++i) {
        items[i] = index_item(array, PyTuple_GetItem(key, static_cast<Py_ssize_t>(i)));
    }
    return use(std::span<const IndexItem>(items.data(), count));
}

Array at(const Array& array, PyObject* key) {
    if (PyUnicode_Check(key)) return array.field(text_of(nb::handle(key)));
    return with_items(array, key, [&](auto items) { return array.at(items); });
}

PyObject* subscript(PyObject* self, PyObject* key) noexcept {
    try {
        return new_array(at(array_of(self, "x[...]"), key));
    } catch (...) {
        raise_current();
        return nullptr;
    }
}

void assign(PyObject* self, PyObject* key, PyObject* value) {
    if (value == nullptr) {
        throw ArgumentError(ArgumentError::Kind::Type, "elements of an array cannot be deleted");
    }
    Array& array = array_of(self, "x[...] = value");
    std::optional<Array> list;
    if (PyUnicode_Check(key)) {
        at(array, key).assign({}, operand_beside(value, array, list));
        return;
    }
    const Operand values = operand_beside(value, array, list);
    with_items(array, key, [&](std::span<const IndexItem> items) { array.assign(items, values); });
}

int assign_subscript(PyObject* self, PyObject* key, PyObject* value) noexcept {
    try {
        assign(self, key, value);
        return 0;
    } catch (...) {
        raise_current();
        return -1;
    }
}

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

void bind_indices(nb::module_& module) {
    module.def(
        "indices",
        [](nb::handle dimensions, nb::handle dtype, bool sparse, nb::handle device) -> nb::object {
            const Shape shape = shape_of(dimensions, "dimensions");
            const DType type = dtype.is_none() ? DType(Kind::Int64) : dtype_of(dtype);
            const auto on = optional_device(device);
            if (sparse) return nb::tuple(list_of(sparse_indices(shape, type, on)));
            return nb::steal(new_array(indices(shape, type, on)));
        },
        "dimensions"_a, "dtype"_a = nb::none(), "sparse"_a = false, nb::kw_only(),
        "device"_a = nb::none(),
        nb::sig("def indices(dimensions: typing.Sequence[int], dtype: typing.Any = None, sparse: "
                "bool = False, *, device: Device | str | None = None) -> typing.Any"),
        "The coordinates of a grid, along the first axis; sparse: a tuple that broadcasts to it.");
    module.def(
        "unravel_index",
        [](nb::handle positions, nb::handle shape, nb::handle order) {
            return nb::tuple(
                list_of(unravel_index(integer_indices(positions, "indices"), shape_of(shape),
                                      order_of(order).value_or(Order::C))));
        },
        "indices"_a, "shape"_a, "order"_a.none() = "C",
        nb::sig("def unravel_index(indices: typing.Any, shape: int | typing.Sequence[int], order: "
                "str | None = 'C') -> tuple[Array, ...]"),
        "Positions as coordinates.");
    module.def(
        "ravel_multi_index",
        [](nb::handle coordinates, nb::handle dimensions, const std::string& mode,
           nb::handle order) {
            nb::object holder;
            return ravel_multi_index(arrays_of(coordinates, holder, "ravel_multi_index"),
                                     shape_of(dimensions, "dims"), mode,
                                     order_of(order).value_or(Order::C));
        },
        "multi_index"_a, "dims"_a, "mode"_a = "raise", "order"_a.none() = "C",
        nb::sig("def ravel_multi_index(multi_index: typing.Sequence[Array], dims: "
                "typing.Sequence[int], mode: str = 'raise', order: str | None = 'C') -> Array"),
        "Coordinates as positions.");
}

}  // namespace

std::span<const PyType_Slot> array_index_slots() {
    static const PyType_Slot slots[] = {
        {Py_mp_subscript, reinterpret_cast<void*>(&subscript)},
        {Py_mp_ass_subscript, reinterpret_cast<void*>(&assign_subscript)},
    };
    return slots;
}

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
    bind_indices(module);
}

}  // namespace warpwise::python
