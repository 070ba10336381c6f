"""Histograms of several variables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import _core
from .._core import Array
from .._errors import ArgumentValueError


def histogram2d(
    x: Array, y: Array, bins: Any = 10, range: Any = None, density: bool | None = None,
    weights: Array | None = None,
) -> tuple[Array, Array, Array]:  # fmt: skip
    several = isinstance(bins, list | tuple) and len(bins) == 2
    counts, edges = _counted((x, y), bins if several else (bins, bins), range, density, weights)
    return counts, edges[0], edges[1]


def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: bool | None = None,
    weights: Array | None = None,
) -> tuple[Array, tuple[Array, ...]]:  # fmt: skip
    columns = sample
    if isinstance(sample, Array):  # a row for each point
        points = sample if sample.ndim == 2 else _core.atleast_2d(sample).T
        columns = _core.unstack(points, axis=1)
    several = isinstance(bins, list | tuple)
    if several and len(bins) != len(columns):
        raise ArgumentValueError(
            f"histogramdd got {len(bins)} bins for {len(columns)} variables; give one number for "
            "all, or a number or edges for each"
        )
    return _counted(columns, bins if several else [bins] * len(columns), range, density, weights)


def _counted(
    columns: Sequence[Array], bins: Sequence[Any], range: Any, density: bool | None,
    weights: Array | None,
) -> tuple[Array, tuple[Array, ...]]:  # fmt: skip
    limits = [None] * len(columns) if range is None else range
    edges = tuple(_edges(*each) for each in zip(columns, bins, limits, strict=True))
    places = _place(columns[0], edges[0])
    for x, borders in zip(columns[1:], edges[1:], strict=True):
        places = places * borders.size + _place(x, borders)
    # What is outside comes to a bin behind the others of each axis.
    shape = tuple(borders.size for borders in edges)
    counts = _core.bincount(places, weights=weights, minlength=math.prod(shape)).reshape(shape)
    counts = _core.astype(counts[(slice(-1),) * len(shape)], np.float64)
    if density:
        total = counts.sum()
        for axis, borders in enumerate(edges):
            widths = _core.diff(borders)
            counts = counts / widths.reshape((-1,) + (1,) * (len(shape) - 1 - axis))
        counts = counts / total
    return counts, edges


def _edges(x: Array, bins: Any, limits: Any) -> Array:
    return _core.histogram(x, bins, range=limits)[1]


def _place(x: Array, edges: Array) -> Array:
    found = _core.searchsorted(edges, x, side="right") - 1
    found = _core.where(x == edges[-1], edges.size - 2, found)
    return _core.where((found < 0) | (found > edges.size - 2), edges.size - 1, found)
