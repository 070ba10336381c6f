"""Streams and events with Numba's names, over ww.Stream and ww.Event."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .._core import Device, value_text
from .._core import Event as CoreEvent
from .._core import Stream as CoreStream
from .._errors import ArgumentTypeError

if TYPE_CHECKING:
    import asyncio


class Stream:
    """A queue of device work. `.stream` is the ww.Stream."""

    def __init__(self, stream: CoreStream, kind: str = "Stream", handle: int | None = None) -> None:
        self.stream = stream
        self._kind = kind
        self._handle = handle
        self.external = kind == "External stream"

    def synchronize(self) -> None:
        """Waits for the work queued so far."""
        self.stream.synchronize()

    @contextmanager
    def auto_synchronize(self) -> Iterator[Stream]:
        """A block at whose end the stream is waited for."""
        yield self
        self.synchronize()

    def add_callback(self, callback: Callable[[Stream, int, Any], object], arg: Any = None) -> None:
        """Calls `callback(stream, status, arg)` after the work queued so far, on another thread.

        It must not use the device.
        """
        if not callable(callback):
            raise ArgumentTypeError(
                f"add_callback expects a function for 'callback', got {value_text(callback)}"
            )
        self.stream.call_host(lambda: callback(self, 0, arg))

    def async_done(self) -> asyncio.Future[Stream]:
        """An awaitable that is done when the work queued so far is."""
        import asyncio  # here, so that importing the package costs less

        loop = asyncio.get_running_loop()
        future: asyncio.Future[Stream] = loop.create_future()

        def finish() -> None:
            if not future.done():
                future.set_result(self)

        self.stream.call_host(lambda: loop.call_soon_threadsafe(finish))
        return future

    def __cuda_stream__(self) -> tuple[int, int]:
        return self.stream.__cuda_stream__()

    def __int__(self) -> int:
        """Its handle; 0, 1 and 2 are the default streams."""
        return self.stream.handle if self._handle is None else self._handle

    @property
    def handle(self) -> int:
        return int(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and self.stream == other.stream

    def __hash__(self) -> int:
        return hash(self.stream)

    def __repr__(self) -> str:
        return f"<{self._kind} on {self.stream.device.name}>"


class Event:
    """A point in a stream's work. `.event` is the ww.Event."""

    def __init__(self, event: CoreEvent) -> None:
        self.event = event

    def query(self) -> bool:
        """Whether all work before it is done."""
        return self.event.is_done()

    def record(self, stream: Any = 0) -> None:
        """Records it after the stream's work so far."""
        self.event.record(as_stream(stream))

    def synchronize(self) -> None:
        """Waits for it."""
        self.event.synchronize()

    def wait(self, stream: Any = 0) -> None:
        """Later work of the stream waits for it."""
        as_stream(stream).wait(self.event)

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds to another event."""
        return event_elapsed_time(self, end)

    def __repr__(self) -> str:
        return f"<Event on {self.event.device.name}>"


def as_stream(stream: Any) -> CoreStream:
    """The ww.Stream of what Numba takes for one: 0, 1, 2, a Stream, a ww.Stream."""
    if isinstance(stream, Stream):
        return stream.stream
    if isinstance(stream, CoreStream):
        return stream
    if stream is None or (type(stream) is int and stream in (0, 1)):
        return CoreStream.current()
    if type(stream) is int and stream == 2:
        return CoreStream.per_thread()
    if hasattr(stream, "__cuda_stream__"):
        return CoreStream(stream)
    raise ArgumentTypeError(
        f"stream expects cuda.stream(), a ww.Stream or 0, got {value_text(stream)}; a handle of "
        "another library enters through cuda.external_stream(handle)"
    )


def is_default(stream: Any) -> bool:
    """Whether it is 0 or None: operations on it wait for their end."""
    return stream is None or (type(stream) is int and stream == 0)


def stream() -> Stream:
    """A new stream of the current device."""
    return Stream(CoreStream())


def default_stream() -> Stream:
    """The stream of everything that names none."""
    return Stream(Device().default_stream, "Default CUDA stream", 0)


def legacy_default_stream() -> Stream:
    """CUDA's legacy default stream: here the default stream."""
    return Stream(Device().default_stream, "Legacy default CUDA stream", 1)


def per_thread_default_stream() -> Stream:
    """This thread's own stream."""
    return Stream(CoreStream.per_thread(), "Per-thread default CUDA stream", 2)


def external_stream(ptr: int) -> Stream:
    """A stream that another library created, by its handle (cudaStream_t)."""
    return Stream(CoreStream.from_handle(ptr), "External stream", ptr)


def event(timing: bool = True) -> Event:
    """A new event; without timing it has no times and costs less."""
    return Event(CoreEvent(timing=timing))


def event_elapsed_time(evtstart: Event, evtend: Event) -> float:
    """Milliseconds between two recorded events."""
    for each, name in ((evtstart, "evtstart"), (evtend, "evtend")):
        if not isinstance(each, Event):
            raise ArgumentTypeError(
                f"event_elapsed_time expects a cuda.event() for '{name}', got {value_text(each)}"
            )
    return evtstart.event.time_till(evtend.event)
