"""Sobol's points: SciPy's where they are not scrambled, evenly spread where they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import qmc

import warpwise as ww
from warpwise.random import Sobol


@pytest.mark.parametrize(("d", "bits"), [(1, 30), (7, 30), (300, 30), (2, 52), (3, 8)])
def test_plain_points_are_those_of_scipy(d: int, bits: int) -> None:
    ours = Sobol(d, scramble=False, bits=bits)
    expected = qmc.Sobol(d, scramble=False, bits=bits).random(256)
    assert np.array_equal(ours.random(100).get(), expected[:100])
    assert np.array_equal(ours.random(28).get(), expected[100:128])
    assert ours.num_generated == 128
    assert np.array_equal(ours.fast_forward(72).random(56).get(), expected[200:])
    assert np.array_equal(ours.reset().random().get(), expected[:1])


def test_points_of_many_dimensions() -> None:
    expected = qmc.Sobol(21201, scramble=False).random(2)
    assert np.array_equal(Sobol(21201, scramble=False).random(2).get(), expected)


@pytest.mark.parametrize("seed", range(4))
def test_scrambled_points_are_a_net(seed: int) -> None:
    """Every elementary interval of 2^-8 holds one of 256 points."""
    points = Sobol(2, seed=seed).random(256).get()
    for first in range(9):
        cells = np.floor(points * [1 << first, 1 << (8 - first)]).astype(int)
        assert len(np.unique(cells, axis=0)) == 256
    assert points.min() >= 0 and points.max() < 1
    assert not np.array_equal(points, Sobol(2, seed=seed + 1).random(256).get())
    assert np.array_equal(points, Sobol(2, seed=seed).random(256).get())


def test_scrambled_points_integrate() -> None:
    points = Sobol(5, seed=3).random(1 << 14)
    found = float(((points * 2) ** 2).sum(axis=1).mean())
    assert abs(found - 5 * 4 / 3) < 1e-4


def test_own_directions() -> None:
    powers = 1 << np.arange(9, -1, -1)
    points = Sobol(1, directions=[powers], scramble=False).random(1024).get()
    assert np.array_equal(np.sort(points.ravel()), np.arange(1024) / 1024)


BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: Sobol(1, directions=[[1 << 40]]), "more than 1 bits"),
    (lambda: Sobol(1, directions=[[1] * 60]), "60 bits"),
    (lambda: Sobol(1, directions=[1, 2]), "table"),
    (lambda: Sobol(1, bits=4, scramble=False).random(17), "17 points"),
    (lambda: Sobol(1).random(-1), "-1 points"),
    (lambda: Sobol(1).random(1.5), "n"),
    (lambda: Sobol(1, seed=-1), "seed"),
]


@pytest.mark.parametrize(("call", "words"), BAD, ids=[x[1] for x in BAD])
def test_bad_input_is_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises((ww.Error, TypeError, ValueError), match=words):
        call()
