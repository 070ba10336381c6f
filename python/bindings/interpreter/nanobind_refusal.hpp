// Included in nanobind's nb_func.cpp by the build, before its first line: every call that matches
// no overload ends there, including constructors and setters.
//
// nanobind answers such a call with a TypeError that lists signatures and offers no hook. Its
// function keeps its body under another name (only the definition is followed by a parenthesis),
// and references to it get the one below, which calls it and then explains the error.
#pragma once

#include "python/bindings/interpreter/refused_call.hpp"

namespace nanobind::detail {

static PyObject* nb_func_list_overloads(PyObject* function, PyObject* const* values,
                                        size_t positional, PyObject* keywords) noexcept;

// A result (NotImplemented, of an operator) is not an error.
static PyObject* nb_func_error_overload(PyObject* function, PyObject* const* values,
                                        size_t positional, PyObject* keywords) noexcept {
    PyObject* result = nb_func_list_overloads(function, values, positional, keywords);
    if (result == nullptr)
        warpwise::python::explain_refused_call(function, values, positional, keywords);
    return result;
}

}  // namespace nanobind::detail

#define nb_func_error_overload(function, values, positional, keywords) \
    nb_func_list_overloads(function, values, positional, keywords)
