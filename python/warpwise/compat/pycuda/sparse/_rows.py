"""Products of matrices in compressed rows with vectors, by ww.sparse."""

from __future__ import annotations

from typing import Any

import numpy as np

import warpwise as ww

from .._gpuarray.array import GPUArray


class Rows:
    """A matrix in compressed rows on the device; `mat` is one of SciPy's."""

    def __init__(self, mat: Any, dtype: np.dtype[Any]) -> None:
        rows = mat.tocsr()
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        self._matrix = ww.sparse.csr_array(rows.astype(dtype))

    def multiply(self, x: GPUArray, y: GPUArray, adds: bool) -> None:
        """y = A x, or y += A x."""
        product = self._matrix @ x._placed()
        y._placed()[...] = y._array + product if adds else product


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
