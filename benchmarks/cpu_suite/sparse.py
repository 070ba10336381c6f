"""Sparse and dense matrices, graphs, batches of small systems."""

from __future__ import annotations

import numpy as np
from contestants import Memory, zeros
from scipy import linalg
from scipy import sparse as matrices
from works import BLOCK, Array, Work, blocks_for

from .registry import random, work


def random_rows(rows: int, per_row: int, seed: int) -> tuple[Array, Array]:
    """Starts and columns of rows with half to one and a half times `per_row` entries."""
    draw = np.random.default_rng(seed)
    lengths = draw.integers(per_row // 2, per_row + per_row // 2, rows)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return starts, draw.integers(0, rows, starts[-1]).astype(np.int32)


@work("SpMV, a warp a row")
def spmv_warp() -> Work:
    rows = 1 << 16
    starts, columns = random_rows(rows, 96, 31)
    values = random(32, len(columns))
    start, column, value = Memory(starts), Memory(columns), Memory(values)
    x, y = Memory(random(33, rows)), zeros(rows)
    matrix = matrices.csr_array((values.astype(np.float64), columns, starts), (rows, rows))
    return Work(
        "spmv_warp",
        "spmv_warp",
        None,
        (rows * 32 // BLOCK,),
        (BLOCK,),
        [start, column, value, x, y, rows],
        y,
        lambda: matrix @ x.array,
        "spmv",
        cpp_also=("spmv_scalar",),
    )


@work("GEMV, a block a row, size_t")
def gemv() -> Work:
    n = 4096
    a, x, y = Memory(random(34, (n, n))), Memory(random(35, n)), zeros(n)
    return Work(
        "gemv",
        "gemv",
        None,
        (n,),
        (BLOCK,),
        [a, x, y, n],
        y,
        lambda: a.array.astype(np.float64) @ x.array,
        "gemv",
        [a, x, y, np.int64(n), np.int64(n)],
    )


@work("BFS frontier with atomics, unsigned")
def expand_frontier() -> Work:
    n = 1 << 19
    starts, neighbours = random_rows(n, 12, 36)
    start, neighbour = Memory(starts.view(np.uint32)), Memory(neighbours.view(np.uint32))
    chosen = np.random.default_rng(37).choice(n, n // 8, replace=False).astype(np.uint32)
    frontier, size = Memory(chosen), len(chosen)
    seen, following, count = zeros(n, np.uint32), zeros(n, np.uint32), zeros(1, np.uint32)

    def expected() -> Array:
        marks = np.zeros(n, np.int64)
        owner = np.repeat(np.arange(n), np.diff(starts))
        marks[neighbours[np.isin(owner, chosen)]] = 1
        return marks

    return Work(
        "expand_frontier",
        "expand_frontier",
        None,
        blocks_for(size),
        (BLOCK,),
        [start, neighbour, frontier, size, seen, following, count],
        seen,
        expected,
        "expand_frontier",
        reset=[seen, count],
        tolerance=0,
    )


@work("tridiagonal systems, a thread each")
def tridiagonal() -> Work:
    systems, n = 1 << 14, 128
    shape = (n, systems)
    lower, upper = Memory(random(38, shape, -1, 1)), Memory(random(39, shape, -1, 1))
    diagonal, right = Memory(random(40, shape, 3, 4)), Memory(random(41, shape))
    scratch, x = zeros(shape), zeros(shape)

    def expected() -> Array:
        a, b, c, r = (m.array.astype(np.float64) for m in (lower, diagonal, upper, right))
        ratio, value = np.zeros(shape), np.zeros(shape)
        for i in range(n):
            low = a[i] if i else 0.0
            scale = 1 / (b[i] - low * ratio[i - 1])
            ratio[i], value[i] = c[i] * scale, (r[i] - low * value[i - 1]) * scale
        for i in range(n - 2, -1, -1):
            value[i] -= ratio[i] * value[i + 1]
        return value

    return Work(
        "tridiagonal",
        "tridiagonal",
        None,
        blocks_for(systems),
        (BLOCK,),
        [lower, diagonal, upper, right, scratch, x, systems, n],
        x,
        expected,
        "tridiagonal",
    )


@work("LU of 16 x 16, a block each")
def lu() -> Work:
    count = 1 << 14
    values = random(42, (count, 16, 16))
    values += 8 * np.eye(16, dtype=np.float32)
    a, out = Memory(values), zeros((count, 16, 16))

    def expected() -> Array:
        m = a.array.astype(np.float64)
        for k in range(15):
            m[:, k + 1 :, k] /= m[:, k, k, None]
            m[:, k + 1 :, k + 1 :] -= m[:, k + 1 :, k, None] * m[:, None, k, k + 1 :]
        return m

    return Work(
        "lu_16",
        "lu_16",
        None,
        (count,),
        (16, 16),
        [a, out],
        out,
        expected,
        "lu_16",
        [a, out, np.int64(count)],
    )


@work("triangular solves, local array")
def solve_triangle() -> Work:
    sides = 1 << 16
    lower = np.tril(random(43, (64, 64), -0.2, 0.2)) + 2 * np.eye(64, dtype=np.float32)
    triangle, right = Memory(lower.astype(np.float32)), Memory(random(44, (64, sides)))
    x = zeros((64, sides))
    return Work(
        "solve_triangle",
        "solve_triangle",
        None,
        blocks_for(sides),
        (BLOCK,),
        [triangle, right, x, sides],
        x,
        lambda: linalg.solve_triangular(
            triangle.array.astype(np.float64), right.array.astype(np.float64), lower=True
        ),
        "solve_triangle",
    )
