"""pycuda.driver: fills of rectangles of device memory."""

from __future__ import annotations

from typing import Any

import numpy as np

import warpwise as ww

from .._basics.errors import boundary
from .._devices.device import Stream, native
from .memory import memory_at


def _fill(
    dest: Any, pitch: int, data: int, width: int, height: int, bits: int, stream: Stream | None
) -> None:
    """Rows of `width` elements, `pitch` bytes from one to the next."""
    dtype = np.dtype(f"uint{bits}")
    row = width * dtype.itemsize
    if width < 0 or height < 0:
        raise ww.ArgumentValueError(
            f"a rectangle has 0 or more elements, got a width of {width} and a height of {height}"
        )
    if height > 1 and pitch < row:
        raise ww.ArgumentValueError(f"rows of {row} bytes overlap at a pitch of {pitch} bytes")
    if width == 0 or height == 0:
        return
    memory = memory_at(dest, (height - 1) * pitch + row)
    if pitch == row:
        width, height = width * height, 1
        row = width * dtype.itemsize
    for y in range(height):
        memory.slice(y * pitch, row).fill(data, dtype, count=width, stream=native(stream))


@boundary
def memset_d2d8(dest: Any, pitch: int, data: int, width: int, height: int) -> None:
    _fill(dest, pitch, data, width, height, 8, None)


@boundary
def memset_d2d16(dest: Any, pitch: int, data: int, width: int, height: int) -> None:
    _fill(dest, pitch, data, width, height, 16, None)


@boundary
def memset_d2d32(dest: Any, pitch: int, data: int, width: int, height: int) -> None:
    _fill(dest, pitch, data, width, height, 32, None)


@boundary
def memset_d2d8_async(
    dest: Any, pitch: int, data: int, width: int, height: int, stream: Stream | None = None
) -> None:
    _fill(dest, pitch, data, width, height, 8, stream)


@boundary
def memset_d2d16_async(
    dest: Any, pitch: int, data: int, width: int, height: int, stream: Stream | None = None
) -> None:
    _fill(dest, pitch, data, width, height, 16, stream)


@boundary
def memset_d2d32_async(
    dest: Any, pitch: int, data: int, width: int, height: int, stream: Stream | None = None
) -> None:
    _fill(dest, pitch, data, width, height, 32, stream)
