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

}  // namespace warpwise::python
