"""Solvers against SciPy's: solutions, info, tolerances, preconditioners, callbacks, bad input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as sla

import warpwise as ww
from warpwise.sparse import linalg

SOLVERS = ["cg", "bicgstab", "gmres", "minres"]


def laplacian(n: int) -> Any:
    """The 5-point stencil on an n x n grid."""
    line = sp.diags_array([-1, 2.0, -1], offsets=[-1, 0, 1], shape=(n, n))
    return (sp.kron(line, sp.eye_array(n)) + sp.kron(sp.eye_array(n), line)).tocsr()


def unsymmetric(n: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    noise = sp.random_array((n, n), density=5 / n, rng=rng)
    return (noise + sp.eye_array(n) * 3).tocsr()


def residual(a: Any, x: Any, b: np.ndarray[Any, Any]) -> float:
    return float(np.linalg.norm(a @ x.get() - b) / np.linalg.norm(b))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_solves_poisson_s_equation(solver: str, dtype: str) -> None:
    host = laplacian(17).astype(dtype)
    b = np.random.default_rng(1).normal(size=host.shape[0]).astype(dtype)
    solve = getattr(linalg, solver)
    x, info = solve(ww.sparse.csr_array(host), ww.asarray(b), rtol=1e-4)
    assert info == 0 and x.dtype == dtype
    if solver == "minres":  # whose goal is relative to |A| |x|
        expected = sla.minres(host, b, rtol=1e-4)[0]
        assert np.linalg.norm(x.get() - expected) < 2e-3 * np.linalg.norm(expected)
    else:
        assert residual(host, x, b) < 1.01e-4


@pytest.mark.parametrize("solver", ["bicgstab", "gmres"])
@pytest.mark.parametrize("kind", ["real", "complex"])
def test_solves_unsymmetric_systems(solver: str, kind: str) -> None:
    host = unsymmetric(200)
    if kind == "complex":
        host = (host + 1j * unsymmetric(200, 1)).tocsr()
    b = np.random.default_rng(2).normal(size=200).astype(host.dtype)
    x, info = getattr(linalg, solver)(ww.sparse.csc_array(host), ww.asarray(b), rtol=1e-9)
    assert info == 0 and residual(host, x, b) < 1.01e-9


def test_cg_of_a_hermitian_matrix() -> None:
    a = laplacian(9).astype(complex)
    a = (a + 0.3j * (sp.eye_array(81, k=3) - sp.eye_array(81, k=-3))).tocsr()
    b = np.arange(81) * (1 - 0.5j)
    x, info = linalg.cg(ww.sparse.csr_array(a), ww.asarray(b), rtol=1e-10)
    assert info == 0 and residual(a, x, b) < 1.01e-10


def test_minres_of_an_indefinite_matrix() -> None:
    a = (laplacian(9) - 3.1 * sp.eye_array(81)).tocsr()
    b = np.cos(np.arange(81))
    x, info = linalg.minres(ww.sparse.csr_array(a), ww.asarray(b), rtol=1e-10)
    expected, theirs = sla.minres(a, b, rtol=1e-10)
    assert info == theirs == 0 and np.allclose(x.get(), expected, atol=1e-6)
    shifted, info = linalg.minres(ww.sparse.csr_array(laplacian(9)), ww.asarray(b), shift=3.1)
    assert info == 0 and residual(a, shifted, b) < 1e-3


# x is that of the iteration in which SciPy ends, whatever was computed behind it.
@pytest.mark.parametrize("rtol", [0.5, 1e-2, 1e-3, 1e-6])
def test_cg_ends_where_scipy_s_does(rtol: float) -> None:
    host = laplacian(20)
    b = np.random.default_rng(3).normal(size=400)
    x, info = linalg.cg(ww.sparse.csr_array(host), ww.asarray(b), rtol=rtol)
    expected, theirs = sla.cg(host, b, rtol=rtol)
    assert info == theirs == 0
    assert np.linalg.norm(x.get() - expected) < 1e-8 * np.linalg.norm(expected)


@pytest.mark.parametrize("solver", SOLVERS)
def test_too_few_iterations_are_reported_as_scipy_does(solver: str) -> None:
    host = laplacian(20)
    b = np.random.default_rng(3).normal(size=400)
    options = {"restart": 2} if solver == "gmres" else {}
    x, info = getattr(linalg, solver)(
        ww.sparse.csr_array(host), ww.asarray(b), rtol=1e-12, maxiter=3, **options
    )
    expected, theirs = getattr(sla, solver)(host, b, rtol=1e-12, maxiter=3, **options)
    assert info == theirs == 3 and np.allclose(x.get(), expected)


@pytest.mark.parametrize("solver", SOLVERS)
def test_where_to_begin_and_zero_right_sides(solver: str) -> None:
    host = laplacian(12)
    solve = getattr(linalg, solver)
    expected = np.random.default_rng(4).normal(size=144)
    b = host @ expected
    a = ww.sparse.csr_array(host)
    start = ww.asarray(expected + 1e-3)
    x, info = solve(a, ww.asarray(b), start, rtol=1e-9)
    assert info == 0 and np.allclose(x.get(), expected, atol=1e-6)
    assert np.array_equal(start.get(), expected + 1e-3)
    x, info = solve(a, ww.zeros(144), start)
    assert info == 0 and not x.get().any()
    x, info = solve(a, ww.asarray(b).reshape(144, 1), rtol=1e-9)
    assert info == 0 and x.shape == (144,)


@pytest.mark.parametrize("solver", SOLVERS)
def test_preconditioners(solver: str) -> None:
    rng = np.random.default_rng(5)
    scale = sp.diags_array(10 ** rng.uniform(-2, 2, 144))
    host = (scale @ laplacian(12) @ scale).tocsr()
    b = rng.normal(size=144)
    a = ww.sparse.csr_array(host)
    solve = getattr(linalg, solver)
    x, info = solve(a, ww.asarray(b), M=linalg.jacobi(a), rtol=1e-8, maxiter=2000)
    assert info == 0 and residual(host, x, b) < (0.1 if solver == "minres" else 1e-6)
    diagonal = host.diagonal()
    m = linalg.LinearOperator((144, 144), lambda v: v / ww.asarray(diagonal))
    y, info = solve(a, ww.asarray(b), M=m, rtol=1e-8, maxiter=2000)
    assert info == 0 and np.allclose(y.get(), x.get(), rtol=1e-3, atol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_operators_of_functions_and_dense_arrays(solver: str) -> None:
    host = laplacian(10)
    b = np.random.default_rng(6).normal(size=100)
    solve = getattr(linalg, solver)
    dense = ww.asarray(host.toarray())
    for a in (dense, linalg.LinearOperator((100, 100), lambda v: dense @ v), host, Duck(dense)):
        x, info = solve(a, ww.asarray(b), rtol=1e-9)
        assert info == 0 and np.allclose(host @ x.get(), b, atol=1e-5)


class Duck:
    """Has what an operator needs."""

    def __init__(self, dense: ww.Array) -> None:
        self.shape = dense.shape
        self.dtype = dense.dtype
        self.matvec = lambda v: dense @ v


@pytest.mark.parametrize("solver", ["cg", "bicgstab", "minres"])
def test_callbacks_get_every_iteration(solver: str) -> None:
    host = laplacian(12)
    b = np.random.default_rng(7).normal(size=144)
    ours: list[float] = []
    theirs: list[float] = []
    getattr(linalg, solver)(
        ww.sparse.csr_array(host), ww.asarray(b), callback=lambda x: ours.append(float(x.sum()))
    )
    getattr(sla, solver)(host, b, callback=lambda x: theirs.append(float(x.sum())))
    assert len(ours) == len(theirs) and np.allclose(ours, theirs)


def test_callbacks_of_gmres() -> None:
    host = unsymmetric(150)
    b = np.random.default_rng(8).normal(size=150)
    for kind in ("pr_norm", "x"):
        ours: list[float] = []
        theirs: list[float] = []
        linalg.gmres(
            ww.sparse.csr_array(host),
            ww.asarray(b),
            restart=5,
            rtol=1e-8,
            callback_type=kind,
            callback=lambda v, to=ours: to.append(float(np.linalg.norm(ww.asarray(v).get()))),
        )
        sla.gmres(
            host,
            b,
            restart=5,
            rtol=1e-8,
            callback_type=kind,
            callback=lambda v, to=theirs: to.append(float(np.linalg.norm(v))),
        )
        assert len(ours) == len(theirs) and np.allclose(ours, theirs, rtol=1e-4)


@pytest.mark.filterwarnings("ignore:.*callback_type:DeprecationWarning")
def test_gmres_counts_inner_iterations_for_a_callback_without_a_type() -> None:
    host, b = unsymmetric(150), np.random.default_rng(8).normal(size=150)
    ours: list[float] = []
    theirs: list[float] = []
    options = {"restart": 5, "rtol": 1e-8, "maxiter": 7}
    a, right = ww.sparse.csr_array(host), ww.asarray(b)
    x, info = linalg.gmres(a, right, callback=ours.append, **options)
    expected, other = sla.gmres(host, b, callback=theirs.append, **options)
    assert info == other == 7 and len(ours) == len(theirs) == 7
    np.testing.assert_allclose(x.get(), expected, rtol=1e-6)


def test_minres_refuses_what_is_not_symmetric_where_it_is_asked_to() -> None:
    host, b = laplacian(5), np.random.default_rng(3).normal(size=25)
    right = ww.asarray(b)
    x, info = linalg.minres(ww.sparse.csr_array(host), right, check=True)
    assert info == 0
    np.testing.assert_allclose(x.get(), sla.minres(host, b)[0], rtol=1e-6)
    a = ww.sparse.csr_array(unsymmetric(25))
    with pytest.raises(ww.ArgumentError, match="minres got a matrix that is not symmetric"):
        linalg.minres(a, right, check=True)
    m = ww.sparse.csr_array(sp.eye_array(25) + sp.diags_array(np.full(24, 0.3), offsets=1))
    with pytest.raises(ww.ArgumentError, match="a preconditioner that is not symmetric"):
        linalg.minres(ww.sparse.csr_array(host), right, M=m, check=True)


def test_minres_shows_its_progress(capsys: pytest.CaptureFixture[str]) -> None:
    _, info = linalg.minres(ww.sparse.csr_array(laplacian(5)), ww.ones(25), show=True)
    lines = capsys.readouterr().out.splitlines()
    assert info == 0 and lines[0].startswith("minres of a 25 x 25 system")
    assert lines[1].split() == ["itn", "|r|", "|x|", "norm", "A", "cond", "A"]
    assert lines[-1].endswith(": A x = b holds within rtol")


def test_errors_of_functions_come_out() -> None:
    def broken(v: ww.Array) -> ww.Array:
        raise KeyError("mine")

    a = linalg.LinearOperator((5, 5), broken)
    with pytest.raises(KeyError, match="mine"):
        linalg.cg(a, ww.ones(5))
    with pytest.raises(KeyError, match="mine"):
        linalg.cg(ww.sparse.csr_array(np.eye(5)), ww.ones(5), M=a)


def test_singular_systems_are_reported_as_scipy_does() -> None:
    a = np.diag([1.0, 1.0, 0.0])
    b = np.array([1.0, 2.0, 3.0])
    for solver in ("bicgstab", "gmres"):
        info = getattr(linalg, solver)(ww.sparse.csr_array(a), ww.asarray(b), maxiter=20)[1]
        theirs = getattr(sla, solver)(sp.csr_array(a), b, maxiter=20)[1]
        assert info != 0 and (info < 0) == (theirs < 0)
    rotation = np.array([[0.0, 1.0], [-1.0, 0.0]])
    ones = np.ones(2)
    info = linalg.bicgstab(ww.sparse.csr_array(rotation), ww.asarray(ones))[1]
    assert info == sla.bicgstab(sp.csr_array(rotation), ones)[1] < 0
    with pytest.raises(ww.ArgumentError, match="indefinite preconditioner"):
        linalg.minres(
            ww.sparse.csr_array(np.eye(3)),
            ww.asarray(b),
            M=linalg.LinearOperator((3, 3), lambda v: -v),
        )


def test_a_result_that_is_no_number_ends_cg() -> None:
    a = ww.sparse.csr_array(np.array([[1.0, 0.0], [0.0, np.nan]]))
    assert linalg.cg(a, ww.ones(2), maxiter=50)[1] == 50


def test_adjoints() -> None:
    host = (unsymmetric(30) + 1j * unsymmetric(30, 1)).tocsr()
    x = np.random.default_rng(9).normal(size=30)
    for a in (ww.sparse.csr_array(host), ww.asarray(host.toarray())):
        operator = linalg.aslinearoperator(a)
        assert np.allclose((operator @ ww.asarray(x)).get(), host @ x)
        assert np.allclose(operator.rmatvec(ww.asarray(x)).get(), host.conj().T @ x)
    assert linalg.aslinearoperator(operator).shape == (30, 30)


SQUARE = np.eye(3)
BAD: list[tuple[str, Callable[[], object], tuple[str, ...]]] = [
    ("square", lambda: linalg.cg(ww.ones((2, 3)), ww.ones(2)), ("cg", "(2, 3)", "square")),
    ("b", lambda: linalg.gmres(ww.asarray(SQUARE), ww.ones(4)), ("gmres", "b", "(4,)", "(3,)")),
    ("host", lambda: linalg.cg(ww.asarray(SQUARE), np.ones(3)), ("asarray",)),
    ("x0", lambda: linalg.minres(ww.asarray(SQUARE), ww.ones(3), ww.ones(2)), ("x0", "(2,)")),
    ("M", lambda: linalg.cg(ww.asarray(SQUARE), ww.ones(3), M=ww.ones((2, 2))), ("(2, 2)",)),
    ("rtol", lambda: linalg.cg(ww.asarray(SQUARE), ww.ones(3), rtol=-1), ("tolerance", "-1")),
    ("maxiter", lambda: linalg.cg(ww.asarray(SQUARE), ww.ones(3), maxiter=-1), ("maxiter=-1",)),
    ("restart", lambda: linalg.gmres(ww.asarray(SQUARE), ww.ones(3), restart=0), ("restart=0",)),
    ("type", lambda: linalg.gmres(ww.asarray(SQUARE), ww.ones(3), callback_type="y"), ("pr_norm",)),
    ("callback", lambda: linalg.cg(ww.asarray(SQUARE), ww.ones(3), callback=5), ("callback", "5")),
    ("A", lambda: linalg.cg("matrix", ww.ones(3)), ("A expects", "matrix")),
    ("matvec", lambda: linalg.LinearOperator((3, 3), 5), ("matvec", "5")),
    ("rmatvec", lambda: linalg.LinearOperator((3, 3), abs).rmatvec(ww.ones(3)), ("rmatvec",)),
    ("gives", lambda: linalg.LinearOperator((3, 3), lambda v: v[:2]) @ ww.ones(3), ("(2,)", "3")),
    ("number", lambda: linalg.LinearOperator((3, 3), lambda v: 5) @ ww.ones(3), ("matvec", "5")),
    ("vector", lambda: linalg.LinearOperator((3, 3), abs) @ ww.ones(2), ("(2,)",)),
    ("jacobi", lambda: linalg.jacobi(np.diag([1.0, 0.0])), ("zeros on the diagonal",)),
    ("jacobi shape", lambda: linalg.jacobi(np.ones((2, 3))), ("square",)),
]


@pytest.mark.parametrize(("call", "words"), [x[1:] for x in BAD], ids=[x[0] for x in BAD])
def test_bad_systems_are_refused(call: Callable[[], object], words: tuple[str, ...]) -> None:
    with pytest.raises((ww.Error, TypeError)) as error:
        call()
    assert all(word in str(error.value) for word in words), str(error.value)
