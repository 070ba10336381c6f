"""pycuda.driver: host memory: page-locked, aligned, registered, managed.

As in PyCUDA, what gives memory back stands behind the array: array.base.
"""

from __future__ import annotations

import ctypes
import operator
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

import warpwise as ww

from .._basics.enums import (
    host_alloc_flags,
    mem_attach_flags,
    mem_host_register_flags,
    require_flags,
)
from .._basics.errors import boundary
from .._devices.device import Stream, native
from .memory import DeviceAllocation

_Order = Literal["C", "F"]
_Array = npt.NDArray[Any]
_Shape = int | Sequence[int]
_Base = TypeVar("_Base", bound="HostPointer")


_ACCESS = {1: "global", 2: "host", 4: "single"}  # mem_attach_flags


class HostPointer(ww.HostBuffer):
    """Host memory that kernels reach too."""

    _is_free = False
    _array: weakref.ref[_Array] | None = None

    def get_device_pointer(self) -> int:
        return self.buffer.address

    @boundary
    def free(self) -> None:
        """Releases the memory: now, or with the last array over it where there is one."""
        if self._is_free or self.is_freed:
            raise ww.ArgumentValueError("this memory was freed before")
        if self._array is None or self._array() is None:
            super().free()
        self._is_free = True


class PagelockedHostAllocation(HostPointer):
    """Page-locked memory."""

    _flags = 0

    def get_flags(self) -> int:
        return self._flags


class PooledHostAllocation(PagelockedHostAllocation):
    """Page-locked memory from the pool."""

    _was_freed: Callable[[], None] | None = None  # tells the pool

    @boundary
    def free(self) -> None:
        super().free()
        if self._was_freed is not None:
            self._was_freed()

    def __del__(self) -> None:
        if self._was_freed is not None and not self.is_freed:
            ww.HostBuffer.free(self)
            self._was_freed()


class ManagedAllocation(HostPointer, DeviceAllocation):
    """Memory that moves between host and device."""

    @property
    def _buffer(self) -> ww.Buffer:  # type: ignore[override]
        if self._is_free:
            raise ww.ArgumentValueError("this managed memory was freed")
        return self.buffer

    @boundary
    def attach(self, mem_flags: int, stream: Stream | None = None) -> None:
        """Sets who may access the memory, by mem_attach_flags, in the stream's order."""
        access = _ACCESS.get(operator.index(mem_flags))
        if access is None:
            raise ww.ArgumentValueError(
                f"mem_flags are mem_attach_flags.GLOBAL, HOST or SINGLE, not {mem_flags}"
            )
        ww.attach(self, access, native(stream) or ww.Stream.current())


def _over(
    shape: _Shape, dtype: npt.DTypeLike, order: _Order, allocate: Callable[[int], _Base]
) -> tuple[_Array, _Base]:
    model = _model(shape, dtype)
    # Not without bytes: an array over no address is NumPy's own, and has no base.
    memory = allocate(max(1, model.size * model.itemsize))
    made = np.ndarray(model.shape, model.dtype, buffer=memory, order=order)  # type: ignore[arg-type]
    memory._array = weakref.ref(made)
    return made, memory


def _model(shape: _Shape, dtype: npt.DTypeLike) -> _Array:
    """An array of one element that has the shape and type."""
    one = np.empty((), dtype)
    if one.dtype.hasobject:
        raise ww.ArgumentTypeError(
            f"elements of {one.dtype} are Python objects, which only Python's memory holds"
        )
    return np.broadcast_to(one, shape)


def _order_of(array: _Array) -> _Order:
    return "F" if array.flags.fnc else "C"


