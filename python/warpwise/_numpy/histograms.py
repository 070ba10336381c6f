"""Histograms of several variables."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _core
from .._core import Array


def histogram2d(
    x: Array, y: Array, bins: Any = 10, range: Any = None, density: bool | None = None,
    weights: Array | None = None,
) -> tuple[Array, Array, Array]:  # fmt: skip
    several = isinstance(bins, list | tuple) and len(bins) == 2
    both = bins if several else (bins, bins)
    limits = (None, None) if range is None else range
    edges = [_edges(each, of, limit) for each, of, limit in zip((x, y), both, limits, strict=True)]
    columns = edges[1].size - 1
    places = _place(x, edges[0]) * (columns + 1) + _place(y, edges[1])
    # What is outside comes to a row and a column behind.
    size = edges[0].size * edges[1].size
    counts = _core.bincount(places, weights=weights, minlength=size).reshape(
        edges[0].size, edges[1].size
    )[:-1, :-1]
    counts = _core.astype(counts, np.float64)
    if density:
        area = _core.diff(edges[0])[:, None] * _core.diff(edges[1])
        counts = counts / area / counts.sum()
    return counts, edges[0], edges[1]


def _edges(x: Array, bins: Any, limits: Any) -> Array:
    return _core.histogram(x, bins, range=limits)[1]


def _place(x: Array, edges: Array) -> Array:
    found = _core.searchsorted(edges, x, side="right") - 1
    found = _core.where(x == edges[-1], edges.size - 2, found)
    return _core.where((found < 0) | (found > edges.size - 2), edges.size - 1, found)
