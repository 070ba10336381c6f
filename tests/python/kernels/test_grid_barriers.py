"""Grid barriers written by hand, as in kernels from before cooperative launches.

They hang on a GPU that cannot hold all blocks at once; here a block that waits gives its place to
blocks that have not started, whatever the number of cores."""

import numpy as np
import pytest

import warpwise as ww

BLOCKS, THREADS, ROUNDS = 60, 96, 5

COUNTER = """
__device__ void meet(volatile unsigned *arrived, unsigned goal)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd((unsigned *)arrived, 1u);
        while (*arrived < goal) {}
    }
    __syncthreads();
}
"""

# Every block raises a flag of its own; the first one waits for all and answers (Xiao and Feng).
FLAGS = """
__device__ void meet(volatile unsigned *flags, unsigned goal)
{
    unsigned round = goal / gridDim.x;
    volatile unsigned *in = flags + 1, *out = in + gridDim.x;
    __syncthreads();
    if (threadIdx.x == 0) in[blockIdx.x] = round;
    if (blockIdx.x == 0) {
        if (threadIdx.x < gridDim.x) while (in[threadIdx.x] != round) {}
        __syncthreads();
        if (threadIdx.x < gridDim.x) out[threadIdx.x] = round;
    }
    if (threadIdx.x == 0) while (out[blockIdx.x] != round) {}
    __syncthreads();
}
"""

ROUNDS_OF_SUMS = """
__global__ void kernel(unsigned *state, volatile unsigned *values, int rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
    for (int round = 0; round < rounds; ++round) {
        unsigned neighbour = values[(i + blockDim.x) % n];
        meet(state, (2 * round + 1) * gridDim.x);
        values[i] += neighbour;
        meet(state, (2 * round + 2) * gridDim.x);
    }
}
"""


@pytest.mark.parametrize("executor", ["auto", "reference"])
@pytest.mark.parametrize("barrier", [COUNTER, FLAGS], ids=["counter", "flags"])
def test_all_blocks_reach_the_barrier(run, rng, barrier, executor):
    values = rng.integers(0, 2**20, BLOCKS * THREADS, dtype=np.uint32)
    want = values.copy()
    for _ in range(ROUNDS):
        want += np.roll(want, -THREADS)
    state = np.zeros(1 + 2 * BLOCKS, np.uint32)
    run(
        barrier + ROUNDS_OF_SUMS, ww.InOut(state), ww.InOut(values), ROUNDS,
        grid=BLOCKS, block=THREADS, options=[f"--warpwise-executor={executor}"],
    )  # fmt: skip
    assert np.array_equal(values, want)


def test_the_first_block_waits_for_the_last(run):
    out = np.zeros(500, np.int32)
    flag = np.zeros(1, np.int32)
    run(
        """__global__ void kernel(volatile int *flag, int *out) {
            if (blockIdx.x == gridDim.x - 1) *flag = 7;
            while (*flag == 0) {}
            out[blockIdx.x] = *flag;
        }""",
        ww.InOut(flag), ww.Out(out), grid=500, block=1,
    )  # fmt: skip
    assert (out == 7).all()


def test_output_of_waiting_blocks_is_in_their_order(run, capsys):
    state = np.zeros(1, np.uint32)
    run(
        COUNTER + """
        __global__ void kernel(unsigned *state) {
            if (threadIdx.x == 0) printf("%d came\\n", blockIdx.x);
            meet(state, gridDim.x);
            if (threadIdx.x == 0) printf("%d went\\n", blockIdx.x);
        }""",
        ww.InOut(state), grid=20, block=32,
    )  # fmt: skip
    want = [f"{block} {what}" for block in range(20) for what in ("came", "went")]
    assert capsys.readouterr().out.split("\n")[:-1] == want
