// Instances of the extension's classes, accessed without nanobind's look-up of types and
// conversions.
#pragma once

#include <nanobind/nanobind.h>

#include <new>
#include <utility>

namespace warpwise::python {

// The class of T, known since it was bound.
template <class T>
[[gnu::always_inline]] inline PyTypeObject* type_of() noexcept {
    static PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(nanobind::type<T>().ptr());
    return type;
}

// Whether an object is a class, `base` or derived from it.
inline bool is_class_of(nanobind::handle object, PyTypeObject* base) noexcept {
    return PyType_Check(object.ptr()) != 0 &&
           PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(object.ptr()), base) != 0;
}

// The value of an instance of one of nanobind's classes; null where it has none yet, like
// Buffer.__new__(Buffer).
void* value_in(nanobind::handle instance) noexcept;

// The value of `object`, if it is exactly of that class and has one; null for instances of
// derived classes too.
template <class T>
[[gnu::always_inline]] inline T* exactly(nanobind::handle object) noexcept {
    if (Py_TYPE(object.ptr()) != type_of<T>()) return nullptr;
    return static_cast<T*>(value_in(object));
}

// A new instance that holds `value`.
template <class T>
nanobind::object make_instance(T&& value) {
    nanobind::object made =
        nanobind::inst_alloc(reinterpret_cast<PyObject*>(type_of<std::remove_cvref_t<T>>()));
    if (!made.is_valid()) throw nanobind::python_error();
    new (nanobind::inst_ptr<void>(made)) std::remove_cvref_t<T>(std::forward<T>(value));
    nanobind::inst_mark_ready(made);
    return made;
}

}  // namespace warpwise::python
