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

// The parts of a call that gives `grid` and `block`, or `block` alone, by name.
Parts named_parts(PyObject* const* objects, std::size_t count, PyObject* names);

// Of a call with `count` positional objects, named ones behind them. `expected` is the number of
// values, at most kMostValues; any where grid and block have names. Sets no error.
[[gnu::always_inline]] inline Parts parts_of(Form form, std::size_t expected,
                                             PyObject* const* objects, std::size_t count,
                                             PyObject* names) {
    if (form == Form::Named) return named_parts(objects, count, names);
    const std::size_t first = form == Form::OnStream ? 3 : 2;
    const bool has_names = names != nullptr && PyTuple_Size(names) != 0;
    if (has_names || count != first + expected) return {};
    if (PyTuple_CheckExact(objects[0]) == 0 || PyTuple_CheckExact(objects[1]) == 0) return {};
    return {.grid = objects[0],
            .block = objects[1],
            .stream = first == 3 ? objects[2] : Py_None,
            .values = objects + first,
            .count = expected};
}

}  // namespace warpwise::python
