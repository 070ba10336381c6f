"""pycuda.driver: device memory, copies and fills.

A device pointer is a DeviceAllocation, a PointerHolderBase or a plain integer address.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

import warpwise as ww

from ._device import Stream, native
from ._errors import boundary

_Order = Literal["C", "F"]
_Array = npt.NDArray[Any]


# By address, for what is asked of an address only: those whose address a program has seen. An
# address that leaves Warpwise ends the laziness of arrays in the memory, so none is taken before.
_living: weakref.WeakValueDictionary[int, DeviceAllocation] = weakref.WeakValueDictionary()


# Classes whose `_buffer` a kernel's launch takes as it is.
passed_as_buffers: set[type] = set()


class DeviceAllocation:
    """Device memory, released by free() or with the last reference. int() is its address."""

    def __init__(self, buffer: ww.Buffer) -> None:
        self._buffer = buffer

    @boundary
    def free(self) -> None:
        self._buffer.free()

    @boundary
    def as_buffer(self, size: int, offset: int = 0) -> memoryview:
        """The bytes as the host sees them: of the CPU device, or managed memory."""
        nbytes = self._buffer.size
        if offset < 0 or size < 0 or offset + size > nbytes:
            raise ww.ArgumentValueError(
                f"bytes {offset} to {offset + size} are not all in an allocation of {nbytes} bytes"
            )
        return memoryview(self._buffer.slice(offset, size))

    @boundary
    def __int__(self) -> int:
        address = self._buffer.address
        _living[address] = self
        return address

    __index__ = __int__

    def __repr__(self) -> str:
        return f"<DeviceAllocation {self._buffer!r}>"


class PooledDeviceAllocation(DeviceAllocation):
    """Device memory from a DeviceMemoryPool."""

    def __len__(self) -> int:
        return self._buffer.size


passed_as_buffers.update((DeviceAllocation, PooledDeviceAllocation))


class PointerHolderBase:
    """To be derived from: get_pointer() gives a device address."""

    def get_pointer(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} does not define get_pointer()")

    @boundary
    def as_buffer(self, size: int, offset: int = 0) -> memoryview:
        """The bytes as the host sees them: of the CPU device, or managed memory."""
        return memoryview(ww.wrap_memory(int(self) + offset, size, owner=self))

    def __int__(self) -> int:
        return int(self.get_pointer())

    __index__ = __int__


class MemoryAddress(int):
    """The address of a part of an array. It remembers the memory, and so keeps it alive."""

    _buffer: ww.Buffer

    def __new__(cls, address: int, buffer: ww.Buffer) -> MemoryAddress:
        made = super().__new__(cls, address)
        made._buffer = buffer
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return int, (int(self),)


def allocation_at(address: int) -> DeviceAllocation | None:
    """The living allocation that an address is in."""
    found = _living.get(address)
    if found is not None and _is_live(found):
        return found
    return next((one for one in _of_this_device() if _contains(one, address)), None)


def _of_this_device() -> Iterator[DeviceAllocation]:
    here = ww.Device()
    return (one for one in list(_living.values()) if _is_live(one) and one._buffer.device == here)


def _is_live(allocation: DeviceAllocation) -> bool:
    return not allocation._buffer.is_freed


def _contains(allocation: DeviceAllocation, address: int) -> bool:
    begin = allocation._buffer.address
    return begin <= address < begin + allocation._buffer.size


@boundary
def mem_get_address_range(ptr: Any) -> tuple[int, int]:
    """The beginning and the size of the allocation that a pointer is in."""
    if not isinstance(ptr, DeviceAllocation):
        address, ptr = int(ptr), allocation_at(int(ptr))
        if ptr is None:
            raise ww.ArgumentValueError(f"no allocation of this device contains {address:#x}")
    return ptr._buffer.address, ptr._buffer.size


def memory_at(pointer: Any, nbytes: int) -> ww.Buffer:
    """The memory a device pointer stands for, as far as `nbytes`."""
    if isinstance(pointer, DeviceAllocation):
        return pointer._buffer
    if isinstance(pointer, ww.Buffer):
        return pointer
    if isinstance(pointer, MemoryAddress):
        offset = int(pointer) - pointer._buffer.address
        if offset >= 0 and offset + nbytes <= pointer._buffer.size:
            return pointer._buffer.slice(offset, nbytes)
    return ww.wrap_memory(int(pointer), nbytes)


def _nbytes(host: Any) -> int:
    size = getattr(host, "nbytes", None)
    return int(size) if size is not None else memoryview(host).nbytes


@boundary
def mem_get_info() -> tuple[int, int]:
    """Free and total memory of the current device. Host copies of data lie in the CPU device's
    memory, too: it counts half of what the process may use."""
    device = ww.Device()
    memory = device.memory()
    if not device.info.shares_host_memory:
        return memory.free, memory.total
    total = memory.total // 2
    return min(memory.free // 2, max(0, total - device.pool.active_bytes)), total


@boundary
def mem_alloc(bytes: int) -> DeviceAllocation:
    return DeviceAllocation(ww.mem_alloc(int(bytes)))


def mem_alloc_like(ary: _Array) -> DeviceAllocation:
    return mem_alloc(ary.nbytes)


@boundary
def mem_alloc_pitch(width: int, height: int, access_size: int) -> tuple[DeviceAllocation, int]:
    """Rows of `width` bytes, and the bytes from one row's beginning to the next."""
    buffer, pitch = ww.mem_alloc_pitch(width, height, access_size)
    return DeviceAllocation(buffer), pitch


