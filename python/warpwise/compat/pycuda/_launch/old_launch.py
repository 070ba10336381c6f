"""The launch interface of PyCUDA before 2011.1: parameters are set first, then the grid starts."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import warpwise as ww

from .._basics.errors import boundary
from .._devices.device import Stream
from .arguments import from_bytes


class OldLaunch:
    """State that launch() and its variants use; a base of Function."""

    def __init__(self, signature: ww.KernelSignature) -> None:
        self._signature = signature
        self._old_args: tuple[Any, ...] = ()
        self._old_bytes: bytearray | None = None
        self._old_shape: tuple[int, int, int] | None = None
        self._old_shared = 0

    def _launch(
        self,
        args: Sequence[Any],
        grid: Sequence[int],
        block: Sequence[int],
        stream: Stream | None,
        shared: int,
        cooperative: bool = False,
    ) -> None:
        raise NotImplementedError

    def set_block_shape(self, x: int, y: int, z: int) -> None:
        self._old_shape = (x, y, z)

    def set_shared_size(self, bytes: int) -> None:
        self._old_shared = bytes

    def param_set(self, *args: Any) -> None:
        """All arguments, as a call takes them."""
        self._old_args, self._old_bytes = args, None

    @boundary
    def param_set_size(self, bytes: int) -> None:
        """The size of all parameters that param_seti, param_setf and param_setv set."""
        if bytes < self._size():
            raise ww.ArgumentValueError(
                f"the parameters of kernel '{self._signature.name}' have {self._size()} bytes, "
                f"got a size of {bytes}"
            )
        self._set_bytes(0, b"")

    def param_seti(self, offset: int, value: int) -> None:
        self._set_bytes(offset, struct.pack("I" if value >= 0 else "i", value))

    def param_setf(self, offset: int, value: float) -> None:
        self._set_bytes(offset, struct.pack("f", value))

    def param_setv(self, offset: int, buf: Any) -> None:
        self._set_bytes(offset, bytes(memoryview(buf).cast("B")))

    @boundary
    def launch(self) -> None:
        self._launch_old((1, 1), None)

    @boundary
    def launch_grid(self, width: int, height: int) -> None:
        self._launch_old((width, height), None)

    @boundary
    def launch_grid_async(self, width: int, height: int, stream: Stream) -> None:
        self._launch_old((width, height), stream)

    def _size(self) -> int:
        return max((one.offset + one.size for one in self._signature.parameters), default=0)

    @boundary
    def _set_bytes(self, offset: int, data: bytes) -> None:
        if self._old_bytes is None:
            self._old_bytes = bytearray(self._size())
        if offset < 0 or offset + len(data) > len(self._old_bytes):
            raise ww.ArgumentValueError(
                f"{len(data)} bytes at offset {offset} are not all in the parameters of kernel "
                f"'{self._signature.name}', which have {len(self._old_bytes)} bytes"
            )
        self._old_bytes[offset : offset + len(data)] = data

    def _launch_old(self, grid: tuple[int, int], stream: Stream | None) -> None:
        if self._old_shape is None:
            raise ww.ArgumentValueError(
                f"kernel '{self._signature.name}' has no block; call set_block_shape() first"
            )
        args: Sequence[Any] = self._old_args
        if self._old_bytes is not None:
            data = bytes(self._old_bytes)
            args = [
                from_bytes(data[one.offset : one.offset + one.size], one)
                for one in self._signature.parameters
            ]
        self._launch(args, grid, self._old_shape, stream, self._old_shared)
