"""numba.cuda.cudadrv.driver: what programs ask of the driver."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._errors import UnsupportedError, UnsupportedNameError
from .._arrays.device_array import as_cuda_array, is_cuda_array
from .._devices import Context, Device, MemoryInfo, gpus, is_available, runtime
from .._streams import Event, Stream, as_stream, is_default
from ..errors import CudaAPIError, CudaSupportError

USE_NV_BINDING = False


class Driver:
    """The driver, or the CPU device in its place."""

    @property
    def is_available(self) -> bool:
        return is_available()

    @property
    def is_initialized(self) -> bool:
        return True

    def get_device_count(self) -> int:
        return len(gpus)

    def get_device(self, devnum: int = 0) -> Device:
        return gpus[devnum]

    def get_version(self) -> tuple[int, int]:
        return runtime.get_version()


driver = Driver()


class LinkerError(UnsupportedError):
    """What Numba's linker raises."""


class Linker:
    """Numba's linker, which Warpwise does not have: kernels link by `cuda.jit(link=[...])`."""

    @classmethod
    def new(cls, *args: Any, **options: Any) -> Linker:
        raise LinkerError(
            "there is no linker object; link sources by cuda.jit(link=[...]), GPU code by ww.link()"
        )


def is_device_memory(obj: Any) -> bool:
    """Whether it is an array on a device."""
    return is_cuda_array(obj)


def device_memory_size(obj: Any) -> int:
    """The bytes of an array's memory."""
    return as_cuda_array(obj).alloc_size


def host_to_device(dst: Any, src: Any, size: int, stream: Any = 0) -> None:
    """Copies `size` bytes of a host array to an array or a buffer of a device."""
    target = _memory_of(dst)
    target.copy_from(_bytes(src, size), stream=None if is_default(stream) else as_stream(stream))


def device_to_host(dst: Any, src: Any, size: int, stream: Any = 0) -> None:
    """Copies `size` bytes of an array or a buffer of a device to a host array."""
    source = _memory_of(src)
    source.copy_to(_bytes(dst, size), stream=None if is_default(stream) else as_stream(stream))


def device_to_device(dst: Any, src: Any, size: int, stream: Any = 0) -> None:
    """Copies `size` bytes between arrays or buffers of a device."""
    target = _memory_of(dst)
    source = _memory_of(src)
    target.copy_from(source, nbytes=size, stream=as_stream(stream))


def device_memset(dst: Any, val: int, size: int, stream: Any = 0) -> None:
    """Sets `size` bytes of an array or a buffer of a device."""
    target = _memory_of(dst)
    target.fill(np.uint8(val), count=size, stream=as_stream(stream))


def _memory_of(obj: Any) -> Any:
    """The buffer of an array that devices reach, or the buffer itself."""
    is_array = is_cuda_array(obj) or hasattr(obj, "__warpwise_array__")
    return as_cuda_array(obj).gpudata if is_array else obj


def _bytes(host: Any, size: int) -> Any:
    return host.reshape(-1).view(np.uint8)[:size]


def __getattr__(name: str) -> Any:
    if name in ("binding", "MemoryPointer", "BaseCUDAMemoryManager"):
        raise UnsupportedNameError(
            f"warpwise.cuda.cudadrv.driver has no {name}: memory and linking are Warpwise's; see "
            "ww.link() and ww.Device().pool"
        )
    raise AttributeError(f"module 'warpwise.cuda.cudadrv.driver' has no attribute '{name}'")


__all__ = [
    "Context",
    "CudaAPIError",
    "CudaSupportError",
    "Device",
    "Driver",
    "Event",
    "Linker",
    "LinkerError",
    "MemoryInfo",
    "Stream",
    "device_memory_size",
    "device_memset",
    "device_to_device",
    "device_to_host",
    "driver",
    "host_to_device",
    "is_device_memory",
]
