"""Cooperative groups in kernels: `cg.this_grid().sync()`."""

from __future__ import annotations

from ._functions.intrinsics import Intrinsic

this_grid = Intrinsic(
    "cg.this_grid", "The group of all threads of the grid; sync() waits for them."
)

__all__ = ["this_grid"]
