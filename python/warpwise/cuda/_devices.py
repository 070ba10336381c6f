"""Devices, contexts and what Numba asks of them, over ww.Device.

The devices listed are those of the current device's kind: the GPUs, or the CPU device, which counts
as a GPU of its own here.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from .._core import Device as CoreDevice
from .._core import cuda_driver, devices, value_text
from .._errors import ArgumentError, ArgumentIndexError, DeviceError, UnsupportedError
from ._streams import Event, Stream, default_stream, event, external_stream, stream


class MemoryInfo(NamedTuple):
    """Bytes of a device's memory."""

    free: int
    total: int


# What has another name in CUDA's list of attributes.
_RENAMED = {
    "CAN_MAP_HOST_MEMORY": "can_map_host_memory",
    "MAX_REGISTERS_PER_BLOCK": "max_registers_per_block",
    "UNIFIED_ADDRESSING": "unified_addressing",
}
# Of the CPU device, which follows compute capability 8.0: limits that it does not have.
_OF_THE_CPU = {
    "max_registers_per_block": 65536,
    "total_constant_memory": 65536,
    "max_threads_per_multiprocessor": 2048,
    "async_engine_count": 1,
    "managed_memory": 1,
    "concurrent_managed_access": 1,
    "pci_bus_id": 0,
    "pci_device_id": 0,
    "pci_domain_id": 0,
    "ecc_enabled": 0,
    "tcc_driver": 0,
    "kernel_exec_timeout": 0,
    "l2_cache_size": 0,
    "compute_mode": 0,
    "max_pitch": 2147483647,
}


class Device:
    """A device. `with device:` makes it current; attributes have CUDA's names in capitals."""

    def __init__(self, device: CoreDevice) -> None:
        self.device = device

    @property
    def id(self) -> int:
        """Its number among the devices of its kind."""
        return self.device.ordinal

    @property
    def name(self) -> str:
        return self.device.info.name

    @property
    def compute_capability(self) -> tuple[int, int]:
        return self.device.info.compute_capability

    @property
    def supports_float16(self) -> bool:
        return self.compute_capability >= (5, 3)

    @property
    def uuid(self) -> str:
        """A name of this device on this machine, in the form of NVIDIA's tools."""
        import uuid

        known = uuid.uuid5(uuid.NAMESPACE_OID, f"{self.device.name} {self.device.info.name}")
        return f"GPU-{known}"

    def get_device_identity(self) -> dict[str, int]:
        """Where it is on the PCI bus."""
        keys = ("pci_domain_id", "pci_bus_id", "pci_device_id")
        return {key: getattr(self, key.upper()) for key in keys}

    def get_primary_context(self) -> Context:
        """The one context that the process has on it."""
        return Context(self)

    def release_primary_context(self) -> None:
        """Waits for the device; its memory stays."""
        self.device.synchronize()

    def reset(self) -> None:
        """Waits for the device and returns memory that is not in use."""
        self.device.synchronize()
        self.device.pool.free_held()

    def __getattr__(self, name: str) -> int:
        if not name.isupper():
            raise AttributeError(f"a device has no attribute '{name}'")
        known = _RENAMED.get(name, name.lower())
        try:
            return self.device.attribute(known)
        except (ArgumentError, UnsupportedError):
            if self.device.kind == "cpu" and known in _OF_THE_CPU:
                return _OF_THE_CPU[known]
            raise AttributeError(f"{self.device.name} has no attribute '{name}'") from None

    def __enter__(self) -> Device:
        self.device.__enter__()
        return self

    def __exit__(self, *args: object) -> None:
        self.device.__exit__(*args)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self.device == other.device

    def __hash__(self) -> int:
        return hash(self.device)

    def __repr__(self) -> str:
        return f"<CUDA device {self.id} '{self.name}'>"


class _Deallocations:
    """Freed memory returns to the pool in stream order at once, so nothing is ever pending."""

    def __init__(self, device: CoreDevice) -> None:
        self._device = device

    @property
    def is_locked(self) -> bool:
        return _cleanup.depth > 0

    @property
    def memory_capacity(self) -> int:
        return self._device.memory().total

    def clear(self) -> None:
        """Returns the pool's free memory to the device."""
        self._device.pool.free_held()

    def disable(self) -> Any:
        return defer_cleanup()

    def __len__(self) -> int:
        return 0


class Context:
    """The context of a device: memory, streams and events in it."""

    def __init__(self, device: Device) -> None:
        self.device = device

    @property
    def deallocations(self) -> _Deallocations:
        return _Deallocations(self.device.device)

    def get_memory_info(self) -> MemoryInfo:
        """Free and total bytes."""
        info = self.device.device.memory()
        return MemoryInfo(info.free, info.total)

    def synchronize(self) -> None:
        """Waits for all work of the device."""
        self.device.device.synchronize()

    def reset(self) -> None:
        """Waits for the device and returns memory that is not in use."""
        self.device.reset()

    def get_default_stream(self) -> Stream:
        """The stream of launches that name none."""
        with self.device:
            return default_stream()

    def create_stream(self) -> Stream:
        """A new stream of the device."""
        with self.device:
            return stream()

    def create_external_stream(self, ptr: int) -> Stream:
        """The stream that another library created, by its address (cudaStream_t)."""
        with self.device:
            return external_stream(ptr)

    def create_event(self, timing: bool = True) -> Event:
        """A new event, which has times unless they are switched off."""
        with self.device:
            return event(timing)

    def memalloc(self, bytesize: int) -> Any:
        """Device memory, a ww.Buffer."""
        from .._core import mem_alloc

        with self.device:
            return mem_alloc(bytesize)

    def can_access_peer(self, peer: int) -> bool:
        """Whether kernels can be given access to the memory of another device of the list."""
        return self.device.device.can_access_peer(gpus[peer].device)

    def enable_peer_access(self, peer: int) -> None:
        """Gives kernels access to the memory of another device of the list."""
        self.device.device.enable_peer_access(gpus[peer].device)

    def push(self) -> None:
        """Makes the device current for this thread."""
        self.device.__enter__()

    def pop(self) -> None:
        """Makes the device current again that was before push()."""
        self.device.__exit__(None, None, None)

    @property
    def id(self) -> int:
        return self.device.id

    def __enter__(self) -> Context:
        self.push()
        return self

    def __exit__(self, *args: object) -> None:
        self.pop()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context) and self.device == other.device

    def __hash__(self) -> int:
        return hash(self.device)

    def __repr__(self) -> str:
        return f"<CUDA context of device {self.device.id}>"


