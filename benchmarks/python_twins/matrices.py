"""Linear algebra: products, a transpose, systems of equations."""

from __future__ import annotations

import numpy as np

from warpwise import cuda
from warpwise.cuda.types import float32, float64

from .registry import Work, seeded, twin

BLOCK = 128
TILE = 16


def square(number: int, n: int) -> np.ndarray:
    return seeded(number).random((n, n), np.float32)


@cuda.jit
def matmul(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


@twin(matmul, gpu=4)
def matmul_work(scale: int) -> Work:
    n = 256 * scale
    arguments = [square(20, n), square(21, n), np.zeros((n, n), np.float32)]
    return Work(arguments, (n // TILE, n // TILE), (TILE, TILE), (n, n, n), tolerance=1e-6)


@cuda.jit
def tiled_matmul(a, b, c):
    tile_a = cuda.shared.array((TILE, TILE), dtype=float32)
    tile_b = cuda.shared.array((TILE, TILE), dtype=float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for m in range((a.shape[1] + TILE - 1) // TILE):
        tile_a[ty, tx] = 0
        tile_b[ty, tx] = 0
        if y < a.shape[0] and m * TILE + tx < a.shape[1]:
            tile_a[ty, tx] = a[y, m * TILE + tx]
        if x < b.shape[1] and m * TILE + ty < b.shape[0]:
            tile_b[ty, tx] = b[m * TILE + ty, x]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[ty, k] * tile_b[k, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = total


@twin(tiled_matmul, gpu=4)
def tiled_matmul_work(scale: int) -> Work:
    return matmul_work(scale)


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((TILE, TILE + 1), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    if y < a.shape[0] and x < a.shape[1]:
        tile[ty, tx] = a[y, x]
    cuda.syncthreads()
    i = cuda.blockIdx.x * cuda.blockDim.x + ty
    j = cuda.blockIdx.y * cuda.blockDim.y + tx
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = tile[tx, ty]


@twin(transpose, cpu=2, gpu=12)
def transpose_work(scale: int) -> Work:
    n = 512 * scale
    arguments = [square(22, n), np.zeros((n, n), np.float32)]
    return Work(arguments, (n // TILE, n // TILE), (TILE, TILE), (n, n))


@cuda.jit
def plain_transpose(a, out):
    x, y = cuda.grid(2)
    if y < a.shape[0] and x < a.shape[1]:
        out[x, y] = a[y, x]


@twin(plain_transpose, gpu=12)
def plain_transpose_work(scale: int) -> Work:
    return transpose_work(scale)


@cuda.jit
def matvec(a, x, y):
    row = cuda.grid(1)
    if row < a.shape[0]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[row, k] * x[k]
        y[row] = total


@twin(matvec, gpu=64)
def matvec_work(scale: int) -> Work:
    rows, columns = 1024 * scale, 256
    a, x = seeded(23).random((rows, columns)), seeded(24).random(columns)
    return Work([a, x, np.zeros(rows)], rows // BLOCK, BLOCK, (rows, columns), tolerance=1e-13)


@cuda.jit
def spmv(starts, columns, values, x, y):
    row = cuda.grid(1)
    if row < y.size:
        total = float32(0)
        for k in range(starts[row], starts[row + 1]):
            total += values[k] * x[columns[k]]
        y[row] = total


@twin(spmv)
def spmv_work(scale: int) -> Work:
    rng, n = seeded(25), 32768 * scale
    starts = np.concatenate([[0], rng.integers(4, 28, n).cumsum()]).astype(np.int32)
    count = int(starts[-1])
    columns = rng.integers(0, n, count).astype(np.int32)
    values, x = rng.random(count, np.float32), rng.random(n, np.float32)
    arguments = [starts, columns, values, x, np.zeros(n, np.float32)]
    return Work(arguments, n // BLOCK, BLOCK, (n,), tolerance=1e-6)


@cuda.jit
def thomas(lower, diagonal, upper, right, x):
    s = cuda.grid(1)
    if s < diagonal.shape[0]:
        n = diagonal.shape[1]
        c = cuda.local.array(32, float64)
        c[0] = upper[s, 0] / diagonal[s, 0]
        x[s, 0] = right[s, 0] / diagonal[s, 0]
        for i in range(1, n):
            scale = diagonal[s, i] - lower[s, i] * c[i - 1]
            c[i] = upper[s, i] / scale
            x[s, i] = (right[s, i] - lower[s, i] * x[s, i - 1]) / scale
        for i in range(n - 2, -1, -1):
            x[s, i] -= c[i] * x[s, i + 1]


@twin(thomas)
def thomas_work(scale: int) -> Work:
    systems, n = 2048 * scale, 32
    lower, upper, right = seeded(26).normal(size=(3, systems, n))
    diagonal = 5 + seeded(27).random((systems, n))
    arguments = [lower, diagonal, upper, right, np.zeros((systems, n))]
    return Work(arguments, systems // BLOCK, BLOCK, (systems, n), tolerance=1e-12)


@cuda.jit
def eliminate(matrices, right, out):
    m = cuda.grid(1)
    if m >= matrices.shape[0]:
        return
    a = cuda.local.array((4, 5), float64)
    for i in range(4):
        for j in range(4):
            a[i, j] = matrices[m, i, j]
        a[i, 4] = right[m, i]
    for column in range(4):
        pivot = column
        for i in range(column + 1, 4):
            if abs(a[i, column]) > abs(a[pivot, column]):
                pivot = i
        for j in range(5):
            a[column, j], a[pivot, j] = a[pivot, j], a[column, j]
        for i in range(column + 1, 4):
            factor = a[i, column] / a[column, column]
            for j in range(column, 5):
                a[i, j] -= factor * a[column, j]
    for i in range(3, -1, -1):
        total = a[i, 4]
        for j in range(i + 1, 4):
            total -= a[i, j] * out[m, j]
        out[m, i] = total / a[i, i]


@twin(eliminate, gpu=64)
def eliminate_work(scale: int) -> Work:
    count = 16384 * scale
    matrices, right = seeded(28).normal(size=(count, 4, 4)), seeded(29).normal(size=(count, 4))
    arguments = [matrices, right, np.zeros((count, 4))]
    return Work(arguments, count // BLOCK, BLOCK, (count,), tolerance=1e-6)
