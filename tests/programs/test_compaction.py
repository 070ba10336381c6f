"""Compaction: by scans, ballots, shared counters; run lengths."""

import numpy as np
import pytest

import warpwise as ww


@pytest.mark.parametrize("predicate", ["Multiple", "Between"])
def test_by_scan(load, rng, predicate):
    n = 1203
    x = rng.integers(-500, 500, n).astype(np.int32)
    flags, places = np.zeros(n, np.int32), np.zeros(n + 1, np.int32)
    if predicate == "Multiple":
        argument, keep = np.zeros((), [("of", np.int32)]), x % 7 == 0
        argument["of"] = 7
    else:
        argument = np.zeros((), [("low", np.int32), ("high", np.int32)])
        argument["low"], argument["high"], keep = -100, 250, (x >= -100) & (x <= 250)
    program = load("compaction/by_scan.cu")
    program(f"mark<{predicate}>", ww.In(x), ww.Out(flags), n, argument[()], grid=13, block=96)
    program("exclusive_scan", ww.In(flags), ww.Out(places), n, block=80, shared=80 * 4)
    out = np.zeros(places[-1], np.int32)
    program("scatter", ww.In(x), ww.In(flags), ww.In(places), ww.Out(out), n, grid=13, block=96)
    assert np.array_equal(out, x[keep])


def test_by_ballot(load, rng):
    n, block = 1003, 160
    x = rng.standard_normal(n).astype(np.float32)
    out, count = np.zeros(n, np.float32), np.zeros(1, np.int32)
    load("compaction/by_ballot.cu")(
        "compact", ww.In(x), ww.InOut(out), ww.InOut(count), n, 0.5, grid=7, block=block
    )
    got = out[: count[0]].tolist()
    parts = [x[i : i + block] for i in range(0, n, block)]
    kept = [part[part > 0.5].tolist() for part in parts]
    # Blocks come in any order, each whole.
    assert sorted(got) == sorted(x[x > 0.5].tolist())
    for part in filter(None, kept):
        at = got.index(part[0])
        assert got[at : at + len(part)] == part


@pytest.mark.parametrize("kernel", ["filter_k", "filter_by_mask", "filter_shared_k"])
def test_aggregated(load, rng, kernel):
    n = 1111
    x = rng.integers(-50, 50, n).astype(np.int32)
    out, count = np.zeros(n, np.int32), np.zeros(1, np.int32)
    load("compaction/aggregated.cu")(
        kernel, ww.InOut(out), ww.InOut(count), ww.In(x), n, grid=12, block=96
    )
    assert np.array_equal(np.sort(out[: count[0]]), np.sort(x[x > 0]))


@pytest.mark.parametrize("n", [1, 128, 1005])
def test_run_lengths(load, rng, n):
    x = np.repeat(rng.integers(0, 5, n), rng.integers(1, 9, n))[:n].astype(np.uint8)
    symbols, ends = np.zeros(n, np.uint8), np.zeros(n, np.int32)
    runs, back = np.zeros(1, np.int32), np.zeros(n, np.uint8)
    program = load("compaction/run_lengths.cu")
    program("encode", ww.In(x), n, ww.InOut(symbols), ww.InOut(ends), ww.Out(runs), block=128)
    want = np.append(np.flatnonzero(np.diff(x.astype(int))) + 1, n)
    assert np.array_equal(ends[: runs[0]], want)
    assert np.array_equal(symbols[: runs[0]], x[want - 1])
    program("decode", ww.In(symbols), ww.In(ends), int(runs[0]), ww.Out(back), grid=3, block=64)
    assert np.array_equal(back, x)
