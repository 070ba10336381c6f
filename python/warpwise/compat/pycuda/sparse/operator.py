"""pycuda.sparse.operator: what iterative solvers multiply with."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._gpuarray.array import GPUArray


class OperatorBase:
    """To be derived from: `dtype`, `shape`, and __call__(vector)."""

    @property
    def dtype(self) -> np.dtype[Any]:
        raise NotImplementedError(f"{type(self).__name__} does not define dtype")

    @property
    def shape(self) -> tuple[int, int]:
        raise NotImplementedError(f"{type(self).__name__} does not define shape")

    def __call__(self, operand: GPUArray) -> GPUArray:
        raise NotImplementedError(f"{type(self).__name__} does not define __call__")

    def __neg__(self) -> OperatorBase:
        return _Negated(self)


class _Negated(OperatorBase):
    def __init__(self, sub_op: OperatorBase) -> None:
        self.sub_op = sub_op

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.sub_op.dtype

    @property
    def shape(self) -> tuple[int, int]:
        return self.sub_op.shape

    def __call__(self, operand: GPUArray) -> GPUArray:
        product: GPUArray = -self.sub_op(operand)
        return product

    def __neg__(self) -> OperatorBase:
        return self.sub_op


class IdentityOperator(OperatorBase):
    """Gives the vector itself."""

    def __init__(self, dtype: npt.DTypeLike, n: int) -> None:
        self._dtype = np.dtype(dtype)
        self.n = int(n)

    @property
    def dtype(self) -> np.dtype[Any]:
        return self._dtype

    @property
    def shape(self) -> tuple[int, int]:
        return self.n, self.n

    def __call__(self, operand: GPUArray) -> GPUArray:
        return operand


class DiagonalPreconditioner(OperatorBase):
    """Multiplies with a diagonal, a GPUArray."""

    def __init__(self, diagonal: GPUArray) -> None:
        self.diagonal = diagonal

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.diagonal.dtype

    @property
    def shape(self) -> tuple[int, int]:
        return self.diagonal.shape[0], self.diagonal.shape[0]

    def __call__(self, operand: GPUArray) -> GPUArray:
        product: GPUArray = self.diagonal * operand
        return product
