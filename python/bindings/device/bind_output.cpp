// Kernel printf to sys.stdout, Ctrl-C while a thread waits for a device, and the line of the script
// that is calling.
//
// The first two handlers are called on threads that wait inside the library with the GIL released;
// they acquire it for the call only. All are unset before the interpreter shuts down.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include "python/bindings/bindings.hpp"
#include "python/bindings/device/caller_places.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/interrupt.hpp"
#include "python/bindings/memory/host_memory.hpp"
#include "warpwise/error.hpp"
#include "warpwise/output.hpp"
#include "warpwise/settings.hpp"

namespace warpwise::python {
namespace {

// The exception of the signal handler that ended this thread's wait; owned, may be null.
thread_local PyObject* interrupting_error = nullptr;

void write_to_stdout(std::string_view text) {
    PythonEntry python;
    if (!python) return;
    PyObject* out = PySys_GetObject("stdout");     // borrowed
    if (out == nullptr || out == Py_None) return;  // as print() does
    nb::object stream = nb::borrow(out);
    try {
        nb::object decoded = nb::steal(PyUnicode_DecodeUTF8(
            text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
        if (!decoded.is_valid()) throw nb::python_error();
        stream.attr("write")(decoded);
    } catch (nb::python_error& error) {
        // The wait that delivers output must not fail because of it; sys.unraisablehook reports it.
        error.discard_as_unraisable("kernel printf to sys.stdout");
    }
}

bool is_interrupted() {
    PythonEntry python;
    if (!python || PyErr_CheckSignals() == 0) return false;
    PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    Py_XDECREF(interrupting_error);
    interrupting_error = value;
    return true;
}

// Of the innermost frame that is not this package's.
std::string calling_line() {
    PythonEntry python;
    if (!python) return {};
    try {
        nb::object frame = nb::module_::import_("sys").attr("_getframe")();
        while (!frame.is_none()) {
            const nb::object name = frame.attr("f_globals").attr("get")("__name__");
            const auto module = nb::isinstance<nb::str>(name) ? text_of(name) : "";
            if (module != "warpwise" && !module.starts_with("warpwise.")) break;
            frame = frame.attr("f_back");
        }
        if (frame.is_none()) return {};
        return text_of(frame.attr("f_code").attr("co_filename")) + ":" +
               std::to_string(nb::cast<int>(frame.attr("f_lineno")));
    } catch (nb::python_error& error) {
        error.discard_as_unraisable("naming the line that calls the library");
        return {};
    }
}

std::chrono::duration<double> exit_wait() {
    try {
        return settings().exit_wait;
    } catch (const ArgumentError&) {  // which has been raised where a setting was needed
        return {};
    }
}

// The work that the script has left first: its output goes to sys.stdout, and its errors to stderr.
void detach_from_interpreter() {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kGrace(100);  // for what is about to return
    const Clock::time_point begin = Clock::now();
    {
        const GilRelease unlocked;
        finish_before_exit();
    }
    release_host_memory();
    const auto limit = std::chrono::duration_cast<Clock::duration>(exit_wait());
    close_interpreter(std::max(begin + limit, Clock::now() + kGrace));
    set_output_handler({});
    set_interrupt_handler({});
    set_caller_handler({});
    set_caller_places({});
}

}  // namespace

void restore_interrupt(const char* message) {
    if (interrupting_error == nullptr) {
        PyErr_SetString(PyExc_KeyboardInterrupt, message);
        return;
    }
    nb::object error = nb::steal(interrupting_error);
    interrupting_error = nullptr;
    PyErr_SetObject(error.type().ptr(), error.ptr());
}

void bind_output(nb::module_&) {
    set_output_handler(write_to_stdout);
    set_interrupt_handler(is_interrupted);
    set_caller_handler(calling_line);
    set_caller_places({.mark = mark_place, .name = name_of_place});
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(detach_from_interpreter));
}

}  // namespace warpwise::python
