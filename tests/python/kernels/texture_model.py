"""What a texture fetch gives, after the programming guide's formulas, in NumPy.

Textures are arrays of shape (depth, height, width, channels) of floats. Coordinates are lists of
float32 arrays, x first. Fractions have 8 bits and are rounded to nearest.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.int64]
Wide = npt.NDArray[np.float64]


def in_texels(x: Floats, extent: int, mode: str, normalized: bool) -> Floats:
    """The coordinate in texels; wrap and mirror need normalised ones."""
    if not normalized:
        return x
    if mode == "wrap":
        x = x - np.floor(x)
    if mode == "mirror":
        x = x - np.float32(2) * np.floor(x * np.float32(0.5))
    return x * np.float32(extent)


def period(extent: int, mode: str) -> int:
    return 2 * extent if mode == "mirror" else extent


def texel_index(i: Indices, extent: int, mode: str) -> tuple[Indices, npt.NDArray[np.bool_]]:
    """The index at which texel i, which may be outside, is read; and whether it is inside."""
    inside = np.ones(i.shape, bool)
    if mode == "border":
        inside = (i >= 0) & (i < extent)
    if mode == "wrap":
        i = i % extent
    if mode == "mirror":
        i = i % (2 * extent)
        i = np.where(i < extent, i, 2 * extent - 1 - i)
    return np.clip(i, 0, extent - 1), inside


def sample(
    texels: npt.NDArray[np.generic],
    coordinates: Sequence[Floats],
    modes: Sequence[str],
    *,
    linear: bool,
    normalized: bool,
    border: Sequence[float] = (0, 0, 0, 0),
) -> Wide:
    """Values of shape (n, channels)."""
    axes = len(coordinates)
    extents = texels.shape[-2 : -2 - axes : -1]
    effective = [m if normalized or m == "border" else "clamp" for m in modes]
    low: list[Indices] = []
    fraction: list[Wide] = []
    for x, extent, mode in zip(coordinates, extents, effective, strict=False):
        u = in_texels(x, extent, mode, normalized)
        if linear:
            # In 256ths, from the centre of texel 0, far outside being as good as a little.
            u = np.clip(u, -1, period(extent, mode) + 1)
            fixed = np.floor(u.astype(np.float32) * np.float32(256) + np.float32(0.5)) - 128
            low.append(np.floor(fixed / 256).astype(np.int64))
            fraction.append((fixed - 256.0 * low[-1]) / 256)
        else:
            u = np.clip(u, -1, period(extent, mode))
            i = np.floor(u).astype(np.int64)
            # A coordinate just below a whole number may be rounded up to it.
            repeats = mode in ("wrap", "mirror")
            low.append(np.minimum(i, period(extent, mode) - 1) if repeats else i)
            fraction.append(np.zeros(x.shape))
    total = np.zeros((coordinates[0].size, texels.shape[-1]))
    for corner in product((0, 1), repeat=axes) if linear else [(0,) * axes]:
        weight = np.ones(coordinates[0].size)
        inside = np.ones(coordinates[0].size, bool)
        index: list[Indices] = []
        for axis, step in enumerate(corner):
            weight *= fraction[axis] if step else 1 - fraction[axis]
            at, is_in = texel_index(low[axis] + step, extents[axis], effective[axis])
            index.insert(0, at)
            inside &= is_in
        values = texels[(*([0] * (texels.ndim - 1 - axes)), *index)].astype(np.float64)
        values[~inside] = np.asarray(border[: texels.shape[-1]], np.float64)
        total += weight[:, None] * values
    return total
