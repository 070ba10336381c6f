"""Factorisations of dense matrices, against NumPy's and SciPy's."""

import numpy as np
import pytest
import scipy.linalg

import warpwise as ww


def dominant(rng, n, dtype):
    """A matrix that needs no pivoting."""
    return (rng.random((n, n)) + n * np.eye(n)).astype(dtype)


def test_gaussian_elimination(load, rng):
    run = load("factorisations/gauss.cu")
    n = 37
    a, b = dominant(rng, n, np.float32), rng.random(n, np.float32)
    m, reduced, rhs, x = np.zeros_like(a), a.copy(), b.copy(), np.zeros_like(b)
    for t in range(n - 1):
        run("multipliers", ww.InOut(m), ww.In(reduced), n, t, grid=2, block=32)
        run(
            "eliminate",
            ww.In(m),
            ww.InOut(reduced),
            ww.InOut(rhs),
            n,
            t,
            grid=(10, 10),
            block=(4, 4),
        )
    run("substitute_back", ww.In(reduced), ww.In(rhs), ww.Out(x), n)
    assert np.allclose(x, np.linalg.solve(a.astype(np.float64), b), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("tile", [16, 8])
def test_blocked_lu(load, rng, tile):
    run = load("factorisations/lu_blocked.cu", f"-DBS={tile}")
    n = 5 * tile
    a = dominant(rng, n, np.float32)
    lu = a.copy()
    for offset in range(0, n, tile):
        run("lud_diagonal", ww.InOut(lu), n, offset, block=tile)
        left = (n - offset) // tile - 1
        if left:
            run("lud_perimeter", ww.InOut(lu), n, offset, grid=left, block=2 * tile)
            run("lud_internal", ww.InOut(lu), n, offset, grid=(left, left), block=(tile, tile))
    lower, upper = np.tril(lu.astype(np.float64), -1) + np.eye(n), np.triu(lu.astype(np.float64))
    assert np.allclose(lower @ upper, a, atol=1e-4)


def test_batched_lu_with_pivots(load, rng):
    run = load("factorisations/lu_pivoted.cu")
    count, n = 5, 27
    a = rng.standard_normal((count, n, n))
    lu, pivots = a.copy(), np.zeros((count, n), np.int32)
    run("getrf_batched<64>", ww.InOut(lu), ww.Out(pivots), n, grid=count, block=64)
    for i in range(count):
        want, order = scipy.linalg.lu_factor(a[i])
        assert np.array_equal(pivots[i], order)
        assert np.allclose(lu[i], want, atol=1e-10)


def test_cholesky_and_solve(load, rng):
    run = load("factorisations/cholesky.cu")
    n = 45
    root = rng.standard_normal((n, n))
    a, b = root @ root.T + n * np.eye(n), rng.standard_normal(n)
    factor, x, info = np.zeros((n, n)), np.zeros(n), np.ones(1, np.int32)
    run(
        "cholesky_solve", ww.In(a), ww.In(b), ww.Out(factor), ww.Out(x), n, ww.InOut(info),
        block=(16, 8), shared=8 * (n * (n + 1) // 2 + n),
    )  # fmt: skip
    assert info[0] == 0
    assert np.allclose(factor, np.linalg.cholesky(a), atol=1e-10)
    assert np.allclose(x, np.linalg.solve(a, b), atol=1e-10)


def test_cholesky_names_the_minor_that_is_not_positive(load, rng):
    run = load("factorisations/cholesky.cu")
    n = 9
    a = np.eye(n)
    a[6, 6] = -1
    factor, x, info = np.zeros((n, n)), np.zeros(n), np.zeros(1, np.int32)
    run(
        "cholesky_solve", ww.In(a), ww.In(x), ww.Out(factor), ww.Out(x), n, ww.InOut(info),
        block=(8, 4), shared=8 * (n * (n + 1) // 2 + n),
    )  # fmt: skip
    assert info[0] == 7


@pytest.mark.parametrize(
    ("ctype", "dtype", "near"), [("float", np.float32, 1e-4), ("double", np.float64, 1e-11)]
)
def test_householder_qr(load, rng, ctype, dtype, near):
    run = load("factorisations/qr_householder.cu")
    count, rows, cols = 3, 53, 17
    a = rng.standard_normal((count, rows, cols)).astype(dtype)
    qr, tau = a.copy(), np.zeros((count, cols), dtype)
    run(f"geqrf<{ctype}, 64>", ww.InOut(qr), ww.Out(tau), rows, cols, grid=count, block=64)
    for i in range(count):
        (want, want_tau), _ = scipy.linalg.qr(a[i].astype(np.float64), mode="raw")
        assert np.allclose(qr[i], want, atol=near)
        assert np.allclose(tau[i], want_tau, atol=near)
