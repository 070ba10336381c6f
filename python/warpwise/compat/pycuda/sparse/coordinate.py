"""pycuda.sparse.coordinate: products with matrices of any shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._basics.errors import boundary
from .._gpuarray.array import GPUArray
from .._gpuarray.creation import to_gpu, zeros
from ._rows import Rows, checked_matrix, checked_vector


class CoordinateSpMV:
    """A sparse matrix, called with a vector.

    Parameters
    ----------
    mat : sparse matrix or array of SciPy's
    dtype : dtype
        Of the product; entries are converted.
    """

    @boundary
    def __init__(self, mat: Any, dtype: npt.DTypeLike) -> None:
        checked_matrix(mat, "CoordinateSpMV")
        self.dtype = np.dtype(dtype)
        self.shape: tuple[int, int] = tuple(mat.shape)
        entries = mat.tocoo()
        self.rows_gpu = to_gpu(entries.row.astype(np.int32))
        self.cols_gpu = to_gpu(entries.col.astype(np.int32))
        self.data_gpu = to_gpu(entries.data.astype(self.dtype))
        self.nnz = int(entries.nnz)
        self._rows = Rows(mat, self.dtype)

    @boundary
    def __call__(self, x: GPUArray, y: GPUArray | None = None) -> GPUArray:
        """A x; with `y`, adds it there."""
        checked_vector(x, self.shape[1], self.dtype, "x")
        if y is None:
            y = zeros((self.shape[0],), self.dtype, x.allocator)
        checked_vector(y, self.shape[0], self.dtype, "y")
        self._rows.multiply(x, y, True)
        return y
