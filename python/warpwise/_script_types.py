"""Types of the installed Numba, and of this package, that functions of kernels name."""

from __future__ import annotations

from typing import Any

import numpy as np


def dtype_of_record(value: Any) -> np.dtype[Any] | None:
    """Of a type of records, Numba's or this package's; None for anything else."""
    if not type(value).__module__.startswith(("numba.", "warpwise.")):
        return None
    from .cuda import types

    one = types.as_type(value) if types.is_type(value) else None
    return one.dtype if isinstance(one, types.Record) else None


def text_of_numbas(value: Any) -> str | None:
    """A type of the installed Numba as signatures name it; None for anything else."""
    if not type(value).__module__.startswith("numba."):
        return None
    from .cuda import types

    return types.as_type(value).__warpwise_type__ if types.is_type(value) else None
