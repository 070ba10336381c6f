"""Functions that reduce: in shared memory, by atomics, by shuffles."""

from __future__ import annotations

import math

import numpy as np
from launching import over

from warpwise import cuda
from warpwise.cuda.types import float32, float64, int32, int64

THREADS = 64


@cuda.jit
def block_sums(x, out):
    part = cuda.shared.array(THREADS, float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = THREADS // 2
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


def test_sums_of_blocks(rng):
    x = rng.normal(size=333)
    out = np.empty(6)
    over(block_sums, 333, x, out)
    expected = [x[i : i + 64].sum() for i in range(0, 333, 64)]
    np.testing.assert_allclose(out, expected, rtol=1e-12)


@cuda.jit
def atomic_sum(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(out, 0, x[i])


def test_a_sum_by_atomics(rng):
    x = rng.integers(-100, 100, 500).astype(np.int32)
    out = np.zeros(1, np.int32)
    over(atomic_sum, 500, x, out)
    assert out[0] == x.sum()


@cuda.jit
def extremes(x, out):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.min(out, 0, x[i])
        cuda.atomic.max(out, 1, x[i])


def test_extremes_by_atomics(rng):
    x = rng.normal(size=400).astype(np.float32)
    out = np.array([np.inf, -np.inf], np.float32)
    over(extremes, 400, x, out)
    assert out.tolist() == [x.min(), x.max()]


@cuda.jit
def dot_product(x, y, out):
    part = cuda.shared.array(THREADS, float32)
    t = cuda.threadIdx.x
    total = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i] * y[i]
    part[t] = total
    cuda.syncthreads()
    if t == 0:
        total = float32(0)
        for j in range(THREADS):
            total += part[j]
        cuda.atomic.add(out, 0, total)


def test_a_dot_product(rng):
    x, y = rng.random((2, 1000), np.float32)
    out = np.zeros(1, np.float32)
    dot_product[4, THREADS](x, y, out)
    np.testing.assert_allclose(out[0], x.astype(float) @ y, rtol=1e-5)


@cuda.jit
def warp_sums(x, out):
    i = cuda.grid(1)
    value = x[i]
    offset = 16
    while offset > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
        offset //= 2
    if cuda.laneid == 0:
        out[i // 32] = value


def test_sums_of_warps(rng):
    x = rng.integers(-1000, 1000, 128).astype(np.int32)
    out = np.empty(4, np.int32)
    warp_sums[2, 64](x, out)
    assert np.array_equal(out, x.reshape(4, 32).sum(axis=1))


@cuda.jit
def index_of_maximum(x, value, index):
    best = cuda.shared.array(THREADS, float64)
    where = cuda.shared.array(THREADS, int64)
    t = cuda.threadIdx.x
    best[t] = -math.inf
    where[t] = -1
    for i in range(t, x.size, THREADS):
        if x[i] > best[t]:
            best[t], where[t] = x[i], i
    cuda.syncthreads()
    step = THREADS // 2
    while step:
        if t < step and (
            best[t + step] > best[t] or (best[t + step] == best[t] and where[t + step] < where[t])
        ):
            best[t] = best[t + step]
            where[t] = where[t + step]
        cuda.syncthreads()
        step >>= 1
    if t == 0:
        value[0] = best[0]
        index[0] = where[0]


def test_the_index_of_a_maximum(rng):
    x = np.round(rng.normal(size=500), 1)
    value, index = np.empty(1), np.empty(1, np.int64)
    index_of_maximum[1, THREADS](x, value, index)
    assert value[0] == x.max() and index[0] == x.argmax()


@cuda.jit
def row_moments(x, mean, variance):
    row = cuda.grid(1)
    if row < x.shape[0]:
        average, squares, count = 0.0, 0.0, 0
        for value in x[row]:
            count += 1
            delta = value - average
            average += delta / count
            squares += delta * (value - average)
        mean[row] = average
        variance[row] = squares / count


def test_means_and_variances_by_welford(rng):
    x = rng.normal(5, 3, (20, 33))
    mean, variance = np.empty(20), np.empty(20)
    over(row_moments, 20, x, mean, variance)
    np.testing.assert_allclose(mean, x.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(variance, x.var(axis=1), rtol=1e-12)


@cuda.jit
def products_modulo(x, modulus, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        product = 1
        for j in range(x.shape[1]):
            product = product * x[i, j] % modulus
        out[i] = product


def test_products_modulo_a_prime(rng):
    x = rng.integers(-1000, 1000, (50, 20))
    out = np.empty(50, np.int64)
    over(products_modulo, 50, x, 10007, out)
    assert out.tolist() == [math.prod(map(int, row)) % 10007 for row in x]


@cuda.jit
def counts_of_blocks(x, limit, out):
    i = cuda.grid(1)
    is_above = i < x.size and x[i] > limit
    count = cuda.syncthreads_count(is_above)
    every = cuda.syncthreads_and(is_above)
    some = cuda.syncthreads_or(is_above)
    if cuda.threadIdx.x == 0:
        out[cuda.blockIdx.x, 0] = count
        out[cuda.blockIdx.x, 1] = 1 if every else 0
        out[cuda.blockIdx.x, 2] = 1 if some else 0


def test_counting_at_barriers(rng):
    x = rng.normal(size=256)
    x[:64] = 9
    x[64:128] = -9
    out = np.zeros((4, 3), np.int32)
    over(counts_of_blocks, 256, x, 0.25, out)
    above = (x > 0.25).reshape(4, 64)
    assert np.array_equal(out[:, 0], above.sum(axis=1))
    assert np.array_equal(out[:, 1], above.all(axis=1))
    assert np.array_equal(out[:, 2], above.any(axis=1))


@cuda.jit
def histogram(x, low, high, counts):
    bins = cuda.shared.array(16, int32)
    t = cuda.threadIdx.x
    if t < 16:
        bins[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        bin_ = int(math.floor((x[i] - low) / (high - low) * 16))
        if 0 <= bin_ < 16:
            cuda.atomic.add(bins, bin_, 1)
    cuda.syncthreads()
    if t < 16:
        cuda.atomic.add(counts, t, bins[t])


def test_a_histogram(rng):
    x = rng.normal(size=900)
    counts = np.zeros(16, np.int32)
    histogram[3, 64](x, -2.0, 2.0, counts)
    inside = x[(x >= -2) & (x < 2)]
    assert np.array_equal(counts, np.bincount(((inside + 2) / 4 * 16).astype(int), minlength=16))


@cuda.jit
def column_sums(x, out):
    column = cuda.grid(1)
    if column < x.shape[1]:
        total = 0
        for row in range(x.shape[0]):
            total += x[row, column]
        out[column] = total


def test_sums_of_columns_of_any_strides(rng):
    base = rng.integers(0, 100, (40, 60))
    out = np.empty(30, np.int64)
    over(column_sums, 30, cuda.to_device(base)[::-1, ::2].T.T, out)
    assert np.array_equal(out, base[:, ::2].sum(axis=0))
    out = np.empty(40, np.int64)
    over(column_sums, 40, np.ascontiguousarray(base.T), out)
    assert np.array_equal(out, base.sum(axis=1))


@cuda.jit
def first_true(flags, out):
    i = cuda.grid(1)
    if i < flags.size and flags[i]:
        cuda.atomic.min(out, 0, i)


def test_the_first_true_value(rng):
    flags = rng.random(300) > 0.98
    flags[77] = True
    out = np.full(1, 300)
    over(first_true, 300, flags, out)
    assert out[0] == flags.argmax()


@cuda.jit
def norms(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        largest = 0.0
        for v in x[i]:
            largest = max(largest, abs(v))
        total = 0.0
        if largest > 0:
            for v in x[i]:
                scaled = v / largest
                total += scaled * scaled
        out[i] = largest * math.sqrt(total)


def test_norms_without_overflow(rng):
    x = rng.normal(size=(30, 9)) * 10.0 ** rng.integers(-160, 160, (30, 1))
    x[4] = 0
    out = np.empty(30)
    over(norms, 30, x, out)
    np.testing.assert_allclose(out, [math.hypot(*row) for row in x], rtol=1e-13)


@cuda.jit
def kahan(x, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        total = float32(0)
        lost = float32(0)
        for v in x[i]:
            y = v - lost
            t = total + y
            lost = (t - total) - y
            total = t
        out[i] = total


def test_compensated_sums(rng):
    x = rng.random((10, 300), np.float32)
    out = np.empty(10, np.float32)
    over(kahan, 10, x, out)
    np.testing.assert_allclose(out, x.sum(axis=1, dtype=np.float64), rtol=1.2e-7)
