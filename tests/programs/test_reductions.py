"""Reductions of every published kind."""

import numpy as np
import pytest
import scipy.stats

import warpwise as ww

HARRIS = ["reduce0<{}>", "reduce1<{}>", "reduce2<{}>", "reduce3<{}>", "reduce4<{}>",
          "reduce5<{}, 128>", "reduce6<{}, 128, false>"]  # fmt: skip


@pytest.mark.parametrize(("ctype", "dtype"), [("int", np.int32), ("double", np.float64)])
@pytest.mark.parametrize("kernel", HARRIS)
def test_harris(load, rng, kernel, ctype, dtype):
    n = 2501
    x = rng.integers(-1000, 1000, n).astype(dtype)
    out = np.zeros(20, dtype)
    load("reductions/harris.cu")(
        kernel.format(ctype), ww.In(x), ww.Out(out), n, grid=20, block=128, shared=128 * x.itemsize
    )
    assert out.sum() == x.sum()


def test_shuffle(load, rng):
    n = 5003
    x = rng.standard_normal(n).astype(np.float32)
    parts, out = np.zeros(5, np.float32), np.zeros(1, np.float32)
    program = load("reductions/shuffle.cu")
    program("deviceReduceKernel", ww.In(x), ww.Out(parts), n, grid=5, block=192)
    program("deviceReduceVector4", ww.In(x), ww.InOut(out), n, grid=5, block=192)
    want = x.sum(dtype=np.float64)
    np.testing.assert_allclose([parts.sum(), out[0]], [want, want], rtol=1e-4, atol=1e-3)


def test_last_block(load, rng):
    program, partial, result = load("reductions/last_block.cu"), np.zeros(9), np.zeros(1)
    for n in (1, 1000, 3333):
        x = rng.standard_normal(n).astype(np.float32)
        program("norm2<128>", ww.In(x), n, ww.InOut(partial), ww.Out(result), grid=9, block=128)
        np.testing.assert_allclose(result[0], np.linalg.norm(x.astype(np.float64)), rtol=1e-12)


@pytest.mark.parametrize("option", ["-DUSE_HARDWARE", "-DFORCE_CAS"])
def test_dot_cas(load, rng, option):
    n = 1001
    a, b = rng.standard_normal(n), rng.standard_normal(n)
    c = np.zeros(1)
    program = load("reductions/dot_cas.cu", option)
    program("dot", ww.In(a), ww.In(b), ww.InOut(c), n, grid=6, block=64)
    np.testing.assert_allclose(c[0], a @ b, rtol=1e-10, atol=1e-10)
    x, best = a.astype(np.float32), np.full(1, -np.inf, np.float32)
    program("max_of", ww.In(x), n, ww.InOut(best), grid=16, block=64)
    assert best[0] == x.max()


def test_groups(load, rng):
    n = 1501
    x = rng.integers(-(10**6), 10**6, n).astype(np.int32)
    program = load("reductions/groups.cu")
    for tile in (4, 16, 32):
        out = np.zeros(1, np.int32)
        program(f"sum_tiles<{tile}>", ww.In(x), ww.InOut(out), n, grid=3, block=96)
        assert out[0] == x.sum()
    sums = np.zeros(24, np.int32)
    program("sum_block", ww.In(x), ww.Out(sums), n, grid=24, block=64, shared=64 * 4)
    assert np.array_equal(sums, np.pad(x, (0, 24 * 64 - n)).reshape(24, 64).sum(1))
    out = np.array([2**31 - 1, -(2**31), 0], np.int32)
    program("extremes", ww.In(x), ww.InOut(out), n, block=160)
    assert out.tolist() == [x.min(), x.max(), np.bitwise_xor.reduce(x)]


def test_argmin(load, rng):
    x = rng.integers(-40, 40, (7, 403)).astype(np.float32)
    out = np.zeros(7, np.dtype([("value", np.float32), ("index", np.int32)]))
    best = np.full(1, 2**64 - 1, np.uint64)
    program = load("reductions/argmin.cu")
    program("argmin_rows", ww.In(x), 403, ww.Out(out), grid=7, block=128)
    program("argmin_packed", ww.In(x), x.size, ww.InOut(best), grid=4, block=100)
    assert np.array_equal(out["index"], x.argmin(1)) and np.array_equal(out["value"], x.min(1))
    assert int(best[0]) & 0xFFFFFFFF == x.argmin()


@pytest.mark.parametrize("n", [160, 4001])
def test_statistics(load, rng, n):
    x = rng.gamma(2.0, 3.0, n).astype(np.float32)
    result = np.zeros(1, [(name, np.float64) for name in ("n", "mean", "m2", "m3", "m4")])
    load("reductions/statistics.cu")("moments", ww.In(x), n, ww.Out(result), block=160)
    exact = x.astype(np.float64)
    out = result[0]
    assert out["n"] == n
    np.testing.assert_allclose(out["mean"], exact.mean(), rtol=1e-10)
    for order, name in ((2, "m2"), (3, "m3"), (4, "m4")):
        np.testing.assert_allclose(out[name], n * scipy.stats.moment(exact, order), rtol=1e-9)


def test_columns(load, rng):
    rows, cols = 45, 71
    a = rng.standard_normal((rows, cols)).astype(np.float32)
    down, along = np.zeros(cols, np.float32), np.zeros(rows, np.float32)
    count = np.zeros(rows, np.int32)
    program = load("reductions/columns.cu")
    program("column_sums", ww.In(a), ww.Out(down), rows, cols, grid=3, block=(32, 8))
    program("row_sums", ww.In(a), ww.Out(along), rows, cols, grid=12, block=(32, 4))
    program("positives", ww.In(a), ww.Out(count), cols, grid=rows, block=40)
    np.testing.assert_allclose(down, a.sum(0, dtype=np.float64), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(along, a.sum(1, dtype=np.float64), rtol=1e-4, atol=1e-4)
    assert np.array_equal(count, (a > 0).sum(1))
