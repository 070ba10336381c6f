"""Reductions that leave NaN out, ranges, averages and quantiles, against NumPy."""

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


def holey(shape: tuple[int, ...], dtype: str, share: float = 0.3) -> np.ndarray[Any, Any]:
    random = np.random.default_rng(len(shape) * 7)
    host = random.normal(size=shape)
    host[random.random(shape) < share] = np.nan
    return (host + 1j * host[::-1]).astype(dtype) if dtype.startswith("c") else host.astype(dtype)


AXES: list[Any] = [None, 0, -1, (0, 2), ()]


@pytest.mark.parametrize(
    "name", ["nansum", "nanprod", "nanmean", "nanmin", "nanmax", "nanvar", "nanstd"]
)
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int32"])
def test_what_is_not_nan_is_reduced_as_numpys(name: str, dtype: str) -> None:
    if dtype == "complex128" and name in ("nanmin", "nanmax"):
        with pytest.raises(TypeError, match="no order"):
            getattr(ww, name)(ww.asarray(holey((2, 2), dtype)))
        return
    host = np.nan_to_num(holey((5, 3, 4), "float64") * 9).astype(dtype)
    if dtype != "int32":
        host = holey((5, 3, 4), dtype)
        host[:, 1, 2] = np.nan
    x = ww.asarray(host)
    for axis in AXES:
        for keepdims in (False, True):
            ours = getattr(ww, name)(x, axis=axis, keepdims=keepdims)
            theirs = np.asarray(getattr(np, name)(host, axis=axis, keepdims=keepdims))
            assert ours.shape == theirs.shape
            assert ours.dtype == theirs.dtype
            tolerance = 1e-5 if dtype == "float32" else 1e-11
            np.testing.assert_allclose(ours.get(), theirs, rtol=tolerance, atol=tolerance)


def test_options_of_nan_reductions() -> None:
    host = holey((4, 6), "float64")
    x = ww.asarray(host)
    out = ww.zeros(6)
    assert ww.nanmax(x, 0, out) is out
    expect_equal(out, np.nanmax(host, 0))
    np.testing.assert_allclose(ww.nanvar(x, 0, ddof=1).get(), np.nanvar(host, 0, ddof=1))
    assert np.isnan(float(ww.nanvar(ww.asarray([1.0, np.nan]), ddof=1)))
    np.testing.assert_allclose(np.asarray(np.nansum(x, axis=0).get()), np.nansum(host, axis=0))
    with pytest.raises(ValueError, match="correction=nan"):
        ww.nanvar(x, ddof=float("nan"))


@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
def test_places_of_limits(name: str) -> None:
    host = holey((5, 6), "float64")
    x = ww.asarray(host)
    for axis in (None, 0, 1):
        expect_equal(getattr(ww, name)(x, axis), getattr(np, name)(host, axis))
    out = ww.zeros(6, np.int64)
    assert getattr(ww, name)(x, 0, out) is out
    expect_equal(out, getattr(np, name)(host, 0))
    host[2] = np.nan
    with pytest.raises(ValueError, match="got only NaN"):
        getattr(ww, name)(ww.asarray(host), 1)


def test_ranges_and_averages() -> None:
    host = np.random.default_rng(1).normal(size=(4, 5, 2))
    x = ww.asarray(host)
    for axis in (None, 1, (0, 2)):
        expect_equal(ww.ptp(x, axis), np.ptp(host, axis))
        np.testing.assert_allclose(ww.average(x, axis).get(), np.average(host, axis))
    weights = np.arange(1.0, 6.0)
    ours, total = ww.average(x, 1, ww.asarray(weights), returned=True)
    theirs, their_total = np.average(host, 1, weights, returned=True)
    np.testing.assert_allclose(ours.get(), theirs)
    np.testing.assert_allclose(ww.broadcast_to(total, theirs.shape).get(), their_total)
    full = np.abs(host)
    np.testing.assert_allclose(
        ww.average(x, (0, 1), ww.asarray(full)).get(), np.average(host, (0, 1), full)
    )
    whole = np.arange(6)
    expect_equal(
        ww.average(ww.asarray(whole), weights=ww.asarray(whole)), np.average(whole, weights=whole)
    )
    with pytest.raises(ValueError, match=r"weights of shape \(3,\)"):
        ww.average(x, 1, ww.zeros(3))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
