"""threadIdx, blockIdx, blockDim and gridDim in one to three dimensions."""

import itertools

import numpy as np
import pytest

import warpwise as ww

IDS = """
__global__ void kernel(int *out) {
    int bx = gridDim.x, by = gridDim.y, tx = blockDim.x, ty = blockDim.y, tz = blockDim.z;
    int block = blockIdx.x + bx * (blockIdx.y + by * blockIdx.z);
    int thread = threadIdx.x + tx * (threadIdx.y + ty * threadIdx.z);
    int *row = out + 7 * (block * tx * ty * tz + thread);
    row[0] = threadIdx.x; row[1] = threadIdx.y; row[2] = threadIdx.z;
    row[3] = blockIdx.x;  row[4] = blockIdx.y;  row[5] = blockIdx.z;
    row[6] = warpSize;
}
"""


@pytest.mark.parametrize(
    ("grid", "block"),
    [(1, 1), (3, 7), ((2, 3), (5, 2)), ((2, 1, 3), (4, 3, 2)), ((1, 1, 1), (1, 1, 64)), (5, 1024)],
)
def test_every_thread_knows_its_place(run, grid, block):
    def extents(value):
        return (*np.atleast_1d(value).tolist(), 1, 1)[:3]

    (gx, gy, gz), (bx, by, bz) = extents(grid), extents(block)
    out = np.full((gx * gy * gz * bx * by * bz, 7), -1, np.int32)
    run(IDS, ww.Out(out), grid=grid, block=block)
    want = [
        (x, y, z, i, j, k, 32)
        for k, j, i in itertools.product(range(gz), range(gy), range(gx))
        for z, y, x in itertools.product(range(bz), range(by), range(bx))
    ]
    assert np.array_equal(out, want)


def test_a_grid_of_many_blocks_runs_each_once(run):
    hits = np.zeros(100_003, np.uint8)
    run(
        "__global__ void kernel(unsigned char *hits) { hits[blockIdx.x] += 1; }",
        ww.InOut(hits),
        grid=hits.size,
    )
    assert (hits == 1).all()


def test_unsigned_index_arithmetic_wraps_as_on_a_gpu(run):
    out = np.zeros(2, np.uint32)
    run(
        """__global__ void kernel(unsigned *out) {
            unsigned i = threadIdx.x - 1;
            out[threadIdx.x] = i;
        }""",
        ww.Out(out),
        block=2,
    )
    assert out.tolist() == [2**32 - 1, 0]
