"""Barriers: the same results whether threads, gangs on fibers or regions of the code reach them."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import warpwise as ww

# "known": compiled for the shape of its blocks, where small blocks are one gang.
EXECUTORS = ["reference", "gang", "regions", "known"]
SHAPES = [1, 2, 31, 33, 100, 256, 257, 511, 512, 1000, 1024]
SHAPES_2D = [(1, 7), (16, 16), (7, 33), (32, 32), (33, 31), (1024, 1), (1, 1024)]
SHAPES_3D = [(4, 4, 4), (3, 5, 7), (16, 4, 16), (1, 1, 64), (8, 8, 16)]

LINEAR = """
__device__ unsigned linear() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ unsigned threads() { return blockDim.x * blockDim.y * blockDim.z; }
"""


def compiled(body: str, executor: str, block: Any, parameters: str) -> ww.Kernel:
    options = [f"--warpwise-executor={'regions' if executor == 'known' else executor}"]
    if executor == "known":
        shape = (block,) if isinstance(block, int) else block
        options.append("--warpwise-block=" + ",".join(map(str, shape)))
    source = f'{LINEAR}\nextern "C" __global__ void k({parameters}) {{ {body} }}'
    return ww.SourceModule(source, options=options)["k"]


def results(body: str, executor: str, block: Any, grid: int = 3) -> np.ndarray:
    """What `body` leaves in `out`, a word for each thread."""
    got = np.zeros((grid, math.prod(np.atleast_1d(block))), np.int32)
    kernel = compiled(
        f"int* out = of_all + blockIdx.x * threads(); {body}", executor, block, "int* of_all"
    )
    kernel(ww.InOut(got), grid=grid, block=block)
    return got


ROTATIONS = """
    __shared__ int ring[1024];
    int t = linear(), n = threads(), sum = 0;
    ring[t] = t + blockIdx.x;
    for (int turn = 0; turn < 5; ++turn) {
        __syncthreads();
        int next = ring[(t + 1) % n];
        __syncthreads();
        ring[t] = next * 3 + turn;
        sum ^= next;
    }
    out[t] = sum;
"""


def rotations(threads: int) -> np.ndarray:
    ring = np.arange(threads, dtype=np.int32) + np.arange(3, dtype=np.int32)[:, None]
    total = np.zeros_like(ring)
    for turn in range(5):
        following = np.roll(ring, -1, axis=1)
        ring = following * 3 + turn
        total ^= following
    return total


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("block", [*SHAPES, *SHAPES_2D, *SHAPES_3D], ids=str)
def test_blocks_of_every_shape_synchronise_in_a_loop(block: Any, executor: str) -> None:
    expected = rotations(math.prod(np.atleast_1d(block)))
    np.testing.assert_array_equal(results(ROTATIONS, executor, block), expected)


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("block", [33, 256, 1000, (32, 32)], ids=str)
def test_votes_count_all_remaining_threads(block: Any, executor: str) -> None:
    body = """
        int t = linear();
        if (t % 7 == 6) return;
        int odd = __syncthreads_count(t & 1);
        int all = __syncthreads_and(t >= 0), some = __syncthreads_or(t == 5);
        int none = __syncthreads_or(t == 6), not_all = __syncthreads_and(t != 3);
        out[t] = odd * 16 + all + 2 * some + 4 * none + 8 * not_all;
    """
    t = np.arange(math.prod(np.atleast_1d(block)))
    stays = t % 7 != 6
    expected = np.where(stays, np.count_nonzero(stays & (t % 2 == 1)) * 16 + 1 + 2, 0)
    np.testing.assert_array_equal(results(body, executor, block), [expected] * 3)


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("block", [64, 512, 1024])
def test_threads_that_exit_have_read_what_others_change_after_a_barrier(
    block: int, executor: str
) -> None:
    turns = "".join(
        f"""
        if (t % 9 == {turn}) {{ out[t] = turn; return; }}
        __syncthreads();
        if (t == 0) turn++;
        __syncthreads();
        """
        for turn in range(1, 9)
    )
    body = f"""
        __shared__ int turn;
        int t = linear();
        if (t == 0) turn = 1;
        __syncthreads();
        {turns}
    """
    np.testing.assert_array_equal(results(body, executor, block), [np.arange(block) % 9] * 3)


LEAVES_A_LOOP = """
    __shared__ int left;
    int t = linear();
    if (t == 0) left = 0;
    __syncthreads();
    for (int turn = 1; turn < 9; ++turn) {
        if (t % 9 == turn) { out[t] = turn; return; }
        __syncthreads();
        atomicAdd(&left, 1);
        __syncthreads();
        if (t == 0) out[0] = left;
        __syncthreads();
    }
