"""Triangular systems, ILU(0), block Jacobi and LSQR against SciPy and dense algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as sl

import warpwise as ww

linalg = ww.sparse.linalg


def grid(n: int, dtype: str = "float64") -> Any:
    """Five points of a convection-diffusion equation on a square of n x n."""
    line = sp.diags_array([-1.4, 2.0, -0.6], offsets=[-1, 0, 1], shape=(n, n))
    both = sp.kron(line, sp.eye_array(n)) + sp.kron(sp.eye_array(n), line)
    result = both.tocsr().astype(dtype)
    if np.dtype(dtype).kind == "c":
        result = (result + 0.3j * sp.eye_array(n * n)).tocsr()
    return result


def triangle(n: int, dtype: str, lower: bool, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    dense = rng.normal(size=(n, n)) * (rng.random((n, n)) < 0.2)
    if np.dtype(dtype).kind == "c":
        dense = dense + 1j * rng.normal(size=(n, n)) * (dense != 0)
    dense = (np.tril if lower else np.triu)(dense, -1 if lower else 1)
    return sp.csr_array((dense + np.diag(rng.random(n) + 2)).astype(dtype))


def reference_ilu0(a: Any) -> Any:
    """Row by row over the matrix' own places (Saad, Iterative Methods, algorithm 10.4)."""
    rows = a.toarray().astype(complex if a.dtype.kind == "c" else float)
    places = rows != 0
    for i in range(len(rows)):
        for k in range(i):
            if not places[i, k]:
                continue
            rows[i, k] /= rows[k, k]
            for j in range(k + 1, len(rows)):
                if places[i, j]:
                    rows[i, j] -= rows[i, k] * rows[k, j]
    return np.tril(rows, -1) + np.eye(len(rows)), np.triu(rows)


def tolerance(dtype: Any) -> float:
    return 2e-4 if np.dtype(dtype).name in ("float32", "complex64") else 1e-10


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("width", [None, 3])
def test_triangular_systems(dtype: str, lower: bool, width: int | None) -> None:
    a = triangle(90, dtype, lower)
    b = np.random.default_rng(1).normal(size=(90,) if width is None else (90, width)).astype(dtype)
    for form in ("csr", "csc", "coo", "bsr"):
        x = linalg.spsolve_triangular(ww.sparse.csr_array(a).asformat(form), ww.asarray(b), lower)
        assert x.dtype == dtype
        expected = scipy.linalg.solve_triangular(a.toarray(), b, lower=lower)
        np.testing.assert_allclose(x.get(), expected, tolerance(dtype), tolerance(dtype))
    unit = linalg.spsolve_triangular(a, ww.asarray(b), lower=lower, unit_diagonal=True).get()
    dense = a.toarray()
    np.fill_diagonal(dense, 1)
    residual = np.abs(dense @ unit - b).max() / max(np.abs(unit).max(), 1)
    assert residual < tolerance(dtype)


def test_types_of_triangular_systems_are_joined() -> None:
    a = triangle(30, "float32", True)
    b = np.arange(30) * 1j
    x = linalg.spsolve_triangular(a, ww.asarray(b))
    assert x.dtype == np.complex128
    np.testing.assert_allclose((a @ x.get()), b, atol=1e-9)
    whole = linalg.spsolve_triangular(sp.csr_array(np.array([[2, 0], [1, 4]])), ww.asarray([2, 5]))
    assert whole.dtype == np.float64 and whole.get().tolist() == [1.0, 1.0]
    empty = linalg.spsolve_triangular(ww.sparse.csr_array((0, 0)), ww.zeros(0))
    assert empty.shape == (0,)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int64"])
def test_incomplete_factors(dtype: str) -> None:
    a = (grid(9, "float64") * 10).astype(dtype) if dtype == "int64" else grid(9, dtype)
    factors = linalg.ilu0(ww.sparse.csr_array(a))
    lower, upper = reference_ilu0(a)
    near = tolerance(factors.dtype)
    np.testing.assert_allclose(factors.L.toarray().get(), lower, near, near)
    np.testing.assert_allclose(factors.U.toarray().get(), upper, near, near)
    assert factors.shape == a.shape and factors.nnz == a.nnz + a.shape[0]
    b = np.random.default_rng(2).normal(size=81)
    for trans, matrix in (
        ("N", lower @ upper),
        ("T", (lower @ upper).T),
        ("H", (lower @ upper).conj().T),
    ):
        x = factors.solve(ww.asarray(b), trans=trans).get()
        np.testing.assert_allclose(matrix @ x, b, 10 * near, 10 * near)


