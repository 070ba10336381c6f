"""A fault of one thread in the middle of a block is reported in the same words by every executor."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

pytestmark = pytest.mark.cpu_only("its executors")

EXECUTORS = ["reference", "gang", "regions", "known"]
BLOCK, GRID = 256, 4
WHERE = "in block (2, 0, 0), thread (200, 0, 0)"

# What thread 200 of block 2 does between two barriers, and what the error says of it.
MISTAKES = {
    "write": ("*nothing = 1;", "write of invalid address 0x0"),
    "read": ("out[0] = *(int*)(1ull << 46);", "read of invalid address 0x400000000000"),
    "trap": ("__trap();", "trap (__trap() was called)"),
    "assert": (
        "assert(threadIdx.x == 0);",
        "assertion 'threadIdx.x == 0' failed at broken.cu:11 in ",
    ),
    "recursion": (
        "out[0] = down(0, out);",
        "the stack of a thread is exhausted (endless recursion or too large local arrays)",
    ),
    "foreign mask": (
        "__syncwarp(1);",
        "lane 8 calls a warp operation whose mask 0x00000001 does not name it",
    ),
}

SOURCE = """#include <assert.h>
__device__ __noinline__ int down(int x, int* p) { int r = down(x + 1, p); p[0] = r; return r + x; }
extern "C" __global__ void broken(int* out, int* nothing)
{
    __shared__ int cells[256];
    int t = threadIdx.x;
    cells[t] = t;
    __syncthreads();
    out[blockIdx.x * 256 + t] = cells[255 - t];
    if (blockIdx.x == 2 && t == 200) {
        MISTAKE
    }
    __syncthreads();
    out[blockIdx.x * 256 + t] += cells[t ^ 1];
}
extern "C" __global__ void sound(int* out)
{
    __shared__ int cells[256];
    cells[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = cells[255 - threadIdx.x];
}
"""


def compiled(source: str, executor: str) -> ww.SourceModule:
    options = [f"--warpwise-executor={'regions' if executor == 'known' else executor}"]
    if executor == "known":
        options.append(f"--warpwise-block={BLOCK}")
    return ww.SourceModule(source, options=options, name="broken.cu")


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("mistake", MISTAKES)
def test_one_thread_fails_between_barriers(mistake: str, executor: str) -> None:
    code, words = MISTAKES[mistake]
    module = compiled(SOURCE.replace("MISTAKE", code), executor)
    out = np.zeros(GRID * BLOCK, np.int32)
    with pytest.raises(ww.LaunchError) as caught:
        module["broken"](ww.InOut(out), None, grid=GRID, block=BLOCK)
        ww.Device().synchronize()
    assert f"kernel 'broken': {words}" in str(caught.value)
    assert str(caught.value).endswith(WHERE)
    assert caught.value.block == (2, 0, 0) and caught.value.thread == (200, 0, 0)
    module["sound"](ww.Out(out), grid=GRID, block=BLOCK)
    np.testing.assert_array_equal(out.reshape(GRID, BLOCK), [np.arange(BLOCK)[::-1]] * GRID)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_lanes_of_a_warp_that_diverge_for_ever(executor: str) -> None:
    source = """extern "C" __global__ void broken(int* p) {
        if (threadIdx.x % 32 < 5) __syncthreads(); else __syncwarp();
        p[threadIdx.x] = 1;
    }"""
    module = compiled(source, executor)
    memory = ww.mem_alloc(4 * BLOCK)
    with pytest.raises(ww.LaunchError, match=r"kernel 'broken': deadlock.*in block") as caught:
        module["broken"](memory, grid=1, block=BLOCK)
        ww.Device().synchronize()
    assert caught.value.block == (0, 0, 0)


@pytest.mark.parametrize("executor", ["gang", "regions", "known"])
def test_gangs_name_the_lanes_that_diverge(executor: str) -> None:
    source = """extern "C" __global__ void broken(int* p) {
        __syncthreads();
        if (threadIdx.x / 32 == 7 && threadIdx.x % 2) {
            p[0] = 1; __syncthreads(); p[1] = 2; __syncwarp();
        } else {
            p[2] = 1; __syncthreads(); p[3] = 2;
        }
    }"""
    module = compiled(source, executor)
    memory = ww.mem_alloc(16)
    with pytest.raises(ww.LaunchError) as caught:
        module["broken"](memory, grid=1, block=BLOCK)
        ww.Device().synchronize()
    assert (
        "deadlock, its threads wait for each other: threads 0-223: waiting at __syncthreads; "
        "threads 224-255: 16 wait at __syncthreads and 16 of the same warp at another place, "
        "in block (0, 0, 0)" in str(caught.value)
    )
