// See refused_call.hpp. The message is made in warpwise/_calls.py, which is imported at the first
// refused call.
#include "python/bindings/interpreter/refused_call.hpp"

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

}  // namespace warpwise::python
