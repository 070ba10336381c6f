"""where= and initial= of reductions, against NumPy."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import warpwise as ww

SUMS = ("sum", "prod", "nansum", "nanprod")
LIMITS = ("min", "max", "nanmin", "nanmax")
MEANS = ("mean", "var", "std", "nanmean", "nanvar", "nanstd")
TRUTHS = ("any", "all")
DTYPES = ("bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64")
AXES: list[Any] = [None, 0, -1, (0, 2)]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def sample(dtype: str, random: np.random.Generator) -> np.ndarray[Any, Any]:
    host = random.integers(0, 3, (5, 3, 4)) + random.integers(0, 2, (5, 3, 4)) / 4
    if dtype == "complex64":
        return (host - 1j * host[::-1]).astype(dtype)
    if dtype.startswith("float"):
        host[random.random(host.shape) < 0.2] = np.nan
    return host.astype(dtype)


def masks(random: np.random.Generator) -> list[np.ndarray[Any, Any]]:
    return [random.random(shape) < 0.6 for shape in ((5, 3, 4), (3, 1), (4,), ())]


def check(name: str, host: np.ndarray[Any, Any], mask: Any, **options: Any) -> None:
    theirs = np.asarray(getattr(np, name)(host, where=mask, **options))
    if "ddof" in options and not name.startswith("nan"):
        options["correction"] = options.pop("ddof")
    ours = getattr(ww, name)(ww.asarray(host), where=ww.asarray(mask), **options)
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    tolerance = {"float16": 2e-2, "float32": 1e-5, "complex64": 1e-5}.get(host.dtype.name, 1e-12)
    np.testing.assert_allclose(ours.get(), theirs, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", [*SUMS, *LIMITS, *MEANS, *TRUTHS])
@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_that_count_are_reduced_as_numpys(name: str, dtype: str) -> None:
    if dtype == "complex64" and name in LIMITS:
        pytest.skip("complex numbers have no order")
    if dtype == "bool" and name in ("nanmin", "nanmax", "nanvar", "nanstd", "var", "std"):
        pytest.skip("NumPy has none of bools")
    random = np.random.default_rng(len(name) * 31 + DTYPES.index(dtype))
    host = sample(dtype, random)
    for mask, axis in zip(masks(random), random.permutation(len(AXES)), strict=True):
        options: dict[str, Any] = {"axis": AXES[axis], "keepdims": bool(random.integers(2))}
        if name in LIMITS:
            options["initial"] = 1
        elif name in SUMS and random.integers(2):
            options["initial"] = 3
        if name in ("var", "std", "nanvar", "nanstd"):
            options["ddof"] = 0.5
        check(name, host, mask, **options)


@pytest.mark.parametrize("name", [*SUMS, *LIMITS])
def test_a_start_joins_the_elements(name: str) -> None:
    host = np.array([[3, 4, 5], [7, 8, 9]], np.int32)
    for initial in (-2, 6, 100):
        ours = getattr(ww, name)(ww.asarray(host), axis=0, initial=initial)
        theirs = getattr(np, name)(host, axis=0, initial=initial)
        np.testing.assert_array_equal(ours.get(), theirs)


@pytest.mark.parametrize("name", LIMITS)
def test_over_nothing_a_limit_is_its_start(name: str) -> None:
    nothing = getattr(ww, name)(ww.zeros((0, 3)), axis=0, initial=2.5)
    assert nothing.tolist() == [2.5, 2.5, 2.5]
    assert getattr(ww, name)(ww.zeros(4), where=ww.zeros(4, dtype=bool), initial=7).item() == 7


def test_a_start_where_all_elements_are_nan() -> None:
    x = ww.full(3, np.nan)
    assert (ww.nanmin(x, initial=3).item(), ww.nanmax(x, initial=3).item()) == (3, 3)


def test_masks_of_methods_and_of_numpys_functions() -> None:
    host = np.arange(12.0).reshape(3, 4)
    mask = host % 3 == 0
    x, chosen = ww.asarray(host), ww.asarray(mask)
    assert x.sum(where=chosen).item() == host.sum(where=mask)
    assert x.max(axis=1, where=chosen, initial=-1).tolist() == [3, 6, 9]
    assert np.mean(x, axis=0, where=chosen).tolist() == host.mean(axis=0, where=mask).tolist()
    assert np.add.reduce(x, where=chosen, initial=1).tolist() == [
        1 + column for column in np.add.reduce(host, where=mask).tolist()
    ]


def test_results_go_to_out() -> None:
    host = np.arange(6.0).reshape(2, 3)
    out = ww.zeros(3)
    for name in ("sum", "mean", "std", "nanmean"):
        result = getattr(ww, name)(
            ww.asarray(host), axis=0, out=out, where=ww.asarray([[True], [False]])
        )
        assert result is out
        assert out.tolist() == getattr(np, name)(host[:1], axis=0).tolist()


def test_a_mask_and_a_start_cost_no_kernel() -> None:
    x = ww.asarray(np.arange(1000.0))
    total = ww.sum(x, where=x > 10, initial=2)
    assert ww.explain(total).count("kernel 1 over ") == 1
    assert "kernel 2 over " not in ww.explain(total)
    assert total.item() == 2 + sum(range(11, 1000))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: ww.min(x, where=x > 1), ValueError, "without initial="),
        (lambda x: ww.sum(x, where=x), TypeError, "takes bools"),
        (lambda x: ww.sum(x, where=ww.ones((2, 3), dtype=bool)), ValueError, "broadcast"),
        (lambda x: ww.sum(ww.asarray([1]), initial=2.5), ValueError, "does not hold"),
        (lambda x: ww.max(ww.asarray([1], dtype="int8"), initial=200), ValueError, "int8"),
        (lambda x: ww.sum(x, initial=1j), ValueError, "does not hold"),
        (lambda x: ww.sum(x, initial="a"), TypeError, "initial"),
        (lambda x: ww.sum(x, where=3), TypeError, "where"),
        (lambda x: ww.mean(x, initial=1), TypeError, "initial"),
        (lambda x: ww.sum(x, where=x > 0, out=ww.zeros(2)), ValueError, "shape"),
    ],
)
def test_what_is_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call(ww.asarray([1.0, 2.0, 3.0]))
