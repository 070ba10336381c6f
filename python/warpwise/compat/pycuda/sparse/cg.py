"""pycuda.sparse.cg: the method of conjugate gradients.

The iteration is that of J. R. Shewchuk, An Introduction to the Conjugate Gradient Method Without
the Agonizing Pain (1994), B3. Step lengths stay on the device; an iteration fetches one number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import warpwise as ww

from .._basics.errors import boundary
from .._gpuarray.array import GPUArray
from .._gpuarray.creation import zeros_like
from .._gpuarray.functions import dot
from .operator import IdentityOperator, OperatorBase

# The residual is computed again every so many iterations, as rounding makes the updated one drift.
_FRESH = 50


class ConvergenceError(RuntimeError):
    """The iteration did not reach the tolerance."""


class CGStateContainer:
    """An iteration under way.

    Parameters
    ----------
    operator : callable
        Multiplies the matrix with a GPUArray; has `shape` and `dtype`.
    precon : OperatorBase, optional
        An approximation of its inverse; default: the identity.
    pagelocked_allocator
        Accepted, without effect.
    """

    def __init__(
        self,
        operator: Any,
        precon: OperatorBase | None = None,
        pagelocked_allocator: Callable[..., Any] | None = None,
    ) -> None:
        if precon is None:
            precon = IdentityOperator(operator.dtype, operator.shape[0])
        self.operator = operator
        self.precon = precon
        self.pagelocked_allocator = pagelocked_allocator

    @boundary
    def reset(self, rhs: GPUArray, x: GPUArray | None = None) -> float:
        """Begins with a right-hand side and perhaps a first guess, which is overwritten; returns
        the square of the preconditioned residual's norm."""
        if not isinstance(rhs, GPUArray) or rhs.shape != (self.operator.shape[0],):
            shape = rhs.shape if isinstance(rhs, GPUArray) else type(rhs).__name__
            raise ww.ArgumentValueError(
                f"the right-hand side is to be a GPUArray of shape ({self.operator.shape[0]},), "
                f"got {shape}"
            )
        self.rhs = rhs
        self.x = zeros_like(rhs) if x is None else x
        self.residual: GPUArray = rhs - self.operator(self.x)
        self.d = self.precon(self.residual)
        self.delta = dot(self.residual, self.d)
        return self._fetched()

    def _fetched(self) -> float:
        return float(abs(self.delta.get()))

    def one_iteration(self, compute_real_residual: bool = False) -> float:
        """Returns the square of the preconditioned residual's norm afterwards."""
        q = self.operator(self.d)
        alpha = self.delta / dot(self.d, q)
        self.x += alpha * self.d
        if compute_real_residual:
            self.residual = self.rhs - self.operator(self.x)
        else:
            self.residual = self.residual - alpha * q
        s = self.precon(self.residual)
        before, self.delta = self.delta, dot(self.residual, s)
        self.d = s + (self.delta / before) * self.d
        return self._fetched()

    def run(
        self,
        max_iterations: int | None = None,
        tol: float = 1e-7,
        debug_callback: Callable[..., Any] | None = None,
    ) -> tuple[int, int]:
        """Iterates until the residual's norm is `tol` times what it was; returns the numbers of
        iterations and of residuals computed again. Raises ConvergenceError."""
        if max_iterations is None:
            max_iterations = max(3 * self.operator.shape[0] + 1, 10)
        first = self._fetched()
        target = tol * tol * first
        fresh_count, is_fresh, value = 0, True, first
        for iteration in range(max_iterations + 1):
            if debug_callback is not None:
                debug_callback("it", iteration, self.x, self.residual, self.d, value)
            if not np.isfinite(value):
                break
            if value <= target and is_fresh:
                return iteration, fresh_count
            # A residual below the tolerance counts when it was not merely updated.
            is_fresh = value <= target or iteration % _FRESH == _FRESH - 1
            fresh_count += is_fresh
            value = self.one_iteration(compute_real_residual=is_fresh)
        raise ConvergenceError(
            f"cg failed to converge: after {iteration} iterations the residual is "
            f"{np.sqrt(value / first) if first else value:.3g} times the first, above {tol:g}"
        )


@boundary
def solve_pkt_with_cg(
    pkt_spmv: Any,
    b: GPUArray,
    precon: OperatorBase | None = None,
    x: GPUArray | None = None,
    tol: float = 1e-7,
    max_iterations: int | None = None,
    debug: bool = False,
    pagelocked_allocator: Callable[..., Any] | None = None,
) -> tuple[GPUArray, int, int]:
    """Solves A x = b for a PacketedSpMV of a symmetric positive definite matrix.

    Parameters
    ----------
    precon : OperatorBase, optional
        On vectors in the matrix' own numbering.
    x : GPUArray, optional
        A first guess.
    debug : bool
        Prints the residual now and then.

    Returns
    -------
    x, iterations, residuals computed again
    """

    def report(what: str, number: int, x: Any, residual: Any, d: Any, value: float) -> None:
        if number % 10 == 0:
            print(f"cg: iteration {number}, residual {np.sqrt(value):.6g}")

    state = CGStateContainer(pkt_spmv, precon, pagelocked_allocator)
    state.reset(pkt_spmv.permute(b), None if x is None else pkt_spmv.permute(x))
    counts = state.run(max_iterations, tol, report if debug else None)
    return pkt_spmv.unpermute(state.x), *counts
