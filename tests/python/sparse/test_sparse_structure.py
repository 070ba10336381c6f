"""Structure of sparse matrices beside SciPy's: the order of entries, repeated ones, zeros, other
shapes, dense forms, and arithmetic with dense arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import warpwise as ww

FORMATS = ["csr", "csc", "coo"]
SHAPES = [(0, 0), (1, 1), (7, 3), (3, 0), (5, 9)]


def disordered(format: str, shape: tuple[int, int], kind: str = "float64") -> tuple[Any, Any]:
    """The same in SciPy and here: with repeated entries and zeros, in random order."""
    rng = np.random.default_rng(shape[0] * 10 + shape[1])
    rows, columns = shape
    count = 2 * rows * columns // 3
    i, j = rng.integers(0, max(rows, 1), count), rng.integers(0, max(columns, 1), count)
    values = rng.integers(-2, 3, count).astype(kind)
    if format == "coo":
        theirs = sparse.coo_array((values, (i, j)), shape=shape)
        return theirs, ww.sparse.coo_array((values, (i, j)), shape=shape)
    major, minor = (i, j) if format == "csr" else (j, i)
    order = np.argsort(major, kind="stable")
    extent = rows if format == "csr" else columns
    indptr = np.searchsorted(major[order], np.arange(extent + 1))
    parts = (values[order], minor[order], indptr)
    maker = getattr(sparse, f"{format}_array")
    copies = tuple(part.copy() for part in parts)  # SciPy changes its own in place
    return maker(copies, shape=shape), getattr(ww.sparse, f"{format}_array")(parts, shape=shape)


def same(found: Any, expected: Any) -> None:
    assert found.format == expected.format and found.shape == expected.shape
    assert np.array_equal(found.data.get(), expected.data)
    assert np.array_equal(found.indices.get(), expected.indices)
    assert np.array_equal(found.indptr.get(), expected.indptr)


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("shape", SHAPES)
def test_order_of_entries(format: str, shape: tuple[int, int]) -> None:
    theirs, own = disordered(format, shape)
    assert own.has_sorted_indices == bool(theirs.has_sorted_indices)
    assert own.has_canonical_format == bool(theirs.has_canonical_format)
    before = own.toarray().get()
    by_index = own.sorted_indices()
    assert by_index.has_sorted_indices and np.array_equal(by_index.toarray().get(), before)
    rows = np.repeat(np.arange(own.indptr.size - 1), np.diff(own.indptr.get()))
    order = np.lexsort((own.indices.get(), rows))
    assert np.array_equal(by_index.data.get(), own.data.get()[order])
    own.sort_indices()
    assert own.has_sorted_indices and np.array_equal(own.data.get(), by_index.data.get())


@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("shape", SHAPES)
def test_repeated_entries_and_zeros(format: str, shape: tuple[int, int]) -> None:
    theirs, own = disordered(format, shape)
    other = own.tocsr(copy=True)
    theirs.sum_duplicates()
    own.sum_duplicates()
    same(own, theirs)
    assert own.has_canonical_format
    theirs.eliminate_zeros()
    own.eliminate_zeros()
    same(own, theirs)
    assert np.array_equal(other.toarray().get(), theirs.toarray())


@pytest.mark.parametrize("shape", SHAPES)
def test_entries_of_coordinates(shape: tuple[int, int]) -> None:
    theirs, own = disordered("coo", shape)
    expected = theirs.toarray()
    own.sum_duplicates()
    assert own.has_canonical_format and own.format == "coo"
    assert np.array_equal(own.toarray().get(), expected)
    own.eliminate_zeros()
    assert own.nnz == np.count_nonzero(expected)
    assert np.array_equal(own.toarray().get(), expected)


def test_blocks_keep_their_size() -> None:
    data = np.array([[[1.0, 2], [3, 4]], [[0, 0], [0, 0]], [[0, 5], [0, 0]]])
    own = ww.sparse.bsr_array((data, [1, 0, 2], [0, 2, 3]), shape=(4, 6))
    expected = own.toarray().get()
    assert not own.has_sorted_indices
    own.sort_indices()
    assert own.indices.get().tolist() == [0, 1, 2] and own.blocksize == (2, 2)
    own.eliminate_zeros()
    assert own.indices.get().tolist() == [1, 2] and own.nnz == 8
    assert np.array_equal(own.toarray().get(), expected)


@pytest.mark.parametrize("format", [*FORMATS, "bsr"])
def test_other_shapes(format: str) -> None:
    theirs, own = disordered("csr", (6, 4))
    own = own.asformat(format) if format != "bsr" else own.tobsr((2, 2))
    for shape in [(4, 6), (24, 1), (2, -1), (-1, 8)]:
        found = own.reshape(shape)
        assert np.array_equal(found.toarray().get(), theirs.toarray().reshape(shape))
        assert found.format == ("csr" if format == "bsr" else format)
    assert own.reshape(3, 8).shape == (3, 8)
    for wrong in [(5, 5), (-1, 7), (-2, -12), (24,)]:
        with pytest.raises(ValueError, match=r"shape|extents"):
            own.reshape(wrong)


@pytest.mark.parametrize("format", FORMATS)
def test_other_shapes_in_the_order_of_fortran(format: str) -> None:
    theirs, own = disordered(format, (6, 4))
    dense = theirs.toarray()
    for shape in [(4, 6), (24, 1), (2, -1), (-1, 8)]:
        found = own.reshape(shape, order="F")
        assert np.array_equal(found.toarray().get(), dense.reshape(shape, order="F"))
        assert found.format == format
    kept = own.reshape(6, 4, copy=True)
    kept.data[...] = 0
    assert np.array_equal(own.toarray().get(), dense)
    with pytest.raises(ValueError, match="order expects"):
        own.reshape(4, 6, order="A")


def test_other_shapes_of_more_elements_than_numbers_of_64_bits() -> None:
    at = 2**40 - 1
    own = ww.sparse.coo_array(([1.0, 2.0], ([0, at], [3, at - 1])), shape=(2**40, 2**40))
    halves = own.reshape(2**39, 2**41)
    assert (halves.row.get().tolist(), halves.col.get().tolist()) == (
        [0, 2**39 - 1],
        [3, 2**41 - 2],
    )
    doubled = own.reshape(-1, 2**39, order="F")
    assert doubled.shape == (2**41, 2**39)
    assert (doubled.row.get().tolist(), doubled.col.get().tolist()) == (
        [2**40, 2**40 - 1],
        [1, 2**39 - 1],
    )
    wide = ww.sparse.coo_array(([1.0], ([0], [0])), shape=(2**32, 2**32))
    for wrong in [(0, 7), (2**32, 2**33), (1, -1)]:  # 2^64 elements are 0 in 64 bits
        with pytest.raises(ValueError, match="as many elements"):
            wide.reshape(wrong)


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_said_of_the_order_of_entries_is_checked(format: str) -> None:
    _, own = disordered(format, (5, 9))
    own.has_canonical_format = False
    with pytest.raises(ValueError, match=r"entries lie otherwise; call sum_duplicates\(\)"):
        own.has_canonical_format = True
    own.sum_duplicates()
    own.has_canonical_format = True
    own.has_sorted_indices = True
    assert own.has_canonical_format


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("order", [None, "C", "F"])
def test_dense_forms(format: str, order: Any) -> None:
    theirs, own = disordered(format, (5, 9))
    for found in (own.toarray(order), own.todense(order=order)):
        assert np.array_equal(found.get(), theirs.toarray())
        assert found.is_f_contiguous == (order == "F")
    out = ww.ones((5, 9))
    assert own.toarray(out=out) is out and np.array_equal(out.get(), theirs.toarray())
    with pytest.raises(ValueError, match="out= of shape"):
        own.toarray(out=ww.ones((9, 5)))


@pytest.mark.parametrize("format", [*FORMATS, "bsr"])
@pytest.mark.parametrize("kinds", [("float64", "float64"), ("int32", "float32")])
@pytest.mark.parametrize("other", [(6, 4), (4,), (6, 1), ()])
def test_sums_with_dense_arrays(
    format: str, kinds: tuple[str, str], other: tuple[int, ...]
) -> None:
    theirs, own = disordered("csr", (6, 4), kinds[0])
    own = own.asformat(format) if format != "bsr" else own.tobsr((2, 2))
    x = np.random.default_rng(1).integers(0, 9, other).astype(kinds[1])
    array, dense = ww.asarray(np.repeat(x[..., None], 2, -1))[..., 0], theirs.toarray()
    pairs = [
        (own + array, dense + x),
        (array + own, x + dense),
        (own - array, dense - x),
        (array - own, x - dense),
    ]
    for found, expected in pairs:
        assert isinstance(found, ww.Array) and found.dtype == expected.dtype
        assert np.array_equal(found.get(), expected)


def test_sums_with_numbers() -> None:
    theirs, own = disordered("csr", (6, 4))
    assert np.array_equal(sum([own, own]).toarray().get(), 2 * theirs.toarray())  # from 0 on
    assert np.array_equal((own - 0).toarray().get(), theirs.toarray())
    assert np.array_equal((0 - own).toarray().get(), -theirs.toarray())
    for call in (lambda: own + 1, lambda: 1 + own, lambda: own - 2.0, lambda: 2.0 - own):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match="broadcast"):
        own + ww.ones((4, 6))


@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("dtype", [None, "float32", "int64", "complex128"])
def test_sums_of_another_type(axis: Any, dtype: Any) -> None:
    theirs, own = disordered("csr", (6, 4))
    expected = np.asarray(theirs.toarray().sum(axis=axis, dtype=dtype))
    found = own.sum(axis, dtype)
    assert found.dtype == expected.dtype and np.array_equal(found.get(), expected)
    out = ww.empty(expected.shape, dtype=expected.dtype)
    assert own.sum(axis, dtype, out) is out and np.array_equal(out.get(), expected)
    if dtype != "int64":
        mean = own.mean(axis=axis, dtype=dtype)
        assert mean.dtype == (dtype or "float64")
        np.testing.assert_allclose(
            mean.get(), theirs.toarray().mean(axis=axis, dtype=dtype), rtol=1e-6
        )
    with pytest.raises(ValueError, match="out= of shape"):
        own.sum(axis, out=ww.zeros((3, 3)))


def test_values_and_transposes() -> None:
    theirs, own = disordered("csr", (6, 4))
    given = np.arange(own.nnz, dtype="float32")
    own.data = ww.asarray(given)
    theirs.data = given
    assert np.array_equal(own.toarray().get(), theirs.toarray()) and own.dtype == np.float32
    with pytest.raises(ValueError, match="give one for each"):
        own.data = ww.ones(own.nnz + 1)
    turned = own.transpose(copy=True)
    turned.data[:] = 0
    assert np.array_equal(own.transpose(None).toarray().get(), theirs.toarray().T)
    with pytest.raises(ValueError, match="leave them out"):
        own.transpose(axes=(1, 0))
    assert np.array_equal(own.dot(2.5).toarray().get(), 2.5 * theirs.toarray())
    with pytest.raises(TypeError):
        own @ 2.5


@pytest.mark.parametrize("axis", [2, -3])
def test_axes_that_there_are_not(axis: int) -> None:
    with pytest.raises(np.exceptions.AxisError, match="axes are 0 and 1"):
        disordered("csr", (6, 4))[1].sum(axis=axis)
