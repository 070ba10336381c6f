"""NumPy's order of numbers, where its own functions have it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def by_numpy(function: Callable[..., Any], x: np.ndarray, **options: Any) -> np.ndarray:
    """function(x), which sorts. Numbers of float16 are sorted as float32: the vectorised sort that
    NumPy 2.4 has for them with AVX-512 leaves infinities among finite numbers, in one of fifteen
    arrays of 70,000 with NaN."""
    if x.dtype != np.float16:
        return np.asarray(function(x, **options))
    return np.asarray(function(x.astype(np.float32), **options)).astype(np.float16)
