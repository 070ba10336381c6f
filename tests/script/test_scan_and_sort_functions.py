"""Prefix sums, sorting networks, searching, compaction."""

from __future__ import annotations

import numpy as np
import pytest
from launching import over

from warpwise import cuda
from warpwise.cuda.types import float32, int32, int64


@cuda.jit
def hillis_steele(x, out):
    buffer = cuda.shared.array((2, 64), int64)
    t = cuda.threadIdx.x
    buffer[0, t] = x[t]
    cuda.syncthreads()
    source, step = 0, 1
    while step < 64:
        if t >= step:
            buffer[1 - source, t] = buffer[source, t] + buffer[source, t - step]
        else:
            buffer[1 - source, t] = buffer[source, t]
        cuda.syncthreads()
        source = 1 - source
        step *= 2
    out[t] = buffer[source, t]


def test_inclusive_prefix_sums(rng):
    x = rng.integers(-100, 100, 64)
    out = np.empty_like(x)
    hillis_steele[1, 64](x, out)
    assert np.array_equal(out, x.cumsum())


@cuda.jit
def blelloch(x):
    part = cuda.shared.array(128, int32)
    t = cuda.threadIdx.x
    part[2 * t] = x[2 * t]
    part[2 * t + 1] = x[2 * t + 1]
    offset = 1
    d = 64
    while d > 0:
        cuda.syncthreads()
        if t < d:
            part[offset * (2 * t + 2) - 1] += part[offset * (2 * t + 1) - 1]
        offset *= 2
        d //= 2
    if t == 0:
        part[127] = 0
    d = 1
    while d < 128:
        offset //= 2
        cuda.syncthreads()
        if t < d:
            a, b = offset * (2 * t + 1) - 1, offset * (2 * t + 2) - 1
            part[a], part[b] = part[b], part[a] + part[b]
        d *= 2
    cuda.syncthreads()
    x[2 * t] = part[2 * t]
    x[2 * t + 1] = part[2 * t + 1]


def test_exclusive_prefix_sums(rng):
    x = rng.integers(0, 100, 128).astype(np.int32)
    expected = np.concatenate([[0], x.cumsum()[:-1]])
    blelloch[1, 64](x)
    assert np.array_equal(x, expected)


@cuda.jit
def warp_scan(x, out):
    i = cuda.grid(1)
    value = x[i]
    delta = 1
    while delta < 32:
        other = cuda.shfl_up_sync(0xFFFFFFFF, value, delta)
        if cuda.laneid >= delta:
            value += other
        delta *= 2
    out[i] = value


def test_prefix_sums_of_warps(rng):
    x = rng.integers(-50, 50, 96).astype(np.int32)
    out = np.empty_like(x)
    warp_scan[3, 32](x, out)
    assert np.array_equal(out, x.reshape(3, 32).cumsum(axis=1).ravel())


@cuda.jit
def segmented_sums(x, heads, out):
    i = cuda.grid(1)
    if i < x.size:
        total = 0.0
        j = i
        while True:
            total += x[j]
            if heads[j] or j == 0:
                break
            j -= 1
        out[i] = total


def test_segmented_prefix_sums(rng):
    x = rng.integers(0, 10, 100).astype(float)
    heads = rng.random(100) < 0.1
    out = np.empty(100)
    over(segmented_sums, 100, x, heads, out)
    total, expected = 0.0, []
    for value, head in zip(x, heads):
        total = value if head else total + value
        expected.append(total)
    assert out.tolist() == expected


@cuda.jit
def compact(x, out, count):
    i = cuda.grid(1)
    if i < x.size and x[i] > 0:
        out[cuda.atomic.add(count, 0, 1)] = x[i]


def test_compaction(rng):
    x = rng.integers(-50, 50, 300)
    out, count = np.zeros_like(x), np.zeros(1, np.int64)
    over(compact, 300, x, out, count)
    assert count[0] == (x > 0).sum()
    assert sorted(out[: count[0]]) == sorted(x[x > 0])


@cuda.jit
def bitonic(x):
    part = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    part[t] = x[t]
    cuda.syncthreads()
    k = 2
    while k <= 64:
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
    x[t] = part[t]


def test_a_bitonic_sorting_network(rng):
    x = rng.normal(size=64).astype(np.float32)
    expected = np.sort(x)
    bitonic[1, 64](x)
    assert np.array_equal(x, expected)


@cuda.jit
def odd_even(x):
    t = cuda.threadIdx.x
    n = x.size
    for step in range(n):
        left = 2 * t + step % 2
        if left + 1 < n and x[left] > x[left + 1]:
            x[left], x[left + 1] = x[left + 1], x[left]
        cuda.syncthreads()


def test_odd_even_transposition(rng):
    x = rng.integers(0, 50, 51)
    expected = np.sort(x)
    odd_even[1, 32](x)
    assert np.array_equal(x, expected)


@cuda.jit
def rank_sort(x, out):
    i = cuda.grid(1)
    if i < x.size:
        rank = 0
        for j in range(x.size):
            if x[j] < x[i] or (x[j] == x[i] and j < i):
                rank += 1
        out[rank] = x[i]


