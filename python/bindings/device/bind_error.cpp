// Turns the library's exceptions into the Python classes of warpwise._errors.
//
// Invariant: every class of warpwise/error.hpp has a Python class of the same name; a class added
// there without a row here arrives as warpwise.Error, never as a crash.
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <new>

#include "python/bindings/bindings.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interrupt.hpp"
#include "python/bindings/interpreter/raise.hpp"
#include "warpwise/axis_error.hpp"
#include "warpwise/error.hpp"

namespace warpwise::python {
namespace {

nb::object error_class(const char* name) {
    return nb::module_::import_("warpwise._errors").attr(name);
}

void set_error(const nb::object& type, const nb::object& value) {
    PyErr_SetObject(type.ptr(), value.ptr());
}

void set_plain(const char* name, const Error& error) {
    nb::object type = error_class(name);
    set_error(type, type(nb::str(error.what())));
}

// CompileError and UnsupportedError.
template <class E>
void set_at_source(const char* name, const E& error) {
    nb::object type = error_class(name);
    set_error(type, type(error.what(), error.log(), error.file(), error.line()));
}

nb::object index_tuple(const std::optional<LaunchError::Index>& index) {
    if (!index) return nb::none();
    return nb::make_tuple((*index)[0], (*index)[1], (*index)[2]);
}

const char* argument_class(ArgumentError::Kind kind) {
    switch (kind) {
        case ArgumentError::Kind::Type:
            return "ArgumentTypeError";
        case ArgumentError::Kind::Index:
            return "ArgumentIndexError";
        default:
            return "ArgumentValueError";
    }
}

void raise_in_python(const Error& error) {
    if (auto* e = dynamic_cast<const CompileError*>(&error)) {
        set_at_source("CompileError", *e);
    } else if (auto* e = dynamic_cast<const AxisError*>(&error)) {
        nb::object type = error_class("ArgumentAxisError");
        set_error(type, type(e->what(), e->axis(), e->rank()));
    } else if (auto* e = dynamic_cast<const ArgumentError*>(&error)) {
        set_plain(argument_class(e->kind()), *e);
    } else if (auto* e = dynamic_cast<const LaunchError*>(&error)) {
        nb::object type = error_class("LaunchError");
        set_error(type,
                  type(e->what(), e->kernel(), index_tuple(e->block()), index_tuple(e->thread())));
    } else if (dynamic_cast<const OutOfMemoryError*>(&error) != nullptr) {
        set_plain("OutOfMemoryError", error);
    } else if (dynamic_cast<const DeviceError*>(&error) != nullptr) {
        set_plain("DeviceError", error);
    } else if (auto* e = dynamic_cast<const UnsupportedError*>(&error)) {
        set_at_source("UnsupportedError", *e);
    } else if (dynamic_cast<const CheckError*>(&error) != nullptr) {
        set_plain("CheckError", error);
    } else if (dynamic_cast<const Interrupted*>(&error) != nullptr) {
        restore_interrupt(error.what());
    } else {
        set_plain("Error", error);
    }
}

// The classes are Python code, where Ctrl-C may raise an exception: that one is raised then.
void raise_this_or_newer(const Error& error) {
    try {
        raise_in_python(error);
    } catch (nb::python_error& newer) {
        newer.restore();
    }
}

void translate(const std::exception_ptr& pointer, void*) {
    try {
        std::rethrow_exception(pointer);
    } catch (const Error& error) {
        raise_this_or_newer(error);
    }
}

}  // namespace

void raise_translated(nb::handle translate) {
    const nb::python_error error;  // takes it
    const nb::object raised = translate(error.value());
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
}

void raise_current() noexcept {
    try {
        throw;
    } catch (const Error& error) {
        raise_this_or_newer(error);
    } catch (nb::python_error& error) {
        error.restore();
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    } catch (...) {
        PyErr_SetString(PyExc_SystemError, "an unknown C++ exception");
    }
}

void bind_error(nb::module_& module) {
    nb::register_exception_translator(translate);
    module.def("value_text", &value_text, "value"_a.none(), "A value as error messages show it.");
}

}  // namespace warpwise::python
