"""Histograms: global, private to a block, a warp or a thread, aggregated, weighted."""

import numpy as np
import pytest

import warpwise as ww


@pytest.mark.parametrize("kernel", ["histogram_global", "histo_kernel", "histogram_per_warp<3>"])
def test_privatised(load, rng, kernel):
    data = rng.normal(128, 30, 4 * 1501).clip(0, 255).astype(np.uint8)
    bins = np.zeros(256, np.uint32)
    program = load("histograms/privatised.cu")
    if kernel == "histo_kernel":
        program(kernel, ww.In(data), data.size, ww.InOut(bins), grid=3, block=256)
    elif kernel == "histogram_global":
        program(kernel, ww.In(data), ww.InOut(bins), data.size, grid=3, block=100)
    else:
        quads = data.reshape(-1, 4)
        program(kernel, ww.In(quads), ww.InOut(bins), len(quads), grid=3, block=96)
    assert np.array_equal(bins, np.bincount(data, minlength=256))


def test_bytes_per_thread(load, rng):
    data = rng.integers(0, 2**32, 5 * 64 * 7 + 13, dtype=np.uint32)
    partial = np.zeros((5, 64), np.uint32)
    load("histograms/bytes_per_thread.cu")(
        "histogram64", ww.Out(partial), ww.In(data), data.size, grid=5, block=64
    )
    assert np.array_equal(partial.sum(0), np.bincount(data.view(np.uint8) >> 2, minlength=64))


@pytest.mark.parametrize("kernel", ["by_match", "by_leaders"])
def test_warp_aggregated(load, rng, kernel):
    n, bins = 2003, 37
    x = rng.standard_normal(n).astype(np.float32)
    count = np.zeros(bins, np.int32)
    load("histograms/warp_aggregated.cu")(
        kernel, ww.In(x), n, -3.0, bins / 6, bins, ww.InOut(count),
        grid=4, block=96, shared=bins * 4,
    )  # fmt: skip
    place = np.floor((x - np.float32(-3)) * np.float32(bins / 6)).astype(int).clip(0, bins - 1)
    assert np.array_equal(count, np.bincount(place, minlength=bins))


def test_weighted2d(load, rng):
    n, nx, ny = 1201, 13, 9
    points = rng.uniform(-1.25, 1.25, (n, 2)).astype(np.float32)
    weights = rng.integers(1, 9, n).astype(np.float32)
    grid = np.zeros((), [("low", "f4", 2), ("cell", "f4", 2), ("size", "i4", 2)])
    grid["low"], grid["cell"], grid["size"] = -1, (0.15625, 0.21875), (nx, ny)
    cells, outside = np.zeros((ny, nx), np.float32), np.zeros(1, np.uint64)
    load("histograms/weighted2d.cu")(
        "deposit", ww.In(points), ww.In(weights), n, grid[()], ww.InOut(cells), ww.InOut(outside),
        grid=13, block=96,
    )  # fmt: skip
    i, j = np.floor((points - np.float32(-1)) / grid["cell"]).astype(int).T
    inside = (i >= 0) & (j >= 0) & (i < nx) & (j < ny)
    want = np.zeros((ny, nx))
    np.add.at(want, (j[inside], i[inside]), weights[inside])
    assert np.array_equal(cells, want) and outside[0] == n - inside.sum()
