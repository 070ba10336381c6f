// x[...] and x[...] = value: integers, slices, None and ... ; names of fields.
#include <nanobind/stl/string.h>

#include <array>
#include <string>

#include "python/bindings/array_values.hpp"
#include "python/bindings/bind_array_operators.hpp"
#include "python/bindings/describe.hpp"
#include "python/bindings/hot_call.hpp"
#include "python/bindings/numpy_types.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

std::optional<std::int64_t> bound_of(PyObject* object) {
    if (object == Py_None) return std::nullopt;
    const nb::object index = nb::steal(PyNumber_Index(object));
    if (!index.is_valid()) {
        PyErr_Clear();
        throw ArgumentError(ArgumentError::Kind::Type,
                            "a slice expects ints or None, got " + value_text(object));
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
    return overflow > 0 ? INT64_MAX : overflow < 0 ? INT64_MIN : value;
}

Slice slice_of(PyObject* object) {
    const nb::handle slice(object);
    return {bound_of(nb::object(slice.attr("start")).ptr()),
            bound_of(nb::object(slice.attr("stop")).ptr()),
            bound_of(nb::object(slice.attr("step")).ptr())};
}

[[noreturn]] void refuse_advanced(nb::handle item) {
    const Array* const array = array_in(item);
    const bool is_mask =
        PyBool_Check(item.ptr()) || (array != nullptr && array->dtype().kind() == Kind::Bool);
    const std::string what =
        array != nullptr ? "an array of " + array->dtype().name() : value_text(item);
    throw UnsupportedError(
        "indexing by " + what + " (advanced indexing) is not in this version of Warpwise; " +
        (is_mask ? "use ww.where(mask, x, y)" : "index by ints, slices, None and ..."));
}

IndexItem item_of(PyObject* object) {
    if (PyLong_CheckExact(object)) return integer_of(object, "an index");
    if (PySlice_Check(object)) return slice_of(object);
    if (object == Py_None) return NewAxis{};
    if (object == Py_Ellipsis) return Ellipsis{};
    const bool is_list = PyList_Check(object) || PyTuple_Check(object);
    if (PyBool_Check(object) || is_list || array_in(object) != nullptr ||
        numpy_types().is_array(object) || numpy_types().scalar_kind(object) == Kind::Bool) {
        refuse_advanced(object);
    }
    if (PyIndex_Check(object) != 0) return integer_of(object, "an index");
    throw ArgumentError(ArgumentError::Kind::Index,
                        "an index expects ints, slices, None, ... or the name of a field, got " +
                            value_text(object));
}

Array at(const Array& array, PyObject* key) {
    if (PyUnicode_Check(key)) return array.field(nb::cast<std::string>(nb::handle(key)));
    if (!PyTuple_Check(key)) {
        const IndexItem item = item_of(key);
        return array.at(std::span(&item, 1));
    }
    std::array<IndexItem, 2 * kMaxRank + 1> items;
    const auto count = static_cast<std::size_t>(PyTuple_Size(key));
    if (count > items.size()) {
        throw ArgumentError(ArgumentError::Kind::Index,
                            "too many indices: an array has at most " + std::to_string(kMaxRank) +
                                " axes, and the index has " + std::to_string(count) + " parts");
    }
    for (std::size_t i = 0; i < count; ++i) {
        items[i] = item_of(PyTuple_GetItem(key, static_cast<Py_ssize_t>(i)));
    }
    return array.at(std::span(items.data(), count));
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
    Array target = at(array_of(self, "x[...] = value"), key);
    const Operand operand = operand_of(value);
    // `x[i] += 1` writes in place and then assigns the part to itself.
    if (operand.array() == nullptr)
        target.assign(operand.scalar());
    else if (!operand.array()->shows_same(target))
        target.assign(*operand.array());
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

}  // namespace

std::span<const PyType_Slot> array_index_slots() {
    static const PyType_Slot slots[] = {
        {Py_mp_subscript, reinterpret_cast<void*>(&subscript)},
        {Py_mp_ass_subscript, reinterpret_cast<void*>(&assign_subscript)},
    };
    return slots;
}

}  // namespace warpwise::python