def test_sorting_by_ranks(rng):
    x = rng.integers(0, 40, 150)
    out = np.empty_like(x)
    over(rank_sort, 150, x, out)
    assert np.array_equal(out, np.sort(x))


@cuda.jit
def insertion_sort(rows):
    row = cuda.grid(1)
    if row < rows.shape[0]:
        for i in range(1, rows.shape[1]):
            key = rows[row, i]
            j = i - 1
            while j >= 0 and rows[row, j] > key:
                rows[row, j + 1] = rows[row, j]
                j -= 1
            rows[row, j + 1] = key


def test_insertion_sort_of_rows(rng):
    rows = rng.normal(size=(20, 15))
    expected = np.sort(rows, axis=1)
    over(insertion_sort, 20, rows)
    assert np.array_equal(rows, expected)


@cuda.jit(device=True)
def sift_down(row, start, end):
    root = start
    while True:
        child = 2 * root + 1
        if child > end:
            return
        if child + 1 <= end and row[child] < row[child + 1]:
            child += 1
        if row[root] >= row[child]:
            return
        row[root], row[child] = row[child], row[root]
        root = child


@cuda.jit
def heap_sort(rows):
    i = cuda.grid(1)
    if i < rows.shape[0]:
        row = rows[i]
        n = len(row)
        for start in range((n - 2) // 2, -1, -1):
            sift_down(row, start, n - 1)
        for end in range(n - 1, 0, -1):
            row[0], row[end] = row[end], row[0]
            sift_down(row, 0, end - 1)


def test_heap_sort_of_rows(rng):
    rows = rng.integers(-1000, 1000, (12, 33))
    expected = np.sort(rows, axis=1)
    over(heap_sort, 12, rows)
    assert np.array_equal(rows, expected)


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


def test_binary_search(rng):
    table, keys = np.sort(rng.normal(size=77)), rng.normal(size=200)
    keys[:10] = table[:10]
    out = np.empty(200, np.int64)
    over(binary_search, 200, table, keys, out)
    assert np.array_equal(out, np.searchsorted(table, keys))


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


def test_merging(rng):
    a, b = np.sort(rng.integers(0, 99, 70)), np.sort(rng.integers(0, 99, 45))
    out = np.empty(115, np.int64)
    over(merge, 115, a, b, out)
    assert np.array_equal(out, np.sort(np.concatenate([a, b])))


@cuda.jit
def radix_pass(x, bit, out):
    flags = cuda.shared.array(64, int32)
    t = cuda.threadIdx.x
    is_zero = ((x[t] >> bit) & 1) == 0
    flags[t] = 1 if is_zero else 0
    cuda.syncthreads()
    zeros_before, zeros = 0, 0
    for j in range(64):
        zeros += flags[j]
        if j < t:
            zeros_before += flags[j]
    target = zeros_before if is_zero else zeros + t - zeros_before
    out[target] = x[t]


def test_radix_sort(rng):
    x = cuda.to_device(rng.integers(0, 256, 64).astype(np.int32))
    expected = np.sort(x.copy_to_host())
    out = cuda.device_array_like(x)
    for bit in range(8):
        radix_pass[1, 64](x, bit, out)
        x, out = out, x
    assert np.array_equal(x.copy_to_host(), expected)


@cuda.jit
def counting_sort(x, counts, out):
    t = cuda.threadIdx.x
    for i in range(t, x.size, cuda.blockDim.x):
        cuda.atomic.add(counts, x[i], 1)
    cuda.syncthreads()
    if t == 0:
        at = 0
        for value in range(counts.size):
            for _ in range(counts[value]):
                out[at] = value
                at += 1


def test_counting_sort(rng):
    x = rng.integers(0, 10, 200).astype(np.int32)
    counts, out = np.zeros(10, np.int32), np.empty(200, np.int32)
    counting_sort[1, 32](x, counts, out)
    assert np.array_equal(out, np.sort(x)) and np.array_equal(counts, np.bincount(x, minlength=10))


@cuda.jit
def kth_smallest(rows, k, out):
    i = cuda.grid(1)
    if i < rows.shape[0]:
        work = cuda.local.array(16, int64)
        for j in range(16):
            work[j] = rows[i, j]
        left, right = 0, 15
        while left < right:
            pivot = work[k]
            a, b = left, right
            while a <= b:
                while work[a] < pivot:
                    a += 1
                while pivot < work[b]:
                    b -= 1
                if a <= b:
                    work[a], work[b] = work[b], work[a]
                    a += 1
                    b -= 1
            if b < k:
                left = a
            if k < a:
                right = b
        out[i] = work[k]


@pytest.mark.parametrize("k", [0, 7, 15])
def test_the_kth_smallest(rng, k):
    rows = rng.integers(0, 30, (25, 16))
    out = np.empty(25, np.int64)
    over(kth_smallest, 25, rows, k, out)
    assert np.array_equal(out, np.sort(rows, axis=1)[:, k])
