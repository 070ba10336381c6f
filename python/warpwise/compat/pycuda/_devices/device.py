"""pycuda.driver: devices, streams and events."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

import warpwise as ww

from .._basics.documented import documented
from .._basics.enums import (
    compute_mode,
    ctx_flags,
    device_attribute,
    event_flags,
    require_flags,
    require_none,
)
from .._basics.errors import NotReadyError, boundary
from .cpu_attributes import CPU_ATTRIBUTES

if TYPE_CHECKING:
    from .context import Context


@functools.cache
def _devices() -> list[ww.Device]:
    """PyCUDA's numbering: the GPUs; without one, or when the CPU is chosen, the CPU is device 0."""
    chosen = ww.Device()
    found = [device for device in ww.devices() if device.kind == chosen.kind]
    return found or [chosen]


@boundary
def init(flags: int = 0) -> None:
    """Finds the devices."""
    require_none(flags, "init")
    _devices()


def get_version() -> tuple[int, int, int]:
    """The CUDA version whose interface is provided."""
    return (12, 0, 0)


def get_driver_version() -> int:
    """A thousand times the major version of CUDA that the driver supports, plus ten minor ones."""
    driver = ww.cuda_driver()
    if not driver.is_usable:
        return 12000
    major, minor = driver.cuda.split(".")
    return 1000 * int(major) + 10 * int(minor)


class Device:
    """A device by number or PCI address. Attributes can be read by lower-case name."""

    @documented(pci_bus_id="number")
    @boundary
    def __init__(self, number: int | str) -> None:
        self._number = _number_at(number) if isinstance(number, str) else operator.index(number)
        if not 0 <= self._number < len(_devices()):
            raise ww.ArgumentValueError(
                f"there is no device {number}; this machine has {len(_devices())}, counted from 0"
            )
        self._device = _devices()[self._number]

    @staticmethod
    @boundary
    def count() -> int:
        return len(_devices())

    def name(self) -> str:
        return self._device.info.name

    def pci_bus_id(self) -> str:
        """Domain, bus, device and function; the CPU device has zeros."""
        return _pci_address(self._device)

    def compute_capability(self) -> tuple[int, int]:
        return self._device.info.compute_capability

    def total_memory(self) -> int:
        """Bytes. Of the CPU device: half of what the process may use, since host copies of data
        lie there too."""
        info = self._device.info
        return info.total_memory // 2 if info.shares_host_memory else info.total_memory

    @boundary
    def get_attribute(self, attr: device_attribute) -> int:
        attribute = device_attribute(attr)
        if self._device.kind == "cpu" and attribute.name.lower() not in self._device.attributes:
            value = CPU_ATTRIBUTES[attribute]
        else:
            value = self._device.attribute(attribute.name.lower())
        return compute_mode(value) if attribute is device_attribute.COMPUTE_MODE else value

    @boundary
    def get_attributes(self) -> dict[device_attribute, int]:
        """Those that the device knows."""
        names = device_attribute.__members__
        known = self._device.attributes.items()
        result = {names[name.upper()]: value for name, value in known if name.upper() in names}
        if self._device.kind == "cpu":
            result = CPU_ATTRIBUTES | result
        mode = device_attribute.COMPUTE_MODE
        return result | {mode: compute_mode(result[mode])} if mode in result else result

    @boundary
    def make_context(self, flags: int = 0) -> Context:
        """A context of this device, made current. Waiting is scheduled by Warpwise: ctx_flags have
        no effect."""
        number = require_flags(flags, ctx_flags, "flags of a context")
        if (number & ctx_flags.SCHED_MASK).bit_count() > 1:
            raise ww.ArgumentValueError(
                f"flags of a context have one of the SCHED_ ways to wait, got {number:#x}"
            )
        context = self.retain_primary_context()
        context.push()
        return context

    def retain_primary_context(self) -> Context:
        """A context of this device, not made current."""
        from .context import Context

        self._device.prepare()  # a program with a context has sources, soon
        if self._device.kind == "cuda":
            self._device.memory()  # the context is made, or raises, here
        return Context(self)

    def can_access_peer(self, dev: Device) -> bool:
        if not isinstance(dev, Device):
            raise TypeError(f"expected a pycuda.driver.Device, got {dev!r}")
        return self._device.can_access_peer(dev._device)

    def __getattr__(self, name: str) -> int:
        if name.islower() and name.upper() in device_attribute.__members__:
            return self.get_attribute(device_attribute[name.upper()])
        raise AttributeError(f"'Device' object has no attribute '{name}'")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self._device == other._device

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._device)

    def __repr__(self) -> str:
        return f"<pycuda Device {self._number}: {self.name()}>"


