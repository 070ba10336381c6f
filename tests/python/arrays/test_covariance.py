"""Covariances, correlations, running sums without NaN, and sorting by several keys, against
NumPy."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from samples import expect_equal

import warpwise as ww


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def observations(shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    random = np.random.default_rng(sum(shape))
    host = random.normal(size=shape) * 3
    return (
        (host + 1j * random.normal(size=shape)).astype(dtype)
        if dtype[0] == "c"
        else host.astype(dtype)
    )


def check(ours: ww.Array, theirs: Any) -> None:
    assert (ours.shape, ours.dtype) == (np.shape(theirs), np.asarray(theirs).dtype)
    np.testing.assert_allclose(ours.get(), theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "complex128"])
@pytest.mark.parametrize("shape", [(7,), (3, 7), (1, 7), (3, 1)])
@pytest.mark.parametrize("rowvar", [True, False])
def test_covariances(dtype: str, shape: tuple[int, ...], rowvar: bool) -> None:
    host = observations(shape, dtype)
    x = ww.asarray(host)
    for options in ({}, {"bias": True}, {"ddof": 2}):
        check(ww.cov(x, rowvar=rowvar, **options), np.cov(host, rowvar=rowvar, **options))
    check(ww.corrcoef(x, rowvar=rowvar), np.corrcoef(host, rowvar=rowvar))


def test_covariances_of_two_sets_and_with_weights() -> None:
    a, b = observations((2, 9), "float64"), observations((9,), "float64")
    counts = np.array([1, 2, 0, 3, 1, 1, 4, 2, 1])
    weights = np.linspace(0.1, 2, 9)
    x, y = ww.asarray(a), ww.asarray(b)
    check(ww.cov(x, y), np.cov(a, b))
    check(ww.corrcoef(x, y), np.corrcoef(a, b))
    for named in ({"fweights": counts}, {"aweights": weights}):
        ours = {name: ww.asarray(value) for name, value in named.items()}
        check(ww.cov(x, y, **ours), np.cov(a, b, **named))
    both = {"fweights": counts, "aweights": weights, "ddof": 0}
    ours = {name: ww.asarray(value) if name != "ddof" else value for name, value in both.items()}
    check(ww.cov(x, **ours), np.cov(a, **both))
    check(np.cov(x, y), np.cov(a, b))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: ww.cov(ww.zeros((2, 2, 2))), ValueError, "one axis or two"),
        (lambda x: ww.cov(x, ww.zeros(4)), ValueError, "3 and 4 observations"),
        (lambda x: ww.cov(x, aweights=ww.ones(2)), ValueError, "aweights of shape"),
        (lambda x: ww.cov(x, aweights=-ww.ones(3)), ValueError, "negative"),
        (lambda x: ww.cov(x, fweights=ww.ones(3)), TypeError, "integers"),
        (lambda x: ww.cov(x, dtype="int32"), TypeError, "floating"),
    ],
)
def test_what_is_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call(ww.ones((2, 3)))


@pytest.mark.parametrize("name", ["nancumsum", "nancumprod"])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "complex128"])
def test_running_sums_without_nan(name: str, dtype: str) -> None:
    host = observations((4, 5), dtype)
    if dtype != "int16":
        host[1, 2] = host[3, 0] = np.nan
    for axis in (None, 0, 1):
        ours = getattr(ww, name)(ww.asarray(host), axis)
        theirs = getattr(np, name)(host, axis)
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours.get(), theirs, rtol=1e-5)


def test_sorting_by_several_keys() -> None:
    random = np.random.default_rng(8)
    keys = [random.integers(0, 4, (3, 200)) for _ in range(3)]
    for axis in (-1, 0):
        ours = ww.lexsort([ww.asarray(key) for key in keys], axis)
        expect_equal(ours, np.lexsort(keys, axis))
    rows = ww.asarray(np.array(keys)[:, 0])
    expect_equal(ww.lexsort(rows), np.lexsort(np.array(keys)[:, 0]))
    floats = [np.array([1.5, np.nan, -0.0, 0.0, np.nan]), np.array([1, 0, 1, 1, 0], np.int8)]
    expect_equal(ww.lexsort([ww.asarray(key) for key in floats]), np.lexsort(floats))


def test_keys_of_different_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\(3,\) and \(4,\)"):
        ww.lexsort([ww.ones(3), ww.ones(4)])
    with pytest.raises(ValueError, match="no key"):
        ww.lexsort([])
