"""pycuda.driver: device memory, copies and fills.

A device pointer is a DeviceAllocation, a PointerHolderBase or a plain integer address.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, Literal, Protocol, cast

import numpy as np
import numpy.typing as npt

import warpwise as ww

from .._basics.documented import documented
from .._basics.errors import boundary
from .._devices.device import Stream, native

_Order = Literal["C", "F"]
_Array = npt.NDArray[Any]


class _Named(Protocol):
    @property
    def _buffer(self) -> ww.Buffer | None: ...


# By address, what a program has seen the address of and ww.find_memory() does not know: variables
# of modules, and memory that other libraries or processes own.
_foreign: weakref.WeakValueDictionary[int, _Named] = weakref.WeakValueDictionary()


class DeviceAllocation:
    """Device memory, released by free() or with the last reference. int() is its address."""

    _buffer: ww.Buffer

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
        if ww.find_memory(address, self._buffer.device) is None:
            remember_foreign(self)
        return address

    __index__ = __int__

    def __repr__(self) -> str:
        return f"<DeviceAllocation {self._buffer!r}>"


class LinearAllocation(DeviceAllocation, ww.Allocation):
    """Device memory that is nothing more. A launch takes it as it is."""

    _buffer = ww.Allocation.buffer


class PooledDeviceAllocation(LinearAllocation):
    """Device memory from a DeviceMemoryPool, whose ww.Allocator makes it."""

    @boundary
    def free(self) -> None:
        ww.Allocation.free(self)

    def __len__(self) -> int:
        return self._buffer.size


class PointerHolderBase:
    """To be derived from: get_pointer() gives a device address."""

    def get_pointer(self) -> int:
        raise NotImplementedError(f"{type(self).__name__} does not define get_pointer()")

    @boundary
    def as_buffer(self, size: int, offset: int = 0) -> memoryview:
        """The bytes as the host sees them: of the CPU device, or managed memory."""
        return memoryview(memory_of_address(int(self) + offset, size, owner=self))

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


def allocation_at(address: int) -> ww.Buffer | None:
    """The allocation in use of the current device that an address is in."""
    if not 0 < address < 1 << 64:
        return None
    return ww.find_memory(address) or _foreign_at(address)


def remember_foreign(named: _Named) -> None:
    """Its memory, which the pools do not know, is found by address as long as it lives."""
    assert named._buffer is not None
    _foreign[named._buffer.address] = named


def _foreign_at(address: int) -> ww.Buffer | None:
    here = ww.Device()
    for one in list(_foreign.values()):
        buffer = one._buffer
        if buffer is None or buffer.is_freed or buffer.device != here:
            continue
        if 0 <= address - buffer.address < buffer.size:
            return buffer
    return None


@boundary
def mem_get_address_range(ptr: Any) -> tuple[int, int]:
    """The beginning and the size of the allocation that a pointer is in."""
    memory = ptr._buffer if isinstance(ptr, DeviceAllocation) else allocation_at(int(ptr))
    if memory is None:
        raise ww.ArgumentValueError(f"no allocation of this device contains {int(ptr):#x}")
    return memory.address, memory.size


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
    elif isinstance(memory := getattr(pointer, "_buffer", None), ww.Buffer):
        return memory
    return memory_of_address(int(pointer), nbytes)


def memory_of_address(address: int, nbytes: int, owner: Any = None) -> ww.Buffer:
    """The bytes from a plain address on. Memory that is not ours may be legal on a GPU, whose
    driver knows it; the CPU device has none, and would access whatever is there."""
    if nbytes > 0:
        found = allocation_at(address)
        if found is not None:
            return _part(found, address, nbytes)
        device = ww.Device()
        if device.kind != "cuda":
            raise ww.ArgumentValueError(
                f"{nbytes} bytes at {address:#x}: {device.name} has no memory there; this is no "
                "device address, or its memory was freed"
            )
    return ww.wrap_memory(address, nbytes, owner=owner)


def _part(allocation: ww.Buffer, address: int, nbytes: int) -> ww.Buffer:
    offset, size = address - allocation.address, allocation.size
    if offset + nbytes > size:
        raise ww.ArgumentValueError(
            f"{nbytes} bytes at {address:#x} are not all in the allocation there: it has {size} "
            f"bytes, and ends {size - offset} bytes on"
        )
    return allocation.slice(offset, nbytes)


def mem_nbytes(host: Any) -> int:
    """Of a host object that exports its memory."""
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
    return LinearAllocation(ww.mem_alloc(bytes))


def mem_alloc_like(ary: _Array) -> DeviceAllocation:
    return mem_alloc(ary.nbytes)


@boundary
def mem_alloc_pitch(width: int, height: int, access_size: int) -> tuple[DeviceAllocation, int]:
    """Rows of `width` bytes, and the bytes from one row's beginning to the next."""
    buffer, pitch = ww.mem_alloc_pitch(width, height, access_size)
    return LinearAllocation(buffer), pitch


