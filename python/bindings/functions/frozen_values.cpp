// See frozen_values.hpp. Uses only the stable ABI of Python 3.12.
#include "python/bindings/functions/frozen_values.hpp"

#include <dlfcn.h>

#include <bit>
#include <utility>

#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/instances.hpp"
#include "python/bindings/interpreter/type_slots.hpp"

namespace warpwise::python {

namespace {

// Python's own PyFunction_GetCode, which all versions export but the stable ABI does not name; the
// attribute takes 60 ns. Null where this process does not show it.
using CodeOf = PyObject* (*)(PyObject*);
const CodeOf kCodeOf = std::bit_cast<CodeOf>(dlsym(RTLD_DEFAULT, "PyFunction_GetCode"));

}  // namespace

FrozenValues::FrozenValues(const nb::list& entries) {
    for (const nb::handle one : entries) {
        const nb::object holder = one[0];
        entries_.push_back({holder, one[1], one[2], kind_of(holder, one[1])});
    }
}

FrozenValues::Holder FrozenValues::kind_of(nb::handle holder, nb::handle name) {
    if (PyDict_CheckExact(holder.ptr()) != 0) return Holder::kDict;
    if (kCodeOf == nullptr || text_of(name) != "__code__") return Holder::kObject;
    if (kCodeOf(holder.ptr()) != nullptr) return Holder::kFunction;
    PyErr_Clear();
    return Holder::kObject;
}

bool FrozenValues::are_current() const {
    for (const Entry& one : entries_)
        if (!is_current(one)) return false;
    return true;
}

bool FrozenValues::is_current(const Entry& one) {
    if (one.kind == Holder::kFunction) return kCodeOf(one.holder.ptr()) == one.value.ptr();
    if (one.kind == Holder::kDict) {
        if (PyDict_GetItemWithError(one.holder.ptr(), one.name.ptr()) == one.value.ptr())
            return true;
        if (PyErr_Occurred() != nullptr) PyErr_Clear();
        return false;
    }
    const nb::object found = nb::steal(PyObject_GetAttr(one.holder.ptr(), one.name.ptr()));
    if (!found.is_valid()) PyErr_Clear();
    return found.is(one.value);
}

int FrozenValues::traverse(visitproc visit, void* arg) const {
    for (const Entry& one : entries_) {
        Py_VISIT(one.holder.ptr());
        Py_VISIT(one.value.ptr());
    }
    return 0;
}

void FrozenValues::clear() noexcept {
    const std::vector<Entry> entries = std::exchange(entries_, {});
}

namespace {

int traverse_values(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
    const auto* const values = static_cast<const FrozenValues*>(value_in(self));
    return values == nullptr ? 0 : values->traverse(visit, arg);
}

int clear_values(PyObject* self) {
    if (auto* const values = static_cast<FrozenValues*>(value_in(self))) values->clear();
    return 0;
}

}  // namespace

void bind_frozen_values(nb::module_& module) {
    static PyType_Slot slots[] = {
        {Py_tp_traverse, slot(traverse_values)}, {Py_tp_clear, slot(clear_values)}, {}};
    nb::class_<FrozenValues>(module, "FrozenValues", nb::type_slots(slots),
                             "Globals and attributes with the values that were read.")
        .def(nb::init<const nb::list&>(), "entries"_a,
             nb::sig("def __init__(self, entries: list[tuple[typing.Any, str, typing.Any]]) -> "
                     "None"))
        .def("are_current", &FrozenValues::are_current, "Whether all of them are there still.");
}

}  // namespace warpwise::python
