"""Kernel.lane_by_lane: the share of a kernel's instructions that run for one thread after the other."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww

pytestmark = pytest.mark.cpu_only("how it runs lanes")

SOURCE = """
__device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__global__ void scale(float *x, float a) { x[blockIdx.x * blockDim.x + threadIdx.x] *= a; }
__global__ void count(int *bins, const int *x, int *place) {
    place[threadIdx.x] = atomicAdd(&bins[x[threadIdx.x]], 1);
}
__global__ void recurse(int *x) { x[threadIdx.x] = fibonacci(x[threadIdx.x]); }
"""


def test_straight_arithmetic_has_none() -> None:
    assert ww.SourceModule(SOURCE)["scale"].lane_by_lane == 0


def test_an_atomic_with_a_result_is_one_of_several_instructions() -> None:
    assert 0 < ww.SourceModule(SOURCE)["count"].lane_by_lane < 0.5


def test_a_function_called_lane_by_lane_counts_with_its_instructions() -> None:
    assert ww.SourceModule(SOURCE)["recurse"].lane_by_lane > 0.5


def test_everything_is_one_by_one_on_executor_reference() -> None:
    module = ww.SourceModule(SOURCE, options=["--warpwise-executor=reference"])
    assert module["scale"].lane_by_lane == 1


def test_functions_called_lane_by_lane_know_their_place_in_every_block(run):
    # Compiled for its block shape the kernel loops over blocks itself; the function reads memory.
    out = np.zeros(256 * 40, np.int32)
    run(
        """__device__ __noinline__ int deep(int d) {
            if (d == 0) return threadIdx.x + 1000 * blockIdx.x + 100000 * threadIdx.y;
            return deep(d - 1) + 1;
        }
        __global__ void kernel(int *out, int n, int turns) {
            int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
            for (int turn = 0; turn < turns; ++turn)
                if (i < n) out[i] += deep(turn);
        }""",
        ww.InOut(out), out.size - 5, 3, grid=40, block=(64, 4), options=["--warpwise-block=64,4"],
    )  # fmt: skip
    i = np.arange(out.size)
    place = i % 256 % 64 + 1000 * (i // 256) + 100000 * (i % 256 // 64)
    assert np.array_equal(out, np.where(i < out.size - 5, 3 * place + 3, 0))
