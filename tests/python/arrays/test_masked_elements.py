"""Elements where a mask is true, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww

SIZES = [0, 1, 2, 33, 1041, 4097, 8320, 8321, 70_001]
PAIR = np.dtype([("a", np.float64), ("b", np.int32), ("c", np.int8)])


def same(result: ww.Array, expected: np.ndarray) -> None:
    host = result.get()
    assert (host.shape, host.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(host, expected)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
def test_sizes_and_shares(rng: np.random.Generator, size: int, share: float) -> None:
    mask = rng.random(size) < share
    x = rng.integers(0, 1000, size)
    same(ww.extract(ww.asarray(mask), ww.asarray(x)), x[mask])
    same(ww.flatnonzero(ww.asarray(mask)), np.flatnonzero(mask))
    same(ww.compress(ww.asarray(mask), ww.asarray(x)), np.compress(mask, x))


@pytest.mark.parametrize(
    "kind",
    ["bool", "int8", "float16", "int32", "float64", "complex64", "complex128", PAIR],
)
def test_types(rng: np.random.Generator, kind: Any) -> None:
    mask = rng.random(3000) < 0.3
    x = rng.integers(0, 100, 3000)
    x = x.astype(kind) if kind != PAIR else np.zeros(3000, PAIR)
    if kind == PAIR:
        x["a"], x["b"] = np.arange(3000), -np.arange(3000)
    same(ww.compress(ww.asarray(mask), ww.asarray(x)), x[mask])
    same(ww.compress(ww.asarray(mask)[1:], ww.asarray(x)[1:]), x[1:][mask[1:]])


@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 50), (70, 1, 80), (0, 3), (1, 1)])
@pytest.mark.parametrize("kind", ["bool", "int16", "float32", "complex64"])
def test_nonzero(rng: np.random.Generator, shape: tuple[int, ...], kind: str) -> None:
    x = rng.integers(0, 3, shape).astype(kind)
    for result in (ww.nonzero(ww.asarray(x)), ww.asarray(x).nonzero(), np.nonzero(ww.asarray(x))):
        assert isinstance(result, tuple) and len(result) == len(shape)
        for own, expected in zip(result, np.nonzero(x), strict=True):
            same(own, expected)
    same(ww.argwhere(ww.asarray(x)), np.argwhere(x))
    same(ww.flatnonzero(ww.asarray(x)), np.flatnonzero(x))


def test_nan_and_signed_zeros() -> None:
    x = np.array([0.0, -0.0, np.nan, 1, np.inf, 0], np.float32)
    same(ww.flatnonzero(ww.asarray(x)), np.flatnonzero(x))


def test_of_arrays_without_axes() -> None:
    same(ww.flatnonzero(ww.asarray(3)), np.flatnonzero(3))
    same(ww.argwhere(ww.asarray(3)), np.argwhere(3))
    same(ww.argwhere(ww.asarray(0)), np.argwhere(0))
    with pytest.raises(ww.ArgumentError, match="nonzero got an array without axes"):
        ww.nonzero(ww.asarray(3))


@pytest.mark.parametrize(
    "view", [lambda a: a[::-1], lambda a: a.T, lambda a: a[:, ::-2], lambda a: a[3:, 5:-2]]
)
def test_strides(rng: np.random.Generator, view: Callable[[Any], Any]) -> None:
    x = rng.integers(0, 2, (60, 90))
    a = view(ww.asarray(x))
    same(ww.flatnonzero(a), np.flatnonzero(view(x)))
    for own, expected in zip(ww.nonzero(a), np.nonzero(view(x)), strict=True):
        same(own, expected)
    mask = rng.random((60, 90)) < 0.5
    same(ww.extract(view(ww.asarray(mask)), a), np.extract(view(mask), view(x)))


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1])
@pytest.mark.parametrize("length", [0, 2, 3])
def test_slices(rng: np.random.Generator, axis: int | None, length: int) -> None:
    x = rng.standard_normal((3, 4, 5))
    condition = rng.random(length) < 0.6
    same(ww.compress(ww.asarray(condition), ww.asarray(x), axis), np.compress(condition, x, axis))
    same(ww.asarray(x).compress(ww.asarray(condition), axis=axis), x.compress(condition, axis=axis))
    same(
        np.compress(ww.asarray(condition), ww.asarray(x), axis=axis),
        np.compress(condition, x, axis),
    )


def test_conditions_of_numbers() -> None:
    x = np.arange(5)
    same(ww.compress(ww.asarray([0, 2, 0, -1]), ww.asarray(x)), np.compress([0, 2, 0, -1], x))
    same(np.extract(ww.asarray([0.0, 2, np.nan, 0, 1]), ww.asarray(x)), x[[1, 2, 4]])


def test_what_is_refused() -> None:
    x = ww.arange(6)
    with pytest.raises(ww.ArgumentError, match=r"compress got a condition of shape \(2, 2\)"):
        ww.compress(ww.ones((2, 2)), x)
    with pytest.raises(ww.ArgumentError, match=r"condition of 8 elements.* behind the 6"):
        ww.compress(ww.ones(8), x)
    same(ww.compress(ww.asarray([1] * 6 + [0, 0]), x), np.arange(6))
    with pytest.raises(ww.ArgumentError, match="axis 1"):
        ww.compress(ww.ones(3), x, 1)
    record = ww.zeros(3, dtype=PAIR)
    with pytest.raises(ww.ArgumentError, match="nonzero got an array of"):
        ww.nonzero(record)
