"""Matrices of blocks, products of two sparse matrices, and chosen rows, against SciPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import warpwise as ww

FORMATS = ["csr", "csc", "coo", "bsr"]
BLOCKS = [(1, 1), (2, 3), (3, 2), (4, 6), (6, 1)]


def random_matrix(shape: tuple[int, int], dtype: str = "float64", seed: int = 0) -> Any:
    """In coordinates, with several entries at some places and empty rows."""
    rng = np.random.default_rng((seed, *shape))
    count = shape[0] * shape[1] // 8
    values = rng.normal(size=count) * 8
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.normal(size=count)
    row = rng.integers(0, max(shape[0], 1), count)
    column = rng.integers(0, max(shape[1], 1), count)
    return sp.coo_array((values.astype(dtype), (row, column)), shape=shape)


def near(found: Any, expected: Any, least: float = 0) -> None:
    host = found.get() if isinstance(found, ww.Array) else found.toarray().get()
    theirs = expected.toarray() if sp.issparse(expected) else np.asarray(expected)
    assert host.dtype == theirs.dtype and host.shape == theirs.shape
    tolerance = max(1e-4 if host.dtype.name in ("float32", "complex64") else 1e-11, least)
    np.testing.assert_allclose(host, theirs, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("dtype", ["float32", "complex128", "int64"])
def test_blocks_come_from_and_go_to_scipy(blocks: tuple[int, int], dtype: str) -> None:
    host = random_matrix((24, 18), dtype)
    theirs = host.tobsr(blocks)
    for ours in (
        ww.sparse.bsr_array(theirs),
        ww.sparse.bsr_array(host, blocksize=blocks),
        ww.sparse.csr_array(host).tobsr(blocks),
        ww.sparse.bsr_array((theirs.data, theirs.indices, theirs.indptr), shape=host.shape),
    ):
        assert (ours.format, ours.blocksize, ours.shape) == ("bsr", blocks, host.shape)
        assert ours.nnz == theirs.nnz and ours.data.shape == theirs.data.shape
        near(ours, host)
        back = ours.get()
        assert back.format == "bsr" and back.blocksize == blocks
        np.testing.assert_allclose(back.toarray(), host.toarray(), 1e-5)
        for form in FORMATS:
            near(ours.asformat(form), host)
        near(ours.T, host.T)
        assert ours.T.blocksize == blocks[::-1]
        near(ours.diagonal(-2), host.diagonal(-2))


@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32"])
@pytest.mark.parametrize("width", [None, 1, 5])
def test_products_of_blocks(blocks: tuple[int, int], dtype: str, width: int | None) -> None:
    host = random_matrix((48, 36), dtype)
    ours = ww.sparse.bsr_array(host, blocksize=blocks)
    rng = np.random.default_rng(3)
    x = rng.integers(-4, 5, (36,) if width is None else (36, width)).astype(dtype)
    near(ours @ ww.asarray(x), host.tobsr(blocks) @ x)
    left = rng.integers(-4, 5, 48).astype("float64")
    near(ww.asarray(left) @ ours, left @ host.tobsr(blocks))


def test_an_entry_that_is_there_twice_is_a_sum() -> None:
    data = np.arange(1.0, 13.0).reshape(3, 2, 2)
    arrays = (data, np.array([1, 1, 0]), np.array([0, 2, 3]))
    ours, theirs = ww.sparse.bsr_array(arrays), sp.bsr_array(arrays)
    near(ours, theirs)
    near(ours.T, theirs.T)
    near(ours @ ww.ones(4), theirs @ np.ones(4))
    assert ours.tocsr().nnz == 8


def test_arithmetic_of_blocks() -> None:
    host = random_matrix((12, 12))
    other = random_matrix((12, 12), seed=1)
    a = ww.sparse.bsr_array(host, blocksize=(2, 3))
    b = ww.sparse.bsr_array(other, blocksize=(3, 2))
    for found, expected in [
        (a + b, host + other),
        (a - ww.sparse.csr_array(other), host - other),
        (a + a, host + host),
        (-a, -host),
        (a * 2.5, host * 2.5),
        (a / 4, host / 4),
    ]:
        assert found.format == "bsr" and found.blocksize == (2, 3)
        near(found, expected)
    near(a.sum(axis=0), host.sum(axis=0))
    assert a.astype("float32").dtype == np.float32 and a.conj().blocksize == (2, 3)


def test_a_size_that_fits_is_found() -> None:
    dense = sp.kron(sp.random_array((8, 8), density=0.2, random_state=1), np.ones((3, 3)))
    assert ww.sparse.csr_array(dense).tobsr().blocksize == (3, 3)
    assert ww.sparse.csr_array(sp.eye_array(12)).tobsr().blocksize == (1, 1)
    assert ww.sparse.bsr_array((6, 8)).blocksize == (1, 1)
    assert ww.sparse.bsr_array(np.ones((12, 12))).blocksize == (6, 6)


@pytest.mark.parametrize("left", FORMATS)
@pytest.mark.parametrize("right", FORMATS)
def test_products_of_two_sparse_matrices(left: str, right: str) -> None:
    a, b = random_matrix((20, 30)), random_matrix((30, 14), seed=2)
    found = ww.sparse.csr_array(a).asformat(left) @ ww.sparse.csr_array(b).asformat(right)
    near(found, a @ b)
    assert found.format == (
        {"coo": "csr", "bsr": "bsr" if right == "bsr" else "csr"}.get(left, left)
    )
    rows = found.tocsr() if left != "csc" else found.T
    for i in range(rows.shape[0]):
        columns = rows[i].indices.get()
        assert (np.diff(columns) > 0).all()


@pytest.mark.parametrize(
    "types",
    [("float32", "float32"), ("int32", "float64"), ("complex64", "float64"), ("int8", "int64")],
)
@pytest.mark.parametrize("shape", [(1, 1, 1), (70, 130, 90), (5, 0, 3), (0, 4, 4), (300, 2, 300)])
def test_types_and_shapes_of_products(types: tuple[str, str], shape: tuple[int, int, int]) -> None:
    a = random_matrix(shape[:2], types[0])
    b = random_matrix(shape[1:], types[1], seed=5)
    ours = ww.sparse.csr_array(a).dot(ww.sparse.csr_array(b))
    # Sums of entries at one place are rounded to the type of the matrix.
    near(ours, a.tocsr().toarray() @ b.tocsr().toarray(), 1e-4 if types[0] == "complex64" else 0)
    # Zeros that come of cancelling are kept; SciPy's product drops them.
    ones = [sp.csr_array((np.ones(m.nnz), m.indices, m.indptr), m.shape)
            for m in (a.tocsr(), b.tocsr())]  # fmt: skip
    assert ours.nnz == (ones[0] @ ones[1]).nnz


def test_a_product_has_the_same_bits_each_time() -> None:
    a = ww.sparse.csr_array(random_matrix((400, 400), "float32"))
    first = (a @ a).data.get()
    assert all(np.array_equal((a @ a).data.get(), first) for _ in range(5))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "rows",
    [slice(None, None, -1), slice(1, 9, 3), slice(8, 2, -2), [3, 3, -1, 0], [], [5]],
)
def test_rows_are_chosen_as_scipys(form: str, rows: Any) -> None:
    host = random_matrix((12, 18)).tocsr()
    ours = ww.sparse.csr_array(host).asformat(form)
    theirs = host[rows] if rows != [] else host[0:0]
    near(ours[rows], theirs)
    near(ours[rows, :], theirs)
    if isinstance(rows, list):
        near(ours[ww.asarray(np.array(rows, np.int32))], theirs)


def test_a_mask_chooses_rows() -> None:
    host = random_matrix((12, 18)).tocsr()
    mask = np.arange(12) % 3 == 1
    near(ww.sparse.csr_array(host)[ww.asarray(mask)], host[mask])
    near(ww.sparse.csr_array(host)[mask.tolist()], host[mask])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda a: a[[0, 12]], ww.ArgumentIndexError, "row 12 .* has 12"),
        (lambda a: a[[-13]], ww.ArgumentIndexError, "row -13"),
        (lambda a: a[ww.zeros(4, dtype=bool)], ww.ArgumentIndexError, "4 bools .* 12"),
        (lambda a: a[ww.zeros(2)], ww.ArgumentIndexError, "float64"),
        (lambda a: a[ww.zeros((2, 2), dtype=int)], ww.ArgumentIndexError, r"\(2, 2\)"),
        (lambda a: a["x"], ww.ArgumentIndexError, "rows"),
        (lambda a: a[[1], [2]], ww.ArgumentIndexError, "rows"),
        (lambda a: a @ a, ww.ArgumentValueError, r"\(12, 18\) and \(12, 18\)"),
        (lambda a: a.tobsr((5, 2)), ww.ArgumentValueError, r"\(5, 2\) do not divide"),
        (lambda a: a.tobsr((0, 2)), ww.ArgumentValueError, r"\(0, 2\) do not divide"),
        (lambda a: a.tobsr((2, 2, 2)), ww.ArgumentValueError, "two extents"),
        (lambda a: a.tobsr((2, 3)).row, ww.ArgumentValueError, "bsr"),
        (lambda a: a.asformat("dia"), ww.ArgumentValueError, "'bsr'"),
        (lambda a: ww.sparse.bsr_array(([1.0], [0], [0, 1])), ww.ArgumentValueError, "three axes"),
        (
            lambda a: ww.sparse.bsr_array((np.ones((1, 2, 2)), [3], [0, 1]), shape=(2, 4)),
            ww.ArgumentIndexError,
            "from 0 to 1",
        ),
        (
            lambda a: ww.sparse.bsr_array((np.ones((1, 2, 2)), [0], [0, 1]), shape=(3, 4)),
            ww.ArgumentValueError,
            "do not divide",
        ),
    ],
)
def test_what_does_not_fit_is_refused(call: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        call(ww.sparse.csr_array(random_matrix((12, 18))))
