"""numba.np.numpy_support: dtypes of NumPy as types, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

from warpwise.cuda.types import as_dtype, from_dtype, is_type, layout_of, typeof

numpy_version = tuple(int(part) for part in np.__version__.split(".")[:2])


def map_layout(val: Any) -> str:
    """'C', 'F' or 'A': how an array's elements lie."""
    return layout_of(val)


def map_arrayscalar_type(val: Any) -> Any:
    """The type of a NumPy scalar."""
    return typeof(np.asarray(val)[()])


__all__ = [
    "as_dtype",
    "from_dtype",
    "is_type",
    "map_arrayscalar_type",
    "map_layout",
    "numpy_version",
]
