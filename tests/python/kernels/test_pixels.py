"""Pixels of three bytes, one or several a thread."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.cpu_only("levels of processors")

PROGRAM = '''
import numpy as np

import warpwise as ww

SOURCE = """
__global__ void turn(const uchar3 *x, uchar3 *z, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar3 p = x[i];
    z[i] = make_uchar3(p.z, p.x + 3 * p.y, p.y);
}
__global__ void grey(const unsigned char *x, unsigned char *z, int n)
{
    int start = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int k = 0; k < 4; ++k)
        if (start + k < n) {
            const unsigned char *p = x + 3 * (start + k);
            z[start + k] = (77 * p[0] + 150 * p[1] + 29 * p[2]) >> 8;
        }
}"""
rng = np.random.default_rng(5)
for n in (4096, 4095, 1000, 3):
    x = rng.integers(0, 256, (n, 3), dtype=np.uint8)
    turned = np.stack([x[:, 2], x[:, 0] + 3 * x[:, 1], x[:, 1]], axis=1)
    grey = (x.astype(np.int64) @ np.array([77, 150, 29])) >> 8
    for block in (256, 64, 96, 32):
        for options in ([], [f"--warpwise-block={block}"]):
            module = ww.SourceModule(SOURCE, options=options)
            z = np.zeros_like(x)
            module["turn"](ww.In(x), ww.InOut(z), n, grid=-(-n // block), block=block)
            np.testing.assert_array_equal(z, turned)
            z = np.zeros(n, np.uint8)
            module["grey"](ww.In(x), ww.InOut(z), n, grid=-(-n // (4 * block)), block=block)
            np.testing.assert_array_equal(z, grey)
'''


def test_agree_with_numpy(at_each_level: Callable[[str], None]) -> None:
    at_each_level(PROGRAM)
