"""A PyCUDA program: the wave equation in steps, constants, two buffers swapped, a prepared call."""

import sys

import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

assert sys.argv[1:] == ["first", "--second"]
assert pycuda.autoinit.device.name()

N, STEPS = 1024, 50
module = SourceModule(
    """
__constant__ float c;
__global__ void step(const float *now, const float *before, float *after, int n)
{
    __shared__ float tile[130];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 1;
    tile[t] = now[i];
    if (threadIdx.x == 0) tile[0] = i > 0 ? now[i - 1] : 0;
    if (threadIdx.x == blockDim.x - 1) tile[t + 1] = i + 1 < n ? now[i + 1] : 0;
    __syncthreads();
    after[i] = 2 * tile[t] - before[i] + c * (tile[t - 1] - 2 * tile[t] + tile[t + 1]);
}
"""
)
address, size = module.get_global("c")
cuda.memcpy_htod(address, np.array([0.25], np.float32))
assert size == 4

x = np.linspace(0, 1, N, dtype=np.float32)
start = np.exp(-((x - 0.5) ** 2) * 400).astype(np.float32)
before, now, after = (cuda.to_device(start) for _ in range(3))
step = module.get_function("step")
step.prepare("PPPi")
for _ in range(STEPS):
    step.prepared_call((N // 128, 1), (128, 1, 1), now, before, after, N)
    before, now, after = now, after, before

a, b = start.astype(np.float64), start.astype(np.float64)
for _ in range(STEPS):
    padded = np.pad(b, 1)
    a, b = b, 2 * b - a + 0.25 * (padded[:-2] - 2 * b + padded[2:])
np.testing.assert_allclose(cuda.from_device_like(now, start), b, atol=1e-4)
print("done")
