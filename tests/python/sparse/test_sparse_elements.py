"""Elements of sparse matrices against SciPy's: arithmetic, functions, reductions, columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from test_sparse_arrays import FORMATS, close, ours, random_matrix

import warpwise as ww

SHAPES = [(1, 1), (7, 5), (40, 90), (5, 0), (3, 1)]
FULL = sp.csr_array(np.arange(1.0, 13).reshape(3, 4) - 6.5)
FUNCTIONS = (
    "arcsin", "arcsinh", "arctan", "arctanh", "ceil", "deg2rad", "expm1", "floor", "log1p",
    "rad2deg", "rint", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
)  # fmt: skip


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "complex128", "int64"])
def test_products_of_elements_are_scipys(form: str, shape: tuple[int, int], dtype: str) -> None:
    a = random_matrix(shape, dtype, 0.3)
    b = random_matrix(shape, "float64", 0.3, seed=1)
    product = ours(a, form) * ours(b, "coo")
    assert product.format == form and product.dtype == np.result_type(dtype, "float64")
    assert close(product.toarray(), a.toarray() * b.toarray(), dtype)
    assert product.nnz <= min(ours(a, "csr").nnz, ours(b, "csr").nnz)
    rng = np.random.default_rng(3)
    for dense in (
        rng.normal(size=shape),
        rng.normal(size=(shape[0], 1)),
        rng.normal(size=(1, shape[1])),
        rng.normal(size=shape[1]),
        rng.normal(size=()),
    ):
        for found in (ours(a, form).multiply(ww.asarray(dense)), ww.asarray(dense) * ours(a, form)):
            assert found.format == form
            assert close(found.toarray(), a.toarray() * dense, dtype)
        quotient = ours(a, form) / ww.asarray(dense)
        assert close(quotient.toarray(), a.toarray() / dense, dtype)


def test_blocks_are_multiplied_by_elements() -> None:
    host = sp.bsr_array(random_matrix((12, 8), density=0.4), blocksize=(3, 2))
    blocks = ww.sparse.bsr_array(host)
    dense = np.random.default_rng(4).normal(size=(12, 8))
    scaled = blocks * ww.asarray(dense)
    assert scaled.format == "bsr" and scaled.blocksize == (3, 2)
    assert close(scaled.toarray(), host.toarray() * dense, "float64")
    assert close((blocks * blocks).toarray(), host.toarray() ** 2, "float64")
    assert close(blocks.max(axis=1), host.toarray().max(axis=1), "float64")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_elements_are_scipys(form: str, name: str) -> None:
    host = random_matrix((9, 11), density=0.4)
    host = sp.coo_array((np.tanh(host.data / 8), host.coords), shape=host.shape)
    assert host.nnz > sp.csr_array(host).nnz  # several entries at one place
    dense = host.toarray()
    if name in ("sqrt", "arctanh", "arcsin", "log1p"):
        host, dense = abs(host) / 4, abs(dense) / 4
        host = sp.coo_array(dense)
    expected = getattr(np, name)(dense)
    assert close(getattr(ours(host, form), name)().toarray(), expected, "float64")


@pytest.mark.parametrize("form", FORMATS)
def test_entries_at_one_place_are_summed_before_functions(form: str) -> None:
    twice = ww.sparse.coo_array(([3.0, -5.0, 1.0], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    twice = twice if form == "coo" else twice.asformat(form)
    assert close(abs(twice).toarray(), np.array([[2.0, 0], [0, 1]]), "float64")
    assert close((twice**2).toarray(), np.array([[4.0, 0], [0, 1]]), "float64")
    assert twice.count_nonzero().item() == 2 and twice.max().item() == 1
    rows = ww.sparse.csr_array(([3.0, -5.0], [0, 0], [0, 2, 2]), shape=(2, 2))
    assert close(abs(rows).toarray(), np.array([[2.0, 0], [0, 0]]), "float64")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("dtype", ["float32", "int32", "int64", "complex128"])
@pytest.mark.parametrize("host", [random_matrix((7, 5), density=0.3), FULL, -FULL, FULL[:0:-1]])
def test_reductions_are_numpys(form: str, dtype: str, host: Any) -> None:
    host = sp.coo_array(host).astype(dtype)
    matrix, dense = ours(host, form), host.toarray()
    names = ["sum", "mean", "max", "min"] if dtype != "complex128" else ["sum", "mean"]
    for name in names:
        for axis in (None, 0, 1, -1):
            found, expected = getattr(matrix, name)(axis), getattr(dense, name)(axis)
            assert found.dtype == expected.dtype
            assert close(found, np.asarray(expected), dtype), (name, axis)
    for axis in (None, 0, 1):
        found = matrix.count_nonzero(axis)
        assert np.array_equal(found.get(), np.count_nonzero(dense, axis))
    assert close(matrix.trace(), np.trace(dense), dtype)
    assert close(matrix.trace(1), np.trace(dense, 1), dtype)


def test_integers_are_summed_in_64_bits() -> None:
    most = 2**31 - 1
    matrix = ww.sparse.csr_array(ww.asarray(np.full((3, 4), most, np.int32)))
    assert matrix.sum(axis=0).tolist() == [3 * most] * 4
    assert matrix.sum().item() == 12 * most


def test_limits_count_elements_without_entry() -> None:
    matrix = ww.sparse.csr_array(([-1.0, -2.0], ([0, 1], [0, 0])), shape=(3, 2))
    assert matrix.max().item() == 0 and matrix.min().item() == -2
    assert matrix.max(axis=1).tolist() == [0, 0, 0]
    empty = ww.sparse.csr_array((3, 2))
    assert empty.max().item() == 0 and empty.min(axis=0).tolist() == [0, 0]
    with_nan = ww.sparse.csr_array(([np.nan, 2.0], ([0, 1], [0, 0])), shape=(2, 2))
    assert np.isnan(with_nan.max().item()) and np.isnan(with_nan.max(axis=0).get()[0])


@pytest.mark.parametrize("form", FORMATS)
def test_columns_and_elements_are_chosen(form: str) -> None:
    host = random_matrix((7, 5), density=0.4)
    matrix, dense = ours(host, form), host.toarray()
    for columns in (slice(1, 4), slice(None, None, -2), [3, 0], [True, False, True, False, False]):
        for rows in (slice(None), slice(2, 6), 3):
            expected = dense[rows if rows != 3 else slice(3, 4)][:, columns]
            found = matrix[rows, columns]
            assert found.format == "csr" and close(found.toarray(), expected, "float64")
    assert close(matrix[:, 2].toarray(), dense[:, 2:3], "float64")
    assert close(matrix[:, ww.asarray([4, -5])].toarray(), dense[:, [4, 0]], "float64")
    for i, j in ((0, 0), (6, 4), (-1, -2)):
        assert matrix[i, j].ndim == 0 and np.isclose(matrix[i, j].item(), dense[i, j])


def test_parts_of_complex_numbers_are_matrices() -> None:
    host = random_matrix((4, 6), "complex64", 0.4)
    matrix = ours(host, "csr")
    assert close(matrix.real.toarray(), host.toarray().real, "float32")
    assert close(matrix.imag.toarray(), host.toarray().imag, "float32")
    assert close(matrix.conjugate().toarray(), host.toarray().conj(), "float32")
    assert not matrix.real.imag.toarray().get().any()


@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_powers_are_computed_in_the_type_that_is_asked_for(dtype: str) -> None:
    host = random_matrix((7, 5)).astype("float32").tocsr()
    found, expected = ours(host, "csr").power(3, dtype), host.power(3, dtype)
    assert found.dtype == expected.dtype
    assert np.allclose(found.toarray().get(), expected.toarray(), rtol=1e-6)


def test_bad_operands_raise() -> None:
    a, b = ours(random_matrix((4, 6)), "csr"), ours(random_matrix((6, 4)), "csr")
    with pytest.raises(ValueError, match=r"multiply got sparse matrices of shapes \(4, 6\) and"):
        a * b
    with pytest.raises(ValueError, match="shape"):
        a * ww.ones(5)
    with pytest.raises(ValueError, match=r"multiply got an array of shape \(1, 4, 6\)"):
        a * ww.ones((1, 4, 6))
    with pytest.raises(TypeError, match="multiply expects a number, a sparse matrix or an array"):
        a.multiply("2")
    with pytest.raises(ValueError, match="power got the exponent 0"):
        a**0
    with pytest.raises(TypeError, match="sparse matrices are not compared"):
        assert a == a
    with pytest.raises(TypeError, match="sparse matrices are not compared"):
        assert a > 0
    with pytest.raises(TypeError):
        a / b
    with pytest.raises(ValueError, match="axis 2 of a sparse matrix"):
        a.max(axis=2)
    with pytest.raises(ValueError, match="max of no elements"):
        ww.sparse.csr_array((3, 0)).max()
    with pytest.raises(ValueError, match="mean of no elements"):
        ww.sparse.csr_array((3, 0)).mean(axis=1)
    with pytest.raises(TypeError, match="min got complex64; complex numbers have no order"):
        a.astype("complex64").min()
    with pytest.raises(IndexError, match="got lists of rows and of columns"):
        a[[0, 1], [2, 3]]
    with pytest.raises(IndexError, match="column 9 of a sparse matrix that has 6"):
        a[:, 9]
    with pytest.raises(IndexError, match="column -7 of a sparse matrix that has 6"):
        a[1:, [0, -7]]
    with pytest.raises(IndexError, match="a sparse matrix is indexed by columns"):
        a[:, "x"]
