"""Iterative solvers of linear systems, with the signatures of `scipy.sparse.linalg`."""

from __future__ import annotations

from .._core import LinearOperator, aslinearoperator, bicgstab, cg, gmres, jacobi, minres

__all__ = ["LinearOperator", "aslinearoperator", "bicgstab", "cg", "gmres", "jacobi", "minres"]
