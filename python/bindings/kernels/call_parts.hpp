// The forms in which calls give a kernel's grid and block, and the parts of such a call.
#pragma once

#include <cstddef>
#include <string>

#include "python/bindings/bindings.hpp"

namespace warpwise::python {

constexpr std::size_t kMostValues = 64;

enum class Form {
    Positional,  // (grid, block, *values)
    OnStream,    // (grid, block, stream, *values)
    Named,       // (*values, grid=grid, block=block)
};

// The form that a program names; throws ArgumentError for another word.
Form form_named(const std::string& name);

// A call's parts, borrowed. `values` is null where it has another form.
struct Parts {
    PyObject* grid = nullptr;
    PyObject* block = nullptr;
    PyObject* stream = Py_None;
    PyObject* const* values = nullptr;
    std::size_t count = 0;
};

// Of a call with `count` positional objects, named ones behind them. `expected` is the number of
// values; any where grid and block have names. Sets no error.
Parts parts_of(Form form, std::size_t expected, PyObject* const* objects, std::size_t count,
               PyObject* names);

}  // namespace warpwise::python