"""


@pytest.mark.parametrize("block", [64, 512, 1024])
def test_threads_leave_a_loop_before_each_of_its_barriers(block: int) -> None:
    t = np.arange(block)
    expected = t % 9
    expected[0] = sum(np.count_nonzero((t % 9 == 0) | (t % 9 > turn)) for turn in range(1, 9))
    np.testing.assert_array_equal(results(LEAVES_A_LOOP, "auto", block), [expected] * 3)


@pytest.mark.cpu_only("its executors")
def test_gangs_refuse_threads_with_work_after_a_loop_with_barriers() -> None:
    body = f"int* out = of_all; {LEAVES_A_LOOP}"
    with pytest.raises(ww.UnsupportedError, match="leave a loop with barriers before others"):
        compiled(body, "gang", 64, "int* of_all")


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("block", [96, 512, 1024])
def test_warps_may_wait_at_different_barriers(block: int, executor: str) -> None:
    body = """
        __shared__ int sums[32];
        int t = linear(), warp = t / 32, sum = t;
        for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
        if (warp % 2) { sums[warp] = sum; __syncthreads(); }
        else { sums[warp] = -sum; __syncthreads(); }
        out[t] = sums[(warp + 1) % (threads() / 32)];
    """
    warps = np.arange(block).reshape(-1, 32).sum(axis=1) * np.where(
        np.arange(block // 32) % 2, 1, -1
    )
    expected = np.repeat(np.roll(warps, -1), 32)
    np.testing.assert_array_equal(results(body, executor, block), [expected] * 3)


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("block", [200, 1024])
def test_local_arrays_outlive_barriers(block: int, executor: str) -> None:
    body = """
        __shared__ int turns;
        int t = linear(), own[8];
        for (int i = 0; i < 8; ++i) own[i] = t * i;
        if (t == 0) turns = 3;
        __syncthreads();
        for (int i = 0; i < turns; ++i) {
            own[(t + i) % 8] += own[(t + i + 1) % 8];
            __syncthreads();
        }
        out[t] = own[t % 8] + own[(t + 5) % 8];
    """
    expected = np.zeros(block, np.int32)
    for t in range(block):
        own = [t * i for i in range(8)]
        for i in range(3):
            own[(t + i) % 8] += own[(t + i + 1) % 8]
        expected[t] = own[t % 8] + own[(t + 5) % 8]
    np.testing.assert_array_equal(results(body, executor, block), [expected] * 3)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_block_does_not_see_the_barriers_of_the_one_before(executor: str) -> None:
    body = """
        __shared__ int box[512];
        int t = linear();
        box[t] = t;
        __syncthreads();
        if (blockIdx.x % 2 && t >= 256) return;
        int other = box[511 - t];
        __syncthreads();
        box[t] = other + blockIdx.x;
        __syncthreads();
        out[t] = box[t ^ 1];
    """
    t = np.arange(512)
    even = 511 - (t ^ 1)
    got = results(body, executor, 512, grid=64)
    for block in range(64):
        expected = np.where((block % 2 == 0) | (t < 256), even + block, 0)
        np.testing.assert_array_equal(got[block], expected)


@pytest.mark.cpu_only("its executors")
def test_kernels_report_their_executor() -> None:
    body = "__shared__ int x; if (linear() == 0) x = 1; __syncthreads(); *p = x;"
    for executor in ("reference", "gang", "regions"):
        assert compiled(body, executor, 1, "int* p").executor == executor
    assert compiled(body, "auto", 1, "int* p").executor == "regions"
    assert compiled("*p = 1;", "regions", 1, "int* p").executor == "gang"


@pytest.mark.cpu_only("its executors")
def test_regions_refuse_what_needs_fibers() -> None:
    body = 'asm volatile("bar.sync 1, 64;" ::: "memory");'
    with pytest.raises(ww.UnsupportedError, match=r"cannot run on executor 'regions'.*barriers"):
        compiled(body, "regions", 1, "int* p")
    assert compiled(body, "auto", 1, "int* p").executor == "gang"


@pytest.mark.cpu_only("its executors")
def test_the_environment_chooses_regions() -> None:
    script = """
