"""Arrays on the current device: from host arrays, and with undefined contents."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import ArgumentTypeError
from . import layouts
from .device_array import DeviceNDArray, as_cuda_array, is_cuda_array
from .records import DeviceRecord


def to_device(obj: Any, stream: Any = 0, copy: bool = True, to: Any = None) -> Any:
    """An array on the current device with a copy of a host array.

    Parameters
    ----------
    obj : array_like
        Contiguous, apart from broadcast axes. An array on a device is returned as it is.
    stream : cuda.stream(), optional
        With one, it returns before the copy has ended; the array may then be changed, unless its
        memory is page-locked.
    copy : bool
        False: the contents are undefined.
    to : DeviceNDArray, optional
        Where to copy to.
    """
    if to is not None:
        to = as_cuda_array(to)
        to.copy_to_device(obj, stream=stream)
        return to
    if is_cuda_array(obj):
        return as_cuda_array(obj)
    is_record = isinstance(obj, np.void)
    host = np.asarray(obj)
    layouts.require_contiguous(host)
    array = _device_array_of(host, stream, DeviceRecord if is_record else DeviceNDArray)
    if copy:
        array.copy_to_device(host, stream=stream)
    return array


def _device_array_of(host: Any, stream: Any, kind: type[DeviceNDArray]) -> DeviceNDArray:
    if host.dtype.hasobject or (host.dtype.kind in "OTV" and host.dtype.names is None):
        raise ArgumentTypeError(
            f"to_device expects numbers, times, strings or records, got an array of {host.dtype}"
        )
    made = layouts.new_array(host.shape, host.dtype, host.strides, "C")
    return kind.of(made, stream, host.dtype)


def device_array(
    shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C", stream: Any = 0
) -> DeviceNDArray:
    """An array on the current device with undefined contents."""
    element = layouts.checked_dtype(dtype)
    return DeviceNDArray.of(layouts.new_array(shape, element, strides, order), stream, element)


def device_array_like(ary: Any, stream: Any = 0) -> DeviceNDArray:
    """An array with the shape, dtype and axis order of another and undefined contents."""
    if ary.ndim == 0:
        # As Numba: a scalar array becomes one of one element, unless it is a record's.
        return device_array((), ary.dtype, stream=stream)
    return device_array(
        ary.shape, ary.dtype, layouts.like_strides(ary), layouts.like_order(ary), stream
    )


def auto_device(
    obj: Any, stream: Any = 0, copy: bool = True, user_explicit: bool = False
) -> tuple[Any, bool]:
    """(an array on a device, whether it is new)."""
    if is_cuda_array(obj):
        return as_cuda_array(obj), False
    return to_device(obj, stream, copy), True


__all__ = [
    "auto_device",
    "device_array",
    "device_array_like",
    "to_device",
]
