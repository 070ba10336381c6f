"""Prefix sums, sorting networks, sorting of rows, searching, merging."""

from __future__ import annotations

import numpy as np

from warpwise import cuda
from warpwise.cuda.types import float32, int32

from .registry import Work, seeded, twin

BLOCK = 256
ROW = 16


def integers(number: int, n: int, limit: int) -> np.ndarray:
    return seeded(number).integers(0, limit, n).astype(np.int32)


@cuda.jit
def hillis_steele(x, out):
    buffer = cuda.shared.array((2, BLOCK), int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    buffer[0, t] = x[i]
    cuda.syncthreads()
    source, step = 0, 1
    while step < BLOCK:
        if t >= step:
            buffer[1 - source, t] = buffer[source, t] + buffer[source, t - step]
        else:
            buffer[1 - source, t] = buffer[source, t]
        cuda.syncthreads()
        source = 1 - source
        step *= 2
    out[i] = buffer[source, t]


@twin(hillis_steele, gpu=16)
def hillis_steele_work(scale: int) -> Work:
    x = integers(40, scale << 19, 100)
    return Work([x, np.zeros_like(x)], x.size // BLOCK, BLOCK)


@cuda.jit
def blelloch(x, out):
    part = cuda.shared.array(2 * BLOCK, int32)
    t = cuda.threadIdx.x
    start = 2 * BLOCK * cuda.blockIdx.x
    part[2 * t] = x[start + 2 * t]
    part[2 * t + 1] = x[start + 2 * t + 1]
    offset = 1
    d = BLOCK
    while d > 0:
        cuda.syncthreads()
        if t < d:
            part[offset * (2 * t + 2) - 1] += part[offset * (2 * t + 1) - 1]
        offset *= 2
        d //= 2
    if t == 0:
        part[2 * BLOCK - 1] = 0
    d = 1
    while d < 2 * BLOCK:
        offset //= 2
        cuda.syncthreads()
        if t < d:
            a, b = offset * (2 * t + 1) - 1, offset * (2 * t + 2) - 1
            part[a], part[b] = part[b], part[a] + part[b]
        d *= 2
    cuda.syncthreads()
    out[start + 2 * t] = part[2 * t]
    out[start + 2 * t + 1] = part[2 * t + 1]


@twin(blelloch, cpu=2, gpu=64)
def blelloch_work(scale: int) -> Work:
    x = integers(41, scale << 17, 100)
    return Work([x, np.zeros_like(x)], x.size // (2 * BLOCK), BLOCK)


@cuda.jit
def bitonic(x, out):
    part = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i]
    cuda.syncthreads()
    k = 2
    while k <= BLOCK:
        j = k // 2
        while j > 0:
            partner = t ^ j
            if partner > t:
                ascending = (t & k) == 0
                if (part[t] > part[partner]) == ascending:
                    part[t], part[partner] = part[partner], part[t]
            cuda.syncthreads()
            j //= 2
        k *= 2
    out[i] = part[t]


@twin(bitonic)
def bitonic_work(scale: int) -> Work:
    x = seeded(42).normal(size=scale << 16).astype(np.float32)
    return Work([x, np.zeros_like(x)], x.size // BLOCK, BLOCK)


@cuda.jit
def rank_sort(x, out):
    i = cuda.grid(1)
    if i < x.size:
        rank = 0
        for j in range(x.size):
            if x[j] < x[i] or (x[j] == x[i] and j < i):
                rank += 1
        out[rank] = x[i]


@twin(rank_sort, gpu=8)
def rank_sort_work(scale: int) -> Work:
    x = integers(43, scale << 11, 1000)
    return Work([x, np.zeros_like(x)], x.size // 128, 128, (x.size,))


@cuda.jit
def insertion_sort(rows, out):
    row = cuda.grid(1)
    if row < rows.shape[0]:
        for i in range(rows.shape[1]):
            key = rows[row, i]
            j = i - 1
            while j >= 0 and out[row, j] > key:
                out[row, j + 1] = out[row, j]
                j -= 1
            out[row, j + 1] = key


@twin(insertion_sort, gpu=64)
def insertion_sort_work(scale: int) -> Work:
    rows = seeded(44).normal(size=(4096 * scale, ROW))
    return Work([rows, np.zeros_like(rows)], 32 * scale, 128, rows.shape)


@cuda.jit
def binary_search(table, keys, out):
    i = cuda.grid(1)
    if i < keys.size:
        low, high = 0, table.size
        while low < high:
            middle = (low + high) >> 1
            if table[middle] < keys[i]:
                low = middle + 1
            else:
                high = middle
        out[i] = low


@twin(binary_search, gpu=64)
def binary_search_work(scale: int) -> Work:
    n = scale << 15
    table, keys = np.sort(seeded(45).normal(size=n)), seeded(46).normal(size=n)
    return Work([table, keys, np.zeros(n, np.int32)], n // BLOCK, BLOCK, (n, n))


@cuda.jit
def merge(a, b, out):
    i = cuda.grid(1)
    if i < a.size + b.size:
        low, high = max(0, i - b.size), min(i, a.size)
        while low < high:
            middle = (low + high) // 2
            if a[middle] <= b[i - middle - 1]:
                low = middle + 1
            else:
                high = middle
        from_a = low < a.size and (i - low >= b.size or a[low] <= b[i - low])
        out[i] = a[low] if from_a else b[i - low]


@twin(merge, gpu=128)
def merge_work(scale: int) -> Work:
    n = scale << 14
    a, b = np.sort(integers(47, n, 1 << 20)), np.sort(integers(48, n, 1 << 20))
    return Work([a, b, np.zeros(2 * n, np.int32)], 2 * n // BLOCK, BLOCK, (n, n))
