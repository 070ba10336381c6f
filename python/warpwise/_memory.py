"""Host arrays in page-locked memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ._core import HostBuffer


def pagelocked_empty(
    shape: int | Sequence[int], dtype: npt.DTypeLike, order: Literal["C", "F"] = "C"
) -> npt.NDArray[Any]:
    """An uninitialised array that devices copy to and from at full speed and asynchronously."""
    extents = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    element = np.dtype(dtype)
    memory = HostBuffer(math.prod(int(extent) for extent in extents) * element.itemsize)
    return np.ndarray(extents, element, buffer=memory, order=order)  # type: ignore[arg-type]
