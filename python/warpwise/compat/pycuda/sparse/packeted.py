"""pycuda.sparse.packeted: products with square matrices, unknowns renumbered for locality.

PyCUDA cuts the matrix into packets that fit shared memory, with METIS. Here rows are numbered by
reverse Cuthill and McKee (1969), so that neighbours in the matrix are neighbours in memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import warpwise as ww

from .._basics.errors import boundary
from .._gpuarray.array import GPUArray
from .._gpuarray.creation import to_gpu
from .._gpuarray.subsets import take
from ._rows import Rows, checked_matrix, checked_vector


class PacketedSpMV:
    """A square sparse matrix, called with vectors in its own numbering.

    Parameters
    ----------
    mat : sparse matrix or array of SciPy's
    is_symmetric : bool
        Whether the pattern of entries is symmetric.
    dtype : dtype
        Of the product; entries are converted.
    """

    @boundary
    def __init__(self, mat: Any, is_symmetric: bool, dtype: npt.DTypeLike) -> None:
        from scipy.sparse.csgraph import (  # type: ignore[import-untyped]
            reverse_cuthill_mckee,
        )

        checked_matrix(mat, "PacketedSpMV")
        if mat.shape[0] != mat.shape[1]:
            raise ww.ArgumentValueError(f"only square matrices are supported, got {mat.shape}")
        self.dtype = np.dtype(dtype)
        self.shape: tuple[int, int] = tuple(mat.shape)
        rows = mat.tocsr()
        order = np.asarray(reverse_cuthill_mckee(rows, symmetric_mode=bool(is_symmetric)))
        inverse = np.empty_like(order)
        inverse[order] = np.arange(len(order), dtype=order.dtype)
        self._rows = Rows(rows[order][:, order], self.dtype)
        self.new2old_fetch_indices = to_gpu(order.astype(np.uint32))
        self.old2new_fetch_indices = to_gpu(inverse.astype(np.uint32))

    @boundary
    def permute(self, x: GPUArray) -> GPUArray:
        """A vector in the matrix' own numbering."""
        checked_vector(x, self.shape[0], x.dtype, "x")
        return take(x, self.new2old_fetch_indices)

    @boundary
    def unpermute(self, x: GPUArray) -> GPUArray:
        """A vector in the caller's numbering, from one in the matrix' own."""
        checked_vector(x, self.shape[0], x.dtype, "x")
        return take(x, self.old2new_fetch_indices)

    @boundary
    def __call__(self, x: GPUArray, y: GPUArray | None = None) -> GPUArray:
        """A x, in `y` where it is given; both in the matrix' own numbering."""
        checked_vector(x, self.shape[0], self.dtype, "x")
        if y is None:
            y = GPUArray(self.shape[:1], self.dtype, x.allocator)
        checked_vector(y, self.shape[0], self.dtype, "y")
        self._rows.multiply(x, y, False)
        return y
