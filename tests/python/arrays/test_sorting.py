"""Sorting, searching and sets against NumPy: types, axes, strides, NaN, ties, errors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy_order import by_numpy

import warpwise as ww

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
REALS = ["float16", "float32", "float64"]
KINDS = ["bool", *INTEGERS, *REALS, "complex64", "complex128"]
# Around the ends of insertion (48), of rows in a cache (2^15), and of chunks.
SIZES = [0, 1, 2, 3, 47, 48, 49, 255, 257, 5000, 32_768, 32_769, 70_001]


def values(rng: np.random.Generator, shape: Any, kind: str) -> np.ndarray:
    """With ties, both zeros, infinities and NaN of both signs where the kind has them."""
    if kind == "bool":
        return rng.random(shape) < 0.5
    if kind in INTEGERS:
        limits = np.iinfo(kind)
        wide = rng.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)
        return np.where(rng.random(shape) < 0.5, wide, rng.integers(0, 5, shape).astype(kind))
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1.0])
    real = np.where(rng.random(shape) < 0.3, rng.choice(special, shape), rng.standard_normal(shape))
    if not kind.startswith("complex"):
        return real.astype(kind)
    x = np.empty(shape, kind)
    x.real = np.where(rng.random(shape) < 0.5, real, 1.0)
    x.imag = np.where(rng.random(shape) < 0.2, rng.choice(special, shape), rng.random(shape))
    return x


def same(result: ww.Array, expected: np.ndarray) -> None:
    host = result.get()
    assert (host.shape, host.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(host, expected)


def falling(x: np.ndarray, axis: int) -> np.ndarray:
    """The stable order from the largest down, NaN first."""
    order = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(order, axis)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_one_axis(rng: np.random.Generator, kind: str, size: int) -> None:
    x = values(rng, size, kind)
    a = ww.asarray(x)
    same(ww.sort(a), by_numpy(np.sort, x))
    same(ww.argsort(a), np.argsort(x, kind="stable"))
    same(ww.sort(a, descending=True), x[falling(x, 0)])
    same(ww.argsort(a, descending=True), falling(x, 0))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "shape", [(3, 4, 5), (1, 300), (300, 1), (70, 120), (63, 65), (2, 40_000), (0, 3)]
)
def test_axes(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> None:
    x = values(rng, shape, kind)
    a = ww.asarray(x)
    for axis in [*range(-len(shape), len(shape)), None]:
        same(ww.sort(a, axis=axis), by_numpy(np.sort, x, axis=axis))
        same(ww.argsort(a, axis=axis), np.argsort(x, axis=axis, kind="stable"))
        if axis is not None:
            same(ww.argsort(a, axis=axis, descending=True), falling(x, axis))


@pytest.mark.parametrize(
    "make",
    [
        lambda n, rng: np.full(n, 7, np.int32),
        lambda n, rng: np.arange(n, dtype=np.int64),
        lambda n, rng: np.arange(n, dtype=np.float32)[::-1].copy(),
        lambda n, rng: rng.integers(0, 3, n),
        lambda n, rng: rng.integers(-2, 2, n, dtype=np.int16),
        lambda n, rng: np.where(rng.random(n) < 0.5, rng.integers(0, 9, n), 2**62),
        lambda n, rng: rng.integers(0, 1000, n).astype(np.uint64) << np.uint64(50),
        lambda n, rng: rng.lognormal(0, 20, n),
        lambda n, rng: rng.random(n) < 0.001,
        lambda n, rng: np.full(n, np.nan),
    ],
)
@pytest.mark.parametrize("n", [32_769, 200_000])
def test_distributions(rng: np.random.Generator, make: Callable[..., np.ndarray], n: int) -> None:
    x = make(n, rng)
    same(ww.sort(ww.asarray(x)), np.sort(x))
    same(ww.argsort(ww.asarray(x)), np.argsort(x, kind="stable"))
    same(ww.argsort(ww.asarray(x), descending=True), falling(x, 0))


@pytest.mark.parametrize(
    "view", [lambda a: a[::-1], lambda a: a.T, lambda a: a[:, ::-2], lambda a: a[3:, 5:-2]]
)
def test_strides(rng: np.random.Generator, view: Callable[[Any], Any]) -> None:
    x = values(rng, (60, 90), "float32")
    for axis in (0, 1, None):
        same(ww.sort(view(ww.asarray(x)), axis=axis), np.sort(view(x), axis=axis))
        same(
            ww.argsort(view(ww.asarray(x)), axis=axis),
            np.argsort(view(x), axis=axis, kind="stable"),
        )


def test_bfloat16() -> None:
    import ml_dtypes

    x = np.random.default_rng(1).standard_normal(3000).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(
        ww.sort(ww.asarray(x)).get().astype(np.float32), np.sort(x.astype(np.float32))
    )
    same(ww.argsort(ww.asarray(x)), np.argsort(x.astype(np.float32), kind="stable"))


def test_in_place_and_numpys_functions(rng: np.random.Generator) -> None:
    x = values(rng, (30, 40), "int32")
    a = ww.asarray(x)
    same(np.sort(a, axis=0), np.sort(x, axis=0))
    same(np.argsort(a, kind="stable"), np.argsort(x, kind="stable"))
    same(a.argsort(0), np.argsort(x, axis=0, kind="stable"))
    a.sort(0)
    same(a, np.sort(x, axis=0))
    a[:, ::2].sort()
    x = np.sort(x, axis=0)
    x[:, ::2].sort()
    same(a, x)


@pytest.mark.parametrize("kind", ["int16", "float32", "uint64"])
def test_topk_and_partition(rng: np.random.Generator, kind: str) -> None:
    x = values(rng, (6, 500), kind)
    x = np.nan_to_num(x) if kind == "float32" else x
    a = ww.asarray(x)
    for axis, k in [(1, 7), (0, 2), (-1, 0), (-1, 500)]:
        order = falling(x, axis)
        top, places = ww.topk(a, k, axis)
        expected = np.take(order, np.arange(k), axis)
        same(places, expected)
        same(top, np.take_along_axis(x, expected, axis))
        least, places = ww.topk(a, k, axis, largest=False)
        same(least, np.take(np.sort(x, axis), np.arange(k), axis))
    parts = ww.partition(a, 100).get()
    assert (parts[:, 100] == np.sort(x)[:, 100]).all()
    assert (parts[:, :100].max(axis=1) <= parts[:, 100]).all()
    assert (parts[:, 101:].min(axis=1) >= parts[:, 100]).all()
    order = ww.argpartition(a, [3, -1], axis=0).get()
    for row in (3, -1):
        chosen = np.take_along_axis(x, order, 0)[row]
        assert (chosen == np.sort(x, axis=0)[row]).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(rng: np.random.Generator, kind: str, side: Any) -> None:
    for n, shape in [(0, (5,)), (1, (3, 4)), (1000, (200, 3)), (70, ())]:
        x, v = values(rng, n, kind), values(rng, shape, kind)
        order = np.argsort(x, kind="stable")
        a = ww.asarray(x)
        expected = np.asarray(np.searchsorted(x[order], v, side))
        same(ww.searchsorted(ww.sort(a), ww.asarray(v), side), expected)
        same(ww.searchsorted(a, ww.asarray(v), side=side, sorter=ww.asarray(order)), expected)
    same(np.searchsorted(ww.sort(a), ww.asarray(v), side=side), expected)
    same(ww.sort(a).searchsorted(ww.asarray(v), side), expected)


def test_searchsorted_of_numbers_and_other_types() -> None:
    a = ww.asarray(np.array([1, 3, 5], np.int32))
    assert int(ww.searchsorted(a, 3)) == 1
    assert int(ww.searchsorted(a, 3.5)) == 2
    same(
        ww.searchsorted(a, ww.asarray(np.array([2.5, 3.0, np.nan]))),
        np.searchsorted([1, 3, 5], [2.5, 3.0, np.nan]),
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(0,), (1,), (400,), (9, 8, 7), (40_000,)])
def test_sets(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> None:
    x = values(rng, shape, kind)
    a = ww.asarray(x)
    expected = np.unique_all(x)
    found = ww.unique_all(a)
    for name in ("values", "indices", "inverse_indices", "counts"):
        if np.isnan(x).any() and name in ("indices", "inverse_indices"):
            continue  # which NaN is which
        same(getattr(found, name), getattr(expected, name))
    np.testing.assert_array_equal(found.values.get()[found.inverse_indices.get()], x)
    same(ww.unique_values(a), expected.values)
    counted = ww.unique_counts(a)
    same(counted.values, expected.values)
    same(counted.counts, expected.counts)
    inverse = ww.unique_inverse(a)
    np.testing.assert_array_equal(inverse.values.get()[inverse.inverse_indices.get()], x)
    for own, theirs in zip(
        np.unique(a, return_index=True, return_inverse=True, return_counts=True),
        np.unique(x, return_index=True, return_inverse=True, return_counts=True),
        strict=True,
    ):
        if kind.startswith("complex") and np.isnan(x).any():
            break
        same(own, theirs)
    if not (kind.startswith("complex") and np.isnan(x).any()):
        same(ww.unique(a), by_numpy(np.unique, x))
    same(ww.unique(a, equal_nan=False), by_numpy(np.unique, x, equal_nan=False))


@pytest.mark.parametrize("kind", KINDS)
def test_isin(rng: np.random.Generator, kind: str) -> None:
    x, test = values(rng, (30, 20), kind), values(rng, 25, kind)
    for invert in (False, True):
        expected = np.isin(x, test, invert=invert)
        same(ww.isin(ww.asarray(x), ww.asarray(test), invert=invert), expected)
        same(np.isin(ww.asarray(x), ww.asarray(test), invert=invert), expected)
    same(ww.isin(ww.asarray(x), ww.asarray(test[:0])), np.isin(x, test[:0]))


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("kind", ["int32", "float64"])
def test_digitize(rng: np.random.Generator, kind: str, right: bool) -> None:
    x = rng.integers(-5, 20, (7, 8)).astype(kind)
    for bins in ([0, 3, 3, 9], [9, 4, 4, 0], [2], [5, 5]):
        host = np.array(bins, kind)
        expected = np.digitize(x, host, right)
        same(ww.digitize(ww.asarray(x), ww.asarray(host), right), expected)
        same(np.digitize(ww.asarray(x), ww.asarray(host), right=right), expected)


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize(
    "bins",
    [[0, 1, np.nan], [0, 0, 1, np.nan, np.nan], [2, 1, np.nan], [np.nan, np.nan], [np.nan], []],
)
def test_bins_may_end_with_nan(bins: list[float], right: bool) -> None:
    x = np.array([-1, 0, 0.5, 1, 3, np.nan, np.inf])
    expected = np.digitize(x, np.array(bins), right)
    same(ww.digitize(ww.asarray(x), ww.asarray(np.array(bins)), right), expected)


def test_bins_do_not_begin_with_nan() -> None:
    with pytest.raises(ValueError, match="neither increase nor decrease"):
        ww.digitize(ww.zeros(3), ww.asarray([np.nan, 1.0, 2.0]))


def test_a_number_has_the_order_of_an_array_of_one() -> None:
    for axis in (-1, 0, None):
        same(ww.argsort(ww.asarray(3.0), axis=axis), np.argsort(np.asarray(3.0), axis=axis))
    with pytest.raises(ww.ArgumentError, match="axis 1"):
        ww.argsort(ww.asarray(3), axis=1)


def test_laziness(rng: np.random.Generator) -> None:
    x = rng.standard_normal(5000)
    a = ww.asarray(x)
    result = ww.sort(a * 2) + 1
    a += 100
    same(result, np.sort(x * 2) + 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: ww.sort(x, axis=2), "axis 2"),
        (lambda x: ww.sort(ww.asarray(3)), "sort got an array without axes"),
        (lambda x: ww.argsort(x, kind="bogus"), "kind got 'bogus'"),
        (lambda x: ww.sort(ww.zeros(3, dtype=np.dtype([("a", "f4")]))), "sort got an array of"),
        (lambda x: ww.topk(x, 5), "topk got k=5 for an axis of 4"),
        (lambda x: ww.topk(x, -1), "topk got k=-1"),
        (lambda x: ww.partition(x, 4), "partition got kth=4 for an axis of 4"),
        (lambda x: ww.argpartition(x, [0, -5]), "argpartition got kth=-5"),
        (lambda x: ww.searchsorted(x, x), r"sorted elements of shape \(3, 4\)"),
        (lambda x: ww.searchsorted(x[0], x, side="middle"), "side got 'middle'"),
        (lambda x: ww.searchsorted(x[0], x, sorter=ww.arange(3)), r"sorter of shape \(3,\)"),
        (lambda x: ww.searchsorted(x[0], x, sorter=x[0]), "sorter of float64"),
        (
            lambda x: ww.searchsorted(x[0], x, sorter=ww.asarray([0, 1, 2, 4])),
            "place 4 for 4 elements",
        ),
        (
            lambda x: ww.searchsorted(x[0], x, sorter=ww.asarray([0, -1, 2, 3])),
            "place -1 for 4 elements",
        ),
        (lambda x: ww.digitize(x, ww.asarray([1, 3, 2])), "neither increase nor decrease"),
        (lambda x: ww.digitize(x, x), "bins of shape"),
        (lambda x: ww.digitize(ww.asarray([1j]), x[0]), "complex numbers have no bins"),
        (lambda x: ww.unique(ww.zeros(3, dtype=np.dtype([("a", "f4")]))), "unique got an array of"),
    ],
)
def test_what_is_refused(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ww.ArgumentError, match=message):
        call(ww.zeros((3, 4)))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("kind", ["int8", "float64", "bool", "complex64"])
def test_unique_along_an_axis(rng: np.random.Generator, kind: str, axis: int) -> None:
    x = rng.integers(0, 2, (40, 3, 4)).astype(kind)
    a = ww.asarray(x)
    found = ww.unique(a, True, True, True, axis)
    expected = np.unique(x, True, True, True, axis)
    for ours, theirs in zip(found, expected, strict=True):
        same(ours, theirs)
    same(np.unique(a[::-2], axis=axis), np.unique(x[::-2], axis=axis))


def test_unique_along_an_axis_of_few_elements() -> None:
    for shape, axis in [((0, 3), 0), ((3, 0), 0), ((1, 2), 0), ((1, 2), 1), ((4,), 0)]:
        x = np.ones(shape)
        found = ww.unique(ww.asarray(x), return_counts=True, return_inverse=True, axis=axis)
        expected = np.unique(x, return_counts=True, return_inverse=True, axis=axis)
        for ours, theirs in zip(found, expected, strict=True):
            same(ours, theirs)
    rows = np.array([[np.nan, 1], [0, np.nan], [np.nan, 1]])
    assert ww.unique(ww.asarray(rows), axis=0).shape == (2, 2)
    assert ww.unique(ww.asarray(rows), axis=0, equal_nan=False).shape == (3, 2)
    for axis in (2, -3):
        with pytest.raises(ww.ArgumentError, match="axis"):
            ww.unique(ww.asarray(rows), axis=axis)


# Long enough for buckets, with values of few exponents, of one, and repeated.
LONG = 300_001


@pytest.mark.parametrize("spread", ["uniform", "normal", "few", "constant", "nan"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "int64"])
def test_selections_of_long_rows(rng: np.random.Generator, spread: str, dtype: str) -> None:
    host = {
        "uniform": rng.random(LONG) * 30_000,
        "normal": rng.normal(size=LONG) * 3000,
        "few": rng.integers(0, 5, LONG),
        "constant": np.full(LONG, 7),
        "nan": np.where(rng.random(LONG) < 0.01, np.nan, rng.normal(size=LONG)),
    }[spread]
    if spread == "nan" and dtype[0] == "i":
        return
    x = np.asarray(host).astype(dtype)
    a = ww.asarray(x)
    ordered, stable = np.sort(x), np.argsort(x, kind="stable")
    for k in (0, 1, 100, LONG // 2, LONG):
        least, places = ww.topk(a, k, largest=False)
        same(least, ordered[:k])
        same(places, stable[:k])
        greatest, places = ww.topk(a, k)
        same(greatest, np.take(x, falling(x, 0)[:k]))
        same(places, falling(x, 0)[:k])
    for kth in (0, LONG // 3, -1, [5, LONG // 2, LONG - 9]):
        parts, order = ww.partition(a, kth).get(), ww.argpartition(a, kth).get()
        for found in (parts, x[order]):
            np.testing.assert_array_equal(np.sort(found), ordered)
            for one in np.atleast_1d(kth):
                at = int(one) % LONG
                np.testing.assert_array_equal(found[at], ordered[at])
                assert not (found[:at] > found[at]).any() and not (found[at:] < found[at]).any()
    np.testing.assert_array_equal(ww.median(a).get(), np.median(x))
    q = [0, 0.1, 0.5, 0.999, 1]
    np.testing.assert_allclose(ww.quantile(a, q).get(), np.quantile(x, q), 1e-5)


def test_selections_of_several_long_rows(rng: np.random.Generator) -> None:
    x = rng.normal(size=(2, 70_000)).astype("float32")
    least, places = ww.topk(ww.asarray(x), 5, largest=False)
    same(least, np.sort(x)[:, :5])
    same(places, np.argsort(x, kind="stable")[:, :5])
    parts = ww.partition(ww.asarray(x), [10, -10]).get()
    for at in (10, -10):
        np.testing.assert_array_equal(parts[:, at], np.sort(x)[:, at])


# Lengths around the vectors of the host, and enough keys for buckets.
@pytest.mark.parametrize("dtype", ["int32", "uint32", "float32", "int64", "uint64", "float64"])
@pytest.mark.parametrize("length", [65, 100, 127, 128, 129, 1000, 5000, 70_000])
def test_keys_sorted_by_vectors(rng: np.random.Generator, dtype: str, length: int) -> None:
    kinds = [
        rng.integers(0, 2**31, length),
        rng.integers(0, 3, length),
        np.arange(length),
        np.arange(length)[::-1],
        np.full(length, 9),
        np.where(np.arange(length) % 2 == 0, 5, np.arange(length)),
    ]
    for host in kinds:
        x = host.astype(dtype)
        if dtype[0] != "u":
            x = x - x.dtype.type(1 << 30)
        if dtype[0] == "f":
            x[:: max(length // 3, 1)] = np.nan
            x[1::50] = np.inf
        if dtype[0] == "u":
            x[::7] = np.iinfo(dtype).max
        same(ww.sort(ww.asarray(x)), np.sort(x))
        rows = np.stack([x, x[::-1], x])
        same(ww.sort(ww.asarray(rows), axis=1), np.sort(rows, axis=1))


# Buckets of one key, and of the least and the greatest; keys that repeat where samples are drawn.
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", ["int32", "uint32", "float32", "int64", "uint64", "float64"])
def test_long_rows_of_frequent_keys(rng: np.random.Generator, dtype: str, descending: bool) -> None:
    length = 400_003
    if dtype[0] == "f":
        least, greatest = -np.inf, np.inf
    else:
        least, greatest = np.iinfo(dtype).min, np.iinfo(dtype).max
    spread = rng.integers(0, 2**31, length).astype(dtype)
    chosen = rng.random(length)
    kinds = {
        "constant": np.full(length, 5, dtype),
        "least": np.full(length, least, dtype),
        "greatest": np.full(length, greatest, dtype),
        "two": np.where(chosen < 0.5, np.array(greatest, dtype), np.array(least, dtype)),
        "mostly one": np.where(chosen < 0.9, 0, spread).astype(dtype),
        "mostly greatest": np.where(chosen < 0.9, np.array(greatest, dtype), spread),
        "neighbours": rng.integers(40, 43, length).astype(dtype),
        "periodic": (np.arange(length) % 1024).astype(dtype),
        "outlier": np.append(rng.integers(0, 99, length - 1), 2**30).astype(dtype),
        "ascending": np.sort(spread),
        "organ pipe": np.minimum(np.arange(length), np.arange(length)[::-1]).astype(dtype),
    }
    if dtype[0] == "f":
        kinds["NaN"] = values(rng, length, dtype)
        kinds["only NaN"] = np.full(length, -np.nan, dtype)
    for x in kinds.values():
        expected = np.sort(x)[::-1] if descending else np.sort(x)
        same(ww.sort(ww.asarray(x), descending=descending), expected)


def test_long_rows_with_few_and_many_processors() -> None:
    """Chunks and buckets depend on the processors; results do not."""
    program = """
import numpy as np, warpwise as ww
for dtype in ("float32", "int64"):
    for length in (32_769, 262_145, 1_500_000):
        x = np.random.default_rng(3).normal(size=length) * 1e6
        x = x.astype(dtype)
        assert np.array_equal(ww.sort(ww.asarray(x)).get(), np.sort(x))
"""
    for threads in ("1", "2", "7"):
        environment = {**os.environ, "WARPWISE_NUM_THREADS": threads}
        subprocess.run([sys.executable, "-c", program], check=True, env=environment)
