"""Loops whose length differs by thread: escape times, Newton's iteration, sparse rows."""

from __future__ import annotations

import numpy as np
from contestants import Memory, zeros
from works import BLOCK, Array, Work, blocks_for

from .registry import random, work
from .sparse import random_rows


@work("Julia set, unsigned")
def julia() -> Work:
    side, limit = 1024, 200
    c_re, c_im = np.float32(-0.8), np.float32(0.156)
    axis = np.linspace(-1.6, 1.6, side, dtype=np.float32)
    points = np.stack(np.broadcast_arrays(axis[None, :], axis[:, None]), axis=-1)
    n = side * side
    start, steps = Memory(points.reshape(n, 2)), zeros(n, np.int32)

    def expected() -> Array:
        x, y = start.array[:, 0].astype(np.float64), start.array[:, 1].astype(np.float64)
        count = np.zeros(n, np.int64)
        for _ in range(limit):
            stays = x * x + y * y < 4
            count += stays
            following = x * x - y * y + c_re, 2 * x * y + c_im
            x, y = np.where(stays, following[0], x), np.where(stays, following[1], y)
        return count

    arguments = [start, steps, c_re, c_im, limit]
    return Work(
        "julia",
        "julia",
        None,
        blocks_for(n),
        (BLOCK,),
        [*arguments, n],
        steps,
        expected,
        "julia",
        [*arguments, np.int64(n)],
        tolerance=-0.02,  # points at the edge depend on the last bit
    )


@work("Kepler's equation, size_t")
def kepler() -> Work:
    n = 1 << 20
    mean, eccentricity = Memory(random(91, n, 0, 3)), Memory(random(92, n, 0, 0.9))
    anomaly = zeros(n)

    def expected() -> Array:
        m, e = mean.array.astype(np.float64), eccentricity.array.astype(np.float64)
        x = m + e * np.sin(m)
        for _ in range(30):
            x -= (x - e * np.sin(x) - m) / (1 - e * np.cos(x))
        return x

    return Work(
        "kepler",
        "kepler",
        None,
        blocks_for(n),
        (BLOCK,),
        [mean, eccentricity, anomaly, n],
        anomaly,
        expected,
        "kepler",
        [mean, eccentricity, anomaly, np.int64(n)],
        tolerance=1e-4,
    )


@work("PageRank, a thread a page, unsigned")
def pagerank() -> Work:
    n, damping = 1 << 18, np.float32(0.85)
    starts, sources = random_rows(n, 16, 93)
    start, source = Memory(starts), Memory(sources)
    rank, share, out = Memory(random(94, n)), Memory(random(95, n, 0.05, 0.1)), zeros(n)

    def expected() -> Array:
        flow = (rank.array.astype(np.float64) * share.array)[sources]
        return (1 - damping) / n + damping * np.add.reduceat(flow, starts[:-1])

    return Work(
        "pagerank",
        "pagerank",
        None,
        blocks_for(n),
        (BLOCK,),
        [start, source, rank, share, out, damping, n],
        out,
        expected,
        "pagerank",
        [start, source, rank, share, out, damping, np.int64(n)],
    )


@work("Jacobi step, a thread a row, unsigned")
def jacobi() -> Work:
    n = 1 << 18
    starts, columns = random_rows(n, 16, 130)
    start, column, value = Memory(starts), Memory(columns), Memory(random(131, len(columns)))
    diagonal, b = Memory(random(132, n, 20, 30)), Memory(random(133, n))
    x, out = Memory(random(134, n)), zeros(n)

    def expected() -> Array:
        products = value.array.astype(np.float64) * x.array[columns]
        return (b.array - np.add.reduceat(products, starts[:-1])) / diagonal.array

    arguments = [start, column, value, diagonal, b, x, out]
    return Work(
        "jacobi",
        "jacobi",
        None,
        blocks_for(n),
        (BLOCK,),
        [*arguments, n],
        out,
        expected,
        "jacobi",
        [*arguments, np.int64(n)],
    )


@work("shortest ways, a thread a vertex, size_t")
def relax() -> Work:
    n = 1 << 18
    starts, sources = random_rows(n, 16, 96)
    start, source, length = Memory(starts), Memory(sources), Memory(random(97, len(sources)))
    distance, out = Memory(random(98, n, 0, 10)), zeros(n)

    def expected() -> Array:
        through = distance.array[sources] + length.array
        return np.minimum(distance.array, np.minimum.reduceat(through, starts[:-1]))

    return Work(
        "relax",
        "relax",
        None,
        blocks_for(n),
        (BLOCK,),
        [start, source, length, distance, out, n],
        out,
        expected,
        "relax",
        [start, source, length, distance, out, np.int64(n)],
    )
