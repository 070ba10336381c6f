"""Kernel.lane_by_lane: the share of a kernel's instructions that run for one thread after the other."""

from __future__ import annotations

import warpwise as ww

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
