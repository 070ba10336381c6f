"""Arrays shared between processes of a machine. GPUs only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..._core import from_buffer, open_ipc_memory
from .device_array import DeviceNDArray
from .layouts import checked_dtype, contiguous_strides, storage_dtype


class IpcArrayHandle:
    """What identifies an array to another process; it can be pickled."""

    def __init__(self, ipc_handle: bytes, array_desc: dict[str, Any]) -> None:
        self._ipc_handle = ipc_handle
        self._array_desc = array_desc
        self._array: DeviceNDArray | None = None

    @classmethod
    def of(cls, array: DeviceNDArray) -> IpcArrayHandle:
        """That of an array of this process."""
        buffer = array.gpudata
        desc = {
            "shape": array.shape,
            "strides": array.strides,
            "dtype": array.dtype,
            "offset": array.ptr - buffer.address,
        }
        return cls(buffer.ipc_handle(), desc)

    def open(self) -> DeviceNDArray:
        """The array, in a process other than its own."""
        self._array = _open(self._ipc_handle, **self._array_desc)
        return self._array

    def close(self) -> None:
        """Gives the memory up, once nothing else uses the opened array."""
        self._array = None

    def __enter__(self) -> DeviceNDArray:
        return self.open()

    def __exit__(self, *args: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._ipc_handle, self._array_desc)


def _open(handle: bytes, shape: Any, strides: Any, dtype: Any, offset: int) -> DeviceNDArray:
    element = checked_dtype(dtype)
    array = from_buffer(
        open_ipc_memory(handle), shape, storage_dtype(element), strides, offset=offset
    )
    return DeviceNDArray.of(array, dtype=element)


@contextmanager
def open_ipc_array(
    handle: Any, shape: Any, dtype: Any, strides: Any = None, offset: int = 0
) -> Iterator[DeviceNDArray]:
    """A block with an array over another process's memory, by its handle's bytes."""
    extents = (shape,) if isinstance(shape, int) else tuple(shape)
    if strides is None:
        strides = contiguous_strides(extents, checked_dtype(dtype).itemsize, "C")
    yield _open(bytes(handle), extents, strides, dtype, offset)
