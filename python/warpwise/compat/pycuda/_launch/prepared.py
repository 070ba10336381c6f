"""Function.prepare: types of arguments, as struct codes or NumPy types."""

from __future__ import annotations

import operator
import re
import struct
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

import warpwise as ww

from .arguments import from_bytes, half_in

_SCALARS = {code: np.dtype(code) for code in "bBhHiIlLqQfdFD"} | {"?": np.dtype(np.bool_)}
_SCALARS |= {"n": np.dtype(np.intp), "N": np.dtype(np.uintp)}
_ENTRY = re.compile(r"\s*(\d*)(.)\s*", re.DOTALL)


class Packing:
    """How the arguments of a prepared call become those of the kernel."""

    def __init__(self, signature: ww.KernelSignature, arg_types: str | Iterable[Any]) -> None:
        self._name = signature.name
        self._parameters = signature.parameters
        self._entries = [part for entry in _entries(arg_types) for part in _parts(entry)]
        # As many as the kernel has: each is checked and converted by the launch itself.
        self._is_direct = len(self._entries) == len(self._parameters) and not any(
            map(_gives_bits, self._entries, self._parameters)
        )
        # Where it does not, bytes do: "ffff" for a float4.
        self._offsets, self._size = _layout(self._entries)
        if not self._is_direct and self._size != _size(self._parameters):
            raise ww.ArgumentTypeError(
                f"kernel '{self._name}' has {len(self._parameters)} parameters of "
                f"{_size(self._parameters)} bytes, and is prepared for {len(self._entries)} "
                f"arguments of {self._size} bytes"
            )

    @property
    def direct_count(self) -> int:
        """How many arguments are passed as they are; -2 where they are packed."""
        return len(self._entries) if self._is_direct else -2

    def values(self, args: Sequence[Any]) -> Sequence[Any]:
        if len(args) != len(self._entries):
            raise ww.ArgumentTypeError(
                f"kernel '{self._name}' is prepared for {len(self._entries)} arguments, "
                f"got {len(args)}"
            )
        if self._is_direct:
            return args
        data = bytearray(self._size)
        for entry, offset, value in zip(self._entries, self._offsets, args, strict=True):
            packed = _packed(entry, value)
            data[offset : offset + len(packed)] = packed
        return [
            from_bytes(bytes(data[one.offset : one.offset + one.size]), one)
            for one in self._parameters
        ]


def _entries(arg_types: str | Iterable[Any]) -> list[Any]:
    """In a string, one entry for each code with its count."""
    if not isinstance(arg_types, str):
        return list(arg_types)
    return ["".join(match) for match in _ENTRY.findall(arg_types)]


def _parts(entry: Any) -> list[Any]:
    """The dtypes of the arguments an entry stands for; None is a pointer. "2i" stands for two."""
    if isinstance(entry, str):
        return [part for match in _ENTRY.findall(entry) for part in _of_code(*match)]
    if isinstance(entry, np.dtype) or (isinstance(entry, type) and issubclass(entry, np.generic)):
        return [np.dtype(entry)]
    return [None]


def _of_code(count: str, code: str) -> list[Any]:
    if code in "sp":
        return [np.dtype((np.void, int(count or 1)))]
    if code == "x":
        raise struct.error("pad bytes ('x') are not arguments: parameters have their alignment")
    if code == "c":
        return [np.dtype(np.int8)] * int(count or 1)
    if code == "P":
        return [None] * int(count or 1)
    if code not in _SCALARS:
        raise struct.error(f"bad char in struct format: {code!r}")
    return [_SCALARS[code]] * int(count or 1)


def _gives_bits(dtype: Any, parameter: ww.Parameter) -> bool:
    """Whether "H" or "h" stands for the bits of a 16-bit floating-point number."""
    is_of_16_bits = dtype is not None and dtype.kind in "iu" and dtype.itemsize == 2
    return is_of_16_bits and half_in(parameter) is not None


def _layout(entries: list[Any]) -> tuple[list[int], int]:
    """Where each lies in the packed arguments, by its natural alignment, and the end."""
    offsets, end = [], 0
    for dtype in entries:
        size = 8 if dtype is None else dtype.itemsize
        alignment = 8 if dtype is None else (1 if dtype.kind == "V" else dtype.alignment)
        end = -(-end // alignment) * alignment
        offsets.append(end)
        end += size
    return offsets, end


def _size(parameters: Sequence[ww.Parameter]) -> int:
    return max((one.offset + one.size for one in parameters), default=0)


def _packed(dtype: Any, value: Any) -> bytes:
    if dtype is None:
        return int(value).to_bytes(8, "little")
    if dtype.kind == "V":
        return np.asarray(value).tobytes()[: dtype.itemsize]
    if dtype.kind in "iu":
        value = operator.index(value)
    return np.array(value, dtype).tobytes()
