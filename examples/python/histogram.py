"""A histogram: each block counts in shared memory, where atomics are cheap, and adds its counts to
the result once at the end."""

import numpy as np
import numpy.typing as npt

import warpwise as ww

SOURCE = r"""
__global__ void histogram(unsigned int *counts, const unsigned char *data, int n)
{
    __shared__ unsigned int mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();

    int step = blockDim.x * gridDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        atomicAdd(&mine[data[i]], 1u);
    __syncthreads();

    atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
"""
KERNEL = "histogram"

data = np.random.default_rng(3).binomial(255, 0.4, 1_000_000).astype(np.uint8)


def compute(histogram: ww.Kernel) -> npt.NDArray[np.uint32]:
    counts = np.zeros(256, dtype=np.uint32)
    histogram[32, 256](ww.InOut(counts), ww.In(data), data.size)
    return counts


def is_right(counts: npt.NDArray[np.uint32]) -> bool:
    return bool((counts == np.bincount(data, minlength=256)).all())


if __name__ == "__main__":
    module = ww.SourceModule(SOURCE, name="histogram.cu")
    print("the counts are", "right" if is_right(compute(module.get_function(KERNEL))) else "WRONG")
