"""Iterative solvers of linear systems and preconditioners, with the signatures of SciPy's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from .._later import refuse as _refuse

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

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        return _refuse(name, __name__)
