"""Borders that a function of the caller's writes: np.pad with a function as its mode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _core
from .._core import Array
from .._errors import ArgumentValueError


def pad_by(
    array: Array, widths: Sequence[tuple[int, int]], function: Callable[..., Any], options: Any
) -> Array:
    """Calls the function with each row of each axis, as NumPy does; it writes to the row."""
    if len(widths) not in (1, array.ndim):
        raise ArgumentValueError(
            f"pad got {len(widths)} pairs of widths for an array of {array.ndim} axes; give one "
            "for each, or one"
        )
    each = list(widths) * (array.ndim if len(widths) == 1 else 1)
    padded = _core.pad(array, each or 0)
    for axis in range(array.ndim):
        rows = _core.moveaxis(padded, axis, -1)
        for place in np.ndindex(rows.shape[:-1]):
            function(rows[place], each[axis], axis, options)
    return padded
