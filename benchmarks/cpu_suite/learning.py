"""Layers and steps of learning."""

from __future__ import annotations

import numpy as np
from contestants import Memory, zeros
from works import BLOCK, Array, Work, blocks_for

from .registry import random, work


@work("softmax of rows")
def softmax() -> Work:
    rows, columns = 4096, 1000
    x, y = Memory(random(51, (rows, columns), -5, 5)), zeros((rows, columns))

    def expected() -> Array:
        powers = np.exp(x.array.astype(np.float64))
        return powers / powers.sum(axis=1, keepdims=True)

    return Work(
        "softmax",
        "softmax",
        None,
        (rows,),
        (128,),
        [x, y, columns],
        y,
        expected,
        "softmax",
        [x, y, columns, rows],
    )


@work("layer norm in half, unsigned")
def layer_norm() -> Work:
    rows, columns, epsilon = 8192, 1024, 1e-5
    x = Memory(random(52, (rows, columns), -2, 2).astype(np.float16))
    gain, bias = (Memory(random(seed, columns).astype(np.float16)) for seed in (53, 54))
    y = zeros((rows, columns), np.float16)

    def expected() -> Array:
        v, g, b = (m.array.astype(np.float64) for m in (x, gain, bias))
        deviation = np.sqrt(v.var(axis=1, keepdims=True) + epsilon)
        return (v - v.mean(axis=1, keepdims=True)) / deviation * g + b

    values = [x, gain, bias, y, columns, np.float32(epsilon)]
    return Work(
        "layer_norm",
        "layer_norm",
        None,
        (rows,),
        (BLOCK,),
        values,
        y,
        expected,
        "layer_norm",
        [*values, rows],
        tolerance=1e-3,  # the last bit of half precision
    )


@work("k-means, nearest centre, unsigned")
def nearest_centre() -> Work:
    n, count = 1 << 20, 32
    points, centres = Memory(random(55, (n, 4))), Memory(random(56, (count, 4)))
    nearest = zeros(n, np.int32)

    def expected() -> Array:
        best, which = np.full(n, np.inf, np.float32), np.zeros(n, np.int32)
        for k in range(count):
            distance = ((points.array - centres.array[k]) ** 2).sum(axis=1)
            which[distance < best] = k
            best = np.minimum(best, distance)
        return which

    return Work(
        "nearest_centre",
        "nearest_centre",
        None,
        blocks_for(n),
        (BLOCK,),
        [points, centres, nearest, n],
        nearest,
        expected,
        "nearest_centre",
        [points, centres, nearest, np.int64(n)],
        tolerance=-0.001,  # points in the middle between two go either way by a last bit
    )
