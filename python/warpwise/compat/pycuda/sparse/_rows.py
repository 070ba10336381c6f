"""Products of matrices in compressed rows with vectors, a thread for each row."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import warpwise as ww

from .._dtypes import dtype_to_ctype
from .._gpuarray import GPUArray
from .._kernel_arguments import with_headers


@functools.cache
def _kernel(ctype: str, adds: bool) -> ww.ElementwiseKernel:
    arguments = (
        f"const int *begin, const int *end, const int *column, const {ctype} *value, "
        f"const {ctype} *x, {ctype} *y"
    )
    operation = (
        f"{ctype} sum = {'y[i]' if adds else '0'};"
        "for (int k = begin[i]; k < end[i]; ++k) sum += value[k] * x[column[k]];"
        "y[i] = sum"
    )
    return ww.ElementwiseKernel(arguments, operation, "spmv", **with_headers("", ctype))


class Rows:
    """A matrix in compressed rows on the device; `mat` is one of SciPy's."""

    def __init__(self, mat: Any, dtype: np.dtype[Any]) -> None:
        rows = mat.tocsr()
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        if rows.nnz >= 2**31:
            raise ww.ArgumentValueError(f"the matrix has {rows.nnz} entries; the most is 2**31 - 1")
        starts = ww.asarray(rows.indptr.astype(np.int32))
        self._begin, self._end = starts[:-1], starts[1:]
        self._columns = ww.asarray(rows.indices.astype(np.int32))
        self._values = ww.asarray(rows.data.astype(dtype))
        self._ctype = dtype_to_ctype(dtype)

    def multiply(self, x: GPUArray, y: GPUArray, adds: bool) -> None:
        """y = A x, or y += A x."""
        _kernel(self._ctype, adds)(
            self._begin, self._end, self._columns, self._values, x._placed(), y._placed()
        )


def checked_matrix(mat: Any, function: str) -> None:
    if not hasattr(mat, "tocsr") or len(mat.shape) != 2:
        raise ww.ArgumentTypeError(
            f"{function} expects a sparse matrix of SciPy's, got {type(mat).__name__}"
        )


def checked_vector(x: Any, size: int, dtype: np.dtype[Any], name: str) -> None:
    if not isinstance(x, GPUArray) or x.dtype != dtype:
        kind = x.dtype if isinstance(x, GPUArray) else type(x).__name__
        raise ww.ArgumentTypeError(f"'{name}' is to be a GPUArray of {dtype}, got {kind}")
    if x.shape != (size,):
        raise ww.ArgumentValueError(f"'{name}' is to have shape ({size},), got {x.shape}")
