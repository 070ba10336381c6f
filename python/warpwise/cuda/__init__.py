"""Numba's CUDA dialect: device arrays, streams, events, devices, and what kernels may name.

>>> from warpwise import cuda
>>> x = cuda.to_device(np.arange(4))
>>> x[1:3].copy_to_host()
array([1, 2])

`from warpwise import cuda` takes the place of `from numba import cuda`: the same names, on a GPU or
on the CPU device.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .._errors import UnsupportedNameError
from . import cg, types
from ._arrays.creation import (
    auto_device as _auto_device,
)
from ._arrays.creation import (
    device_array,
    device_array_like,
    to_device,
)
from ._arrays.device_array import (
    DeviceNDArray,
    as_cuda_array,
    from_cuda_array_interface,
    is_cuda_array,
)
from ._arrays.host_memory import (
    ManagedNDArray,
    MappedNDArray,
    managed_array,
    mapped,
    mapped_array,
    mapped_array_like,
    pinned,
    pinned_array,
    pinned_array_like,
)
from ._arrays.records import DeviceRecord
from ._arrays.sharing import IpcArrayHandle, open_ipc_array
from ._devices import (
    Context,
    Device,
    MemoryInfo,
    close,
    current_context,
    defer_cleanup,
    detect,
    get_current_device,
    gpus,
    is_available,
    is_supported_version,
    list_devices,
    profile_start,
    profile_stop,
    profiling,
    runtime,
    select_device,
    synchronize,
)
from ._functions.dispatch import Dispatcher, jit
from ._functions.external import CUSource, declare_device
from ._functions.intrinsics import INTRINSICS as _INTRINSICS
from ._functions.intrinsics import VECTOR_ALIASES as _VECTOR_ALIASES
from ._functions.intrinsics import VECTOR_TYPES as _VECTOR_TYPES
from ._functions.reduce import Reduce, reduce
from ._functions.ufuncs import guvectorize, vectorize
from ._streams import (
    Event,
    Stream,
    default_stream,
    event,
    event_elapsed_time,
    external_stream,
    legacy_default_stream,
    per_thread_default_stream,
    stream,
)
from .args import In, InOut, Out
from .compiler import (
    compile as compile,
)
from .compiler import (
    compile_for_current_device,
    compile_ptx,
    compile_ptx_for_current_device,
)
from .cudadrv.devices import require_context
from .errors import CudaSupportError, KernelRuntimeError

globals().update(_INTRINSICS | _VECTOR_TYPES | _VECTOR_ALIASES)


def is_float16_supported() -> bool:
    """Whether kernels can compute in float16."""
    return True


_SUBMODULES = ("cudadrv", "libdevice", "random", "testing")
_REFUSED = {
    "BaseCUDAMemoryManager": "memory comes from ww.Device().pool",
    "HostOnlyCUDAMemoryManager": "memory comes from ww.Device().pool",
    "set_memory_manager": "memory comes from ww.Device().pool",
    "GetIpcHandleMixin": "memory comes from ww.Device().pool",
}


def __getattr__(name: str) -> Any:
    if name == "devicearray":
        return import_module("warpwise.cuda.cudadrv.devicearray")
    if name in _SUBMODULES:
        return import_module(f"warpwise.cuda.{name}")
    if name in _REFUSED:
        raise UnsupportedNameError(f"warpwise.cuda has no {name}: {_REFUSED[name]}")
    raise AttributeError(f"module 'warpwise.cuda' has no attribute '{name}'")


__all__ = [
    "CUSource",
    "Context",
    "CudaSupportError",
    "Device",
    "DeviceNDArray",
    "DeviceRecord",
    "Dispatcher",
    "Event",
    "In",
    "InOut",
    "IpcArrayHandle",
    "KernelRuntimeError",
    "ManagedNDArray",
    "MappedNDArray",
    "MemoryInfo",
    "Out",
    "Reduce",
    "Stream",
    "_auto_device",
    "as_cuda_array",
    "cg",
    "close",
    "compile_for_current_device",
    "compile_ptx",
    "compile_ptx_for_current_device",
    "current_context",
    "declare_device",
    "default_stream",
    "defer_cleanup",
    "detect",
    "device_array",
    "device_array_like",
    "event",
    "event_elapsed_time",
    "external_stream",
    "from_cuda_array_interface",
    "get_current_device",
    "gpus",
    "guvectorize",
    "is_available",
    "is_cuda_array",
    "is_float16_supported",
    "is_supported_version",
    "jit",
    "legacy_default_stream",
    "list_devices",
    "managed_array",
    "mapped",
    "mapped_array",
    "mapped_array_like",
    "open_ipc_array",
    "per_thread_default_stream",
    "pinned",
    "pinned_array",
    "pinned_array_like",
    "profile_start",
    "profile_stop",
    "profiling",
    "reduce",
    "require_context",
    "runtime",
    "select_device",
    "stream",
    "synchronize",
    "to_device",
    "types",
    "vectorize",
]
