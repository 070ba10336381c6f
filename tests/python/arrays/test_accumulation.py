"""add_at and its like: NumPy's ufunc.at, in order, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_samples import advanced_indices, on_device
from samples import Pair, expect_equal, filled, pairs
from test_advanced_indexing import selected

import warpwise as ww

NAMES = ["add", "subtract", "multiply", "minimum", "maximum"]


@settings(max_examples=30)
@given(st.data(), pairs([np.dtype("int32"), np.dtype("float64")]), st.sampled_from(NAMES))
def test_accumulation_is_numpys(data: st.DataObject, pair: Pair, name: str) -> None:
    ours, theirs = pair
    ours, theirs = ours.copy(), theirs.copy()
    index = data.draw(advanced_indices(theirs.shape))
    shape = selected(theirs, index).shape
    values = filled(shape, theirs.dtype, data.draw(st.integers(0, 100)))
    getattr(np, name).at(theirs, index, values)
    getattr(ww, f"{name}_at")(ours, on_device(data.draw, index), ww.asarray(values))
    expect_equal(ours, theirs)


def test_sums_of_floats_are_numpys_bit_for_bit() -> None:
    random = np.random.default_rng(3)
    at = random.integers(0, 50, 20_000)
    values = random.normal(size=20_000).astype(np.float32)
    expected = np.zeros(50, np.float32)
    np.add.at(expected, at, values)
    x = ww.zeros(50, dtype=ww.float32)
    ww.add_at(x, ww.asarray(at), ww.asarray(values))
    assert x.get().tobytes() == expected.tobytes()
    counts = ww.zeros(50, dtype=ww.int64)
    np.add.at(counts, ww.asarray(at), 1)
    expect_equal(counts, np.bincount(at, minlength=50))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float16", "complex64", "bool"])
def test_other_types(dtype: str) -> None:
    host = filled((6,), np.dtype(dtype), 4)
    values = filled((9,), np.dtype(dtype), 5)
    at = np.array([0, 5, 5, 5, 1, 0, -1, -6, 3])
    x = ww.asarray(host)
    np.add.at(host, at, values)
    ww.add_at(x, at, ww.asarray(values))
    expect_equal(x, host)


def test_a_basic_index_is_a_view() -> None:
    x = ww.asarray(np.arange(6.0).reshape(2, 3))
    ww.multiply_at(x, (slice(None), 1), 10)
    assert x.tolist() == [[0, 10, 2], [3, 40, 5]]


def test_what_is_refused() -> None:
    x = ww.zeros(3, dtype=ww.int32)
    with pytest.raises(TypeError, match="add_at gives float64, which is not converted to int32"):
        ww.add_at(x, [0], 1.5)
    with pytest.raises(ValueError, match="values of shape"):
        ww.add_at(x, [0, 1], ww.zeros(3, dtype=ww.int32))
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        ww.add_at(x, [3], 1)
    with pytest.raises(ValueError, match="read-only"):
        ww.add_at(ww.broadcast_to(x, (2, 3)), [0], 1)
    ww.add_at(x, ww.asarray([7]), 1)
    with pytest.raises(IndexError, match=r"add_at at .* got index 7"):
        x.get()
    bad: Any = ww.zeros(2, dtype=[("a", np.float32)])
    with pytest.raises(TypeError, match="no numbers"):
        ww.add_at(bad, [0], 1)


# Enough values for several threads, each of which owns a part of the target.
@pytest.mark.parametrize("size", [3, 1000, 300_000])
@pytest.mark.parametrize("dtype", ["float32", "int8", "complex128", "bool"])
def test_many_values_are_taken_in_order(dtype: str, size: int) -> None:
    rng = np.random.default_rng(size)
    count = 100_000
    host = np.zeros(2 * size, dtype)
    target = ww.asarray(host)
    places = rng.integers(-size, size, count)
    values = (rng.normal(size=count) * 50).astype(dtype)
    for step in (slice(None, None, 2), slice(None, None, -2)):
        view, theirs = target[step], host[step]
        if dtype != "bool":
            ww.add_at(view, ww.asarray(places), ww.asarray(values))
            np.add.at(theirs, places, values)
        np.testing.assert_array_equal(target.get(), host)
        view[ww.asarray(places)] = ww.asarray(values)
        theirs[places] = values
        np.testing.assert_array_equal(target.get(), host)


def test_many_values_of_structs_and_rows() -> None:
    rng = np.random.default_rng(5)
    places = rng.integers(0, 500, 50_000)
    rows, host = rng.random((50_000, 3)), np.zeros((500, 3))
    target = ww.asarray(host)
    target[ww.asarray(places)] = ww.asarray(rows)
    host[places] = rows
    np.testing.assert_array_equal(target.get(), host)
    kind = np.dtype([("a", "i2"), ("b", "f8")])
    structs, host = np.zeros(50_000, kind), np.zeros(500, kind)
    structs["a"], structs["b"] = np.arange(50_000) % 999, rng.random(50_000)
    target = ww.asarray(host)
    target[ww.asarray(places)] = ww.asarray(structs)
    host[places] = structs
    assert (target.get() == host).all()
