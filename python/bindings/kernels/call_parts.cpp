// See call_parts.hpp. Uses only the stable ABI of Python 3.12.
#include "python/bindings/kernels/call_parts.hpp"

#include "warpwise/error.hpp"

namespace warpwise::python {

Parts named_parts(PyObject* const* objects, std::size_t count, PyObject* names) {
    static PyObject* const grid = PyUnicode_InternFromString("grid");
    static PyObject* const block = PyUnicode_InternFromString("block");
    static PyObject* const one = Py_BuildValue("(ii)", 1, 1);
    const Py_ssize_t given = names == nullptr ? 0 : PyTuple_Size(names);
    Parts parts{.grid = one};
    for (Py_ssize_t i = 0; i < given; ++i) {
        PyObject* const name = PyTuple_GetItem(names, i);
        PyObject* const value = objects[count + static_cast<std::size_t>(i)];
        if (name != grid && name != block) return {};
        (name == grid ? parts.grid : parts.block) = value;
    }
    if (parts.block == nullptr || count > kMostValues) return {};
    if (PyTuple_CheckExact(parts.grid) == 0 || PyTuple_CheckExact(parts.block) == 0) return {};
    parts.values = objects;
    parts.count = count;
    return parts;
}

Form form_named(const std::string& name) {
    if (name == "positional") return Form::Positional;
    if (name == "on_stream") return Form::OnStream;
    if (name == "named") return Form::Named;
    throw ArgumentError(ArgumentError::Kind::Value,
                        "prepared_call expects 'positional', 'on_stream' or 'named' for 'form', "
                        "got '" +
                            name + "'");
}

}  // namespace warpwise::python