def current_device() -> Device:
    """This thread's, as far as it is one of those that are counted."""
    here = ww.Device()
    return Device(_devices().index(here) if here in _devices() else 0)


def _pci_address(device: ww.Device) -> str:
    if device.kind != "cuda":
        return "0000:00:00.0"
    domain, bus, slot = (
        device.attribute(name) for name in ("pci_domain_id", "pci_bus_id", "pci_device_id")
    )
    return f"{domain:04X}:{bus:02X}:{slot:02X}.0"


def _number_at(address: str) -> int:
    found = [_pci_address(device) for device in _devices()]
    if address.upper() not in found:
        raise ww.ArgumentValueError(
            f"there is no device at PCI address {address!r}; this machine has {', '.join(found)}"
        )
    return found.index(address.upper())


class Stream:
    """A stream of the current device; flags of 1 exempt it from the order with the default one."""

    @boundary
    def __init__(self, flags: int = 0) -> None:
        if operator.index(flags) not in (0, 1):
            raise ww.ArgumentValueError(f"flags of a Stream are 0 or 1 (non-blocking), not {flags}")
        self._stream = ww.Stream(non_blocking=flags == 1)

    @boundary
    def synchronize(self) -> None:
        self._stream.synchronize()

    @boundary
    def is_done(self) -> bool:
        return self._stream.is_done()

    @boundary
    def wait_for_event(self, evt: Event) -> None:
        self._stream.wait(_native_event(evt))

    @property
    def handle(self) -> int:
        """The driver's handle; on the CPU a number, different for each stream."""
        try:
            return self._stream.handle
        except ww.UnsupportedError:
            return hash(self._stream)

    def __cuda_stream__(self) -> tuple[int, int]:
        return self._stream.__cuda_stream__()


_EVENT_FLAGS = event_flags.BLOCKING_SYNC | event_flags.DISABLE_TIMING | event_flags.INTERPROCESS


def _milliseconds(start: Event, end: Event) -> float:
    """Between two events; an event that is recorded and not done is a NotReadyError."""
    try:
        return _native_event(end).time_since(_native_event(start))
    except ww.ArgumentValueError as error:
        if "is not done yet" in str(error):
            raise NotReadyError(str(error)) from None
        raise


class Event:
    """An event of the current device."""

    @boundary
    def __init__(self, flags: int = 0) -> None:
        if not 0 <= operator.index(flags) <= _EVENT_FLAGS:
            raise ww.ArgumentValueError(f"flags of an Event are those of event_flags, not {flags}")
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
        return _milliseconds(event, self)

    @boundary
    def time_till(self, event: Event) -> float:
        return _milliseconds(self, event)

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


def _native_event(event: Any) -> ww.Event:
    if not isinstance(event, Event):
        raise TypeError(f"expected a pycuda.driver.Event, got {event!r}")
    return event._event


def native(stream: Any) -> ww.Stream | None:
    """Warpwise's stream behind a PyCUDA one; None stays None."""
    if stream is None or isinstance(stream, ww.Stream):
        return stream
    if not isinstance(stream, Stream):
        raise TypeError(f"expected a pycuda.driver.Stream or None, got {stream!r}")
    return stream._stream
