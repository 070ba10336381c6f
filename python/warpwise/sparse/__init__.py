"""Sparse matrices: compressed rows or columns, coordinates, blocks; linear systems in `linalg`.

>>> import warpwise as ww
>>> a = ww.sparse.csr_array(([4.0, 1.0, 3.0], ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
>>> x, info = ww.sparse.linalg.bicgstab(a, ww.asarray([1.0, 2.0]))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._core import (
    PacketedArray,
    SparseArray,
    bsr_array,
    coo_array,
    csc_array,
    csr_array,
    pkt_array,
)
from .._later import refuse as _refuse
from . import linalg as linalg

__all__ = [
    "PacketedArray",
    "SparseArray",
    "bsr_array",
    "coo_array",
    "csc_array",
    "csr_array",
    "linalg",
    "pkt_array",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        return _refuse(name, __name__)
