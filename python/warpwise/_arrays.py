"""Names around arrays that are not functions of the extension: constants, files, inspection."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from types import TracebackType
from typing import IO, Any

import numpy as np

from . import _core
from ._core import Array, Device, asarray
from ._errors import ArgumentTypeError, ArgumentValueError

e = math.e
pi = math.pi
inf = math.inf
nan = math.nan
newaxis = None

_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}
_File = str | os.PathLike[str] | IO[bytes]


class lazy:  # noqa: N801 - spelled as users write it
    """`with ww.lazy(False)`: operations of this thread run at once, with the same results."""

    def __init__(self, enabled: bool = True) -> None:
        if not isinstance(enabled, bool | np.bool_):
            raise ArgumentTypeError(
                f"lazy expects True or False for 'enabled', got {_core.value_text(enabled)}"
            )
        self._enabled = bool(enabled)
        self._before: list[bool] = []

    def __enter__(self) -> lazy:
        self._before.append(_core.set_lazy(self._enabled))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _core.set_lazy(self._before.pop())

    def __repr__(self) -> str:
        return f"lazy({self._enabled})"


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is of a kind: a dtype, a name such as 'real floating', or a tuple of them."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, each) for each in kind)
    given = _dtype(dtype, "dtype")
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ArgumentValueError(f"kind got '{kind}'; it is one of {', '.join(_KINDS)}")
        letter = "f" if given.name == "bfloat16" else given.kind
        return letter in _KINDS[kind]
    return bool(given == _dtype(kind, "kind"))


def _dtype(value: Any, role: str) -> np.dtype[Any]:
    try:
        given: np.dtype[Any] = np.dtype(value)
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(
            f"isdtype expects a dtype for '{role}', got {_core.value_text(value)}"
        ) from error
    return given


def save(file: _File, array: Array) -> None:
    """Writes an array to a file in NumPy's format .npy."""
    np.save(_checked(file, "save", "write"), _fetched(array, "save"))


def savez(file: _File, *arrays: Array, **named: Array) -> None:
    """Writes arrays, each under its name, to a file in NumPy's format .npz.

    Those without a name are arr_0, arr_1 and so on, as numpy.savez calls them.
    """
    numbered = {f"arr_{i}": array for i, array in enumerate(arrays)}
    twice = sorted(numbered.keys() & named.keys())
    if twice:
        raise ArgumentValueError(f"savez got '{twice[0]}' twice, by position and by name")
    fetched: dict[str, Any] = {
        name: _fetched(array, "savez") for name, array in (numbered | named).items()
    }
    np.savez(_checked(file, "savez", "write"), **fetched)


def load(file: _File, *, device: Device | str | None = None) -> Any:
    """The array of an .npy file, or a dict with those of an .npz file."""
    content = np.load(_checked(file, "load", "read"), allow_pickle=False)
    if isinstance(content, np.ndarray):
        return asarray(content, device=device)
    with content:
        return {name: asarray(content[name], device=device) for name in content.files}


def _checked(file: _File, function: str, access: str) -> _File:
    if isinstance(file, str | os.PathLike) or callable(getattr(file, access, None)):
        return file
    raise ArgumentTypeError(
        f"{function} expects a path (str, os.PathLike) or an open binary file for 'file', got "
        f"{_core.value_text(file)}"
    )


def _fetched(array: Array, function: str) -> np.ndarray[Any, Any]:
    if not isinstance(array, Array):
        raise ArgumentTypeError(
            f"{function} expects a ww.Array, got {_core.value_text(array)}; numpy.save writes "
            "NumPy arrays"
        )
    host: np.ndarray[Any, Any] = array.get()
    return host


def restored(values: np.ndarray[Any, Any], device: str) -> Array:
    """What pickle calls: an array on the device it was on, or on the current one without it."""
    names: Sequence[str] = [each.name for each in _core.devices()]
    return asarray(values, device=device if device in names else None)


def restored_sparse(format: str, parts: Any, shape: tuple[int, int]) -> Any:
    """What pickle calls: a sparse matrix of a format of the arrays that it consists of."""
    return getattr(_core, f"{format}_array")(parts, shape)


restored.__module__ = restored_sparse.__module__ = "warpwise._arrays"
