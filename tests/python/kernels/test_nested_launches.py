"""Kernels that launch kernels compile; a thread that comes to the launch fails, and says where."""

import numpy as np
import pytest

import warpwise as ww

PROGRAM = """
template <class T, int n> __global__ void leaf(T *x) { x[n] += n; }
namespace inner { __global__ void next(float *x, int depth); }
__global__ void descend(float *x, int depth) {
    if (depth == 0) {
        x[threadIdx.x] = 5;
        return;
    }
    if (threadIdx.x == 3) {
        cudaStream_t stream;
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        inner::next<<<dim3(1, (depth > 1 ? 2 : 1)),
                      32, 0, stream>>>(x, depth - 1);
        leaf<float, 2><<<1, 1>>>(x);
        cudaStreamDestroy(stream);
        cudaDeviceSynchronize();
    }
}
__global__ void inner::next(float *x, int depth) { x[0] = depth; }
"""


@pytest.mark.parametrize("executor", ["gang", "reference"])
def test_threads_that_launch_nothing_go_on(executor):
    module = ww.SourceModule(PROGRAM, options=[f"--warpwise-executor={executor}"])
    x = np.zeros(8, np.float32)
    module["descend"](ww.Out(x), np.int32(0), block=8)
    assert x.tolist() == [5] * 8
    assert "'next' is launched from device code" in module.log


@pytest.mark.parametrize("executor", ["gang", "reference"])
def test_a_thread_that_comes_to_a_launch_names_it(executor):
    module = ww.SourceModule(PROGRAM, options=[f"--warpwise-executor={executor}"])
    x = np.zeros(8, np.float32)
    with pytest.raises(ww.LaunchError, match="line 12 launches 'next' from device code"):
        module["descend"](ww.InOut(x), np.int32(1), block=8)
        ww.Device().synchronize()


@pytest.mark.parametrize("executor", ["gang", "reference"])
def test_all_blocks_of_a_cooperative_launch_meet(executor):
    kernel = ww.SourceModule(
        """#include <cooperative_groups.h>
        __global__ void kernel(int *x, int *sum) {
            auto grid = cooperative_groups::this_grid();
            x[grid.thread_rank()] = grid.thread_rank();
            grid.sync();
            int total = 0;
            for (int i = 0; i < grid.size(); ++i) total += x[i];
            sum[grid.thread_rank()] = total;
        }""",
        options=[f"--warpwise-executor={executor}"],
    )["kernel"]
    x, sums = np.zeros(96, np.int32), np.zeros(96, np.int32)
    kernel(ww.InOut(x), ww.Out(sums), grid=3, block=32, cooperative=True)
    assert sums.tolist() == [96 * 95 // 2] * 96
    with pytest.raises(ww.LaunchError, match="cooperative=True"):
        kernel(ww.InOut(x), ww.Out(sums), grid=3, block=32)
        ww.Device().synchronize()
