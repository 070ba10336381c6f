// The object of an array_holder, for the files that implement it.
#pragma once

#include "python/bindings/bindings.hpp"
#include "warpwise/array.hpp"

namespace warpwise::python::holder {

// Null stands for None.
struct Object {
    PyObject_HEAD PyObject* array;
    PyObject* allocator;
    PyObject* memory;
    PyObject* base;
};

inline Object& object_of(PyObject* self) noexcept {
    return *reinterpret_cast<Object*>(self);
}

// A reference of the caller's to a member, which another thread may replace meanwhile.
inline nb::object member(PyObject* self, PyObject* Object::* which) {
    const nb::ft_object_guard guard(self);
    return nb::borrow(object_of(self).*which);
}
inline bool is_none(const nb::object& member) noexcept {
    return !member.is_valid() || member.is_none();
}

// Throws ArgumentError for None.
const Array& array_in(const nb::object& member);

// In a catch block: sets the error that the layer has in the place of one of ours.
void raise_for_layer(PyObject* self) noexcept;

template <class Function>
PyObject* guarded(PyObject* self, Function&& function) noexcept {
    try {
        return function();
    } catch (...) {
        raise_for_layer(self);
        return nullptr;
    }
}

// The array, in memory that its allocator is asked for now if it was not before; empty where it is
// not in C order.
nb::object array_in_c_order(PyObject* self);

// Getter and setter of `gpudata`, and the method `_placed`.
PyObject* gpudata(PyObject* self, void*) noexcept;
int set_gpudata(PyObject* self, PyObject* given, void*) noexcept;
PyObject* placed_method(PyObject* self, PyObject*) noexcept;

}  // namespace warpwise::python::holder
