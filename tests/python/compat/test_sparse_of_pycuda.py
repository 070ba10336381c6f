"""pycuda.sparse: products with SciPy's matrices, conjugate gradients, operators."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pycuda.driver as drv
import pytest
import scipy.sparse
from pycuda import gpuarray

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from pycuda.sparse import cg, operator
    from pycuda.sparse.coordinate import CoordinateSpMV
    from pycuda.sparse.inner import AsyncInnerProduct
    from pycuda.sparse.packeted import PacketedSpMV

RNG = np.random.default_rng()
DTYPES = ["float32", "float64", "complex64", "complex128"]


def matrix(rows: int, columns: int, dtype: str) -> Any:
    made = scipy.sparse.random(rows, columns, 0.05, random_state=RNG)
    if dtype.startswith("complex"):
        made = made + 1j * scipy.sparse.random(rows, columns, 0.05, random_state=RNG)
    return scipy.sparse.csr_matrix(made).astype(dtype)


def vector(n: int, dtype: str) -> np.ndarray:
    values = RNG.standard_normal(n) + (1j * RNG.standard_normal(n) if dtype[0] == "c" else 0)
    return np.asarray(values).astype(dtype)


def laplacian(m: int) -> Any:
    line = scipy.sparse.diags([-1.0, 4.2, -1.0], [-1, 0, 1], shape=(m, m))
    beside = scipy.sparse.diags([-1.0, -1.0], [-1, 1], shape=(m, m))
    eye = scipy.sparse.eye(m)
    return scipy.sparse.csr_matrix(scipy.sparse.kron(eye, line) + scipy.sparse.kron(beside, eye))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("form", ["csr", "coo", "csc"])
def test_coordinate_products(dtype: str, form: str) -> None:
    host = matrix(77, 130, dtype).asformat(form)
    spmv = CoordinateSpMV(host, np.dtype(dtype))
    x, y = vector(130, dtype), vector(77, dtype)
    tolerance = 1e-5 if dtype in ("float32", "complex64") else 1e-12
    np.testing.assert_allclose(
        spmv(gpuarray.to_gpu(x)).get(), host @ x, rtol=tolerance, atol=tolerance
    )
    out = gpuarray.to_gpu(y)
    assert spmv(x=gpuarray.to_gpu(x), y=out) is out
    np.testing.assert_allclose(out.get(), y + host @ x, rtol=tolerance, atol=tolerance)
    assert (spmv.shape, spmv.dtype, spmv.nnz) == ((77, 130), np.dtype(dtype), host.nnz)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("is_symmetric", [False, True])
def test_packeted_products(dtype: str, is_symmetric: bool) -> None:
    host = matrix(150, 150, dtype)
    if is_symmetric:
        host = scipy.sparse.csr_matrix(host + host.T)
    spmv = PacketedSpMV(mat=host, is_symmetric=is_symmetric, dtype=dtype)
    x = vector(150, dtype)
    array = gpuarray.to_gpu(x)
    permuted = spmv.permute(array)
    np.testing.assert_array_equal(spmv.unpermute(permuted).get(), x)
    assert set(permuted.get().tolist()) == set(x.tolist())
    out = gpuarray.zeros(150, dtype)
    assert spmv(permuted, y=out) is out
    product = spmv.unpermute(spmv(permuted))
    tolerance = 1e-5 if dtype in ("float32", "complex64") else 1e-12
    np.testing.assert_allclose(product.get(), host @ x, rtol=tolerance, atol=tolerance)
    np.testing.assert_array_equal(spmv.unpermute(out).get(), product.get())


def test_matrices_without_entries_and_duplicates() -> None:
    empty = CoordinateSpMV(scipy.sparse.csr_matrix((5, 4)), np.float64)
    np.testing.assert_array_equal(empty(gpuarray.ones(4)).get(), np.zeros(5))
    twice = scipy.sparse.coo_matrix(([1.0, 2.0], ([0, 0], [1, 1])), shape=(2, 2))
    np.testing.assert_array_equal(CoordinateSpMV(twice, np.float64)(gpuarray.ones(2)).get(), [3, 0])


def test_wrong_products() -> None:
    spmv = CoordinateSpMV(matrix(5, 6, "float32"), np.float32)
    with pytest.raises(TypeError, match="'x'"):
        spmv(np.zeros(6, np.float32))
    with pytest.raises(TypeError, match="float64"):
        spmv(gpuarray.zeros(6))
    with pytest.raises(ValueError, match=r"\(6,\)"):
        spmv(gpuarray.zeros(5, np.float32))
    with pytest.raises(TypeError, match="SciPy"):
        CoordinateSpMV(np.eye(3), np.float32)
    with pytest.raises(ValueError, match="square"):
        PacketedSpMV(matrix(5, 6, "float32"), True, np.float32)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_conjugate_gradients(dtype: str, capsys: pytest.CaptureFixture[str]) -> None:
    host = laplacian(40).astype(dtype)
    rhs = RNG.random(1600).astype(dtype)
    spmv = PacketedSpMV(host, True, host.dtype)
    tolerance = 1e-5 if dtype == "float32" else 1e-11
    x, iterations, fresh = cg.solve_pkt_with_cg(spmv, gpuarray.to_gpu(rhs), tol=tolerance)
    residual = np.linalg.norm(host @ x.get() - rhs) / np.linalg.norm(rhs)
    assert residual < 3 * tolerance
    assert 10 < iterations < 200
    assert fresh >= 1
    inverse = spmv.permute(gpuarray.to_gpu((1 / host.diagonal()).astype(dtype)))
    precon = operator.DiagonalPreconditioner(inverse)
    again, few, _ = cg.solve_pkt_with_cg(
        pkt_spmv=spmv, b=gpuarray.to_gpu(rhs), precon=precon, x=x, tol=0.5, max_iterations=50,
        debug=True, pagelocked_allocator=drv.pagelocked_empty,
    )  # fmt: skip
    assert few <= 10
    np.testing.assert_allclose(again.get(), x.get(), atol=1e-3)
    assert "cg: iteration 0" in capsys.readouterr().out


def test_iterations_that_do_not_converge() -> None:
    host = laplacian(20)
    spmv = PacketedSpMV(host, True, np.float64)
    rhs = gpuarray.to_gpu(RNG.random(400))
    with pytest.raises(cg.ConvergenceError, match="after"):
        cg.solve_pkt_with_cg(spmv, rhs, tol=1e-12, max_iterations=3)
    with pytest.raises(ValueError, match="400"):
        cg.solve_pkt_with_cg(spmv, gpuarray.zeros(3))
    x, iterations, _ = cg.solve_pkt_with_cg(spmv, gpuarray.zeros(400))
    assert iterations == 0
    assert not x.get().any()


def test_iterations_step_by_step() -> None:
    host = laplacian(10)
    spmv = PacketedSpMV(host, True, np.float64)
    state = cg.CGStateContainer(operator=spmv, precon=None, pagelocked_allocator=None)
    rhs = RNG.random(100)
    first = state.reset(rhs=spmv.permute(gpuarray.to_gpu(rhs)), x=None)
    assert abs(first - rhs @ rhs) < 1e-9
    seen: list[int] = []
    value = state.one_iteration(compute_real_residual=True)
    left = rhs - host @ spmv.unpermute(state.x).get()
    np.testing.assert_allclose(value, left @ left)
    counts = state.run(max_iterations=200, tol=1e-8,
                       debug_callback=lambda what, number, *rest: seen.append(number))  # fmt: skip
    assert counts[0] == seen[-1]
    np.testing.assert_allclose(host @ spmv.unpermute(state.x).get(), rhs, atol=1e-6)


def test_operators() -> None:
    x = gpuarray.to_gpu(np.array([1.0, 2.0, 3.0]))
    same = operator.IdentityOperator(dtype=np.float64, n=3)
    assert same(x) is x
    assert (same.shape, same.dtype) == ((3, 3), np.float64)
    diagonal = operator.DiagonalPreconditioner(diagonal=x)
    np.testing.assert_array_equal(diagonal(x).get(), [1, 4, 9])
    np.testing.assert_array_equal((-diagonal)(x).get(), [-1, -4, -9])
    assert ((-diagonal).shape, (-diagonal).dtype) == ((3, 3), np.float64)
    negated = -diagonal
    assert -negated is diagonal
    base = operator.OperatorBase()
    for use in (lambda: base.dtype, lambda: base.shape, lambda: base(x)):
        with pytest.raises(NotImplementedError, match="OperatorBase"):
            use()


def test_inner_products_arrive_later() -> None:
    host = RNG.standard_normal(1000)
    array = gpuarray.to_gpu(host)
    product = AsyncInnerProduct(a=array, b=array, pagelocked_allocator=drv.pagelocked_empty)
    drv.Context.synchronize()
    value = product.get_host_result()
    np.testing.assert_allclose(value, host @ host)
    np.testing.assert_allclose(product.gpu_result.get(), host @ host)
