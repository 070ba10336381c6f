"""Pickling of the extension's functions and methods by their names, as Python's own are.

Worker processes get functions so: of multiprocessing, joblib and Dask. Copies of objects that hold
functions need it too.
"""

from __future__ import annotations

import copyreg
from typing import Any

from . import _core


def _name(function: Any) -> str:
    return str(function.__qualname__)


def _bound(method: Any) -> tuple[Any, tuple[Any, str]]:
    return getattr, (method.__self__, method.__name__)


def register() -> None:
    copyreg.pickle(type(_core.mean), _name)
    copyreg.pickle(type(_core.Array.sum), _name)
    copyreg.pickle(type(_core.Array.sum.__get__("")), _bound)  # bound to anything
