// Read into nanobind's nb_func.cpp by the build, before its first line: the one place where every
// call that fits no overload ends, constructors and setters too.
//
// nanobind answers such a call with a TypeError that lists signatures and offers no hook. Its
// function keeps its body under another name (only the definition is followed by a parenthesis),
// and those who refer to it get the one below, which lets it answer and then explains.
#pragma once

#include "python/bindings/refused_call.hpp"

namespace nanobind::detail {

static PyObject* nb_func_list_overloads(PyObject* function, PyObject* const* values,
                                        size_t positional, PyObject* keywords) noexcept;

// A result (NotImplemented, of an operator) is no refusal.
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
