"""How blocks of several rows are cut into threads that run as one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import warpwise as ww

SOURCE = """
__global__ void add(const float *x, const float *y, float *z, int width) {
    int i = (blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x;
    z[i] = x[i] + y[i];
}
__global__ void add_often(const float *x, const float *y, float *z, int width) {
    int i = (blockIdx.y * blockDim.y + threadIdx.y) * width + blockIdx.x * blockDim.x + threadIdx.x;
    float sum = x[i];
    for (int k = 0; k < width; ++k) sum += y[i] * k;
    z[i] = sum;
}
"""
BLOCKS = [(32, 8), (16, 16), (128, 2), (64, 3), (16, 6), (48, 4), (256, 1), (32, 12)]
pytestmark = pytest.mark.cpu_only("gangs are the CPU device's")


def full_form(name: str, block: tuple[int, int]) -> ww.KernelForm:
    kernel = ww.SourceModule(SOURCE, options=["--warpwise-executor=gang"])[name]
    kernel.compile_fully(block)
    return kernel.report().forms[-1]


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("name", ["add", "add_often"])
def test_no_tile_of_a_known_block_lacks_threads(name: str, block: tuple[int, int]) -> None:
    form = full_form(name, block)
    assert (block[0] % form.columns, block[1] % form.rows) == (0, 0)


def test_a_stream_is_read_row_by_row() -> None:
    form = full_form("add", (32, 8))
    assert (form.columns, form.rows) == (32, 1)


def test_a_loop_shares_its_count_among_rows() -> None:
    assert full_form("add_often", (32, 8)).rows > 1


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("name", ["add", "add_often"])
def test_every_thread_of_a_tile_runs_once(name: str, block: tuple[int, int]) -> None:
    width, height = 2 * block[0], 3 * block[1]
    rng = np.random.default_rng()
    x, y = rng.integers(-9, 9, (2, height, width)).astype(np.float32)
    kernel = ww.SourceModule(SOURCE, options=["--warpwise-executor=gang"])[name]
    kernel.compile_fully(block)
    z = np.zeros_like(x)
    kernel(ww.In(x), ww.In(y), ww.Out(z), width, grid=(2, 3), block=block)
    factor = 1 if name == "add" else width * (width - 1) // 2
    np.testing.assert_array_equal(z, x + factor * y)


COLUMNS = '''
import numpy as np

import warpwise as ww

SOURCE = """
__global__ void kernel(const TYPE *x, const TYPE *table, TYPE *z, int first) {
    int column = threadIdx.x, row = threadIdx.y, i = row * blockDim.x + column;
    if (row >= first && x[i] > 1) z[i] = table[column * 11] + table[column * 3 + first];
}"""

for kind, c in ((np.float32, "float"), (np.int8, "signed char"), (np.int64, "long long")):
    rng = np.random.default_rng(3)
    for block in ((16, 16), (32, 8), (24, 4), (64, 2)):
        for options in ([], ["--warpwise-block={},{}".format(*block)]):
            kernel = ww.SourceModule(SOURCE.replace("TYPE", c), options=options)["kernel"]
            for first in (0, 1, 3):
                x = rng.integers(0, 4, (block[1], block[0])).astype(kind)
                table = rng.integers(-9, 9, 1000).astype(kind)
                z = np.zeros_like(x)
                kernel(ww.In(x), ww.In(table), ww.InOut(z), first, grid=1, block=block)
                column = np.arange(block[0])
                want = np.where(x > 1, table[column * 11] + table[column * 3 + first], 0)
                want[:first] = 0
                np.testing.assert_array_equal(z, want.astype(kind))
'''


def test_rows_share_what_they_read_by_columns(at_each_level: Callable[[str], None]) -> None:
    """Also where the first row has no thread that reads it."""
    at_each_level(COLUMNS)
