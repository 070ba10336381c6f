"""numba.cuda.kernels.transpose: the transpose of a matrix, in memory of its own."""

from __future__ import annotations

from typing import Any

from ..._errors import ArgumentValueError
from .._arrays.creation import auto_device, device_array
from .._arrays.device_array import DeviceNDArray, as_cuda_array


def transpose(a: Any, b: Any = None) -> DeviceNDArray:
    """The transpose of the matrix `a`, stored in `b`, or in a new array on the device.

    Parameters
    ----------
    a : array of two axes, of the host or a device
        The stream of a device array is used.
    b : array on a device, optional
        Of the shape of the transpose.
    """
    if len(a.shape) != 2:
        raise ArgumentValueError(f"transpose expects a matrix, got an array of shape {a.shape}")
    stream = getattr(a, "stream", 0)
    source, _ = auto_device(a, stream)
    rows, columns = a.shape
    result = device_array((columns, rows), a.dtype, stream=stream) if b is None else b
    target = as_cuda_array(result)
    if target.shape != (columns, rows):
        raise ArgumentValueError(
            f"the transpose has the shape {(columns, rows)}, but b has {target.shape}"
        )
    target.setitem(slice(None), source.T, stream)
    return target


__all__ = ["transpose"]