def test_incomplete_factors_of_a_full_pattern_are_scipys() -> None:
    """Where no place is missing ILU(0) is LU: what spilu with drop_tol=0 computes."""
    dense = np.random.default_rng(5).normal(size=(12, 12)) + 12 * np.eye(12)
    ours = linalg.ilu0(sp.csr_array(dense))
    theirs = sl.spilu(sp.csc_array(dense), drop_tol=0, permc_spec="NATURAL", diag_pivot_thresh=0)
    b = np.arange(12.0)
    np.testing.assert_allclose(ours.solve(ww.asarray(b)).get(), theirs.solve(b), rtol=1e-10)
    np.testing.assert_allclose(ours.L.toarray().get(), theirs.L.toarray(), atol=1e-12)
    np.testing.assert_allclose(ours.U.toarray().get(), theirs.U.toarray(), atol=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("solver", ["bicgstab", "gmres"])
def test_better_preconditioners_need_fewer_iterations(solver: str, dtype: str) -> None:
    a = grid(24, dtype)
    b = ww.asarray(np.random.default_rng(4).normal(size=576))
    counts = {}
    for name, inverse in (
        ("none", None),
        ("block", linalg.block_jacobi(a, 24)),
        ("ilu", linalg.ilu0(a)),
    ):
        steps: list[Any] = []
        options = {"callback_type": "pr_norm"} if solver == "gmres" else {}
        x, info = getattr(linalg, solver)(
            a, b, rtol=1e-9, M=inverse, callback=steps.append, **options
        )
        assert info == 0
        assert np.linalg.norm(a @ x.get() - b.get()) <= 1e-7 * np.linalg.norm(b.get())
        counts[name] = len(steps)
    assert counts["ilu"] < counts["none"] and counts["block"] < counts["none"]


@pytest.mark.parametrize("size", [1, 3, 7, 40, 100])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_blocks_of_the_diagonal_are_inverted(size: int, dtype: str) -> None:
    a = grid(8, dtype)
    inverse = linalg.block_jacobi(ww.sparse.csc_array(a), size)
    dense = np.zeros((64, 64), complex)
    for first in range(0, 64, size):
        part = slice(first, min(first + size, 64))
        dense[part, part] = np.linalg.inv(a.toarray()[part, part])
    rng = np.random.default_rng(0)
    for shape in ((64,), (64, 3)):
        x = rng.normal(size=shape).astype(dtype)
        near = tolerance(dtype)
        np.testing.assert_allclose(inverse.matvec(ww.asarray(x)).get(), dense @ x, near, near)
        adjoint = inverse.rmatvec(ww.asarray(x)).get()
        np.testing.assert_allclose(adjoint, dense.conj().T @ x, near, near)


@pytest.mark.parametrize("shape", [(60, 60), (90, 40), (30, 70)])
@pytest.mark.parametrize(
    "options",
    [{}, {"damp": 0.5}, {"calc_var": True, "damp": 0.1}, {"iter_lim": 3},
     {"iter_lim": 5, "damp": 0.4, "calc_var": True},
     {"atol": 0, "btol": 0},
     {"conlim": 5.0}],
)  # fmt: skip
def test_least_squares_end_as_scipys(shape: tuple[int, int], options: dict[str, Any]) -> None:
    a = (sp.random_array(shape, density=0.2, random_state=3) + 3 * sp.eye_array(*shape)).tocsr()
    b = np.random.default_rng(8).normal(size=shape[0])
    ours = linalg.lsqr(a, ww.asarray(b), **options)
    theirs = sl.lsqr(a, b, **options)
    # Lanczos' vectors lose orthogonality: rounding in another order moves the last iterations.
    near = 1e-7 if ours[2] < 6 else 1e-3
    if options.get("atol") == 0:  # ends by rounding alone
        assert ours[1] in (4, 5, 6, 7)
    else:
        assert ours[1] == theirs[1] and abs(ours[2] - theirs[2]) <= (ours[2] >= 6)
    np.testing.assert_allclose(ours[0].get(), theirs[0], rtol=near, atol=near)
    np.testing.assert_allclose(ours[3:5], theirs[3:5], rtol=near, atol=near)
    np.testing.assert_allclose(ours[8], theirs[8], rtol=near)
    if ours[2] == theirs[2]:
        np.testing.assert_allclose(ours[5:7], theirs[5:7], rtol=1e-7 if ours[2] < 6 else 0.05)
        np.testing.assert_allclose(ours[7], theirs[7], rtol=1e-7, atol=1e-3)
        np.testing.assert_allclose(ours[9].get(), theirs[9], rtol=10 * near, atol=near)


def test_least_squares_begin_where_they_are_told() -> None:
    a = sp.random_array((50, 20), density=0.3, random_state=4).tocsr()
    b = np.random.default_rng(9).normal(size=50)
    start = np.linspace(-1, 1, 20)
    ours = linalg.lsqr(a, ww.asarray(b), x0=ww.asarray(start), damp=0.3)
    theirs = sl.lsqr(a, b, x0=start, damp=0.3)
    assert ours[1] == theirs[1] and abs(ours[2] - theirs[2]) <= 1
    np.testing.assert_allclose(ours[0].get(), theirs[0], rtol=1e-5, atol=1e-5)
    nothing = linalg.lsqr(a, ww.zeros(50))
    assert nothing[1:3] == (0, 0) and not nothing[0].get().any()


def test_least_squares_of_complex_numbers() -> None:
    rng = np.random.default_rng(2)
    dense = rng.normal(size=(30, 12)) + 1j * rng.normal(size=(30, 12))
    b = rng.normal(size=30) + 1j * rng.normal(size=30)
    found = linalg.lsqr(sp.csr_array(dense), ww.asarray(b), atol=1e-12, btol=1e-12)
    expected = np.linalg.lstsq(dense, b, rcond=None)[0]
    np.testing.assert_allclose(found[0].get(), expected, atol=1e-8)


SQUARE = sp.csr_array(np.array([[0.0, 1.0], [1.0, 1.0]]))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: linalg.ilu0(ww.sparse.csr_array((2, 3))), r"\(2, 3\); it must be square"),
        (lambda: linalg.ilu0(sp.csr_array(np.array([[1.0, 1], [1, 0]]) * 1.0)), "row 1"),
        (lambda: linalg.ilu0(SQUARE), "diagonal of row 0"),
        (lambda: linalg.ilu0(sp.csr_array(np.ones((2, 2)))), "pivot of 0 in row 1"),
        (lambda: linalg.block_jacobi(ww.sparse.csr_array((2, 3)), 1), "square"),
        (lambda: linalg.block_jacobi(SQUARE, 0), "block_size=0"),
        (lambda: linalg.block_jacobi(SQUARE, 1), "rows 0 to 0 is singular"),
        (lambda: linalg.spsolve_triangular(SQUARE, ww.ones(2)), r"lower .* entry \(0, 1\)"),
        (lambda: linalg.spsolve_triangular(SQUARE, ww.ones(2), False), r"upper .* \(1, 0\)"),
        (
            lambda: linalg.spsolve_triangular(sp.csr_array(np.diag([1.0, 0])), ww.ones(2)),
            "0 in row 1",
        ),
        (lambda: linalg.spsolve_triangular(sp.eye_array(3), ww.ones(2)), "3 unknowns"),
        (lambda: linalg.spsolve_triangular(sp.eye_array(3, 2), ww.ones(2)), "square"),
        (lambda: linalg.ilu0(sp.eye_array(3)).solve(ww.ones(3), "X"), "'X'"),
        (lambda: linalg.ilu0(sp.eye_array(3)).solve(ww.ones(4)), "3 unknowns"),
        (lambda: linalg.lsqr(SQUARE, ww.ones(3)), r"b of shape \(3,\)"),
        (lambda: linalg.lsqr(SQUARE, ww.ones(2), x0=ww.ones(3)), r"x0 of shape \(3,\)"),
        (lambda: linalg.lsqr(SQUARE, ww.ones(2), damp=-1.0), "got -1"),
        (lambda: linalg.lsqr(SQUARE, ww.ones(2), iter_lim=-2), "iter_lim=-2"),
    ],
)
def test_what_does_not_fit_is_refused(call: Any, text: str) -> None:
    with pytest.raises(ww.ArgumentValueError, match=text):
        call()


def test_other_refusals() -> None:
    operator = linalg.LinearOperator((2, 2), lambda x: x)
    with pytest.raises(ww.ArgumentTypeError, match="adjoint"):
        linalg.lsqr(operator, ww.ones(2))


def test_least_squares_that_tell_how_they_go(capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(5)
    a = sp.random(60, 40, 0.2, random_state=rng) + sp.eye(60, 40)
    b = rng.standard_normal(60)
    quiet = linalg.lsqr(a, ww.asarray(b))
    assert capsys.readouterr().out == ""
    found = linalg.lsqr(a, ww.asarray(b), show=True)
    lines = capsys.readouterr().out.splitlines()
    assert np.array_equal(found[0].get(), quiet[0].get())
    assert "60 x 40" in lines[0] and lines[1].split()[:2] == ["itn", "r1norm"]
    assert [int(line.split()[0]) for line in lines[2:13]] == list(range(11))
    assert float(lines[-2].split()[1]) == pytest.approx(found[3], rel=1e-3)
    assert lines[-1].startswith(f"istop = {found[1]}, itn = {found[2]}: ")
    linalg.lsqr(a, ww.zeros(60), show=True)
    text = capsys.readouterr().out
    assert "exact solution" in text and "nan" not in text