@boundary
def memcpy_htod(dest: Any, src: Any) -> None:
    memory_at(dest, mem_nbytes(src)).copy_from(src)


@boundary
def memcpy_htod_async(dest: Any, src: Any, stream: Stream | None = None) -> None:
    where = native(stream) or ww.Stream.current()
    memory_at(dest, mem_nbytes(src)).copy_from(src, stream=where)


@boundary
def memcpy_dtoh(dest: Any, src: Any) -> None:
    memory_at(src, mem_nbytes(dest)).copy_to(dest)


@boundary
def memcpy_dtoh_async(dest: Any, src: Any, stream: Stream | None = None) -> None:
    where = native(stream) or ww.Stream.current()
    memory_at(src, mem_nbytes(dest)).copy_to(dest, stream=where)


@boundary
def memcpy_dtod(dest: Any, src: Any, size: int) -> None:
    memory_at(dest, size).copy_from(memory_at(src, size), nbytes=size)


@boundary
def memcpy_dtod_async(dest: Any, src: Any, size: int, stream: Stream | None = None) -> None:
    memory_at(dest, size).copy_from(memory_at(src, size), nbytes=size, stream=native(stream))


def _fill(
    dest: Any, data: int, size: int | None, count: int | None, dtype: str, stream: Stream | None
) -> None:
    """So many elements: PyCUDA's guide calls their number count, its signatures size."""
    if (size is None) == (count is None):
        raise TypeError("a fill wants the number of its elements, as size or as count")
    elements = cast(int, count if size is None else size)
    nbytes = elements * np.dtype(dtype).itemsize
    memory_at(dest, nbytes).fill(data, dtype, count=elements, stream=native(stream))


@boundary
def memset_d8(dest: Any, data: int, size: int | None = None, *, count: int | None = None) -> None:
    _fill(dest, data, size, count, "uint8", None)


@boundary
def memset_d16(dest: Any, data: int, size: int | None = None, *, count: int | None = None) -> None:
    _fill(dest, data, size, count, "uint16", None)


@boundary
def memset_d32(dest: Any, data: int, size: int | None = None, *, count: int | None = None) -> None:
    _fill(dest, data, size, count, "uint32", None)


@boundary
def memset_d8_async(
    dest: Any,
    data: int,
    size: int | None = None,
    stream: Stream | None = None,
    *,
    count: int | None = None,
) -> None:
    _fill(dest, data, size, count, "uint8", stream)


@boundary
def memset_d16_async(
    dest: Any,
    data: int,
    size: int | None = None,
    stream: Stream | None = None,
    *,
    count: int | None = None,
) -> None:
    _fill(dest, data, size, count, "uint16", stream)


@boundary
def memset_d32_async(
    dest: Any,
    data: int,
    size: int | None = None,
    stream: Stream | None = None,
    *,
    count: int | None = None,
) -> None:
    _fill(dest, data, size, count, "uint32", stream)


@documented(buffer="bf_obj")
def to_device(bf_obj: Any) -> DeviceAllocation:
    """A copy of a contiguous host object on the device."""
    memory = mem_alloc(mem_nbytes(bf_obj))
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
