// What the constructor of a class answers whose objects other functions make: a TypeError that
// names these functions. Every class of the extension has a constructor or a row of the table in
// construction.cpp.
#pragma once

#include "python/bindings/bindings.hpp"

namespace warpwise::python {

// Adds that constructor to the classes of nanobind. Called when all of them are bound.
void refuse_construction(nb::module_& module);

// Py_tp_new of the types written without nanobind.
PyObject* refused_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) noexcept;

}  // namespace warpwise::python
