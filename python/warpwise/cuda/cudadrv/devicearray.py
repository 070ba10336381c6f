"""numba.cuda.cudadrv.devicearray: arrays on a device."""

from __future__ import annotations

from typing import Any

from ..._errors import ArgumentTypeError
from .._arrays.creation import auto_device
from .._arrays.device_array import DeviceNDArray, array_core, is_cuda_array
from .._arrays.host_memory import ManagedNDArray, MappedNDArray
from .._arrays.layouts import errmsg_contiguous_buffer, like_order, like_strides
from .._arrays.layouts import require_contiguous as sentry_contiguous
from .._arrays.layouts import require_same_layout as check_array_compatibility
from .._arrays.records import DeviceRecord
from .._arrays.sharing import IpcArrayHandle

DeviceNDArrayBase = DeviceNDArray


def is_contiguous(ary: Any) -> bool:
    """Whether an array without its broadcast axes and those of extent 1 is in C order."""
    if ary.size == 0:
        return True
    step = ary.dtype.itemsize
    for extent, stride in zip(reversed(ary.shape), reversed(ary.strides)):
        if extent > 1 and stride != 0:
            if stride != step:
                return False
            step *= extent
    return True


def is_cuda_ndarray(obj: Any) -> bool:
    """Whether it is an array of ours on a device."""
    return bool(getattr(obj, "__cuda_ndarray__", False))


def require_cuda_ndarray(obj: Any) -> None:
    """Raises ValueError for anything else."""
    if not is_cuda_ndarray(obj):
        raise ArgumentTypeError("require an cuda ndarray object")


verify_cuda_ndarray_interface = require_cuda_ndarray


def from_array_like(ary: Any, stream: Any = 0, gpu_data: Any = None) -> DeviceNDArray:
    """A new array on the device with the shape, strides and dtype of another."""
    return DeviceNDArray(ary.shape, ary.strides, ary.dtype, stream, gpu_data)


def from_record_like(rec: Any, stream: Any = 0, gpu_data: Any = None) -> DeviceRecord:
    """A new record on the device of the dtype of another."""
    return DeviceRecord(rec.dtype, stream, gpu_data)


__all__ = [
    "DeviceNDArray",
    "DeviceNDArrayBase",
    "DeviceRecord",
    "IpcArrayHandle",
    "ManagedNDArray",
    "MappedNDArray",
    "array_core",
    "auto_device",
    "check_array_compatibility",
    "errmsg_contiguous_buffer",
    "from_array_like",
    "from_record_like",
    "is_contiguous",
    "is_cuda_array",
    "is_cuda_ndarray",
    "like_order",
    "like_strides",
    "require_cuda_ndarray",
    "sentry_contiguous",
    "verify_cuda_ndarray_interface",
]
