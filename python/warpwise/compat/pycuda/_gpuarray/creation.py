"""pycuda.gpuarray: functions that make arrays."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

import warpwise as ww

from .._basics.errors import boundary
from .._devices.device import Stream, native
from .._memory.memory import mem_alloc
from .array import GPUArray, on_stream
from .memory import Allocator, compact_strides, shape_of
from .transfer import store


def _to_gpu(ary: Any, allocator: Allocator, stream: Stream | None, is_async: bool) -> GPUArray:
    host = np.asarray(ary)
    strides = compact_strides(host.strides, host.shape, host.itemsize)
    made = GPUArray(host.shape, host.dtype, allocator, strides=strides)
    store(made._array, host, native(stream), is_async, "to_gpu")
    return made


@boundary
def to_gpu(ary: Any, allocator: Allocator = mem_alloc) -> GPUArray:
    """A copy of a host array, whose axes lie in the same order."""
    return _to_gpu(ary, allocator, None, False)


@boundary
def to_gpu_async(
    ary: Any, allocator: Allocator = mem_alloc, stream: Stream | None = None
) -> GPUArray:
    """As to_gpu(), in the order of the stream; the host array must not change before."""
    return _to_gpu(ary, allocator, stream, True)


@boundary
def copy_elements(dst: Any, src: Any, async_: bool = False, stream: Stream | None = None) -> None:
    """gpuarray._memcpy_discontig: the elements of one array to another of its shape and dtype,
    whatever the strides. Each is a GPUArray or a host array."""
    for name, one in (("src", src), ("dst", dst)):
        if not isinstance(one, GPUArray | np.ndarray):
            raise TypeError(f"{name} must be GPUArray or ndarray, got {type(one).__name__}")
    if src.shape != dst.shape:
        raise ValueError(f"src and dst must be same shape: {src.shape} and {dst.shape}")
    if src.dtype != dst.dtype:
        raise TypeError(f"src and dst must have same dtype: {src.dtype} and {dst.dtype}")
    if isinstance(dst, GPUArray):
        GPUArray.set(dst, src, async_, stream)
    elif isinstance(src, GPUArray):
        GPUArray.get(src, dst, async_=async_, stream=stream)
    else:
        dst[...] = src


def _filled(array: GPUArray, value: int) -> GPUArray:
    if array.dtype.fields is None:
        array._array.fill(value)
    elif array.size:
        array._array[...] = ww.asarray(np.full((), value, array.dtype))
    return array


def _full(
    shape: Any, dtype: npt.DTypeLike, allocator: Allocator, order: str, value: int
) -> GPUArray:
    """As results of operators: what is only read by others asks for no memory."""
    kind = np.dtype(dtype)
    if order == "C" and kind.fields is None:
        return GPUArray._of(ww.full(shape_of(shape), value, kind), allocator)
    return _filled(GPUArray(shape, kind, allocator, order=order), value)


@boundary
def zeros(
    shape: Any,
    dtype: npt.DTypeLike = np.float64,
    allocator: Allocator = mem_alloc,
    order: str = "C",
) -> GPUArray:
    return _full(shape, dtype, allocator, order, 0)


@boundary
def ones(
    shape: Any,
    dtype: npt.DTypeLike = np.float64,
    allocator: Allocator = mem_alloc,
    order: str = "C",
) -> GPUArray:
    return _full(shape, dtype, allocator, order, 1)


def _strides_like(other: GPUArray, itemsize: int, order: str) -> tuple[tuple[int, ...] | None, str]:
    """Of a new array: the steps, or None and the order of contiguous elements."""
    flags = other.flags
    if order in ("C", "F"):
        return None, order
    if order == "A" or (order == "K" and flags.forc):
        return None, "F" if flags.f_contiguous and not flags.c_contiguous else "C"
    if order == "K":
        return compact_strides(other.strides, other.shape, itemsize), "C"
    raise ww.ArgumentValueError(f"Unsupported order: {order!r}; it is 'C', 'F', 'A' or 'K'")


@boundary
def empty_like(
    other_ary: GPUArray, dtype: npt.DTypeLike | None = None, order: str = "K"
) -> GPUArray:
    """Of the same shape; its memory is the array's allocator's."""
    kind = other_ary.dtype if dtype is None else np.dtype(dtype)
    strides, chosen = _strides_like(other_ary, kind.itemsize, order)
    return GPUArray(other_ary.shape, kind, other_ary.allocator, strides=strides, order=chosen)


@boundary
def zeros_like(
    other_ary: GPUArray, dtype: npt.DTypeLike | None = None, order: str = "K"
) -> GPUArray:
    return _filled(empty_like(other_ary, dtype, order), 0)


@boundary
def ones_like(
    other_ary: GPUArray, dtype: npt.DTypeLike | None = None, order: str = "K"
) -> GPUArray:
    return _filled(empty_like(other_ary, dtype, order), 1)


@boundary
def arange(*args: Any, **kwargs: Any) -> GPUArray:
    """arange([start,] stop[, step], dtype=None, stream=None): ceil((stop - start) / step) numbers.

    start, stop and step are converted to the dtype first, as PyCUDA does. Without a dtype it is
    that of the three numbers, with a warning when that is not float32.
    """
    stream = kwargs.pop("stream", None)
    start, stop, step, dtype = _range_of(args, kwargs)
    kind = np.array([start, stop, step]).dtype if dtype is None else np.dtype(dtype)
    if dtype is None and kind != np.float32:
        warnings.warn(
            f"arange guessed the dtype {kind}, not float32; pass dtype=", UserWarning, stacklevel=3
        )
    first, last, by = (np.array(one).astype(kind)[()] for one in (start, stop, step))
    if by == 0:
        raise ww.ArgumentValueError(f"arange got step {step}, which is 0 as {kind}")
    if kind.kind not in "fiu":
        raise ww.ArgumentTypeError(f"arange expects a dtype of real numbers, got {kind}")
    size = max(0, math.ceil((last.item() - first.item()) / by.item()))
    with on_stream(stream):
        counted = ww.arange(0, size, dtype=kind if kind.kind == "f" else np.int64)
        if kind.kind == "f":
            return GPUArray._of(counted * by + first)
        return GPUArray._of(ww.astype(counted * by.item() + first.item(), kind))


def _range_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, Any, Any]:
    given = {"start": 0, "stop": None, "step": 1, "dtype": None}
    if args and isinstance(args[-1], np.dtype):
        kwargs, args = {"dtype": args[-1], **kwargs}, args[:-1]
    names = {0: (), 1: ("stop",), 2: ("start", "stop"), 3: ("start", "stop", "step")}.get(len(args))
    if names is None:
        raise ww.ArgumentValueError(f"arange takes at most 3 numbers, got {len(args)}")
    for name, value in kwargs.items():
        if name not in given:
            raise ww.ArgumentValueError(f"arange got an unexpected keyword argument '{name}'")
        if name in names:
            raise ww.ArgumentValueError(f"arange got '{name}' by position and by keyword")
        if value is not None:
            given[name] = value
    given.update(zip(names, args, strict=True))
    if given["stop"] is None:
        raise ww.ArgumentValueError("arange expects a stop")
    return given["start"], given["stop"], given["step"], given["dtype"]
