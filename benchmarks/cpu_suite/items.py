"""Several elements a thread, guarded one by one; one result of a warp or block; potentials."""

from __future__ import annotations

from typing import Any

import numpy as np
from contestants import Memory, zeros
from works import BLOCK, Array, Work, blocks_for

from .registry import random, work


@work("GELU, four a thread, unsigned")
def gelu() -> Work:
    n = 1 << 22
    x, y = Memory(random(101, n, -4, 4)), zeros(n)

    def expected() -> Array:
        v = x.array.astype(np.float64)
        return 0.5 * v * (1 + np.tanh(0.7978846 * (v + 0.044715 * v**3)))

    return Work(
        "gelu",
        "gelu",
        None,
        blocks_for(n // 4),
        (BLOCK,),
        [x, y, n],
        y,
        expected,
        "gelu",
        [x, y, np.int64(n)],
    )


@work("grey of bytes, four a thread")
def grey() -> Work:
    n = 1 << 22
    pixels = np.random.default_rng(102).integers(0, 256, (n, 3), dtype=np.uint8)
    rgb, out = Memory(pixels), zeros(n, np.uint8)

    def expected() -> Array:
        return (rgb.array.astype(np.int64) @ np.array([77, 150, 29])) >> 8

    return Work(
        "grey",
        "grey",
        None,
        blocks_for(n // 4),
        (BLOCK,),
        [rgb, out, n],
        out,
        expected,
        "grey",
        [rgb, out, np.int64(n)],
        tolerance=0,
    )


@work("axpy of doubles, two a thread, size_t")
def axpy_pairs() -> Work:
    n = 1 << 15
    factor = np.float64(0.5)
    x, y = Memory(random(103, n).astype(np.float64)), zeros(n, np.float64)
    return Work(
        "axpy_pairs",
        "axpy_pairs",
        None,
        blocks_for(n // 2),
        (BLOCK,),
        [x, y, factor, n],
        y,
        lambda: 0.5 * x.array,
        "axpy_pairs",
        [x, y, factor, np.int64(n)],
        reset=[y],
    )


@work("products of rows, a warp a row, unsigned")
def row_products() -> Work:
    rows, width = 1 << 14, 256
    a, b = Memory(random(104, (rows, width))), Memory(random(105, (rows, width)))
    out = zeros(rows)
    return Work(
        "row_products",
        "row_products",
        None,
        (rows * 32 // BLOCK,),
        (BLOCK,),
        [a, b, out, width, rows],
        out,
        lambda: np.einsum("ij,ij->i", a.array.astype(np.float64), b.array),
        "row_products",
        [a, b, out, np.int64(width), np.int64(rows)],
    )


@work("maxima of blocks, size_t")
def maxima() -> Work:
    n, blocks = 1 << 22, 512
    a, out = Memory(random(106, n, -1, 1)), zeros(blocks)
    return Work(
        "maxima",
        "maxima",
        None,
        (blocks,),
        (BLOCK,),
        [a, out, n],
        out,
        lambda: a.array.reshape(-1, blocks, BLOCK).max(axis=(0, 2)),
        "maxima",
        [a, out, np.int64(n), np.int64(blocks)],
        tolerance=0,
    )


def potential(kernel: str, dtype: Any, seed: int) -> Work:
    n, charges = 1 << 13, 2048
    places = [Memory(random(seed + axis, n).astype(dtype)) for axis in range(3)]
    charge, out = Memory(random(seed + 3, (charges, 4)).astype(dtype)), zeros(n, dtype)

    def expected() -> Array:
        sums = np.zeros(n)
        for *at, amount in charge.array.astype(np.float64):
            square = sum((place.array - along) ** 2 for place, along in zip(places, at))
            sums += amount / np.sqrt(square + 1e-6)
        return sums

    return Work(
        kernel,
        kernel,
        None,
        blocks_for(n),
        (BLOCK,),
        [charge, *places, out, charges, n],
        out,
        expected,
        kernel,
        [charge, *places, out, charges, np.int64(n)],
    )


@work("potential of charges, unsigned")
def potential_of_floats() -> Work:
    return potential("potential", np.float32, 110)


@work("potential of charges in double, size_t")
def potential_of_doubles() -> Work:
    return potential("potential_double", np.float64, 120)
