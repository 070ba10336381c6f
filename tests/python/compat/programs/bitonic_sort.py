"""A PyCUDA program: a bitonic sort, a launch of a prepared kernel for each of its stages."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule(
    """
__global__ void stage(unsigned int *keys, int distance, int size)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = i ^ distance;
    if (j <= i) return;
    const bool is_rising = (i & size) == 0;
    const unsigned int a = keys[i], b = keys[j];
    if ((a > b) == is_rising) {
        keys[i] = b;
        keys[j] = a;
    }
}
"""
)
N = 1 << 12
keys = np.random.default_rng(6).integers(0, 1 << 32, N, np.uint32)
memory = cuda.to_device(keys)
stage = module.get_function("stage")
stage.prepare("Pii")
size = 2
while size <= N:
    distance = size // 2
    while distance:
        stage.prepared_call((N // 256, 1), (256, 1, 1), memory, distance, size)
        distance //= 2
    size *= 2
np.testing.assert_array_equal(cuda.from_device_like(memory, keys), np.sort(keys))
print("done")
