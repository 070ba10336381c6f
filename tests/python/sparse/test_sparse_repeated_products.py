"""Solvers multiply by one matrix many times.

Columns near the diagonal become 16-bit distances, and inner products are computed beside products.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import warpwise as ww
from warpwise import _core
from warpwise.sparse import linalg

SIDE = 240  # of a grid: more than 2^18 entries, from where on distances are made


@pytest.fixture(autouse=True, params=[False, True], ids=["own forms", "forms of GPUs"])
def block_forms(request: pytest.FixtureRequest) -> Iterator[bool]:
    before = _core.set_block_forms(request.param)
    yield request.param or ww.Device().kind == "cuda"
    _core.set_block_forms(before)


def poisson(side: int = SIDE, dtype: str = "float64") -> Any:
    line = sp.diags_array([-1, 2.1, -1], offsets=[-1, 0, 1], shape=(side, side))
    grid = sp.kron(line, sp.eye_array(side)) + sp.kron(sp.eye_array(side), line)
    return grid.tocsr().astype(dtype)


def with_far_entries() -> Any:
    """Symmetric; the first and the last row refer to each other, beyond 16 bits."""
    host = poisson().tolil()
    host[0, host.shape[0] - 1] = host[host.shape[0] - 1, 0] = -0.5
    return host.tocsr()


def near_limits() -> Any:
    """Distances of -32768 and 32767, the least and the greatest of 16 bits."""
    n = 100_000
    offsets = [-32768, -1, 0, 1, 32767]
    return sp.diags_array([0.3, -1.0, 4.0, -0.7, 0.6], offsets=offsets, shape=(n, n)).tocsr()


def kernels_of(solve: Any) -> set[str]:
    with ww.profile() as profile:
        solve()
    return {record.name for record in profile.records}


def has(names: set[str], part: str) -> bool:
    return any(part in name for name in names)


MATRICES = {"near": poisson, "far": with_far_entries, "limits": near_limits}


@pytest.mark.parametrize("matrix", MATRICES)
@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize("solver", ["bicgstab", "gmres"])
def test_products_of_solvers_have_the_bits_of_plain_ones(
    solver: str, index: str, matrix: str
) -> None:
    host = MATRICES[matrix]()
    a = ww.sparse.csr_array(
        (
            ww.asarray(host.data),
            ww.asarray(host.indices.astype(index)),
            ww.asarray(host.indptr.astype(index)),
        ),
        shape=host.shape,
    )
    b = ww.asarray(np.random.default_rng(3).normal(size=host.shape[0]))
    plain = linalg.LinearOperator(host.shape, matvec=lambda x: a @ x, dtype=host.dtype)
    solve = getattr(linalg, solver)
    x, _ = solve(a, b, rtol=0, maxiter=9)
    expected, _ = solve(plain, b, rtol=0, maxiter=9)
    assert np.isfinite(x.get()).all()
    np.testing.assert_array_equal(x.get(), expected.get())


@pytest.mark.parametrize("matrix", ["near", "far"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_cg_gives_the_solution(matrix: str, dtype: str) -> None:
    host = MATRICES[matrix]().astype(dtype)
    b = np.random.default_rng(4).normal(size=host.shape[0]).astype(dtype)
    x, info = linalg.cg(ww.sparse.csr_array(host), ww.asarray(b), rtol=1e-5)
    exact = sla.spsolve(host.astype("float64").tocsc(), b.astype("float64"))
    assert info == 0
    assert np.linalg.norm(x.get() - exact) < 2e-4 * np.linalg.norm(exact)


@pytest.mark.parametrize("rows", [1, 5, 255, 1023, 1024, 1025, 5000])
def test_inner_products_beside_products_cover_every_row(rows: int) -> None:
    """One step of cg is exact for a multiple of the unit matrix, whatever the right side."""
    a = ww.sparse.csr_array(sp.eye_array(rows, format="csr") * 4.0)
    b = np.random.default_rng(rows).normal(size=rows)
    x, info = linalg.cg(a, ww.asarray(b), rtol=1e-12, maxiter=2)
    assert info == 0
    np.testing.assert_allclose(x.get(), b / 4, rtol=1e-13)


def test_cg_gives_the_same_bits_each_time() -> None:
    a = ww.sparse.csr_array(poisson(dtype="float32"))
    b = ww.asarray(np.random.default_rng(5).normal(size=a.shape[0]).astype("float32"))
    first = linalg.cg(a, b, rtol=0, maxiter=30)[0].get()
    for _ in range(5):
        np.testing.assert_array_equal(linalg.cg(a, b, rtol=0, maxiter=30)[0].get(), first)


def test_gpus_read_distances_from_the_third_product_on(block_forms: bool) -> None:
    b = ww.asarray(np.ones(SIDE * SIDE))
    a = ww.sparse.csr_array(poisson())
    names = kernels_of(lambda: linalg.cg(a, b, rtol=0, maxiter=6))
    assert (
        {"ww_distances", "ww_near_spmv_inner"} <= names if block_forms else not has(names, "near")
    )


def test_far_entries_and_small_matrices_are_read_by_column() -> None:
    for host in (with_far_entries(), poisson(30)):
        b = ww.asarray(np.ones(host.shape[0]))
        a = ww.sparse.csr_array(host)
        names = kernels_of(lambda a=a, b=b: linalg.cg(a, b, rtol=0, maxiter=6))
        assert has(names, "ww_spmv_inner") and not has(names, "near")
