"""Reductions: in shared memory, by atomics, by shuffles, by rows and columns."""

from __future__ import annotations

import math

import numpy as np

from warpwise import cuda
from warpwise.cuda.types import float32, float64, int32

from .registry import Work, seeded, twin

BLOCK = 256
BINS = 64


@cuda.jit
def block_sums(x, out):
    part = cuda.shared.array(BLOCK, float64)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        out[cuda.blockIdx.x] = part[0]


@twin(block_sums, cpu=2, gpu=64)
def block_sums_work(scale: int) -> Work:
    n = scale << 19
    x = seeded(30).normal(size=n)
    return Work([x, np.zeros(n // BLOCK)], n // BLOCK, BLOCK, (n,), tolerance=1e-13)


@cuda.jit
def dot_product(x, y, out):
    part = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    total = float32(0)
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        total += x[i] * y[i]
    part[t] = total
    cuda.syncthreads()
    if t == 0:
        total = float32(0)
        for j in range(BLOCK):
            total += part[j]
        cuda.atomic.add(out, 0, total)


@twin(dot_product, cpu=2, gpu=16)
def dot_product_work(scale: int) -> Work:
    n = scale << 20
    x, y = seeded(31).random((2, n), np.float32)
    arguments = [x, y, np.zeros(1, np.float32)]
    return Work(arguments, 16 * scale, BLOCK, (n,), tolerance=1e-4)


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


@twin(warp_sums, cpu=4, gpu=64)
def warp_sums_work(scale: int) -> Work:
    n = scale << 19
    x = seeded(32).integers(-1000, 1000, n).astype(np.int32)
    return Work([x, np.zeros(n // 32, np.int32)], n // BLOCK, BLOCK)


@cuda.jit
def histogram(x, low, high, counts):
    bins = cuda.shared.array(BINS, int32)
    t = cuda.threadIdx.x
    if t < BINS:
        bins[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        at = int(math.floor((x[i] - low) / (high - low) * BINS))
        if 0 <= at < BINS:
            cuda.atomic.add(bins, at, 1)
    cuda.syncthreads()
    if t < BINS:
        cuda.atomic.add(counts, t, bins[t])


@twin(histogram, cpu=2, gpu=64)
def histogram_work(scale: int) -> Work:
    n = scale << 17
    arguments = [seeded(33).normal(size=n), -2.0, 2.0, np.zeros(BINS, np.int32)]
    return Work(arguments, 16 * scale, BLOCK, (n,))


@cuda.jit
def moments(x, mean, variance):
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


@twin(moments, cpu=4, gpu=128)
def moments_work(scale: int) -> Work:
    rows, columns = 4096 * scale, 32
    arguments = [seeded(34).normal(5, 3, (rows, columns)), np.zeros(rows), np.zeros(rows)]
    extents = (rows, columns)
    return Work(arguments, rows // 128, 128, extents, outputs=(1, 2), tolerance=1e-12)


@cuda.jit
def column_sums(x, out):
    column = cuda.grid(1)
    if column < x.shape[1]:
        total = 0
        for row in range(x.shape[0]):
            total += x[row, column]
        out[column] = total


@twin(column_sums, cpu=2)
def column_sums_work(scale: int) -> Work:
    rows, columns = 128, 16384 * scale
    x = seeded(35).integers(0, 100, (rows, columns)).astype(np.int32)
    arguments = [x, np.zeros(columns, np.int64)]
    return Work(arguments, columns // BLOCK, BLOCK, (rows, columns))


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


@twin(kahan, cpu=2, gpu=128)
def kahan_work(scale: int) -> Work:
    rows, columns = 4096 * scale, 64
    arguments = [seeded(36).random((rows, columns), np.float32), np.zeros(rows, np.float32)]
    return Work(arguments, rows // 128, 128, (rows, columns), tolerance=1e-7)
