"""Copies between GPUArrays and host arrays of any order."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import warpwise as ww

from .._memory.host_memory import pagelocked_empty
from .memory import compact_strides

_Host = np.ndarray[Any, Any]


def store(
    array: ww.Array, host: Any, stream: ww.Stream | None, is_async: bool, function: str
) -> None:
    """array.set(host), with PyCUDA's checks."""
    if not isinstance(host, np.ndarray):
        raise TypeError(f"{function} expects a numpy.ndarray, got {type(host).__name__}")
    host = _of_shape(array, host)
    if array.size == 0:
        return
    order = _axes(array.strides, array.shape)
    values = np.asarray(host.transpose(order), order="C")
    if is_async or stream is not None:
        array.transpose(*order).set(values, stream or ww.Stream.current())
    else:
        array.transpose(*order).set(values)


def store_array(array: ww.Array, source: ww.Array) -> None:
    """array.set(source) of another array on the device, with the same checks."""
    array[...] = _of_shape(array, source)


def _of_shape(array: ww.Array, source: Any) -> Any:
    if source.size != array.size:
        raise ww.ArgumentValueError(
            f"ary and self must be the same size: {source.shape} and {array.shape}"
        )
    if source.dtype != array.dtype:
        raise ww.ArgumentValueError(
            f"ary and self must have the same dtype: {source.dtype} and {array.dtype}"
        )
    if source.shape == array.shape:
        return source
    warnings.warn("Setting array from one with different shape.", UserWarning, stacklevel=5)
    return source.reshape(array.shape)


def fetch(
    array: ww.Array, host: Any, pagelocked: bool, stream: ww.Stream | None, is_async: bool
) -> _Host:
    """array.get(host), with PyCUDA's checks. A new host array's axes lie as the array's do."""
    if host is None:
        target = result = _new_host(array, pagelocked)
    else:
        target = result = _checked(array, host)
        if host.shape != array.shape:
            warnings.warn("get() between arrays of different shape is deprecated",
                          DeprecationWarning, stacklevel=4)  # fmt: skip
            target = host.reshape(array.shape)
    if array.size == 0:
        return result
    order = _axes(target.strides, target.shape)
    source, target = array.transpose(*order), target.transpose(order)
    if not target.flags.c_contiguous:
        target[...] = source.get()  # a host array with gaps cannot be filled behind one's back
    elif is_async or stream is not None:
        source.get(target, stream or ww.Stream.current())
    else:
        source.get(target)
    if not is_async and stream is not None:
        stream.synchronize()
    return result


def _axes(strides: tuple[int, ...], shape: tuple[int, ...]) -> list[int]:
    """The axes, those with the longest steps first, as elements in C order lie."""
    return sorted(range(len(shape)), key=lambda one: (-abs(strides[one]), -shape[one], one))


def _new_host(array: ww.Array, pagelocked: bool) -> _Host:
    order = _axes(compact_strides(array.strides, array.shape, array.itemsize), array.shape)
    shape = tuple(array.shape[axis] for axis in order)
    made: _Host = (
        pagelocked_empty(shape, array.dtype) if pagelocked else np.empty(shape, array.dtype)
    )
    return made.transpose([order.index(axis) for axis in range(len(order))])


def _checked(array: ww.Array, host: Any) -> _Host:
    if not isinstance(host, np.ndarray):
        raise TypeError(f"get expects a numpy.ndarray, got {type(host).__name__}")
    if host.size != array.size:
        raise ww.ArgumentValueError(
            f"self and ary must be the same size: {array.shape} and {host.shape}"
        )
    if host.dtype != array.dtype:
        raise ww.ArgumentTypeError(
            f"self and ary must have the same dtype: {array.dtype} and {host.dtype}"
        )
    return host
