"""Warnings about slow launches, with Numba's texts and switches."""

from __future__ import annotations

import math
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..._core import Device
from .._installed_numba import own_warning
from .settings import setting

_FEWEST_BLOCKS = 128
_PACKAGE = str(Path(__file__).parents[2]) + os.sep


def warn_of_host_arrays() -> None:
    """A launch copies NumPy arrays to the device and back."""
    if setting("CUDA_WARN_ON_IMPLICIT_COPY") and not setting("DISABLE_PERFORMANCE_WARNINGS"):
        _warn("Host array used in CUDA kernel will incur copy overhead to/from device.")


def warn_of_small_grid(grid: Any) -> None:
    """A grid has fewer blocks than a GPU has places for; of no concern on the CPU device."""
    if Device().kind == "cpu" and not _is_numbas_name():
        return
    if not setting("CUDA_LOW_OCCUPANCY_WARNINGS") or setting("DISABLE_PERFORMANCE_WARNINGS"):
        return
    blocks = math.prod(grid) if isinstance(grid, Sequence) else grid
    if isinstance(blocks, int) and blocks < _FEWEST_BLOCKS:
        _warn(
            f"Grid size {blocks} will likely result in GPU under-utilization due to low occupancy."
        )


def _is_numbas_name() -> bool:
    return sys.modules.get("numba.cuda") is sys.modules["warpwise.cuda"]


def _warn(message: str) -> None:
    """At the line outside of the package that launches."""
    level, frame = 1, sys._getframe(0)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level += 1
        frame = frame.f_back  # type: ignore[assignment]
    warnings.warn(message, own_warning("NumbaPerformanceWarning"), stacklevel=level)
