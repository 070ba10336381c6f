"""Options that NumPy's functions have, and the places of parameters: sets, joins, reductions,
quantiles. Beside NumPy, of arrays and views of any shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import warpwise as ww

SHAPES = [(0,), (1,), (33,), (4, 5), (3, 0, 2), (2, 3, 4), ()]


def values(shape: tuple[int, ...], kind: str = "int64", seed: int = 1) -> Any:
    return np.random.default_rng(seed).integers(0, 30, shape).astype(kind)


def same(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for own, theirs in zip(found, expected, strict=True):
            same(own, theirs)
        return
    assert isinstance(found, ww.Array)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert np.array_equal(found.get(), expected, equal_nan=expected.dtype.kind == "f")


@pytest.mark.parametrize("first", SHAPES)
@pytest.mark.parametrize("second", [(0,), (7,), (4, 6)])
@pytest.mark.parametrize("kinds", [("int64", "int64"), ("int32", "float32")])
def test_intersections_with_places(
    first: tuple[int, ...], second: tuple[int, ...], kinds: tuple[str, str]
) -> None:
    x, y = values(first, kinds[0], 1), values(second, kinds[1], 2)
    expected = np.intersect1d(x, y, return_indices=True)
    same(ww.intersect1d(ww.asarray(x), ww.asarray(y), return_indices=True), expected)
    same(np.intersect1d(ww.asarray(x), ww.asarray(y), return_indices=True), expected)


@pytest.mark.parametrize("count", [0, 1, 7, 30])
def test_sets_of_elements_that_are_unique(count: int) -> None:
    x = np.random.default_rng(count).permutation(40)[:count]
    y = np.random.default_rng(3).permutation(40)[10:30]
    own, other = ww.asarray(np.repeat(x, 2))[::2], ww.asarray(y[::-1].copy())[::-1]
    for name in ("intersect1d", "setdiff1d", "setxor1d"):
        expected = getattr(np, name)(x, y, assume_unique=True)
        same(getattr(ww, name)(own, other, assume_unique=True), expected)
    expected = np.intersect1d(x, y, True, True)
    same(ww.intersect1d(own, other, True, True), expected)


@pytest.mark.parametrize("name", ["concat", "stack"])
@pytest.mark.parametrize("axis", [0, -1])
def test_joins_of_another_type(name: str, axis: int) -> None:
    x, y = values((3, 4), "int16"), values((3, 8), "float32")[:, ::-2]
    expected = getattr(np, name)([x, y], axis=axis, dtype=np.int32, casting="unsafe")
    arrays = [ww.asarray(x), ww.asarray(values((3, 8), "float32"))[:, ::-2]]
    found = getattr(ww, name)(arrays, axis=axis, dtype=np.int32, casting="unsafe")
    same(found, expected)
    out = ww.zeros(expected.shape, dtype=np.float64)
    assert getattr(ww, name)(arrays, axis, out) is out
    assert np.array_equal(out.get(), getattr(np, name)([x, y], axis=axis))


@pytest.mark.parametrize("name", ["concat", "stack"])
def test_joins_refuse_conversions(name: str) -> None:
    join = getattr(ww, name)
    arrays = [ww.ones(3), ww.ones(3)]
    with pytest.raises(TypeError, match="float64 for one of int32, which casting='same_kind'"):
        join(arrays, dtype=np.int32)
    with pytest.raises(TypeError, match="casting='no'"):
        join(arrays, dtype=np.float32, casting="no")
    with pytest.raises(TypeError, match="float64 for one of int64"):
        join(arrays, out=ww.zeros(6, dtype=np.int64))
    with pytest.raises(ValueError, match="out= of shape"):
        join(arrays, out=ww.zeros(5))


REDUCTIONS: dict[str, tuple[Any, ...]] = {
    "sum": (np.float32, None),
    "prod": (np.float64, None),
    "mean": (np.float64, None),
    "std": (np.float64, None),
    "var": (np.float64, None),
    "min": (None,),
    "max": (None,),
    "any": (None,),
    "all": (None,),
    "argmin": (None,),
    "argmax": (None,),
}


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_places_of_parameters_of_reductions(name: str, axis: int) -> None:
    x = values((3, 4, 5))
    rest = REDUCTIONS[name]
    expected = getattr(np, name)(x, axis, *rest)
    own = ww.asarray(x)
    for found in (getattr(ww, name)(own, axis, *rest), getattr(own, name)(axis, *rest)):
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found.get(), expected)
    out = ww.empty(expected.shape, dtype=expected.dtype)
    given = (*rest[:-1], out)
    assert getattr(ww, name)(own, axis, *given) is out
    np.testing.assert_allclose(out.get(), expected)
    assert getattr(own, name)(axis, *given) is out


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_places_of_extremes_refuse_other_shapes(name: str) -> None:
    with pytest.raises(ValueError, match="out= of shape"):
        getattr(ww, name)(ww.ones((3, 4)), 0, out=ww.zeros(3, dtype=np.int64))


@pytest.mark.parametrize("name", ["percentile", "quantile", "nanpercentile", "nanquantile"])
@pytest.mark.parametrize("axis", [None, 0, (0, 2)])
@pytest.mark.parametrize("shape", [(0,), (1,), (3,), (2, 2), ()])
def test_quantiles_of_arrays(name: str, axis: Any, shape: tuple[int, ...]) -> None:
    x = values((3, 4, 5), "float64")
    q = np.linspace(0, 100 if "percentile" in name else 1, int(np.prod(shape))).reshape(shape)
    # NumPy's own of NaN mix up the axes of q where there are two of them.
    reference = getattr(np, name.removeprefix("nan"))
    expected = np.asarray(reference(x, q, axis=axis))
    for given in (ww.asarray(q), q):
        found = getattr(ww, name)(ww.asarray(x), given, axis=axis)
        assert found.shape == expected.shape and found.dtype == expected.dtype
        np.testing.assert_allclose(found.get(), expected)
    kept = getattr(ww, name)(ww.asarray(x), ww.asarray(q), axis=axis, keepdims=True)
    assert kept.shape == np.asarray(reference(x, q, axis=axis, keepdims=True)).shape


def test_weighted_quantiles_of_arrays() -> None:
    x, q, weights = values((20,), "float64"), np.array([[0.1, 0.5], [0.7, 0.9]]), values((20,))
    options = {"weights": weights, "method": "inverted_cdf"}
    expected = np.quantile(x, q, **options)
    options["weights"] = ww.asarray(weights)
    same(ww.quantile(ww.asarray(x), ww.asarray(q), **options), expected)


@pytest.mark.parametrize("q", ["half", [0.5, "x"], ww.asarray([0.5, 2.0]), ww.asarray([1j])])
def test_what_quantiles_refuse(q: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        ww.quantile(ww.ones(3), q)