def _like(array: _Array) -> tuple[_Shape, np.dtype[Any], _Order]:
    """What an array like this one is made by."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected a numpy.ndarray, got {type(array).__name__}")
    return array.shape, array.dtype, _order_of(array)


@boundary
def pagelocked_empty(
    shape: _Shape, dtype: npt.DTypeLike, order: _Order = "C", mem_flags: int = 0
) -> _Array:
    """An array in page-locked memory, by host_alloc_flags; array.base gives it back."""
    flags = require_flags(mem_flags, host_alloc_flags, "mem_flags")
    is_combined = bool(flags & host_alloc_flags.WRITECOMBINED)
    made, memory = _over(
        shape,
        dtype,
        order,
        lambda nbytes: PagelockedHostAllocation(nbytes, write_combined=is_combined),
    )
    memory._flags = flags
    return made


def pagelocked_zeros(
    shape: _Shape, dtype: npt.DTypeLike, order: _Order = "C", mem_flags: int = 0
) -> _Array:
    """As pagelocked_empty(), with zeros."""
    return _zeroed(pagelocked_empty(shape, dtype, order, mem_flags))


def pagelocked_empty_like(array: _Array, mem_flags: int = 0) -> _Array:
    """As pagelocked_empty(), with the shape, type and order of an array."""
    return pagelocked_empty(*_like(array), mem_flags)


def pagelocked_zeros_like(array: _Array, mem_flags: int = 0) -> _Array:
    """As pagelocked_empty_like(), with zeros."""
    return _zeroed(pagelocked_empty_like(array, mem_flags))


@boundary
def pooled_empty(shape: _Shape, dtype: npt.DTypeLike, order: _Order = "C") -> _Array:
    """An array in page-locked memory from the pool: PageLockedMemoryPool.allocate."""
    made, _ = _over(shape, dtype, order, lambda nbytes: PooledHostAllocation(nbytes, pooled=True))
    return made


@boundary
def managed_empty(
    shape: _Shape, dtype: npt.DTypeLike, order: _Order = "C", mem_flags: int = 0
) -> _Array:
    """An array in memory that host and device access; kernels take it as it is."""
    made, memory = _over(
        shape, dtype, order, lambda nbytes: ManagedAllocation(nbytes, managed=True)
    )
    if mem_flags not in (0, mem_attach_flags.GLOBAL):
        memory.attach(mem_flags)
    return made


def managed_zeros(
    shape: _Shape, dtype: npt.DTypeLike, order: _Order = "C", mem_flags: int = 0
) -> _Array:
    """As managed_empty(), with zeros."""
    return _zeroed(managed_empty(shape, dtype, order, mem_flags))


def managed_empty_like(array: _Array, mem_flags: int = 0) -> _Array:
    """As managed_empty(), with the shape, type and order of an array."""
    return managed_empty(*_like(array), mem_flags)


def managed_zeros_like(array: _Array, mem_flags: int = 0) -> _Array:
    """As managed_empty_like(), with zeros."""
    return _zeroed(managed_empty_like(array, mem_flags))


def managed_buffer(value: Any) -> ww.Buffer | None:
    """The memory of a managed array, or of a part of one, which kernels take as it is."""
    base = value
    while isinstance(base, np.ndarray):
        base = base.base
    if not isinstance(base, ManagedAllocation):
        return None
    return base._buffer if value is base or base._is_free else ww.mapped_buffer(value)


class AlignedHostAllocation:
    """What stands behind an array of aligned_empty."""

    _is_free = False

    @boundary
    def free(self) -> None:
        """Ends the use of the memory, which is released with the last array over it."""
        if self._is_free:
            raise ww.ArgumentValueError("this memory was freed before")
        self._is_free = True


def _behind(kind: type[Any], array: _Array) -> Any:
    """An object of that class that provides the array's memory: NumPy leaves it as a base."""
    flat = array.T if array.flags.fnc else array
    block = type(kind.__name__, (kind, ctypes.c_char * array.nbytes), {})
    return block.from_buffer(flat)  # type: ignore[attr-defined]


@boundary
def aligned_empty(
    shape: _Shape, dtype: npt.DTypeLike, order: _Order = "C", alignment: int = 4096
) -> _Array:
    """An ordinary array that begins at a multiple of `alignment` bytes, a power of two."""
    if operator.index(alignment) <= 0 or alignment & (alignment - 1):
        raise ww.ArgumentValueError(f"alignment must be a power of two, not {alignment}")
    model = _model(shape, dtype)
    nbytes = model.size * model.itemsize
    storage = np.empty(nbytes + alignment, np.uint8)
    start = -storage.ctypes.data % alignment
    memory = _behind(AlignedHostAllocation, storage[start : start + nbytes])
    return np.ndarray(model.shape, model.dtype, buffer=memory, order=order)


def aligned_zeros(
    shape: _Shape, dtype: npt.DTypeLike, order: _Order = "C", alignment: int = 4096
) -> _Array:
    """As aligned_empty(), with zeros."""
    return _zeroed(aligned_empty(shape, dtype, order, alignment))


def aligned_empty_like(array: _Array, alignment: int = 4096) -> _Array:
    """As aligned_empty(), with the shape, type and order of an array."""
    return aligned_empty(*_like(array), alignment)


def aligned_zeros_like(array: _Array, alignment: int = 4096) -> _Array:
    """As aligned_empty_like(), with zeros."""
    return _zeroed(aligned_empty_like(array, alignment))


class RegisteredHostMemory:
    """What stands behind an array of register_host_memory."""

    _registered: ww.RegisteredMemory
    _array: _Array

    @property
    def base(self) -> _Array:
        """The array that was registered."""
        return self._array

    @boundary
    def unregister(self) -> None:
        self._registered.unregister()

    @boundary
    def get_device_pointer(self) -> int:
        return self._registered.buffer.address


@boundary
def register_host_memory(ary: _Array, flags: int = 0) -> _Array:
    """The same memory, page-locked; registered.base.unregister() ends it."""
    require_flags(flags, mem_host_register_flags, "flags")
    registered = ww.register_host_memory(ary)
    memory = _behind(RegisteredHostMemory, ary)
    memory._registered, memory._array = registered, ary
    return np.ndarray(ary.shape, ary.dtype, buffer=memory, order=_order_of(ary))


def _zeroed(array: _Array) -> _Array:
    array.fill(0)
    return array
