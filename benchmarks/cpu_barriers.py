"""Blocks of 512 and 1024 threads with barriers: on fibers (executor gang) and in regions.

Each row: what it is, the time with regions, that with fibers, and their ratio. Both compile for the
block's shape, take turns on the same arrays, and must give the same bits."""

from __future__ import annotations

import statistics
import sys
import time
from dataclasses import dataclass

import numpy as np

import warpwise as ww
from report import comparison

ROUNDS = 7
EXECUTORS = {"fibers": "gang", "regions": "regions"}

SOURCE = r"""
extern "C" {

__global__ void tree_sum(const float* in, float* out) {
    __shared__ float part[THREADS];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * THREADS + t];
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half) part[t] += part[t + half];
    }
    if (t == 0) out[blockIdx.x] = part[0];
}

__global__ void tiled_matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float left[32][32], right[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
    float sum = 0;
    for (int tile = 0; tile < n; tile += 32) {
        left[y][x] = a[row * n + tile + x];
        right[y][x] = b[(tile + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 32; ++k) sum += left[y][k] * right[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[32][33];
    int x = threadIdx.x, y = threadIdx.y;
    tile[y][x] = in[(blockIdx.y * 32 + y) * n + blockIdx.x * 32 + x];
    __syncthreads();
    out[(blockIdx.x * 32 + y) * n + blockIdx.y * 32 + x] = tile[x][y];
}

__global__ void bitonic_sort(const float* in, float* out) {
    __shared__ float keys[THREADS];
    unsigned t = threadIdx.x;
    keys[t] = in[blockIdx.x * THREADS + t];
    for (unsigned size = 2; size <= THREADS; size *= 2)
        for (unsigned step = size / 2; step > 0; step /= 2) {
            __syncthreads();
            unsigned other = t ^ step;
            if (other > t) {
                bool up = (t & size) == 0;
                float low = keys[t], high = keys[other];
                if ((low > high) == up) {
                    keys[t] = high;
                    keys[other] = low;
                }
            }
        }
    __syncthreads();
    out[blockIdx.x * THREADS + t] = keys[t];
}

__global__ void hillis_steele(const float* in, float* out) {
    __shared__ float sums[THREADS];
    int t = threadIdx.x;
    float sum = in[blockIdx.x * THREADS + t];
    sums[t] = sum;
    __syncthreads();
    for (int step = 1; step < THREADS; step *= 2) {
        float before = t >= step ? sums[t - step] : 0.0f;
        __syncthreads();
        sum += before;
        sums[t] = sum;
        __syncthreads();
    }
    out[blockIdx.x * THREADS + t] = sum;
}

}
"""


@dataclass(frozen=True)
class Work:
    kernel: str
    block: tuple[int, ...]
    grid: tuple[int, ...]
    inputs: int  # arrays
    elements: int  # of each array
    extent: int = 0  # of a matrix: the last argument

    @property
    def results(self) -> int:
        return self.grid[0] if self.kernel == "tree_sum" else self.elements


def works() -> list[Work]:
    flat = []
    for threads in (512, 1024):
        for kernel, blocks in (("tree_sum", 8192), ("bitonic_sort", 512), ("hillis_steele", 4096)):
            flat.append(Work(kernel, (threads,), (blocks,), 1, threads * blocks))
    tile = (32, 32)
    return [
        *flat,
        Work("tiled_matmul", tile, (16, 16), 2, 512 * 512, 512),
        Work("transpose", tile, (64, 64), 1, 2048 * 2048, 2048),
    ]


def compiled(work: Work, executor: str) -> ww.Kernel:
    shape = ",".join(map(str, work.block))
    options = [f"--warpwise-executor={executor}", f"--warpwise-block={shape}"]
    options.append(f"-DTHREADS={int(np.prod(work.block))}")
    module = ww.SourceModule(SOURCE, options=[*options, f"--warpwise-kernel={work.kernel}"])
    return module.get_function(work.kernel)


def measure(work: Work) -> None:
    random = np.random.default_rng(1)
    inputs = [ww.mem_alloc(4 * work.elements) for _ in range(work.inputs)]
    for memory in inputs:
        memory.copy_from(random.random(work.elements, dtype=np.float32))
    results = {name: ww.mem_alloc(4 * work.elements) for name in EXECUTORS}
    kernels = {name: compiled(work, executor) for name, executor in EXECUTORS.items()}
    more = [work.extent] if work.extent else []
    samples: dict[str, list[float]] = {name: [] for name in EXECUTORS}
    device = ww.Device()
    for round_ in range(ROUNDS + 1):
        for name, kernel in kernels.items():
            start = time.perf_counter()
            kernel(*inputs, results[name], *more, grid=work.grid, block=work.block)
            device.synchronize()
            if round_ > 0:
                samples[name].append(1e3 * (time.perf_counter() - start))
    got = {name: np.zeros(work.results, np.float32) for name in EXECUTORS}
    for name, memory in results.items():
        memory.copy_to(got[name])
    if not np.array_equal(got["fibers"], got["regions"]):
        raise SystemExit(f"{work.kernel}: fibers and regions differ")
    medians = {name: statistics.median(times) for name, times in samples.items()}
    comparison(
        f"{work.kernel}, blocks of {'x'.join(map(str, work.block))}",
        medians.pop("regions"),
        medians,
        "fibers",
        executors=[kernel.executor for kernel in kernels.values()],
    )


def main() -> None:
    only = sys.argv[1:]
    with ww.Device("cpu"):
        for work in works():
            if not only or work.kernel in only:
                measure(work)


if __name__ == "__main__":
    main()