def test_medians_and_quantiles_are_numpys(dtype: str) -> None:
    host = (np.random.default_rng(2).normal(size=(5, 6, 3)) * 50).astype(dtype)
    x = ww.asarray(host)
    tolerance = 1e-5 if dtype == "float32" else 1e-12
    for axis in AXES[:-1]:
        ours, theirs = ww.median(x, axis=axis), np.asarray(np.median(host, axis=axis))
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours.get(), theirs, rtol=tolerance)
        for method in ("linear", "lower", "higher", "midpoint", "nearest"):
            for q in (0.0, 13.0, 50.0, 100.0, [25.0, 75.0]):
                got = ww.percentile(x, q, axis=axis, method=method)
                want = np.asarray(np.percentile(host, q, axis=axis, method=method))  # type: ignore[call-overload]
                assert got.shape == want.shape
                np.testing.assert_allclose(got.get(), want, rtol=tolerance, atol=1e-5)
    assert ww.quantile(x, 0.5, axis=1, keepdims=True).shape == (5, 1, 3)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_several_quantiles_are_as_exact_as_their_type(dtype: str, name: str) -> None:
    host = (np.random.default_rng(3).normal(size=(49, 3)) * 50).astype(dtype)
    q = [0.1, 0.37, 0.99]
    found = getattr(ww, name)(ww.asarray(host), q, axis=0)
    expected = np.quantile(host.astype(np.float64), q, axis=0)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found.get(), expected, rtol=1e-14)


def test_nan_makes_a_quantile_nan() -> None:
    host = np.array([[1.0, np.nan, 3.0], [1.0, 2.0, 3.0]])
    expect_equal(ww.median(ww.asarray(host), axis=1), np.median(host, axis=1))
    expect_equal(ww.quantile(ww.asarray(host), 0.25, axis=1), np.quantile(host, 0.25, axis=1))


def test_what_quantiles_refuse() -> None:
    x = ww.zeros(3)
    with pytest.raises(ValueError, match=r"quantile got 1\.5"):
        ww.quantile(x, 1.5)
    with pytest.raises(ValueError, match="method 'middle'"):
        ww.quantile(x, 0.3, method="middle")
    with pytest.raises(ValueError, match="over no elements"):
        ww.quantile(ww.zeros(0), 0.5)
    with pytest.raises(TypeError, match="no order"):
        ww.quantile(ww.zeros(2, dtype=ww.complex64), 0.5)
    with pytest.raises(TypeError, match="q expects a number"):
        ww.quantile(x, "half")  # type: ignore[arg-type]


METHODS = ["linear", "lower", "higher", "midpoint", "nearest"]


def almost(found: ww.Array, expected: Any, tolerance: float) -> None:
    host = np.asarray(found.get())
    kind = np.asarray(expected).dtype
    # Of integers NumPy gives integers where a method takes one of the elements.
    assert (host.shape, host.dtype) == (np.shape(expected), kind if kind.kind == "f" else "f8")
    np.testing.assert_allclose(host, expected, rtol=tolerance)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
@pytest.mark.parametrize("shape", [(5, 3, 4), (7, 2, 1), (1, 1, 1), (4, 0, 3), (0, 2, 2)])
def test_medians_and_quantiles_of_what_is_not_nan(
    shape: tuple[int, ...], dtype: str, share: float
) -> None:
    host = holey(shape, "float64", share) * 9
    if dtype == "int32":
        host = np.nan_to_num(host)
    host = host.astype(dtype)
    if dtype != "int32" and shape[0] > 1:
        host[1] = np.nan
    tolerance = 1e-6 if dtype == "float32" else 1e-12
    x = ww.asarray(host)
    for axis in AXES:
        for keepdims in (False, True):
            expected = np.nanmedian(host, axis, keepdims=keepdims)
            almost(ww.nanmedian(x, axis, keepdims=keepdims), expected, tolerance)
        if host.size == 0:
            continue
        for method in METHODS:
            for q in (0, 0.3, 0.5, 1):
                expected = np.nanquantile(host, q, axis, method=method)
                almost(ww.nanquantile(x, q, axis, method=method), expected, tolerance)
            several = ww.nanpercentile(x, [10, 75.5], axis, method=method, keepdims=True)
            expected = np.nanpercentile(host, [10, 75.5], axis, method=method, keepdims=True)
            np.testing.assert_allclose(several.get(), expected, rtol=tolerance)


