"""Padding beside NumPy's: every mode and setting, several axes, views, and borders of functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import warpwise as ww

SHAPES = [(1,), (7,), (1, 4), (3, 4), (2, 3, 4)]
STATISTICS = ["maximum", "minimum", "mean", "median"]


def views(shape: tuple[int, ...], kind: str, seed: int) -> list[Any]:
    """An array, every second element, and the array backwards."""
    rng = np.random.default_rng(seed)
    wide = rng.integers(0 if kind[0] == "u" else -50, 50, (*shape[:-1], 2 * shape[-1]))
    x = wide.astype(kind)
    return [x[..., : shape[-1]].copy(), x[..., ::2], x[..., ::-2]]


def widths_of(rank: int) -> list[Any]:
    return [1, (2, 0), [(2 * axis + 1, 9 - 4 * axis) for axis in range(rank)]]


def compare(x: Any, width: Any, mode: Any, **options: Any) -> None:
    expected = np.pad(x, width, mode, **options)
    found = ww.pad(ww.asarray(x[...]), width, mode, **options)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    tolerance = 1e-5 if x.dtype == np.float32 else 1e-12
    np.testing.assert_allclose(found.get(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("kind", ["complex64", "complex128"])
def test_ramps_of_complex_numbers(kind: str) -> None:
    host = (np.arange(6.0).reshape(2, 3) * (1 + 3j)).astype(kind)
    for ends in (0, 2, (1, -1)):
        expected = np.pad(host, 4, mode="linear_ramp", end_values=ends)
        found = ww.pad(ww.asarray(host), 4, mode="linear_ramp", end_values=ends)
        assert np.allclose(found.get(), expected, rtol=1e-6) and found.dtype == host.dtype


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", ["reflect", "symmetric"])
@pytest.mark.parametrize("kind", ["int32", "uint8", "float64", "complex64"])
def test_odd_reflections(shape: tuple[int, ...], mode: str, kind: str) -> None:
    for x in views(shape, kind, 1):
        for width in widths_of(len(shape)):
            compare(x, width, mode, reflect_type="odd")
            compare(x, width, mode, reflect_type="even")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", STATISTICS)
@pytest.mark.parametrize("kind", ["int32", "float32", "float64"])
def test_statistics_of_some_elements(shape: tuple[int, ...], mode: str, kind: str) -> None:
    for x in views(shape, kind, 2):
        for width in widths_of(len(shape)):
            for length in (None, 1, 3, (2, 100), [(axis + 1, 2) for axis in range(len(shape))]):
                compare(x, width, mode, stat_length=length)


def filled(row: Any, width: tuple[int, int], axis: int, options: Any) -> None:
    before, after = width
    row[:before] = options["value"] + axis
    row[row.shape[0] - after :] = -options["value"]


@pytest.mark.parametrize("shape", [(0,), *SHAPES])
def test_borders_that_a_function_writes(shape: tuple[int, ...]) -> None:
    for x in views(shape, "int64", 3):
        for width in widths_of(len(shape)):
            compare(x, width, filled, value=7)


def test_numpy_pads_arrays_of_warpwise() -> None:
    x = np.arange(6).reshape(2, 3)
    found = np.pad(ww.asarray(x), 2, "reflect", reflect_type="odd")
    assert isinstance(found, ww.Array)
    assert np.array_equal(found.get(), np.pad(x, 2, "reflect", reflect_type="odd"))


@pytest.mark.parametrize(
    ("mode", "options", "words"),
    [
        ("maximum", {"stat_length": 0}, "stat_length .0, 0. for axis 0"),
        ("mean", {"stat_length": [(1, 2), (3, 4)]}, "2 pairs of stat_lengths"),
        ("edge", {"stat_length": 2}, "stat_length and mode 'edge'"),
        ("wrap", {"reflect_type": "odd"}, "reflect_type 'odd' and mode 'wrap'"),
        ("reflect", {"reflect_type": "odder"}, "'even' or 'odd', got 'odder'"),
        ("constant", {"value": 3}, "no parameter 'value'"),
        (None, {}, "mode expects a string or a function, got None"),
    ],
)
def test_what_padding_refuses(mode: Any, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ww.ArgumentError, match=words):
        ww.pad(ww.ones(3), 1, mode, **options)
