// What functions of the extension answer otherwise than nanobind's do.
#pragma once

#include <Python.h>

#include <cstddef>

namespace warpwise::python {

// Replaces the pending TypeError, a list of signatures, by an ArgumentError that names the wrong
// value. `values` are the positional ones, then those of `keywords`, a tuple of names or null.
void explain_refused_call(PyObject* function, PyObject* const* values, std::size_t positional,
                          PyObject* keywords) noexcept;

// Whether an attribute of this name is answered by signature_of().
bool is_signature(PyObject* name) noexcept;
// The inspect.Signature of a function or, without self, of a bound method; with an AttributeError
// pending null for what has several signatures.
PyObject* signature_of(PyObject* function) noexcept;

}  // namespace warpwise::python