@boundary
def memcpy_htod(dest: Any, src: Any) -> None:
    memory_at(dest, _nbytes(src)).copy_from(src)


@boundary
def memcpy_htod_async(dest: Any, src: Any, stream: Stream | None = None) -> None:
    where = native(stream) or ww.Stream.current()
    memory_at(dest, _nbytes(src)).copy_from(src, stream=where)


@boundary
def memcpy_dtoh(dest: Any, src: Any) -> None:
    memory_at(src, _nbytes(dest)).copy_to(dest)


@boundary
def memcpy_dtoh_async(dest: Any, src: Any, stream: Stream | None = None) -> None:
    where = native(stream) or ww.Stream.current()
    memory_at(src, _nbytes(dest)).copy_to(dest, stream=where)


@boundary
def memcpy_dtod(dest: Any, src: Any, size: int) -> None:
    memory_at(dest, size).copy_from(memory_at(src, size), nbytes=size)


@boundary
def memcpy_dtod_async(dest: Any, src: Any, size: int, stream: Stream | None = None) -> None:
    memory_at(dest, size).copy_from(memory_at(src, size), nbytes=size, stream=native(stream))


def _fill(dest: Any, data: int, size: int, dtype: str, stream: Stream | None) -> None:
    nbytes = size * np.dtype(dtype).itemsize
    memory_at(dest, nbytes).fill(data, dtype, count=size, stream=native(stream))


@boundary
def memset_d8(dest: Any, data: int, size: int) -> None:
    _fill(dest, data, size, "uint8", None)


@boundary
def memset_d16(dest: Any, data: int, size: int) -> None:
    _fill(dest, data, size, "uint16", None)


@boundary
def memset_d32(dest: Any, data: int, size: int) -> None:
    _fill(dest, data, size, "uint32", None)


@boundary
def memset_d8_async(dest: Any, data: int, size: int, stream: Stream | None = None) -> None:
    _fill(dest, data, size, "uint8", stream)


@boundary
def memset_d16_async(dest: Any, data: int, size: int, stream: Stream | None = None) -> None:
    _fill(dest, data, size, "uint16", stream)


@boundary
def memset_d32_async(dest: Any, data: int, size: int, stream: Stream | None = None) -> None:
    _fill(dest, data, size, "uint32", stream)


def to_device(bf_obj: Any) -> DeviceAllocation:
    """A copy of a contiguous host object on the device."""
    memory = mem_alloc(_nbytes(bf_obj))
    memcpy_htod(memory, bf_obj)
    return memory


def from_device(
    devptr: Any, shape: int | Sequence[int], dtype: npt.DTypeLike, order: _Order = "C"
) -> _Array:
    """A new host array with the contents of device memory."""
    result: _Array = np.empty(shape, dtype, order)
    memcpy_dtoh(result, devptr)
    return result


def from_device_like(devptr: Any, other_ary: _Array) -> _Array:
    result = np.empty_like(other_ary)
    memcpy_dtoh(result, devptr)
    return result
