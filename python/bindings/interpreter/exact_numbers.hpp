// The values of Python's own ints and floats, without the guard of python_calls.cpp: reading them
// runs no code of a class. Launches read them in loops.
#pragma once

#include <nanobind/nanobind.h>

namespace warpwise::python {

// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
// The linker's names for what the guards call.
long long __real_PyLong_AsLongLongAndOverflow(PyObject* object, int* overflow);
double __real_PyFloat_AsDouble(PyObject* object);
}
// NOLINTEND(bugprone-reserved-identifier)

// Of an int or an instance of a class derived from it; `overflow` as Python's function has it.
inline long long value_of_int(nanobind::handle object, int& overflow) noexcept {
    return __real_PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
}

// Of exactly a float.
inline double value_of_float(nanobind::handle object) noexcept {
    return __real_PyFloat_AsDouble(object.ptr());
}

}  // namespace warpwise::python
