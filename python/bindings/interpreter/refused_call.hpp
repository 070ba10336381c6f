// The error for a call whose values match no overload of the extension.
#pragma once

#include <Python.h>

#include <cstddef>

namespace warpwise::python {

// Replaces the pending TypeError, a list of signatures, by an ArgumentError that names the wrong
// value. `values` are the positional ones, then those of `keywords`, a tuple of names or null.
void explain_refused_call(PyObject* function, PyObject* const* values, std::size_t positional,
                          PyObject* keywords) noexcept;

}  // namespace warpwise::python
