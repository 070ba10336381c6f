"""Transposes: naive, through shared tiles, padded, diagonal, in place."""

import numpy as np
import pytest

import warpwise as ww

TILED = ["transposeNaive", "transposeCoalesced", "transposeNoBankConflicts", "transposeDiagonal"]


@pytest.mark.parametrize("kernel", TILED)
@pytest.mark.parametrize(("height", "width"), [(1, 1), (33, 70), (97, 97)])
def test_tiles(load, rng, kernel, height, width):
    a = rng.standard_normal((height, width)).astype(np.float32)
    out = np.zeros((width, height), np.float32)
    grid = (-(-width // 32), -(-height // 32))
    load("transposes/tiles.cu")(
        kernel, ww.Out(out), ww.In(a), width, height, grid=grid, block=(32, 8)
    )
    assert np.array_equal(out, a.T)


@pytest.mark.parametrize(
    ("ctype", "dtype"), [("double", "f8"), ("unsigned char", "u1"), ("short", "i2")]
)
def test_in_place(load, rng, ctype, dtype):
    n = 75
    a = rng.integers(0, 100, (n, n)).astype(dtype)
    want = a.T.copy()
    load("transposes/in_place.cu")(
        f"swap_tiles<{ctype}, 16>", ww.InOut(a), n, grid=(5, 5), block=(16, 16)
    )
    assert np.array_equal(a, want)
