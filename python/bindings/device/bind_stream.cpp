// Stream and Event.
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "python/bindings/bindings.hpp"
#include "python/bindings/device/capture.hpp"
#include "python/bindings/device/scope.hpp"
#include "python/bindings/interpreter/describe.hpp"
#include "python/bindings/interpreter/hot_call.hpp"
#include "python/bindings/interpreter/instances.hpp"
#include "python/bindings/interpreter/interpreter.hpp"
#include "python/bindings/interpreter/raw_bytes.hpp"
#include "python/bindings/interpreter/stream_argument.hpp"
#include "python/bindings/memory/host_memory.hpp"
#include "warpwise/error.hpp"
#include "warpwise/stream.hpp"

namespace warpwise::python {
namespace {

Stream make_stream(nb::handle source, int priority, bool non_blocking,
                   std::optional<double> time_limit, const Device* device) {
    if (auto given = stream_of(source)) {
        if (priority != 0 || non_blocking || time_limit || device != nullptr)
            throw ArgumentError(ArgumentError::Kind::Type,
                                "Stream(object) is the stream of that object; it takes no "
                                "priority, non_blocking, time_limit or device");
        return *std::move(given);
    }
    StreamOptions options{.priority = priority, .non_blocking = non_blocking};
    if (time_limit) options.time_limit = std::chrono::duration<double>(*time_limit);
    return device != nullptr ? Stream(*device, options) : Stream(options);
}

Event make_event(bool timing, bool interprocess, const Device* device) {
    EventOptions options{.timing = timing, .interprocess = interprocess};
    return device != nullptr ? Event(*device, options) : Event(options);
}

// A Python function called on a thread of the library, where the GIL is not held.
std::function<void()> host_function(nb::callable function) {
    auto release = [](nb::callable* held) {
        // During interpreter shutdown the object is leaked.
        if (PythonEntry python; python) delete held;
    };
    std::shared_ptr<nb::callable> shared(new nb::callable(std::move(function)), release);
    return [shared] {
        PythonEntry python;
        try {
            if (python) (*shared)();
        } catch (nb::python_error& error) {
            throw Error(std::string("the host function given to call_host() raised ") +
                        raised_text(error));
        }
    };
}

PyObject* usual_record(const HotArguments& given) {
    const Stream* stream = nullptr;
    Event* const event = given.count > 0 ? exactly<Event>(given.values[0]) : nullptr;
    if (event == nullptr || !usual_stream(given, 1, stream)) return unusual();
    stream != nullptr ? event->record(*stream) : event->record();
    return new_reference(given.values[0]);
}

PyObject* usual_wait(const HotArguments& given) {
    if (given.count != 2 || given.named() != 0) return unusual();
    const Stream* const stream = exactly<Stream>(given.values[0]);
    const Event* const event = exactly<Event>(given.values[1]);
    if (stream == nullptr || event == nullptr || event->is_captured()) return unusual();
    stream->wait(*event);
    return new_none();
}

void bind_event(nb::module_& module) {
    nb::class_<Event> event(module, "Event", "A point in a stream's work, with its time.",
                            nb::pooled());
    event
        .def(
            "__init__",
            [](Event* self, bool timing, bool interprocess, const Device* device) {
                new (self) Event(make_event(timing, interprocess, device));
            },
            nb::kw_only(), "timing"_a = true, "interprocess"_a = false, "device"_a = nb::none(),
            "With interprocess=True it may be used by other processes, and has no timing.")
        .def_static(
            "from_ipc_handle",
            [](const nb::bytes& handle) { return Event::from_ipc_handle(bytes_of(handle)); },
            "handle"_a, "An event of another process, by its ipc_handle().")
        .def(
            "ipc_handle", [](const Event& self) { return to_python(self.ipc_handle()); },
            "Bytes that identify this event in another process of the machine, while it "
            "exists. GPUs only.")
        .def(
            "record",
            [](nb::handle_t<Event> self, const StreamArgument& given) {
                Event& event = nb::cast<Event&>(self);
                const std::optional<Stream> stream = stream_of(given);
                stream ? event.record(*stream) : event.record();
                return nb::borrow(self);
            },
            "stream"_a = nb::none(),
            nb::sig("def record(self, stream: Stream | typing.Any = None) -> Event"),
            "Records it after the stream's work so far (default: the current stream).")
        .def("is_done", &Event::is_done, "Also True when never recorded.")
        .def("is_captured", &Event::is_captured,
             "Whether its latest record is in a capture that has not ended.")
        .def("synchronize", &Event::synchronize, nb::call_guard<GilRelease>(), "Waits for it.")
        .def("time_till", &Event::time_till, "end"_a, "Milliseconds from this event to `end`.")
        .def("time_since", &Event::time_since, "start"_a, "Milliseconds from `start` to this.")
        .def_prop_ro("device", &Event::device)
        .def("__repr__", [](const Event& event) {
            return std::string("Event(") + (event.is_done() ? "done" : "pending") + ", device='" +
                   event.device().name() + "')";
        });
    HotCall<usual_record>::install(event.attr("record"));
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
            [](Stream* self, const StreamArgument& source, int priority, bool non_blocking,
               std::optional<double> time_limit, const Device* device) {
                new (self)
                    Stream(make_stream(source.object, priority, non_blocking, time_limit, device));
            },
            "source"_a = nb::none(), nb::kw_only(), "priority"_a = 0, "non_blocking"_a = false,
            "time_limit"_a = nb::none(), "device"_a = nb::none(),
            "A new stream, whose kernels may run for `time_limit` seconds each (0: without end; "
            "default: WARPWISE_TIME_LIMIT); or, for an object with __cuda_stream__, the stream "
            "that it represents, "
            "which must be of the current device.")
        .def_static("current", nb::overload_cast<>(&Stream::current),
                    "The current stream of this thread.")
        .def_static(
            "per_thread",
            [](const Device* device) {
                return device != nullptr ? Stream::per_thread(*device) : Stream::per_thread();
            },
            "device"_a = nb::none(),
            "This thread's own stream of a device (default: the current one).")
        .def_static(
            "from_handle",
            [](std::uint64_t handle, const Device* device, nb::handle owner) {
                return Stream::from_handle(handle, device != nullptr ? *device : Device(),
                                           share(owner));
            },
            "handle"_a, "device"_a = nb::none(), "owner"_a = nb::none(),
            nb::sig("def from_handle(handle: int, device: Device | None = None, owner: object = "
                    "None) -> Stream"),
            "A stream created by another library, by its handle (cudaStream_t). It must outlive "
            "its use here; `owner` is kept alive until then.")
        .def_prop_ro("handle", &Stream::handle,
                     "Its handle for other libraries (cudaStream_t); GPUs only.")
        .def(
            "__cuda_stream__", [](const Stream& self) { return nb::make_tuple(0, self.handle()); },
            nb::sig("def __cuda_stream__(self) -> tuple[int, int]"),
            "For other libraries: the version of this protocol and the handle.")
        .def("synchronize", &Stream::synchronize, nb::call_guard<GilRelease>(),
             "Waits for the work so far; raises its errors.")
        .def("is_done", &Stream::is_done, "Whether the work so far has ended; raises its errors.")
        .def(
            "wait",
            [](const Stream& self, const Event& event) {
                if (event.is_captured()) close_kept_group();
                self.wait(event);
            },
            "event"_a,
            "Later work of this stream waits for the event; the caller does not. For an event "
            "recorded in an open capture, this stream joins that capture: its work until the "
            "capture ends is recorded too, concurrent with that of the others.")
        .def("record", &Stream::record, "A new event after the work so far.")
        .def(
            "call_host",
            [](const Stream& self, nb::handle function) {
                if (PyCallable_Check(function.ptr()) == 0) {
                    throw ArgumentError(ArgumentError::Kind::Type,
                                        "call_host expects a function without parameters, got " +
                                            value_text(function));
                }
                self.call_host(host_function(nb::borrow<nb::callable>(function)));
            },
            "function"_a.none(),
            nb::sig("def call_host(self, function: collections.abc.Callable[[], object]) -> None"),
            "Calls `function()` after the work so far, on a thread of the library. It must not "
            "use the same device: what would wait for it there raises ArgumentError.")
        .def(
            "capture", [](const Stream& self) { return Capture(self); },
            "`with stream.capture() as graph:` records work instead of running it. Streams that "
            "wait for events recorded in the block join it, and must be joined at its end.")
        .def("is_capturing", &Stream::is_capturing, "Also True when it joined a capture.")
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
    HotCall<usual_wait>::install(stream.attr("wait"));
}

}  // namespace warpwise::python
