"""pycuda.driver: Memcpy2D, Memcpy3D and Memcpy3DPeer, copies of rectangles and boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

import warpwise as ww

from .._basics.documented import documented
from .._basics.enums import memory_type
from .._basics.errors import boundary
from .._devices.context import Context, require_context
from .._devices.device import Stream, native
from .cuda_arrays import Array, flat_bytes
from .memory import memory_at


class _End:
    """One of the two ends of a copy: what it is, and the context of its addresses."""

    def __init__(self) -> None:
        self.what: Any = None
        self.kind = memory_type.HOST
        self.context: Context | None = None

    def set(self, what: Any, kind: memory_type) -> None:
        self.what, self.kind = what, kind

    def native(self, nbytes: int) -> Any:
        """What Warpwise copies from or to: an array, host memory, or a buffer of `nbytes`."""
        if self.what is None:
            raise ww.ArgumentValueError(
                "this copy has no source or no destination; call its set_src_... and set_dst_..."
            )
        if isinstance(self.what, Array):
            return self.what.native
        if self.context is not None and not isinstance(self.what, np.ndarray):
            with self.context.native:
                return memory_at(self.what, nbytes)
        return self.what if isinstance(self.what, np.ndarray) else memory_at(self.what, nbytes)


def _device_of(end: _End) -> int:
    return 0 if end.kind is not memory_type.DEVICE or end.what is None else int(end.what)


class _Copy:
    """What the copies share. Host memory is kept until the copy object is destroyed."""

    def __init__(self) -> None:
        self.src_x_in_bytes = self.src_y = self.src_z = 0
        self.dst_x_in_bytes = self.dst_y = self.dst_z = 0
        self.src_pitch = self.dst_pitch = self.src_height = self.dst_height = 0
        self.width_in_bytes = self.height = 0
        self.depth = 1
        self._src, self._dst = _End(), _End()

    @documented(buffer="buf")
    @boundary
    def set_src_host(self, buf: Any) -> None:
        self._src.set(flat_bytes(buf), memory_type.HOST)

    @documented(buffer="buf")
    @boundary
    def set_dst_host(self, buf: Any) -> None:
        self._dst.set(flat_bytes(buf), memory_type.HOST)

    def set_src_array(self, array: Array) -> None:
        self._src.set(array, memory_type.ARRAY)

    def set_dst_array(self, array: Array) -> None:
        self._dst.set(array, memory_type.ARRAY)

    def set_src_device(self, devptr: Any) -> None:
        self._src.set(devptr, memory_type.DEVICE)

    def set_dst_device(self, devptr: Any) -> None:
        self._dst.set(devptr, memory_type.DEVICE)

    @documented(buffer="buf")
    @boundary
    def set_src_unified(self, buf: Any) -> None:
        self._src.set(flat_bytes(buf), memory_type.UNIFIED)

    @documented(buffer="buf")
    @boundary
    def set_dst_unified(self, buf: Any) -> None:
        self._dst.set(flat_bytes(buf), memory_type.UNIFIED)

    @property
    def src_memory_type(self) -> memory_type:
        return self._src.kind

    @src_memory_type.setter
    def src_memory_type(self, kind: memory_type) -> None:
        self._src.kind = memory_type(kind)

    @property
    def dst_memory_type(self) -> memory_type:
        return self._dst.kind

    @dst_memory_type.setter
    def dst_memory_type(self, kind: memory_type) -> None:
        self._dst.kind = memory_type(kind)

    @property
    def src_device(self) -> int:
        """The address of a source in device memory; 0 for another source."""
        return _device_of(self._src)

    @src_device.setter
    def src_device(self, devptr: Any) -> None:
        self.set_src_device(devptr)

    @property
    def dst_device(self) -> int:
        """The address of a destination in device memory; 0 for another destination."""
        return _device_of(self._dst)

    @dst_device.setter
    def dst_device(self, devptr: Any) -> None:
        self.set_dst_device(devptr)

    def _bytes(self, z: int, y: int, x: int, pitch: int, rows: int) -> int:
        """From the beginning of an end in linear memory to the end of the copy in it."""
        last = (z + self.depth - 1) * (rows or self.height) + y + self.height - 1
        return last * (pitch or self.width_in_bytes) + x + self.width_in_bytes

    @boundary
    def __call__(self, stream: Stream | bool | None = None, aligned: bool = False) -> None:
        """copy(stream) is asynchronous; copy(aligned=True) and copy() are not."""
        where = native(stream) if isinstance(stream, Stream) else None
        to, start = self._dst, self._src
        ww.copy_box(
            to.native(self._bytes(self.dst_z, self.dst_y, self.dst_x_in_bytes, self.dst_pitch,
                                  self.dst_height)),
            start.native(self._bytes(self.src_z, self.src_y, self.src_x_in_bytes, self.src_pitch,
                                     self.src_height)),
            self.width_in_bytes, self.height, self.depth,
            destination_at=(self.dst_x_in_bytes, self.dst_y, self.dst_z),
            destination_pitch=self.dst_pitch, destination_rows=self.dst_height,
            source_at=(self.src_x_in_bytes, self.src_y, self.src_z),
            source_pitch=self.src_pitch, source_rows=self.src_height,
            stream=where,
        )  # fmt: skip


class Memcpy2D(_Copy):
    """A copy of a rectangle: set ends, place and size, then call it."""


class Memcpy3D(_Copy):
    """A copy of a box: set ends, place and size, then call it."""

    # Levels of detail: arrays have one.
    src_lod = dst_lod = 0

    @boundary
    def __call__(self, stream: Stream | bool | None = None, aligned: bool = False) -> None:
        if self.src_lod != 0 or self.dst_lod != 0:
            raise ww.ArgumentValueError(
                f"arrays have level 0 only, got src_lod={self.src_lod}, dst_lod={self.dst_lod}"
            )
        super().__call__(stream, aligned)


class Memcpy3DPeer(Memcpy3D):
    """A copy of a box between the devices of two contexts."""

    def set_src_context(self, ctx: Context) -> None:
        self._src.context = require_context(ctx)

    def set_dst_context(self, ctx: Context) -> None:
        self._dst.context = require_context(ctx)
