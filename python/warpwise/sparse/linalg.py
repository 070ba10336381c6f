"""Iterative solvers of linear systems and preconditioners, with the signatures of SciPy's."""

from __future__ import annotations

from .._core import (
    IncompleteLU,
    LinearOperator,
    aslinearoperator,
    bicgstab,
    block_jacobi,
    cg,
    gmres,
    ilu0,
    jacobi,
    lsqr,
    minres,
    spsolve_triangular,
)

__all__ = [
    "IncompleteLU",
    "LinearOperator",
    "aslinearoperator",
    "bicgstab",
    "block_jacobi",
    "cg",
    "gmres",
    "ilu0",
    "jacobi",
    "lsqr",
    "minres",
    "spsolve_triangular",
]
