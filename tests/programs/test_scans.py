"""Scans: by doubling, trees, warps, look-back, segments, and of any operator."""

import numpy as np
import pytest

import warpwise as ww


@pytest.mark.parametrize("n", [1, 37, 500])
def test_hillis_steele(load, rng, n):
    x = rng.integers(-100, 100, n).astype(np.float32)
    out = np.zeros_like(x)
    load("scans/hillis_steele.cu")(
        "scan_naive", ww.Out(out), ww.In(x), n, block=n, shared=2 * n * 4
    )
    assert np.array_equal(out, np.cumsum(x) - x)


@pytest.mark.parametrize("n", [1, 255, 3001])
def test_blelloch(load, rng, n):
    x = rng.integers(-1000, 1000, n).astype(np.int32)
    out, threads = np.zeros_like(x), 64
    blocks = -(-n // (2 * threads))
    sums, offsets, shared = np.zeros(blocks, np.int32), np.zeros(blocks, np.int32), 4 * 33 * 4
    program = load("scans/blelloch.cu")
    program(
        "prescan", ww.Out(out), ww.In(x), ww.Out(sums), n, grid=blocks, block=threads, shared=shared
    )
    program(
        "prescan", ww.Out(offsets), ww.In(sums), ww.Pointer(0), blocks, block=threads, shared=shared
    )
    program("uniformAdd", ww.InOut(out), ww.In(offsets), n, grid=blocks, block=threads)
    assert np.array_equal(out, np.cumsum(x) - x)


@pytest.mark.parametrize(
    ("ctype", "dtype"), [("int", "i4"), ("double", "f8"), ("unsigned long long", "u8")]
)
def test_warp_shuffle(load, rng, ctype, dtype):
    x = rng.integers(0, 1000, (5, 333)).astype(dtype)
    out = np.zeros_like(x)
    load("scans/warp_shuffle.cu")(
        f"scan::rows<{ctype}>", ww.In(x), ww.Out(out), 333, grid=5, block=160
    )
    assert np.array_equal(out, np.cumsum(x, axis=1))


@pytest.mark.parametrize(("kernel", "width"), [("scanWarps", 32), ("scanBlocks", 128)])
def test_warp_volatile(load, rng, kernel, width):
    x = rng.integers(0, 2**32, 3 * 128, dtype=np.uint32)
    out = np.zeros_like(x)
    load("scans/warp_volatile.cu")(kernel, ww.Out(out), ww.In(x), grid=3, block=128)
    want = np.cumsum(x.reshape(-1, width), axis=1, dtype=np.uint32).ravel()
    assert np.array_equal(out, want)


@pytest.mark.parametrize("n", [1, 384, 5003])
def test_decoupled_lookback(load, rng, n):
    x = rng.integers(0, 2**32, n, dtype=np.uint32)
    out, blocks = np.zeros_like(x), -(-n // (128 * 3))
    tiles = np.zeros(blocks, np.uint64)
    program = load("scans/decoupled_lookback.cu")
    program.module.get_global("next_ticket").copy_from(np.zeros(1, np.uint32))
    program(
        "inclusive_scan<128, 3>", ww.In(x), ww.Out(out), ww.InOut(tiles), n, grid=blocks, block=128
    )
    assert np.array_equal(out, np.cumsum(x, dtype=np.uint32))


@pytest.mark.parametrize("n", [5, 12_345])
def test_lookback_warp(load, rng, n):
    x = rng.integers(-1000, 1000, n).astype(np.int32)
    out, blocks = np.zeros_like(x), -(-n // 256)
    status, counter = np.zeros(blocks, np.uint64), np.zeros(1, np.int32)
    load("scans/lookback_warp.cu")(
        "scan_tiles", ww.In(x), ww.Out(out), ww.InOut(status), ww.InOut(counter), n,
        grid=blocks, block=256,
    )  # fmt: skip
    assert np.array_equal(out, np.cumsum(x))


@pytest.mark.parametrize("n", [1, 1009])
def test_segmented(load, rng, n):
    x = rng.integers(-50, 50, n).astype(np.int64)
    heads = (rng.random(n) < 0.03).astype(np.uint8)
    out = np.zeros_like(x)
    load("scans/segmented.cu")(
        "segmented_scan<long long, 96>", ww.In(x), ww.In(heads), ww.Out(out), n, block=96
    )
    want = np.concatenate([np.cumsum(part) for part in np.split(x, np.flatnonzero(heads))])
    assert np.array_equal(out, want)


def test_operators_maximum_and_xor(load, rng):
    program = load("scans/operators.cu")
    x = rng.integers(-(2**31), 2**31, 201).astype(np.int32)
    y = x.view(np.uint32).copy()
    want = np.maximum.accumulate(x), np.bitwise_xor.accumulate(y)
    program("scan<int, Max>", ww.InOut(x), block=201, shared=201 * 4)
    program("scan<unsigned, Xor>", ww.InOut(y), block=201, shared=201 * 4)
    assert np.array_equal(x, want[0]) and np.array_equal(y, want[1])


def test_operators_recurrence(load, rng):
    a, b = (rng.uniform(-1, 1, 77).astype(np.float32) for _ in range(2))
    x = np.zeros_like(a)
    load("scans/operators.cu")(
        "recurrence", ww.In(a), ww.In(b), 0.5, ww.Out(x), block=77, shared=77 * 8
    )
    want, value = [], 0.5
    for ai, bi in zip(a, b):
        value = float(ai) * value + float(bi)
        want.append(value)
    np.testing.assert_allclose(x, want, rtol=1e-4, atol=1e-5)