import warpwise as ww
with ww.Device("cpu"):
    k = ww.SourceModule("__global__ void k(int* p) { __syncthreads(); *p = 1; }")["k"]
    print(k.executor)
"""
    environment = {**os.environ, "WARPWISE_EXECUTOR": "regions"}
    printed = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    ).stdout
    assert printed.strip() == "regions"


# Without gathers scattered loads go over an array of lanes, which the update after the barrier would
# fill with the same values again, and does not.
LOADED_ONE_BY_ONE = '''
import sys
import numpy as np
import warpwise as ww

SOURCE = """__global__ void kernel(const unsigned *values, unsigned *out) {
    __shared__ unsigned tally[16];
    unsigned t = threadIdx.x, divisor = values[t], value = values[t * 7 & 511];
    if (t < 16) tally[t] = 0;
    __syncthreads();
    atomicAdd(&tally[t % divisor & 15], value);
    __syncthreads();
    if (t < 16) out[t] = tally[t];
}"""
values, out = np.arange(3, 515, dtype=np.uint32), np.zeros(16, np.uint32)
module = ww.SourceModule(SOURCE, options=["--warpwise-executor=" + sys.argv[1]])
module["kernel"](ww.In(values), ww.InOut(out), grid=1, block=16)
t = np.arange(16)
want = np.bincount(t % values[t] & 15, values[t * 7 & 511], 16)
assert np.array_equal(out, want.astype(np.uint32)), out
'''


@pytest.mark.cpu_only("its executors")
@pytest.mark.parametrize("executor", ["reference", "auto"])
def test_values_loaded_lane_by_lane_survive_the_barrier(executor):
    environment = os.environ | {"WARPWISE_CPU": "x86-64-v3"}
    command = [sys.executable, "-c", LOADED_ONE_BY_ONE, executor]
    subprocess.run(command, check=True, env=environment)


@pytest.mark.cpu_only("its executors")
@pytest.mark.parametrize("executor", ["regions", "reference"])
def test_barriers_in_functions_that_are_not_inlined(executor):
    module = ww.SourceModule(
        """__device__ __noinline__ void step(float *s) {
            const float next = s[(threadIdx.x + 1) % blockDim.x];
            __syncthreads();
            s[threadIdx.x] += next;
            __syncthreads();
        }
        __global__ void kernel(float *x) {
            __shared__ float s[128];
            s[threadIdx.x] = x[threadIdx.x];
            __syncthreads();
            step(s);
            if (x[0] > 0) step(s);
            x[threadIdx.x] = s[threadIdx.x];
        }""",
        options=[f"--warpwise-executor={executor}"],
    )
    kernel = module["kernel"]
    assert kernel.executor == executor
    x = np.arange(1, 129, dtype=np.float32)
    want = x + np.roll(x, -1)
    want = want + np.roll(want, -1)
    kernel(ww.InOut(x), grid=1, block=128)
    np.testing.assert_array_equal(x, want)
