"""Sparse matrices against SciPy's: formats, products, arithmetic, slices, bad input."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import warpwise as ww

TYPES = ["float32", "float64", "complex64", "complex128", "int32", "int64"]
FORMATS = ["csr", "csc", "coo"]
SHAPES = [(1, 1), (7, 5), (40, 90), (300, 300), (5, 0), (0, 4), (3, 1)]


def random_matrix(
    shape: tuple[int, int], dtype: str = "float64", density: float = 0.1, seed: int = 0
) -> Any:
    """In coordinates, with several entries at some places and empty rows."""
    rng = np.random.default_rng((seed, *shape))
    count = int(shape[0] * shape[1] * density) + (1 if 0 not in shape else 0)
    values = rng.normal(size=count) * 8
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.normal(size=count)
    row = rng.integers(0, max(shape[0], 1), count)
    column = rng.integers(0, max(shape[1], 1), count)
    return sp.coo_array((values.astype(dtype), (row, column)), shape=shape)


def ours(matrix: Any, form: str) -> Any:
    return getattr(ww.sparse, f"{form}_array")(matrix)


def close(found: Any, expected: Any, dtype: Any) -> bool:
    tolerance = 1e-4 if np.dtype(dtype).name in ("float32", "complex64") else 1e-11
    host = found.get() if hasattr(found, "get") else found
    return host.shape == expected.shape and np.allclose(host, expected, tolerance, tolerance)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "complex128", "int64"])
def test_formats_come_from_and_go_to_scipy(form: str, shape: tuple[int, int], dtype: str) -> None:
    host = random_matrix(shape, dtype)
    matrix = ours(host, form)
    assert matrix.format == form and matrix.shape == shape and matrix.dtype == dtype
    assert close(matrix.toarray(), host.toarray(), dtype)
    for other in FORMATS:
        converted = matrix.asformat(other)
        assert converted.format == other and close(converted.toarray(), host.toarray(), dtype)
        back = converted.get()
        assert back.format == other and close(back.toarray(), host.toarray(), dtype)
    assert close(matrix.T.toarray(), host.toarray().T, dtype)
    assert ww.sparse.coo_array(matrix.T.T).nnz == matrix.nnz


def test_rows_of_coordinates_are_sorted_and_summed() -> None:
    host = random_matrix((30, 20), density=0.5)
    found, expected = ours(host, "coo").tocsr(), host.tocsr()
    expected.sum_duplicates()
    assert np.array_equal(found.indptr.get(), expected.indptr)
    assert np.array_equal(found.indices.get(), expected.indices)
    assert close(found.data, expected.data, "float64")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(7, 5), (40, 90), (300, 300)])
def test_products(form: str, dtype: str, shape: tuple[int, int]) -> None:
    host = random_matrix(shape, dtype)
    matrix = ours(host, form)
    rng = np.random.default_rng(1)
    for other in (dtype, "float32", "complex64"):
        x = (rng.normal(size=shape[1]) * 4).astype(other)
        wide = (rng.normal(size=(shape[1], 3)) * 4).astype(other)
        left = (rng.normal(size=(2, shape[0])) * 4).astype(other)
        found = matrix @ ww.asarray(x)
        assert found.dtype == np.result_type(dtype, other)
        assert close(found, host @ x, "float32")
        assert close(matrix @ ww.asarray(wide), host @ wide, "float32")
        assert close(matrix.dot(ww.asarray(wide)[:, 1]), host @ wide[:, 1], "float32")
        assert close(ww.asarray(left) @ matrix, left @ host, "float32")
        assert close(ww.asarray(left)[0] @ matrix, left[0] @ host, "float32")


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("per_row", [1, 5, 40, 700])
def test_products_of_rows_of_any_length(index: Any, per_row: int) -> None:
    rng = np.random.default_rng(per_row)
    rows, columns = 3000, 2000
    lengths = rng.integers(0, 2 * per_row + 1, rows)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
    indices = rng.integers(0, columns, indptr[-1]).astype(index)
    data = rng.normal(size=indptr[-1])
    matrix = ww.sparse.csr_array((data, indices, indptr), shape=(rows, columns))
    assert matrix.indices.dtype == index
    x = rng.normal(size=columns)
    expected = sp.csr_array((data, indices, indptr), shape=(rows, columns)) @ x
    found = matrix @ ww.asarray(x)
    assert close(found, expected, "float64")
    assert np.array_equal(found.get(), (matrix @ ww.asarray(x)).get())


def test_a_product_reads_lazy_vectors_and_is_read_by_lazy_operations() -> None:
    host = random_matrix((50, 50))
    matrix = ours(host, "csr")
    x = ww.linspace(0, 1, 50)
    y = (matrix @ (x * 2 + 1)) * 3 - x
    grid = np.linspace(0, 1, 50)
    assert close(y, (host @ (grid * 2 + 1)) * 3 - grid, "float64")
    x[:] = 5
    assert close(y, (host @ (grid * 2 + 1)) * 3 - grid, "float64")


@pytest.mark.parametrize("form", FORMATS)
def test_arithmetic(form: str) -> None:
    a, b = random_matrix((40, 30), seed=1), random_matrix((40, 30), seed=2)
    x, y = ours(a, form), ours(b, "csc")
    for found, expected in (
        (x + y, a + b),
        (x - y, a - b),
        (x * 2.5, a * 2.5),
        (3 * x, 3 * a),
        (x / 4, a / 4),
        (-x, -a),
        (x + x, a + a),
        (x - x * 0.5, a * 0.5),
    ):
        assert found.format == form and close(found.toarray(), expected.toarray(), "float64")
    assert abs(ours(a.tocsr(), "csr")).toarray().get().min() >= 0
    assert (x.tocsr() * np.float32(2)).dtype == np.float64
    assert (ours(a.astype("float32"), form) * 2.0).dtype == np.float32
    assert close(x.sum(), a.sum(), "float64")
    assert close(x.sum(0), a.sum(axis=0), "float64") and close(x.sum(-1), a.sum(axis=1), "float64")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("shape", [(6, 9), (9, 6), (5, 5)])
def test_diagonals(form: str, shape: tuple[int, int]) -> None:
    host = random_matrix(shape, density=0.8)
    matrix = ours(host, form)
    for k in range(1 - shape[0], shape[1]):
        assert close(matrix.diagonal(k), host.diagonal(k), "float64")


def test_rows() -> None:
    host = random_matrix((40, 30), density=0.3).tocsr()
    for form in FORMATS:
        matrix = ours(host, form)
        for rows in (slice(None), slice(3, 17), slice(-5, None), slice(10, 4), slice(0, 999)):
            part = matrix[rows]
            assert part.shape == host[rows].shape
            assert close(part.toarray(), host[rows].toarray(), "float64")
            if part.shape[0]:
                x = np.arange(30.0)
                assert close(part @ ww.asarray(x), host[rows] @ x, "float64")
        assert close(matrix[-2].toarray(), host.toarray()[[-2]], "float64")


def test_values_are_converted_and_copied() -> None:
    matrix = ours(random_matrix((9, 9), "complex64"), "csr")
    assert matrix.astype("complex128").dtype == np.complex128
    assert close(matrix.conj().toarray(), matrix.toarray().get().conj(), "complex64")
    copied = matrix.copy()
    copied.data[:] = 0
    assert not copied.toarray().get().any() and matrix.toarray().get().any()


def test_dense_arrays_and_empty_ones() -> None:
    host = np.array([[0, 2.5, 0], [0, 0, 0], [-1, 0, 3]])
    for form in FORMATS:
        for given in (host, ww.asarray(host), host.tolist()):
            matrix = ours(given, form)
            assert matrix.nnz == 3 and close(matrix.toarray(), host, "float64")
        none = getattr(ww.sparse, f"{form}_array")((4, 3), dtype=np.float32)
        assert none.shape == (4, 3) and none.nnz == 0 and none.dtype == np.float32
        assert not (none @ ww.ones(3)).get().any() and not none.toarray().get().any()
        assert not none.diagonal().get().any()


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr"])
def test_the_values_of_an_empty_matrix_have_the_axes_of_its_format(form: str) -> None:
    none = getattr(ww.sparse, f"{form}_array")((4, 3))
    assert none.data.shape == ((0, 1, 1) if form == "bsr" else (0,))


def test_shapes_are_found_from_indices() -> None:
    assert ww.sparse.coo_array(([1.0, 2.0], ([0, 4], [7, 1]))).shape == (5, 8)
    assert ww.sparse.csr_array(([1.0, 2.0], [3, 0], [0, 1, 1, 2])).shape == (3, 4)
    assert ww.sparse.csc_array(([1.0, 2.0], [3, 0], [0, 1, 1, 2])).shape == (4, 3)


def test_arrays_of_ours_are_the_matrix_s_own() -> None:
    data = ww.asarray(np.array([1.0, 2.0, 3.0]))
    matrix = ww.sparse.csr_array((data, ww.asarray([0, 1, 1]), ww.asarray([0, 2, 3])))
    data[:] = 10
    assert np.array_equal(matrix.toarray().get(), [[10, 10], [0, 10]])
    assert "csr (2, 2), float64, 3 entries" in repr(matrix)


ONE = (np.array([1.0, 2.0]), np.array([0, 1]), np.array([0, 1, 2]))
BAD: list[tuple[str, Callable[[], object], tuple[str, ...]]] = [
    (
        "indices",
        lambda: ww.sparse.csr_array((ONE[0], [0, 5], ONE[2]), shape=(2, 2)),
        ("5", "0 to 1"),
    ),
    ("negative", lambda: ww.sparse.csr_array((ONE[0], [0, -1], ONE[2]), shape=(2, 2)), ("-1",)),
    ("rows", lambda: ww.sparse.coo_array((ONE[0], ([0, 2], [0, 1])), shape=(2, 2)), ("rows", "2")),
    (
        "columns",
        lambda: ww.sparse.coo_array((ONE[0], ([0, 1], [0, 2])), shape=(2, 2)),
        ("columns", "2"),
    ),
    ("lengths", lambda: ww.sparse.csr_array((ONE[0], [0], ONE[2])), ("2 values", "1 indices")),
    ("indptr", lambda: ww.sparse.csr_array(ONE, shape=(3, 2)), ("indptr", "3", "4")),
    ("end", lambda: ww.sparse.csr_array((ONE[0], ONE[1], [0, 1, 1])), ("ends with 1", "2 entries")),
    ("start", lambda: ww.sparse.csr_array((ONE[0], ONE[1], [1, 1, 2])), ("begins with 1",)),
    ("falls", lambda: ww.sparse.csr_array((ONE[0], ONE[1], [0, 3, 2])), ("must not decrease",)),
    ("real", lambda: ww.sparse.csr_array((ONE[0], [0.0, 1.0], ONE[2])), ("indices are integers",)),
    ("dtype", lambda: ww.sparse.csr_array(np.eye(2, dtype=np.float16)), ("float16", "float32")),
    ("bool", lambda: ww.sparse.csr_array(np.eye(2, dtype=bool)), ("bool",)),
    ("axes", lambda: ww.sparse.csr_array(np.ones(3)), ("two axes",)),
    ("shape", lambda: ww.sparse.csr_array(np.eye(2), shape=(3, 3)), ("(2, 2)", "(3, 3)")),
    ("extents", lambda: ww.sparse.csr_array(ONE, shape=(2, 2, 2)), ("two extents",)),
    ("tuple", lambda: ww.sparse.csr_array((ONE[0],)), ("(data, indices, indptr)",)),
    ("sizes", lambda: ww.sparse.csr_array(ONE) @ ww.ones(3), ("(2, 2)", "(3,)")),
    ("host", lambda: ww.sparse.csr_array(ONE) @ np.ones(2), ("asarray",)),
    ("cube", lambda: ww.sparse.csr_array(ONE) @ ww.ones((2, 2, 2)), ("vector or a matrix",)),
    ("sum", lambda: ww.sparse.csr_array(ONE) + ww.sparse.csr_array((3, 3)), ("(2, 2)", "(3, 3)")),
    ("add", lambda: ww.sparse.csr_array(ONE) + 1, ("unsupported operand",)),
    ("row", lambda: ww.sparse.csr_array(ONE)[2], ("row 2",)),
    ("element", lambda: ww.sparse.csr_array(ONE)[0, 2], ("column 2", "has 2")),
    ("diagonal", lambda: ww.sparse.csr_array(ONE).diagonal(2), ("diagonal 2", "-1 to 1")),
    ("axis", lambda: ww.sparse.csr_array(ONE).sum(2), ("axis 2",)),
    ("format", lambda: ww.sparse.csr_array(ONE).asformat("dia"), ("'csr', 'csc', 'coo'", "dia")),
    ("row of csr", lambda: ww.sparse.csr_array(ONE).row, ("csr", "tocoo")),
    ("indptr of coo", lambda: ww.sparse.coo_array(ONE).indptr, ("coo", "tocsr")),
]


@pytest.mark.parametrize(("call", "words"), [x[1:] for x in BAD], ids=[x[0] for x in BAD])
def test_bad_input_is_refused(call: Callable[[], object], words: tuple[str, ...]) -> None:
    with pytest.raises((ww.Error, TypeError)) as error:
        call()
    assert all(word in str(error.value) for word in words), str(error.value)


def test_indices_that_int32_cannot_hold_are_int64() -> None:
    wide = ww.sparse.coo_array(([1.0], ([0], [2**33])), shape=(1, 2**34))
    assert wide.row.dtype == np.int64 and wide.shape == (1, 2**34)
    for size, dtype in (2**31 - 1, np.int32), (2**31, np.int64):
        assert ww.sparse.coo_array((1, size)).row.dtype == dtype
        assert ww.sparse.coo_array((size, 1)).row.dtype == dtype
    narrow = ww.sparse.coo_array(([1.0], ([0], [5])))
    assert narrow.row.dtype in (np.int32, np.int64)


@pytest.mark.parametrize("name", ["csr", "csc", "coo", "bsr", "pkt"])
def test_matrices_pickle(name):
    dense = np.kron(np.eye(3), [[1.0, 2.0], [0.0, 4.0]])
    matrix = getattr(ww.sparse, f"{name}_array")(dense)
    for again in (pickle.loads(pickle.dumps(matrix)), copy.deepcopy(matrix)):
        assert again.shape == (6, 6) and again.dtype == np.float64 and again.nnz == matrix.nnz
        assert str(again) == str(matrix) and again.device == matrix.device
        np.testing.assert_array_equal(again.toarray().get(), dense)
    empty = getattr(ww.sparse, f"{name}_array")((2, 3), dtype=np.float32)
    assert pickle.loads(pickle.dumps(empty)).toarray().tolist() == [[0.0] * 3] * 2
