"""pycuda.sparse.inner: inner products whose values arrive while other work goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._basics.errors import boundary
from .._devices.device import Event, Stream
from .._gpuarray.array import GPUArray
from .._gpuarray.functions import dot
from .._memory.host_memory import pagelocked_empty


class AsyncInnerProduct:
    """The inner product of two vectors: on the device in `gpu_result`, and soon on the host."""

    @boundary
    def __init__(
        self, a: GPUArray, b: GPUArray, pagelocked_allocator: Callable[..., Any] | None = None
    ) -> None:
        self.gpu_result = dot(a, b)
        self._host = (pagelocked_allocator or pagelocked_empty)((), self.gpu_result.dtype)
        self._ready = Event()
        stream = Stream()
        self._computed = Event().record()
        stream.wait_for_event(self._computed)
        self.gpu_result.get_async(stream=stream, ary=self._host)
        self._ready.record(stream)
        self._stream = stream

    @boundary
    def get_host_result(self) -> Any:
        """The value; None while it has not arrived."""
        return self._host if self._ready.query() else None
