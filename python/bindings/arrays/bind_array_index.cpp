// x[...] and x[...] = value: integers, slices, None, ... and index arrays; names of fields.
#include <nanobind/stl/string.h>

#include <array>
#include <optional>
#include <string>

#include "python/bindings/arrays/array_import.hpp"
#include "python/bindings/arrays/array_values.hpp"
#include "python/bindings/arrays/bind_array_operators.hpp"
#include "python/bindings/arrays/index_values.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/hot_call.hpp"
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

}  // namespace

std::span<const PyType_Slot> array_index_slots() {
    static const PyType_Slot slots[] = {
        {Py_mp_subscript, reinterpret_cast<void*>(&subscript)},
        {Py_mp_ass_subscript, reinterpret_cast<void*>(&assign_subscript)},
    };
    return slots;
}

}  // namespace warpwise::python
