"""NumPy's functions without a name of their own here, over arrays, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from samples import expect_equal

import warpwise as ww

RANDOM = np.random.default_rng(8)
PLANE = RANDOM.normal(size=(4, 5))
LINE = np.array([1.0, -np.inf, np.inf, np.nan, -0.0, 2.5])


def test_kinds_of_numbers_are_numpys() -> None:
    z = LINE + 1j * np.arange(6)
    for host in (LINE, z, np.arange(3)):
        x = ww.asarray(host)
        expect_equal(np.isreal(x), np.isreal(host))
        expect_equal(np.iscomplex(x), np.iscomplex(host))
        assert np.iscomplexobj(x) is np.iscomplexobj(host)
        assert np.isrealobj(x) is np.isrealobj(host)
    expect_equal(np.isposinf(ww.asarray(LINE)), np.isposinf(LINE))
    expect_equal(np.isneginf(ww.asarray(LINE)), np.isneginf(LINE))
    expect_equal(np.float_power(ww.asarray([1, 2]), 2), np.float_power([1, 2], 2))


def written(function: Any, host: np.ndarray[Any, Any], *given: Any, **options: Any) -> None:
    """What the function makes of equal arrays, here and in NumPy."""
    ours, theirs = ww.asarray(host), host.copy()
    function(ours, *(ww.asarray(g) if isinstance(g, np.ndarray) else g for g in given), **options)
    function(theirs, *given, **options)
    expect_equal(ours, theirs)


def test_writing_functions_are_numpys() -> None:
    written(np.copyto, PLANE, PLANE[0])
    written(np.copyto, PLANE, 3)
    written(np.copyto, PLANE.astype("f4"), np.arange(5.0))
    written(np.putmask, PLANE, PLANE > 0, -1)
    written(np.putmask, PLANE, PLANE > 0, PLANE * 2)
    written(np.putmask, PLANE, PLANE > 0, np.arange(3.0))
    written(np.place, PLANE, PLANE > 0, [1.0, 2.0])
    written(np.place, PLANE, PLANE > 9, [1.0])
    for shape in ((4, 4), (7, 3), (3, 7), (3, 3, 3)):
        written(np.fill_diagonal, np.zeros(shape), 3)
        written(np.fill_diagonal, np.zeros(shape), [1, 2])
        written(np.fill_diagonal, np.zeros(shape), 1, wrap=True)
    x = ww.asarray(PLANE)
    np.copyto(x, 0, where=x > 0)
    expect_equal(x, np.where(PLANE > 0, 0, PLANE))
    with pytest.raises(TypeError, match="copyto got float64 for an array of int64"):
        np.copyto(ww.zeros(5, dtype=np.int64), x[0])
    with pytest.raises(TypeError, match=r"copyto expects a ww\.Array to write to"):
        np.copyto(np.zeros(5), x[0])
    with pytest.raises(ValueError, match="got no values for"):
        np.putmask(x, x < 9, [])
    with pytest.raises(ValueError, match="fill_diagonal got an array of shape"):
        np.fill_diagonal(ww.zeros((2, 3, 2)), 1)


def test_new_arrays_are_numpys() -> None:
    x, line = ww.asarray(PLANE), ww.asarray(np.arange(1, 4))
    for shape in ((3, 3), 30, (2, 1)):
        expect_equal(np.resize(x, shape), np.resize(PLANE, shape))
    for options in ({}, {"N": 2}, {"N": 5, "increasing": True}, {"N": 0}):
        expect_equal(np.vander(line, **options), np.vander(np.arange(1, 4), **options))
    expect_equal(np.block([[x, x], [x * 2, x]]), np.block([[PLANE, PLANE], [PLANE * 2, PLANE]]))
    expect_equal(np.block([line, line]), np.block([np.arange(1, 4)] * 2))
    functions = [-1.0, lambda v: v * 2]
    expect_equal(
        np.piecewise(x, [x < -1, x > 1], functions),
        np.piecewise(PLANE, [PLANE < -1, PLANE > 1], functions),
    )
    three = [*functions, 7.0]
    expect_equal(
        np.piecewise(x, [x < -1, x > 1], three),
        np.piecewise(PLANE, [PLANE < -1, PLANE > 1], three),
    )


def test_histograms_of_two_are_numpys() -> None:
    a, b = RANDOM.normal(size=(2, 500))
    x, y = ww.asarray(a), ww.asarray(b)
    weights = np.abs(a)
    for options in ({}, {"bins": (5, 4)}, {"range": [[-1, 1], [0, 2]]}, {"density": True}):
        ours, theirs = np.histogram2d(x, y, **options), np.histogram2d(a, b, **options)
        for own, their in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(own.get(), their, rtol=1e-12)
    ours = np.histogram2d(x, y, [-2.0, 0, 2], weights=ww.asarray(weights))
    theirs = np.histogram2d(a, b, [-2.0, 0, 2], weights=weights)
    for own, their in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(own.get(), their, rtol=1e-12)
