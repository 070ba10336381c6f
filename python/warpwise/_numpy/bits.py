"""Bits of bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._core import Array
from .._errors import ArgumentTypeError, ArgumentValueError
from .operands import checked_axis


def packbits(a: Array, /, axis: int | None = None, bitorder: str = "big") -> Array:
    if a.dtype.kind not in "biu":
        raise ArgumentTypeError(f"packbits got an array of {a.dtype}; it takes bools and integers")
    rows, of = _rows_of_bits(a, axis)
    count = -(-rows.shape[-1] // 8)
    bits = _core.pad(rows != 0, [(0, 0)] * (rows.ndim - 1) + [(0, count * 8 - rows.shape[-1])])
    bits = _core.astype(bits, np.uint8).reshape(*rows.shape[:-1], count, 8)
    places = _places_of_bits(bitorder, a.device)
    bytes_ = _core.sum(_core.bitwise_left_shift(bits, places), axis=-1, dtype=np.uint8)
    return _core.moveaxis(bytes_, -1, of)


def unpackbits(
    a: Array, /, axis: int | None = None, count: int | None = None, bitorder: str = "big"
) -> Array:
    if a.dtype != np.uint8:
        raise ArgumentTypeError(f"unpackbits got an array of {a.dtype}; it takes uint8")
    rows, of = _rows_of_bits(a, axis)
    places = _places_of_bits(bitorder, a.device)
    bits = _core.bitwise_right_shift(rows[..., None], places) & 1
    bits = bits.reshape(*rows.shape[:-1], rows.shape[-1] * 8)
    if count is not None and count > bits.shape[-1]:
        missing = count - bits.shape[-1]
        bits = _core.pad(bits, [(0, 0)] * (bits.ndim - 1) + [(0, missing)])
    elif count is not None:
        bits = bits[..., :count]
    return _core.moveaxis(bits, -1, of)


def _rows_of_bits(array: Array, axis: int | None) -> tuple[Array, int]:
    """The array with the axis last, and where it was; one row without an axis."""
    if axis is None:
        return array.reshape(-1), 0
    of = checked_axis(axis, array.ndim)
    return _core.moveaxis(array, of, -1), of


def _places_of_bits(bitorder: str, device: Any) -> Array:
    if bitorder not in ("big", "little"):
        raise ArgumentValueError(f"bitorder is 'big' or 'little', not {bitorder!r}")
    steps = (7, -1, -1) if bitorder == "big" else (0, 8, 1)
    return _core.arange(*steps, dtype=np.uint8, device=device)
