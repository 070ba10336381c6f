// The base class of Python functions as kernels: launches by grid and block, kept.
//
// A launch of whole numbers alone is made once, by launch_of(key) of the derived class, and found
// again without running Python; every other key is passed to launch_of() each time.
#include "python/bindings/functions/launch_table.hpp"

#include "python/bindings/interpreter/instances.hpp"
#include "python/bindings/interpreter/raise.hpp"
#include "python/bindings/interpreter/type_slots.hpp"

namespace warpwise::python {
namespace {

constexpr Py_ssize_t kMostLaunches = 128;  // as many as Numba keeps

struct LaunchTable {
    LaunchTable() : known(nb::steal(PyDict_New())) {}
    nb::object known;
};

bool is_whole(PyObject* object) noexcept {
    return PyLong_CheckExact(object) != 0;
}

// A number, or a tuple of numbers: equal ones mean the same.
bool is_extent(PyObject* object) noexcept {
    if (is_whole(object)) return true;
    if (!PyTuple_CheckExact(object)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_Size(object); ++i) {
        if (!is_whole(PyTuple_GetItem(object, i))) return false;
    }
    return true;
}

bool is_kept(PyObject* key) noexcept {
    if (!PyTuple_CheckExact(key)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_Size(key); ++i) {
        if (!is_extent(PyTuple_GetItem(key, i))) return false;
    }
    return true;
}

// Each under the lock of the object: in Pythons without a GIL another thread may clear the table.
nb::object find(PyObject* self, const LaunchTable& table, PyObject* key) {
    const nb::ft_object_guard guard(self);
    PyObject* const found = PyDict_GetItemWithError(table.known.ptr(), key);
    if (found == nullptr && PyErr_Occurred() != nullptr) throw nb::python_error();
    return nb::borrow(found);
}

void keep(PyObject* self, const LaunchTable& table, PyObject* key, const nb::object& launch) {
    const nb::ft_object_guard guard(self);
    if (PyDict_Size(table.known.ptr()) >= kMostLaunches) PyDict_Clear(table.known.ptr());
    if (PyDict_SetItem(table.known.ptr(), key, launch.ptr()) != 0) throw nb::python_error();
}

PyObject* subscript(PyObject* self, PyObject* key) noexcept {
    try {
        auto* const table = static_cast<LaunchTable*>(value_in(self));
        const bool keeps = table != nullptr && is_kept(key);
        nb::object launch = keeps ? find(self, *table, key) : nb::object();
        if (!launch.is_valid()) {
            launch = nb::handle(self).attr("launch_of")(nb::handle(key));
            if (keeps) keep(self, *table, key, launch);
        }
        return launch.release().ptr();
    } catch (...) {
        raise_current();
        return nullptr;
    }
}

int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(reinterpret_cast<PyObject*>(Py_TYPE(self)));
    if (auto* const table = static_cast<LaunchTable*>(value_in(self))) {
        Py_VISIT(table->known.ptr());
    }
    return 0;
}

int clear(PyObject* self) {
    if (auto* const table = static_cast<LaunchTable*>(value_in(self))) {
        PyDict_Clear(table->known.ptr());
    }
    return 0;
}

}  // namespace

void bind_launch_table(nb::module_& module) {
    static PyType_Slot slots[] = {{Py_mp_subscript, slot(subscript)},
                                  {Py_tp_traverse, slot(traverse)},
                                  {Py_tp_clear, slot(clear)},
                                  {}};
    nb::class_<LaunchTable>(module, "LaunchTable", nb::type_slots(slots),
                            "Launches of a function by their grid and block, kept. A derived class "
                            "has launch_of(key).")
        .def(nb::init<>())
        .def(
            "forget_launches", [](LaunchTable& self) { PyDict_Clear(self.known.ptr()); },
            "Makes them again.");
}

}  // namespace warpwise::python
