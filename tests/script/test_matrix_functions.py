"""Linear algebra: products, factorisations, solvers."""

from __future__ import annotations

import math

import numpy as np
from launching import over, over_2d

from warpwise import cuda
from warpwise.cuda.types import float32, float64

TILE = 8


@cuda.jit
def matmul(a, b, c):
    j, i = cuda.grid(2)
    if i < c.shape[0] and j < c.shape[1]:
        total = 0.0
        for k in range(a.shape[1]):
            total += a[i, k] * b[k, j]
        c[i, j] = total


def test_matrix_products(rng):
    a, b = rng.normal(size=(13, 17)), rng.normal(size=(17, 11))
    c = np.empty((13, 11))
    over_2d(matmul, c.shape, a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-11, atol=1e-13)


@cuda.jit
def tiled_matmul(a, b, c):
    tile_a = cuda.shared.array((TILE, TILE), dtype=float32)
    tile_b = cuda.shared.array((TILE, TILE), dtype=float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0.0)
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


def test_matrix_products_with_tiles(rng):
    a, b = rng.random((19, 21), np.float32), rng.random((21, 10), np.float32)
    c = np.empty((19, 10), np.float32)
    over_2d(tiled_matmul, c.shape, a, b, c, block=TILE)
    np.testing.assert_allclose(c, a.astype(float) @ b, rtol=1e-5)


@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((8, 9), float64)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    if y < a.shape[0] and x < a.shape[1]:
        tile[ty, tx] = a[y, x]
    cuda.syncthreads()
    i = cuda.blockIdx.x * cuda.blockDim.x + ty
    j = cuda.blockIdx.y * cuda.blockDim.y + tx
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = tile[tx, ty]


def test_a_transpose_with_tiles(rng):
    a = rng.normal(size=(21, 13))
    out = np.empty((13, 21))
    over_2d(transpose, a.shape, a, out)
    assert np.array_equal(out, a.T)


@cuda.jit
def matvec(a, x, y):
    row = cuda.grid(1)
    if row < a.shape[0]:
        total = 0.0
        for value, factor in zip(a[row], x):
            total += value * factor
        y[row] = total


def test_matrix_times_vector(rng):
    a, x = rng.normal(size=(40, 23)), rng.normal(size=23)
    y = np.empty(40)
    over(matvec, 40, a, x, y)
    np.testing.assert_allclose(y, a @ x, rtol=1e-11, atol=1e-13)


@cuda.jit
def outer(x, y, out):
    i, j = cuda.grid(2)
    if i < x.size and j < y.size:
        out[i, j] = x[i] * y[j].conjugate()


def test_outer_products_of_complex_vectors(rng):
    x, y = rng.normal(size=(2, 9)) + 1j * rng.normal(size=(2, 9))
    out = np.empty((9, 9), np.complex128)
    outer[(2, 2), (8, 8)](x, y, out)
    np.testing.assert_allclose(out, np.outer(x, y.conj()), rtol=1e-13)


@cuda.jit
def cholesky(matrices, out):
    m = cuda.grid(1)
    if m < matrices.shape[0]:
        n = matrices.shape[1]
        for i in range(n):
            for j in range(i + 1):
                total = matrices[m, i, j]
                for k in range(j):
                    total -= out[m, i, k] * out[m, j, k]
                out[m, i, j] = math.sqrt(total) if i == j else total / out[m, j, j]


def test_cholesky_factors(rng):
    a = rng.normal(size=(10, 5, 5))
    matrices = a @ a.transpose(0, 2, 1) + np.eye(5)
    out = np.zeros_like(matrices)
    over(cholesky, 10, matrices, out)
    np.testing.assert_allclose(out, np.linalg.cholesky(matrices), rtol=1e-9, atol=1e-12)


@cuda.jit
def solve_by_elimination(matrices, right, out):
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


def test_linear_systems(rng):
    matrices, right = rng.normal(size=(15, 4, 4)), rng.normal(size=(15, 4))
    out = np.empty((15, 4))
    over(solve_by_elimination, 15, matrices, right, out)
    residual = np.einsum("mij,mj->mi", matrices, out) - right
    assert np.abs(residual).max() < 1e-9


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


