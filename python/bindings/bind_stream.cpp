// Stream and Event.
#include <nanobind/operators.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "python/bindings/bindings.hpp"
#include "python/bindings/capture.hpp"
#include "python/bindings/interpreter.hpp"
#include "python/bindings/scope.hpp"
#include "warpwise/error.hpp"
#include "warpwise/stream.hpp"

namespace warpwise::python {
namespace {

Stream make_stream(int priority, bool non_blocking, const Device* device) {
    StreamOptions options{.priority = priority, .non_blocking = non_blocking};
    return device != nullptr ? Stream(*device, options) : Stream(options);
}

Event make_event(bool timing, const Device* device) {
    EventOptions options{.timing = timing};
    return device != nullptr ? Event(*device, options) : Event(options);
}

// A Python function called on a thread of the library, where the GIL is not held.
std::function<void()> host_function(nb::callable function) {
    auto release = [](nb::callable* held) {
        // Once the interpreter shuts down the object is left to it.
        if (PythonEntry python; python) delete held;
    };
    std::shared_ptr<nb::callable> shared(new nb::callable(std::move(function)), release);
    return [shared] {
        PythonEntry python;
        try {
            if (python) (*shared)();
        } catch (nb::python_error& error) {
            throw Error(std::string("the host function given to call_host() raised ") +
                        error.what());
        }
    };
}

void bind_event(nb::module_& module) {
    nb::class_<Event>(module, "Event", "A point in a stream's work, with its time.")
        .def(
            "__init__",
            [](Event* self, bool timing, const Device* device) {
                new (self) Event(make_event(timing, device));
            },
            nb::kw_only(), "timing"_a = true, "device"_a = nb::none())
        .def(
            "record",
            [](nb::handle_t<Event> self, const Stream* stream) {
                Event& event = nb::cast<Event&>(self);
                stream != nullptr ? event.record(*stream) : event.record();
                return nb::borrow(self);
            },
            "stream"_a = nb::none(),
            nb::sig("def record(self, stream: Stream | None = None) -> Event"),
            "Records it after the stream's work so far (default: the current stream).")
        .def("is_done", &Event::is_done, "True as well when never recorded.")
        .def("synchronize", &Event::synchronize, nb::call_guard<nb::gil_scoped_release>(),
             "Waits for it.")
        .def("time_till", &Event::time_till, "end"_a, "Milliseconds from this event to `end`.")
        .def("time_since", &Event::time_since, "start"_a, "Milliseconds from `start` to this.")
        .def_prop_ro("device", &Event::device)
        .def("__repr__", [](const Event& event) {
            return std::string("Event(") + (event.is_done() ? "done" : "pending") + ", device='" +
                   event.device().name() + "')";
        });
}

std::string representation(const Stream& stream) {
    return std::string(stream.is_default() ? "<default Stream" : "<Stream") + " of device '" +
           stream.device().name() + "'>";
}

}  // namespace

void bind_stream(nb::module_& module) {
    nb::class_<Stream> stream(module, "Stream",
                              "A queue of device work, run in order. `with stream:` makes it "
                              "current for this thread.");
    bind_event(module);
    stream
        .def(
            "__init__",
            [](Stream* self, int priority, bool non_blocking, const Device* device) {
                new (self) Stream(make_stream(priority, non_blocking, device));
            },
            nb::kw_only(), "priority"_a = 0, "non_blocking"_a = false, "device"_a = nb::none())
        .def_static("current", &Stream::current, "The current stream of this thread.")
        .def("synchronize", &Stream::synchronize, nb::call_guard<nb::gil_scoped_release>(),
             "Waits for the work so far; raises what went wrong in it.")
        .def("is_done", &Stream::is_done)
        .def("wait", &Stream::wait, "event"_a,
             "Later work of this stream waits for the event; the caller does not.")
        .def("record", &Stream::record, "A new event after the work so far.")
        .def(
            "call_host",
            [](const Stream& self, nb::callable function) {
                self.call_host(host_function(std::move(function)));
            },
            "function"_a,
            nb::sig("def call_host(self, function: collections.abc.Callable[[], object]) -> None"),
            "Calls `function()` after the work so far, on a thread of the library. It must not "
            "use the same device.")
        .def(
            "capture", [](const Stream& self) { return Capture(self); },
            "`with stream.capture() as graph:` records work instead of running it.")
        .def("is_capturing", &Stream::is_capturing)
        .def_prop_ro("is_default", &Stream::is_default)
        .def_prop_ro("device", &Stream::device)
        .def(
            "__enter__",
            [](nb::handle_t<Stream> self) {
                enter_scope(self.ptr(), nb::cast<const Stream&>(self));
                return nb::borrow(self);
            },
            nb::sig("def __enter__(self) -> Stream"))
        .def(
            "__exit__", [](nb::handle_t<Stream> self, const nb::args&) { leave_scope(self.ptr()); },
            nb::sig("def __exit__(self, *args: object) -> None"))
        .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"))
        .def("__hash__",
             [](const Stream& self) { return std::hash<const void*>()(self.state().get()); })
        .def("__repr__", &representation);
}

}  // namespace warpwise::python
