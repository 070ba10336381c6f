"""pycuda.driver: devices, contexts, streams and events.

Warpwise has one primary context per device and a current device per thread. A Context here names a
device; pushing and popping contexts makes devices current and undoes it.
"""

from __future__ import annotations

import functools
import threading
from typing import Any

import warpwise as ww

from ._enums import device_attribute, event_flags
from ._errors import LogicError, boundary


@functools.cache
def _devices() -> list[ww.Device]:
    """PyCUDA's numbering: the GPUs; without one, or when the CPU is chosen, the CPU is device 0."""
    chosen = ww.Device()
    found = [device for device in ww.devices() if device.kind == chosen.kind]
    return found or [chosen]


@boundary
def init(flags: int = 0) -> None:
    """Finds the devices."""
    _devices()


def get_version() -> tuple[int, int, int]:
    """The CUDA version whose interface is provided."""
    return (12, 0, 0)


def get_driver_version() -> int:
    return 12000


class Device:
    """A device by number. Attributes of device_attribute can be read by lower-case name."""

    @boundary
    def __init__(self, number: int) -> None:
        if not 0 <= number < len(_devices()):
            raise ww.ArgumentValueError(
                f"there is no device {number}; this machine has {len(_devices())}, counted from 0"
            )
        self._device = _devices()[number]
        self._number = number

    @staticmethod
    @boundary
    def count() -> int:
        return len(_devices())

    def name(self) -> str:
        return self._device.info.name

    def pci_bus_id(self) -> str:
        return f"0000:{self._number:02X}:00.0"

    def compute_capability(self) -> tuple[int, int]:
        return self._device.info.compute_capability

    def total_memory(self) -> int:
        return self._device.info.total_memory

    @boundary
    def get_attribute(self, attribute: device_attribute) -> int:
        return self._device.attribute(device_attribute(attribute).name.lower())

    @boundary
    def get_attributes(self) -> dict[device_attribute, int]:
        """Those that the device tells."""
        names = device_attribute.__members__
        told = self._device.attributes.items()
        return {names[name.upper()]: value for name, value in told if name.upper() in names}

    def make_context(self, flags: int = 0) -> Context:
        """A context of this device, made current."""
        context = Context(self)
        context.push()
        return context

    def retain_primary_context(self) -> Context:
        """A context of this device, not made current."""
        return Context(self)

    def can_access_peer(self, other: Device) -> bool:
        return self._device.can_access_peer(other._device)

    def __getattr__(self, name: str) -> int:
        if name.islower() and name.upper() in device_attribute.__members__:
            return self.get_attribute(device_attribute[name.upper()])
        raise AttributeError(f"'Device' object has no attribute '{name}'")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self._device == other._device

    def __hash__(self) -> int:
        return hash(self._device)

    def __repr__(self) -> str:
        return f"<pycuda Device {self._number}: {self.name()}>"


class _Contexts(threading.local):
    def __init__(self) -> None:
        self.stack: list[Context] = []


_contexts = _Contexts()


class Context:
    """A device's context on this thread's stack of contexts."""

    def __init__(self, device: Device) -> None:
        self._device = device

    def push(self) -> None:
        self._device._device.__enter__()
        _contexts.stack.append(self)

    @staticmethod
    @boundary
    def pop() -> None:
        if not _contexts.stack:
            raise LogicError("no context of this thread is left to pop")
        context = _contexts.stack.pop()
        context._device._device.__exit__(None, None, None)

    def detach(self) -> None:
        """Takes the context off the stack, where it is on top of it."""
        if _contexts.stack and _contexts.stack[-1] is self:
            Context.pop()

    @staticmethod
    def get_current() -> Context | None:
        return _contexts.stack[-1] if _contexts.stack else None

    @staticmethod
    def get_device() -> Device:
        current = Context.get_current()
        return current._device if current else Device(0)

    @staticmethod
    @boundary
    def synchronize() -> None:
        ww.Device().synchronize()

    @staticmethod
    @boundary
    def enable_peer_access(peer: Context, flags: int = 0) -> None:
        """Lets kernels of the current context use memory of the peer."""
        ww.Device().enable_peer_access(peer.native)

    @staticmethod
    @boundary
    def disable_peer_access(peer: Context) -> None:
        ww.Device().disable_peer_access(peer.native)

    @property
    def native(self) -> ww.Device:
        """Warpwise's device."""
        return self._device._device

    def get_api_version(self) -> int:
        return get_driver_version()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context) and self._device == other._device

    def __hash__(self) -> int:
        return hash(self._device)


class Stream:
    """A stream of the current device."""

    @boundary
    def __init__(self, flags: int = 0) -> None:
        self._stream = ww.Stream(non_blocking=bool(flags & 1))

    @boundary
    def synchronize(self) -> None:
        self._stream.synchronize()

    @boundary
    def is_done(self) -> bool:
        return self._stream.is_done()

    @boundary
    def wait_for_event(self, evt: Event) -> None:
        self._stream.wait(evt._event)

    @property
    def handle(self) -> int:
        """The driver's handle; on the CPU a number that tells streams apart."""
        try:
            return self._stream.handle
        except ww.UnsupportedError:
            return hash(self._stream)

    def __cuda_stream__(self) -> tuple[int, int]:
        return self._stream.__cuda_stream__()


class Event:
    """An event of the current device."""

    @boundary
    def __init__(self, flags: int = 0) -> None:
        self._event = ww.Event(
            timing=not flags & event_flags.DISABLE_TIMING,
            interprocess=bool(flags & event_flags.INTERPROCESS),
        )

    @boundary
    def record(self, stream: Stream | None = None) -> Event:
        self._event.record(native(stream))
        return self

    @boundary
    def synchronize(self) -> Event:
        self._event.synchronize()
        return self

    @boundary
    def query(self) -> bool:
        return self._event.is_done()

    @boundary
    def time_since(self, event: Event) -> float:
        return self._event.time_since(event._event)

    @boundary
    def time_till(self, event: Event) -> float:
        return self._event.time_till(event._event)

    @boundary
    def ipc_handle(self) -> bytearray:
        """Stands for the event in another process, for from_ipc_handle()."""
        return bytearray(self._event.ipc_handle())

    @staticmethod
    @boundary
    def from_ipc_handle(handle: bytes | bytearray) -> Event:
        event = Event.__new__(Event)
        event._event = ww.Event.from_ipc_handle(bytes(handle))
        return event


def native(stream: Any) -> ww.Stream | None:
    """Warpwise's stream behind a PyCUDA one; None stays None."""
    if stream is None or isinstance(stream, ww.Stream):
        return stream
    if not isinstance(stream, Stream):
        raise TypeError(f"stream wants a pycuda.driver.Stream or None, got {stream!r}")
    return stream._stream
