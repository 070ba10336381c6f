// See nanobind_answers.hpp. Messages and signatures are made in warpwise/_calls.py and
// _signatures.py, which are imported when the first is asked for.
#include "python/bindings/interpreter/nanobind_answers.hpp"

#include "python/bindings/bindings.hpp"

namespace warpwise::python {
namespace {

nb::object refusal(nb::handle function, PyObject* const* values, std::size_t positional,
                   PyObject* keywords) {
    nb::list args;
    for (std::size_t i = 0; i < positional; ++i) args.append(nb::handle(values[i]));
    nb::dict kwargs;
    if (keywords != nullptr) {
        PyObject* const* value = values + positional;
        for (nb::handle name : nb::borrow<nb::tuple>(keywords)) kwargs[name] = nb::handle(*value++);
    }
    nb::object explain = nb::module_::import_("warpwise._calls").attr("refusal");
    return explain(function, nb::tuple(args), kwargs);
}

}  // namespace

void explain_refused_call(PyObject* function, PyObject* const* values, std::size_t positional,
                          PyObject* keywords) noexcept {
    PyErr_Clear();
    try {
        nb::object error = refusal(function, values, positional, keywords);
        PyErr_SetObject(error.type().ptr(), error.ptr());
    } catch (nb::python_error& error) {
        error.restore();
    }
}

bool is_signature(PyObject* name) noexcept {
    return PyUnicode_CompareWithASCIIString(name, "__signature__") == 0;
}

PyObject* signature_of(PyObject* function) noexcept {
    try {
        return nb::module_::import_("warpwise._signatures")
            .attr("signature_of")(nb::handle(function))
            .release()
            .ptr();
    } catch (nb::python_error& error) {
        error.restore();
        return nullptr;
    }
}

}  // namespace warpwise::python