EVERY_METHOD = (
    *("linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf", "closest_observation"),
    *("averaged_inverted_cdf", "interpolated_inverted_cdf", "hazen", "weibull"),
    *("median_unbiased", "normal_unbiased"),
)


@pytest.mark.parametrize("method", EVERY_METHOD)
def test_every_method_gives_numpys_quantiles(method: str) -> None:
    random = np.random.default_rng(5)
    for count in (1, 2, 3, 4, 7, 10, 33):
        host = random.normal(size=(3, count))
        missing = np.where(random.random(host.shape) < 0.3, np.nan, host)
        for q in (0, 0.1, 0.25, 1 / 3, 0.5, 0.9, 1, [0.0, 0.3, 0.77, 1.0]):
            ours = ww.quantile(ww.asarray(host), q, 1, method=method)
            theirs = np.quantile(host, q, 1, method=method)  # type: ignore[call-overload]
            np.testing.assert_allclose(ours.get(), theirs, rtol=1e-12)
            ours = ww.nanquantile(ww.asarray(missing), q, 1, method=method)
            theirs = np.nanquantile(missing, q, 1, method=method)  # type: ignore[call-overload]
            np.testing.assert_allclose(ours.get(), theirs, rtol=1e-12)


def test_bools_have_quantiles_that_are_elements() -> None:
    host = np.array([True, False, True, True])
    x = ww.asarray(host)
    for method in ("lower", "nearest", "inverted_cdf", "closest_observation"):
        assert ww.quantile(x, 0.25, method=method).dtype == bool
    with pytest.raises(TypeError, match="nothing between"):
        ww.quantile(x, 0.25, method="hazen")


def test_medians_and_quantiles_of_views_and_long_rows() -> None:
    host = holey((60, 70_000), "float32")[::-7, ::-3]
    x = ww.asarray(holey((60, 70_000), "float32"))[::-7, ::-3]
    for axis in (0, 1, None):
        almost(ww.nanmedian(x, axis), np.nanmedian(host, axis), 1e-6)
        # NumPy rounds 0.9 to float32, and so the place in the row.
        almost(np.nanquantile(x, 0.9, axis), np.nanquantile(host, 0.9, axis), 1e-4)
    assert isinstance(np.nanmedian(x), ww.Array)
    out = ww.zeros(host.shape[1], dtype="float32")
    assert ww.nanmedian(x, 0, out) is out
    np.testing.assert_array_equal(out.get(), np.nanmedian(host, 0))
    infinite = ww.asarray([np.inf, np.nan, -np.inf, np.inf])
    assert [float(ww.nanquantile(infinite, q)) for q in (0, 1)] == [-np.inf, np.inf]
    assert np.isnan(float(ww.nanquantile(ww.asarray([np.nan]), 0.5)))
    assert np.isnan(float(ww.nanquantile(ww.zeros(0), 0.5)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: ww.nanquantile(x, 1.5), "nanquantile got 1.5 of the whole"),
        (lambda x: ww.nanpercentile(x, [-1]), "nanpercentile got -0.01 of the whole"),
        (lambda x: ww.nanquantile(x, 0.5, method="other"), "nanquantile got method 'other'"),
        (lambda x: ww.nanquantile(x, 0.5, axis=3), "axis 3"),
        (lambda x: ww.nanmedian(x + 1j), "nanmedian got complex128; complex numbers have no"),
        (lambda x: ww.nanquantile(x > 0, 0.5), "nanquantile got bool"),
    ],
)
def test_what_has_no_quantile(call: Any, message: str) -> None:
    with pytest.raises(ww.ArgumentError, match=message):
        call(ww.ones((2, 3)))
