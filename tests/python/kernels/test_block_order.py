"""In which order the blocks of a grid start: of kernels that may wait for other blocks, in that of
their index; of others in any, and the error of several blocks that fail is the lowest one's."""

import numpy as np
import pytest

import warpwise as ww

pytestmark = pytest.mark.cpu_only("a GPU starts blocks as it likes")

BLOCKS = 1000

# Takes long enough for several workers.
WAITS = """
__global__ void kernel(int *tickets, volatile int *state)
{
    if (threadIdx.x == 0) tickets[blockIdx.x] = atomicAdd((int *)state, 1);
    while (state[1] != 0) {}
    for (int i = 0; i < 200; ++i) if (state[2 + i % 2] != 0) break;
}
"""

FAILS = """
__global__ void kernel(int *p, const float *x, int n, int first, int second)
{
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i] * threadIdx.x;
    if (sum < 0 || blockIdx.x == first || blockIdx.x == second) *p = 1;
}
"""


def test_blocks_that_may_wait_for_others_start_in_order():
    kernel = ww.SourceModule(WAITS)["kernel"]
    for _ in range(4):
        tickets, state = np.zeros(BLOCKS, np.int32), np.zeros(4, np.int32)
        kernel(ww.Out(tickets), ww.InOut(state), grid=BLOCKS, block=64)
        assert state[0] == BLOCKS
        # Where a thread is interrupted, the blocks that it has claimed start late.
        assert np.median(np.abs(tickets - np.arange(BLOCKS))) < BLOCKS / 20


@pytest.mark.parametrize("pair", [(300, 700), (999, 1), (500, 499), (10, 990)])
def test_the_lowest_block_that_fails_is_named(pair):
    kernel = ww.SourceModule(FAILS)["kernel"]
    x = ww.to_device(np.ones(2000, np.float32))
    for _ in range(5):
        with pytest.raises(ww.LaunchError) as caught:
            kernel(None, x, 2000, *pair, grid=BLOCKS, block=64)
            ww.Device().synchronize()
        assert caught.value.block == (min(pair), 0, 0)
