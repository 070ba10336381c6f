// What types written without nanobind share: their slots, and members by the names of Python 3.12.
#pragma once

#include "python/bindings/bindings.hpp"

#if PY_VERSION_HEX < 0x030C0000
#include <structmember.h>
#define Py_T_PYSSIZET T_PYSSIZET
#define Py_T_OBJECT_EX T_OBJECT_EX
#define Py_READONLY READONLY
#define _Py_T_OBJECT T_OBJECT
#endif

namespace warpwise::python {

// Of a member that is an object, or null, which Python sees as None.
constexpr int kObjectOrNone = _Py_T_OBJECT;

template <class Function>
void* slot(Function* function) {
    return reinterpret_cast<void*>(function);
}

// The end of an object of a heap type, whose members have ended: what a tp_dealloc does last.
inline void free_object(PyObject* self) noexcept {
    PyTypeObject* const type = Py_TYPE(self);
    const auto release = reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free));
    release(self);
    Py_DECREF(reinterpret_cast<PyObject*>(type));
}

}  // namespace warpwise::python
