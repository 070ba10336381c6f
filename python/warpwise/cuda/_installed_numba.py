"""What is Numba's where Numba is installed and only its `numba.cuda` is replaced: programs then see
its types, warnings and errors."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from .._errors import CompileError, UnsupportedError
from . import errors, types


def is_there() -> bool:
    """Whether programs in this process import this package as the `cuda` of an installed Numba."""
    if sys.modules.get("numba.cuda") is not sys.modules["warpwise.cuda"]:
        return False
    return getattr(sys.modules.get("numba"), "__name__", "") == "numba"


def own_type(kind: Any) -> Any:
    """A type of ours as Numba's, where Numba is there."""
    if not is_there():
        return kind
    known = import_module("numba.core.types")
    if isinstance(kind, types.Array):
        return known.Array(own_type(kind.dtype), kind.ndim, kind.layout, readonly=kind.readonly)
    if isinstance(kind, types.BaseTuple):
        return known.Tuple([own_type(each) for each in kind.types])
    if isinstance(kind, types.NoneType):
        return known.none
    return import_module("numba.np.numpy_support").from_dtype(kind.dtype_of_numpy)


def own_warning(name: str) -> type[Warning]:
    """The class of a warning by its name."""
    found = getattr(import_module("numba.core.errors") if is_there() else errors, name, None)
    return found if isinstance(found, type) else getattr(errors, name)


@functools.cache
def _error_class(kind: Any, numbas: Any) -> Any:
    """An error of ours that `except` clauses for Numba's catch."""
    return type(kind.__name__, (kind, numbas), {"__module__": kind.__module__})


@contextmanager
def own_errors() -> Iterator[None]:
    """A block whose errors of compiling are Numba's too."""
    try:
        yield
    except (CompileError, UnsupportedError) as error:
        kind: Any = type(error)
        if kind not in (CompileError, UnsupportedError) or not is_there():
            raise
        known = import_module("numba.core.errors")
        numbas = known.TypingError if kind is CompileError else known.UnsupportedError
        parts: list[Any] = [*error.args, error.log, error.file, error.line]
        made = _error_class(kind, numbas)(*parts)
        raise made.with_traceback(error.__traceback__) from None
