"""Memory of GPUArrays: what `gpudata`, `strides` and allocators mean, over Warpwise's arrays.

PyCUDA relabels memory as it lies, in C order or in Fortran order; Warpwise counts elements in C
order. The functions here translate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

import warpwise as ww

from .._memory.memory import DeviceAllocation, MemoryAddress, mem_alloc, memory_of_address

Allocator = Callable[[int], Any]


def shape_of(shape: Any) -> tuple[int, ...]:
    """A shape as PyCUDA takes it: a number, a sequence of numbers, an ndarray of them."""
    if type(shape) is int and shape >= 0:
        return (shape,)
    if isinstance(shape, np.ndarray):
        shape = shape.tolist()
    axes = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    for one in axes:
        if not isinstance(one, int | np.integer) or isinstance(one, bool):
            raise ww.ArgumentTypeError(f"a shape is made of whole numbers, got {one!r} in {shape}")
        if one < 0:
            raise ww.ArgumentValueError(f"extents cannot be negative, got {one} in {shape}")
    return tuple(int(one) for one in axes)


def strides_of(shape: Sequence[int], itemsize: int, order: str) -> tuple[int, ...]:
    """Of contiguous elements."""
    if order not in ("C", "F"):
        raise ww.ArgumentValueError(f"invalid order: {order}; it is 'C' or 'F'")
    axes = range(len(shape))
    result = [0] * len(shape)
    step = itemsize
    for axis in reversed(axes) if order == "C" else axes:
        result[axis] = step
        step *= max(shape[axis], 1)
    return tuple(result)


def compact_strides(strides: Sequence[int], shape: Sequence[int], itemsize: int) -> tuple[int, ...]:
    """The axes in the order in which they lie, without gaps and forwards."""
    result = [0] * len(shape)
    step = itemsize
    for axis in sorted(range(len(shape)), key=lambda one: (abs(strides[one]), shape[one], -one)):
        result[axis] = step
        step *= max(shape[axis], 1)
    return tuple(result)


def reach(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> tuple[int, int]:
    """The first byte of the elements, and the one behind the last, from element (0, 0, ...)."""
    if 0 in shape:
        return 0, 0
    begin, end = 0, itemsize
    for extent, stride in zip(shape, strides, strict=True):
        if stride < 0:
            begin += (extent - 1) * stride
        else:
            end += (extent - 1) * stride
    return begin, end


def array_over(
    gpudata: Any, shape: tuple[int, ...], dtype: np.dtype[Any], strides: tuple[int, ...], owner: Any
) -> ww.Array:
    """An array over memory that exists, the first element at `gpudata`."""
    if gpudata is None or 0 in shape:
        return ww.empty(shape, dtype)
    if isinstance(gpudata, DeviceAllocation):
        return ww.from_buffer(gpudata._buffer, shape, dtype, strides)
    if isinstance(gpudata, ww.Buffer):
        return ww.from_buffer(gpudata, shape, dtype, strides)
    begin, end = reach(shape, strides, dtype.itemsize)
    address = int(gpudata)
    if address == 0:  # a place that is assigned later: whoever reads before is told
        memory = ww.mem_alloc(end - begin)
        array = ww.from_buffer(memory, shape, dtype, strides, offset=-begin)
        memory.free()
        return array
    if isinstance(gpudata, MemoryAddress):
        memory = gpudata._buffer
        offset = address - memory.address
        if offset + begin >= 0 and offset + end <= memory.size:
            return ww.from_buffer(memory, shape, dtype, strides, offset=offset)
    memory = memory_of_address(address + begin, end - begin, owner=(gpudata, owner))
    return ww.from_buffer(memory, shape, dtype, strides, offset=-begin)


def allocated(
    allocator: Allocator | None,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    strides: tuple[int, ...],
) -> tuple[ww.Array, Any]:
    """A new array without gaps, and what the allocator gave for it: None where it was not asked."""
    if strides == strides_of(shape, dtype.itemsize, "C"):
        return allocated_in_order(allocator, shape, dtype)
    size = math.prod(shape)
    if allocator is None or allocator is mem_alloc or size == 0:
        axes = sorted(range(len(shape)), key=lambda one: (-abs(strides[one]), -shape[one], one))
        lying = ww.empty(tuple(shape[axis] for axis in axes), dtype)
        if not axes:
            return lying, None
        made = lying.transpose(*(axes.index(axis) for axis in range(len(shape))))
        if made.strides == strides or size == 0:
            return made, None
        nbytes = reach(shape, strides, dtype.itemsize)[1]
        return ww.from_buffer(ww.mem_alloc(nbytes), shape, dtype, strides), None
    gpudata = allocator(reach(shape, strides, dtype.itemsize)[1])
    return array_over(gpudata, shape, dtype, strides, None), gpudata


def allocated_in_order(
    allocator: Allocator | None, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> tuple[ww.Array, Any]:
    """As allocated(), in C order."""
    size = math.prod(shape)
    if allocator is None or allocator is mem_alloc or size == 0:
        return ww.empty(shape, dtype), None
    gpudata = allocator(size * dtype.itemsize)
    if isinstance(gpudata, DeviceAllocation):
        return ww.from_buffer(gpudata._buffer, shape, dtype), gpudata
    strides = strides_of(shape, dtype.itemsize, "C")
    return array_over(gpudata, shape, dtype, strides, None), gpudata


def in_memory_order(array: ww.Array) -> ww.Array:
    """The elements of a contiguous array as one axis, as they lie."""
    return (array if array.is_c_contiguous else array.T).reshape(-1)


def relabelled(array: ww.Array, shape: tuple[int, ...], order: str) -> ww.Array:
    """A contiguous array's memory with another shape."""
    flat = in_memory_order(array)
    if order == "C":
        return flat.reshape(shape)
    if order == "F":
        return flat.reshape(shape[::-1]).T
    raise ww.ArgumentValueError(f"invalid order: {order}; it is 'C' or 'F'")


def require_contiguous(array: ww.Array) -> None:
    """For what relabels memory: PyCUDA raises RuntimeError, so does this."""
    if not (array.is_c_contiguous or array.is_f_contiguous):
        raise RuntimeError(
            "only contiguous arrays may be used as arguments to this operation; this one has "
            f"shape {array.shape} and strides {array.strides}: take a copy() first"
        )
