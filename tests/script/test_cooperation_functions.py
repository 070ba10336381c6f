"""Threads that cooperate: warps, votes, atomics, barriers, dynamic shared memory."""

from __future__ import annotations

import numpy as np
import pytest
from launching import over

from warpwise import cuda
from warpwise.cuda.types import float64, int32, int64

FULL = 0xFFFFFFFF


@cuda.jit
def warp_compaction(x, out, counts):
    i = cuda.grid(1)
    kept = x[i] > 0
    ballot = cuda.ballot_sync(FULL, kept)
    before = cuda.popc(ballot & cuda.lanemask_lt())
    warp = i // 32
    if kept:
        out[warp, before] = x[i]
    if cuda.laneid == 0:
        counts[warp] = cuda.popc(ballot)


def test_compaction_in_warps(rng):
    x = rng.integers(-10, 10, 96).astype(np.int32)
    out, counts = np.zeros((3, 32), np.int32), np.empty(3, np.int32)
    warp_compaction[3, 32](x, out, counts)
    for row, count, part in zip(out, counts, x.reshape(3, 32)):
        assert row[:count].tolist() == part[part > 0].tolist()


@cuda.jit
def votes(x, out):
    i = cuda.grid(1)
    everyone = cuda.all_sync(FULL, x[i] > 0)
    anyone = cuda.any_sync(FULL, x[i] > 0)
    same = cuda.eq_sync(FULL, x[i] > 0)
    if cuda.laneid == 0:
        out[i // 32, 0] = 1 if everyone else 0
        out[i // 32, 1] = 1 if anyone else 0
        out[i // 32, 2] = 1 if same else 0


def test_votes():
    x = np.concatenate([np.ones(32), np.zeros(32), np.arange(32)])
    out = np.empty((3, 3), np.int32)
    votes[1, 96](x, out)
    assert out.tolist() == [[1, 1, 1], [0, 0, 1], [0, 1, 0]]


@cuda.jit
def butterfly(x):
    i = cuda.grid(1)
    value = x[i]
    for mask in (16, 8, 4, 2, 1):
        value = max(value, cuda.shfl_xor_sync(FULL, value, mask))
    x[i] = value


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_maxima_by_butterflies(rng, dtype):
    x = (rng.normal(size=64) * 1000).astype(dtype)
    expected = np.repeat(x.reshape(2, 32).max(axis=1), 32)
    butterfly[1, 64](x)
    assert np.array_equal(x, expected)


@cuda.jit
def broadcast(x, lane, out):
    i = cuda.grid(1)
    out[i] = cuda.shfl_sync(FULL, x[i], lane)


def test_a_lanes_value(rng):
    x = rng.integers(0, 100, 64).astype(np.int32)
    out = np.empty_like(x)
    broadcast[2, 32](x, 5, out)
    assert np.array_equal(out, np.repeat([x[5], x[37]], 32))


@cuda.jit
def equals(x, out):
    i = cuda.grid(1)
    out[i] = cuda.popc(cuda.match_any_sync(FULL, x[i]))


def test_lanes_of_one_value(rng):
    x = rng.integers(0, 6, 32).astype(np.int32)
    out = np.empty_like(x)
    equals[1, 32](x, out)
    assert np.array_equal(out, np.bincount(x, minlength=6)[x])


@cuda.jit
def all_atomics(x, ints, floats):
    i = cuda.grid(1)
    if i < x.size:
        v = x[i]
        cuda.atomic.add(ints, 0, v)
        cuda.atomic.sub(ints, 1, v)
        cuda.atomic.and_(ints, 2, v)
        cuda.atomic.or_(ints, 3, v)
        cuda.atomic.xor(ints, 4, v)
        cuda.atomic.max(ints, 5, v)
        cuda.atomic.min(ints, 6, v)
        cuda.atomic.nanmax(floats, 0, float64(v))
        cuda.atomic.nanmin(floats, 1, float64(v))


def test_atomics(rng):
    x = rng.integers(1, 1000, 200).astype(np.int32)
    ints = np.array([0, 0, -1, 0, 0, 0, 2000], np.int32)
    floats = np.array([np.nan, np.nan])
    over(all_atomics, 200, x, ints, floats)
    expected = [
        x.sum(), -x.sum(), np.bitwise_and.reduce(x), np.bitwise_or.reduce(x),
        np.bitwise_xor.reduce(x), x.max(), x.min(),
    ]  # fmt: skip
    assert ints.tolist() == expected and floats.tolist() == [x.max(), x.min()]


@cuda.jit
def tickets(out, counter):
    i = cuda.grid(1)
    out[i] = cuda.atomic.inc(counter, 0, 9)


def test_wrapping_counters():
    out, counter = np.empty(64, np.uint32), np.zeros(1, np.uint32)
    tickets[1, 64](out, counter)
    assert np.bincount(out).tolist() == [7, 7, 7, 7, 6, 6, 6, 6, 6, 6] and counter[0] == 4


@cuda.jit
def claim(owners, keys):
    i = cuda.grid(1)
    if i < keys.size:
        slot = keys[i] % owners.size
        while True:
            old = cuda.atomic.cas(owners, slot, -1, keys[i])
            if old == -1 or old == keys[i]:
                break
            slot = (slot + 1) % owners.size


def test_a_hash_table(rng):
    keys, owners = rng.integers(0, 1000, 60), np.full(128, -1)
    over(claim, 60, owners, keys)
    assert sorted(owners[owners >= 0]) == sorted(set(keys.tolist()))


@cuda.jit
def swap_chain(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = cuda.atomic.exch(x, 0, i)


def test_exchanges():
    x, out = np.full(1, -5), np.empty(40, np.int64)
    over(swap_chain, 40, x, out)
    assert sorted([*out.tolist(), int(x[0])]) == [-5, *range(40)]


@cuda.jit
def reverse_in_shared(x):
    buffer = cuda.shared.array(0, int32)
    t = cuda.threadIdx.x
    buffer[t] = x[cuda.grid(1)]
    cuda.syncthreads()
    x[cuda.grid(1)] = buffer[cuda.blockDim.x - 1 - t]


def test_dynamic_shared_memory(rng):
    x = rng.integers(0, 100, 96).astype(np.int32)
    expected = x.reshape(2, 48)[:, ::-1].ravel()
    reverse_in_shared[2, 48, 0, 48 * 4](x)
    assert np.array_equal(x, expected)


@cuda.jit
def last_block_sums(x, partial, ticket, out):
    part = cuda.shared.array(32, float64)
    is_last = cuda.shared.array(1, int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = x[i] if i < x.size else 0.0
    cuda.syncthreads()
    if t == 0:
        total = 0.0
        for k in range(32):
            total += part[k]
        partial[cuda.blockIdx.x] = total
        cuda.threadfence()
        is_last[0] = cuda.atomic.add(ticket, 0, 1) == cuda.gridDim.x - 1
    cuda.syncthreads()
    if is_last[0] and t == 0:
        total = 0.0
        for k in range(cuda.gridDim.x):
            total += partial[k]
        out[0] = total


def test_the_last_block_sums_up(rng):
    x = rng.normal(size=250)
    partial, ticket, out = np.zeros(8), np.zeros(1, np.int32), np.zeros(1)
    last_block_sums[8, 32](x, partial, ticket, out)
    np.testing.assert_allclose(out[0], x.sum(), rtol=1e-10)


@cuda.jit
def grid_barrier(x, out):
    i = cuda.grid(1)
    grid = cuda.cg.this_grid()
    x[i] = x[i] + 1
    grid.sync()
    out[i] = x[(i + cuda.blockDim.x) % x.size]


def test_barriers_of_the_grid():
    x = cuda.to_device(np.arange(64))
    out = np.empty(64, np.int64)
    grid_barrier[4, 16](x, out)
    assert np.array_equal(out, np.roll(np.arange(64) + 1, -16))


@cuda.jit
def bits(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i, 0] = cuda.popc(x[i])
        out[i, 1] = cuda.clz(x[i])
        out[i, 2] = cuda.ffs(x[i])
        out[i, 3] = cuda.brev(x[i])


def test_functions_of_bits(rng):
    x = rng.integers(1, 2**31, 50).astype(np.uint32)
    out = np.empty((50, 4), np.int64)
    over(bits, 50, x, out)
    for v, row in zip(x.tolist(), out.tolist()):
        text = f"{v:032b}"
        expected = [v.bit_count(), 32 - v.bit_length(), 32 - text.rindex("1"), int(text[::-1], 2)]
        assert row == expected


@cuda.jit
def fused(a, b, c, out):
    i = cuda.grid(1)
    if i < a.size:
        out[i] = cuda.fma(a[i], b[i], c[i]) + cuda.cbrt(a[i]) + cuda.selp(b[i] > 0, 1.0, 2.0)


def test_fma_cbrt_and_selp(rng):
    a, b, c = rng.normal(size=(3, 80))
    out = np.empty(80)
    over(fused, 80, a, b, c, out)
    np.testing.assert_allclose(out, a * b + c + np.cbrt(a) + np.where(b > 0, 1, 2), rtol=1e-10)


@cuda.jit
def phases(x):
    line = cuda.shared.array(64, int64)
    t = cuda.threadIdx.x
    line[t] = x[t]
    for step in range(6):
        cuda.syncthreads()
        value = line[(t + (1 << step)) % 64]
        cuda.syncthreads()
        line[t] += value
    x[t] = line[t]


def test_many_barriers(rng):
    x = rng.integers(0, 1000, 64)
    total = x.sum()
    phases[1, 64](x)
    assert (x == total).all()
