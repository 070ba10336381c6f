// Included in nanobind's nb_func.cpp by the build, before its first line: where nanobind offers no
// hook, functions there keep their bodies under other names (only their definitions are followed by
// a parenthesis, or calls that want nanobind's own), and references to them get those below.
//
// Every call that matches no overload ends in nb_func_error_overload, including constructors and
// setters; nanobind answers with a TypeError that lists signatures. Attributes of functions and of
// bound methods are read by the two others; nanobind has no __signature__ for inspect.signature().
#pragma once

#include "python/bindings/interpreter/nanobind_answers.hpp"

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

PyObject* nb_func_plain_attribute(PyObject* function, PyObject* name);
PyObject* nb_bound_method_plain_attribute(PyObject* method, PyObject* name);

PyObject* nb_func_getattro(PyObject* function, PyObject* name) {
    return warpwise::python::is_signature(name) ? warpwise::python::signature_of(function)
                                                : nb_func_plain_attribute(function, name);
}

PyObject* nb_bound_method_getattro(PyObject* method, PyObject* name) {
    return warpwise::python::is_signature(name) ? warpwise::python::signature_of(method)
                                                : nb_bound_method_plain_attribute(method, name);
}

}  // namespace nanobind::detail

#define nb_func_error_overload(function, values, positional, keywords) \
    nb_func_list_overloads(function, values, positional, keywords)
#define nb_func_getattro(function, name) nb_func_plain_attribute(function, name)
#define nb_bound_method_getattro(method, name) nb_bound_method_plain_attribute(method, name)
