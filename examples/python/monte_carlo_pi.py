"""Pi by throwing darts: every thread has its own random number generator, and the blocks add
up their hits."""

import math

import numpy as np

import warpwise as ww

SOURCE = r"""
#include <curand_kernel.h>

__global__ void throw_darts(unsigned long long *hits, int throws, unsigned long long seed)
{
    curandStatePhilox4_32_10_t state;
    curand_init(seed, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
    int mine = 0;
    for (int i = 0; i < throws; i += 2) {
        float4 p = curand_uniform4(&state);
        mine += p.x * p.x + p.y * p.y <= 1.0f;
        mine += p.z * p.z + p.w * p.w <= 1.0f;
    }

    __shared__ int block_hits;
    if (threadIdx.x == 0)
        block_hits = 0;
    __syncthreads();
    atomicAdd(&block_hits, mine);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(hits, (unsigned long long)block_hits);
}
"""
KERNEL = "throw_darts"
BLOCKS, THREADS, THROWS = 64, 128, 1000
TOTAL = BLOCKS * THREADS * THROWS


def compute(throw_darts: ww.Kernel) -> float:
    hits = np.zeros(1, dtype=np.uint64)
    throw_darts[BLOCKS, THREADS](ww.InOut(hits), THROWS, 2024)
    return 4.0 * int(hits[0]) / TOTAL


def is_right(estimate: float) -> bool:
    """Whether the estimate is within four standard deviations."""
    deviation = 4.0 * math.sqrt(math.pi / 4 * (1 - math.pi / 4) / TOTAL)
    return abs(estimate - math.pi) < 4 * deviation


if __name__ == "__main__":
    module = ww.SourceModule(SOURCE, name="monte_carlo_pi.cu")
    estimate = compute(module.get_function(KERNEL))
    print(f"{TOTAL} darts: {estimate:.5f};", "pi is", "right" if is_right(estimate) else "WRONG")