class DeviceList:
    """The devices, by number."""

    @property
    def lst(self) -> list[Device]:
        kind = CoreDevice().kind
        return [Device(each) for each in devices() if each.kind == kind]

    @property
    def current(self) -> Device:
        return get_current_device()

    def __getitem__(self, index: int) -> Device:
        known = self.lst
        try:
            return known[index]
        except IndexError:
            raise ArgumentIndexError(
                f"there is no device {value_text(index)}: {len(known)} of kind "
                f"'{CoreDevice().kind}' were found"
            ) from None

    def __iter__(self) -> Iterator[Device]:
        return iter(self.lst)

    def __len__(self) -> int:
        return len(self.lst)

    def __repr__(self) -> str:
        return f"<Managed Device {', '.join(str(each.id) for each in self)}>"


class _Cleanup(threading.local):
    depth = 0


class _Selection(threading.local):
    device: CoreDevice | None = None


gpus = DeviceList()
_cleanup = _Cleanup()
_selection = _Selection()


def list_devices() -> DeviceList:
    """All devices."""
    return gpus


def get_current_device() -> Device:
    """The current device of this thread."""
    return Device(CoreDevice())


def current_context(devnum: int | None = None) -> Context:
    """The context of the current device, or of device `devnum`."""
    return Context(get_current_device() if devnum is None else gpus[devnum])


def select_device(device_id: int) -> Device:
    """Makes a device current for this thread, until another is selected or close() is called."""
    chosen = gpus[device_id]
    if chosen.device != CoreDevice():
        _unselect()
        chosen.device.__enter__()
        _selection.device = chosen.device
    return chosen


def _unselect() -> None:
    if _selection.device is not None:
        device, _selection.device = _selection.device, None
        device.__exit__(None, None, None)


def close() -> None:
    """Waits for the devices and undoes select_device(). Arrays and kernels stay usable."""
    for device in gpus:
        device.device.synchronize()
    _unselect()


def synchronize() -> None:
    """Waits for all work of the current device; raises the first error of its launches."""
    CoreDevice().synchronize()


@contextmanager
def defer_cleanup() -> Iterator[None]:
    """A block in which nothing is returned to the device.

    Freed memory goes to the pool without waiting for the device, inside such a block and outside
    of it, so that kernels are not interrupted by it.
    """
    _cleanup.depth += 1
    try:
        yield
    finally:
        _cleanup.depth -= 1


def is_available() -> bool:
    """Whether kernels can run: True, on a GPU or on the CPU device."""
    return any(device.info.executes_kernels for device in devices())


def is_supported_version() -> bool:
    """Whether the CUDA run time is of a supported version."""
    return True


def detect() -> bool:
    """Prints the devices, and returns whether kernels can run on one."""
    print(f"Found {len(gpus)} CUDA devices")
    for device in gpus:
        major, minor = device.compute_capability
        name = device.name
        print(f"id {device.id:3d} {name!r:>40}{'[SUPPORTED]':>44}")
        for label, value in (
            ("Compute Capability", f"{major}.{minor}"),
            ("PCI Device ID", device.PCI_DEVICE_ID),
            ("PCI Bus ID", device.PCI_BUS_ID),
            ("UUID", device.uuid),
        ):
            print(f"{label:>45}: {value}")
    print("Summary:")
    print(f"\t{len(gpus)}/{len(gpus)} devices are supported")
    return is_available()


class _Runtime:
    """The CUDA run time whose features kernels have."""

    supported_versions = ((12, 0), (12, 8), (13, 0))

    def get_version(self) -> tuple[int, int]:
        """(major, minor): the driver's on a GPU; on the CPU device that of the device headers."""
        text = cuda_driver().cuda if CoreDevice().kind == "cuda" else "12.8"
        major, minor = text.split(".")
        return int(major), int(minor)

    def is_supported_version(self) -> bool:
        return True


runtime = _Runtime()


def profile_start() -> None:
    """Starts recording the device's operations; profile_stop() ends it."""
    from .. import _core

    with _profile_lock:
        if _profiles:
            raise DeviceError("the profiler is running; call cuda.profile_stop() first")
        _profiles.append(_core.profile().__enter__())


def profile_stop() -> Any:
    """Ends the recording and returns it, a ww.Profile."""
    with _profile_lock:
        if not _profiles:
            raise DeviceError("the profiler is not running; call cuda.profile_start() first")
        running = _profiles.pop()
    running.__exit__(None, None, None)
    return running


@contextmanager
def profiling() -> Iterator[None]:
    """A block whose operations are recorded."""
    profile_start()
    try:
        yield
    finally:
        profile_stop()


_profile_lock = threading.Lock()
_profiles: list[Any] = []