def test_tridiagonal_systems(rng):
    lower, upper, right = rng.normal(size=(3, 6, 20))
    diagonal = 5 + rng.random((6, 20))
    x = np.empty((6, 20))
    over(thomas, 6, lower, diagonal, upper, right, x)
    for s in range(6):
        matrix = np.diag(diagonal[s]) + np.diag(lower[s, 1:], -1) + np.diag(upper[s, :-1], 1)
        np.testing.assert_allclose(matrix @ x[s], right[s], rtol=1e-10, atol=1e-12)


@cuda.jit
def determinant(m, out):
    i = cuda.grid(1)
    if i < m.shape[0]:
        a = m[i]
        out[i] = (
            a[0, 0] * (a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1])
            - a[0, 1] * (a[1, 0] * a[2, 2] - a[1, 2] * a[2, 0])
            + a[0, 2] * (a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0])
        )


def test_determinants(rng):
    m = rng.normal(size=(33, 3, 3))
    out = np.empty(33)
    over(determinant, 33, m, out)
    np.testing.assert_allclose(out, np.linalg.det(m), rtol=1e-9, atol=1e-12)


@cuda.jit
def spmv(starts, columns, values, x, y):
    row = cuda.grid(1)
    if row < y.size:
        total = 0.0
        for k in range(starts[row], starts[row + 1]):
            total += values[k] * x[columns[k]]
        y[row] = total


def test_sparse_matrix_times_vector(rng):
    dense = rng.normal(size=(30, 25)) * (rng.random((30, 25)) < 0.2)
    rows, columns = np.nonzero(dense)
    starts = np.searchsorted(rows, np.arange(31)).astype(np.int32)
    x, y = rng.normal(size=25), np.empty(30)
    over(spmv, 30, starts, columns.astype(np.int32), dense[rows, columns], x, y)
    np.testing.assert_allclose(y, dense @ x, rtol=1e-12, atol=1e-13)


@cuda.jit
def eigenvalues(m, out):
    i = cuda.grid(1)
    if i < m.shape[0]:
        a, b, c = m[i, 0], m[i, 1], m[i, 2]
        middle, half = (a + c) / 2, math.sqrt(((a - c) / 2) ** 2 + b * b)
        out[i, 0], out[i, 1] = middle - half, middle + half


def test_eigenvalues_of_symmetric_matrices(rng):
    m = rng.normal(size=(50, 3))
    out = np.empty((50, 2))
    over(eigenvalues, 50, m, out)
    full = np.stack([m[:, [0, 1]], m[:, [1, 2]]], axis=1)
    np.testing.assert_allclose(out, np.linalg.eigvalsh(full), rtol=1e-9, atol=1e-12)


@cuda.jit
def gram_schmidt(vectors):
    s = cuda.grid(1)
    if s < vectors.shape[0]:
        v = vectors[s]
        for i in range(v.shape[0]):
            for j in range(i):
                product = 0.0
                for k in range(v.shape[1]):
                    product += v[i, k] * v[j, k]
                for k in range(v.shape[1]):
                    v[i, k] -= product * v[j, k]
            norm = 0.0
            for k in range(v.shape[1]):
                norm += v[i, k] ** 2
            for k in range(v.shape[1]):
                v[i, k] /= math.sqrt(norm)


def test_orthonormal_bases(rng):
    vectors = rng.normal(size=(8, 4, 6))
    over(gram_schmidt, 8, vectors)
    products = vectors @ vectors.transpose(0, 2, 1)
    np.testing.assert_allclose(products, np.broadcast_to(np.eye(4), (8, 4, 4)), atol=1e-9)


@cuda.jit
def matrix_power(m, exponents, out):
    i = cuda.grid(1)
    if i < exponents.size:
        a, b, c, d = m[0, 0], m[0, 1], m[1, 0], m[1, 1]
        ra, rb, rc, rd = 1, 0, 0, 1
        n = exponents[i]
        while n:
            if n & 1:
                ra, rb, rc, rd = ra * a + rb * c, ra * b + rb * d, rc * a + rd * c, rc * b + rd * d
            a, b, c, d = a * a + b * c, a * b + b * d, c * a + d * c, c * b + d * d
            n >>= 1
        out[i, 0, 0], out[i, 0, 1], out[i, 1, 0], out[i, 1, 1] = ra, rb, rc, rd


def test_powers_of_a_matrix(rng):
    m, exponents = np.array([[1, 1], [1, 0]]), rng.integers(0, 60, 40)
    out = np.empty((40, 2, 2), np.int64)
    over(matrix_power, 40, m, exponents, out)
    for n, power in zip(exponents, out):
        assert np.array_equal(power, np.linalg.matrix_power(m, n))
