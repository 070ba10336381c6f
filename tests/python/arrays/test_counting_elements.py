"""Histograms and counts against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww


def same(result: ww.Array, expected: np.ndarray) -> None:
    host = result.get()
    assert (host.shape, host.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(host, expected)


@pytest.mark.parametrize("kind", ["bool", "int8", "uint16", "int32", "int64"])
@pytest.mark.parametrize("size", [0, 1, 1000, 300_000])
def test_bincount(rng: np.random.Generator, kind: str, size: int) -> None:
    x = rng.integers(0, 2 if kind == "bool" else 100, size).astype(kind)
    a = ww.asarray(x)
    same(ww.bincount(a), np.bincount(x))
    same(ww.bincount(a, minlength=150), np.bincount(x, minlength=150))
    same(np.bincount(a, minlength=20), np.bincount(x, minlength=20))


def test_many_bins(rng: np.random.Generator) -> None:
    x = rng.integers(0, 100_000, 50_000)
    same(ww.bincount(ww.asarray(x)[::-1]), np.bincount(x[::-1]))


@pytest.mark.parametrize("bins", [3, 300, 70_000])
def test_weights_are_summed_in_one_order(rng: np.random.Generator, bins: int) -> None:
    x = rng.integers(0, bins, 100_000)
    weights = rng.standard_normal(x.size)
    a, w = ww.asarray(x), ww.asarray(weights)
    host = ww.bincount(a, w).get()
    np.testing.assert_allclose(host, np.bincount(x, weights), rtol=1e-9, atol=1e-9)
    assert len({ww.bincount(a, w).get().tobytes() for _ in range(10)}) == 1
    same(ww.bincount(a, ww.ones(x.size, dtype=np.float32)), np.bincount(x).astype(np.float64))


@pytest.mark.parametrize("kind", ["int32", "uint8", "float16", "float32", "float64"])
@pytest.mark.parametrize("bins", [1, 10, 257])
def test_bins_of_one_width(rng: np.random.Generator, kind: str, bins: int) -> None:
    x = (rng.standard_normal((40, 50)) * 30 + 100).astype(kind)
    a = ww.asarray(x)
    for options in ({}, {"range": (90.0, 110.0)}, {"range": (50, 300)}):
        counts, edges = ww.histogram(a, bins, **options)
        expected_edges = np.histogram(x.astype(np.float64), bins, **options)[1]
        # NumPy computes them in the type of the elements; here they are rounded once.
        same(edges, expected_edges.astype(edges.dtype))
        wide = edges.get().astype(np.float64)
        same(counts, np.histogram(x.astype(np.float64), wide)[0])
        if kind not in ("float16", "float32"):
            same(counts, np.histogram(x, bins, **options)[0])
    counts, edges = np.histogram(a, bins)
    assert int(counts.sum()) == x.size


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
@pytest.mark.parametrize("limits", [(0.0, 1.0), (-1.0, 2.5), (1000.0, 1001.0), (0.0, 1e-40)])
@pytest.mark.parametrize("bins", [1, 7, 100, 66_000])
def test_numbers_beside_edges(kind: str, limits: tuple[float, float], bins: int) -> None:
    edges = ww.histogram(ww.zeros(1, dtype=kind), bins, limits)[1].get()
    beside = [np.nextafter(edges, np.array(to, kind)) for to in (-np.inf, np.inf)]
    x = np.concatenate([edges, *beside, np.full(300, np.nan, kind)])
    counts, _ = ww.histogram(ww.asarray(x), bins, limits)
    inside = x[(x >= edges[0]) & (x <= edges[-1])]
    places = np.searchsorted(edges, inside, side="right") - 1
    places[inside == edges[-1]] = bins - 1
    same(counts, np.bincount(places, minlength=bins))


def test_edges_that_are_given(rng: np.random.Generator) -> None:
    x = np.append(rng.standard_normal(5000), [np.nan, np.inf, -np.inf, 2.0, 0.0])
    edges = np.array([-1, -0.5, 0.0, 0.1, 2.0])
    counts, same_edges = ww.histogram(ww.asarray(x), ww.asarray(edges))
    same(counts, np.histogram(x, edges)[0])
    same(same_edges, edges)
    same(ww.histogram(ww.asarray([0, 1, 1]), ww.asarray([0, 1, 1]))[0], np.array([1, 2]))


@pytest.mark.cpu_only("a GPU joins the weights of a bin in parallel")
@pytest.mark.parametrize("n", [5, 4000, 70_000])
def test_weights_are_summed_as_numpy_sums_them(rng: np.random.Generator, n: int) -> None:
    x, weights = rng.integers(0, 50, n), rng.standard_normal(n)
    a, w = ww.asarray(x), ww.asarray(weights)
    same(ww.bincount(a, w), np.bincount(x, weights))
    same(ww.bincount(a, w, 99), np.bincount(x, weights, 99))
    ours = ww.histogram(a, [10, 20, 40.0], weights=w)[0]
    inside = [weights[(x >= 10) & (x < 20)], weights[(x >= 20) & (x <= 40)]]
    same(ours, np.array([np.add.accumulate(part)[-1] if part.size else 0.0 for part in inside]))


def test_weights_and_density(rng: np.random.Generator) -> None:
    x, weights = rng.random(3000), rng.integers(0, 9, 3000)
    a, w = ww.asarray(x), ww.asarray(weights)
    same(ww.histogram(a, 7, weights=w)[0], np.histogram(x, 7, weights=weights)[0])
    edges = np.array([0, 0.1, 0.5, 1.0])
    for bins in (7, edges):
        own = ww.asarray(bins) if isinstance(bins, np.ndarray) else bins
        np.testing.assert_allclose(
            ww.histogram(a, own, density=True)[0].get(),
            np.histogram(x, bins, density=True)[0],
            rtol=1e-14,
        )


def test_nothing_and_equal_elements() -> None:
    for x in (np.zeros(0), np.full(5, 3.0), np.zeros((2, 0), np.int32)):
        counts, edges = ww.histogram(ww.asarray(x), 4)
        expected, expected_edges = np.histogram(x, 4)
        same(counts, expected)
        same(edges, expected_edges)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ww.bincount(ww.asarray([1.0])), "bincount got an array of float64"),
        (lambda: ww.bincount(ww.asarray([[1]])), r"bincount got an array of shape \(1, 1\)"),
        (lambda: ww.bincount(ww.asarray([3, -2])), "bincount got the element -2"),
        (lambda: ww.bincount(ww.asarray([3]), minlength=-1), "minlength=-1"),
        (lambda: ww.bincount(ww.asarray([3]), ww.zeros(2)), r"weights of shape \(2,\)"),
        (lambda: ww.histogram(ww.zeros(3), 0), "histogram got 0 bins"),
        (lambda: ww.histogram(ww.zeros(3), 2.5), "bins expects an int, or edges"),
        (lambda: ww.histogram(ww.zeros(3), range=(2, 1)), "range 2 to 1"),
        (lambda: ww.histogram(ww.zeros(3), range=3), "range expects two numbers"),
        (lambda: ww.histogram(ww.asarray([1, np.nan])), "of the elements, which is not finite"),
        (lambda: ww.histogram(ww.asarray([1j])), "complex numbers have no bins"),
        (lambda: ww.histogram(ww.zeros(3), ww.zeros(1)), r"edges of shape \(1,\)"),
        (lambda: ww.histogram(ww.zeros(3), ww.asarray([1, 0])), "edges that do not increase"),
        (
            lambda: ww.histogram(ww.zeros(3), weights=ww.zeros(3, dtype=np.complex64)),
            "weights of complex64",
        ),
    ],
)
def test_what_is_refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ww.ArgumentError, match=message):
        call()
