"""A PyCUDA program: a histogram in shared memory, merged by atomic additions."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule(
    """
__global__ void histogram(const unsigned char *data, unsigned int *bins, size_t n)
{
    __shared__ unsigned int own[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) own[i] = 0;
    __syncthreads();
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        atomicAdd(&own[data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], own[i]);
}
"""
)
data = np.random.default_rng(8).integers(0, 256, 100_001, np.uint8)
bins = cuda.mem_alloc(4 * 256)
cuda.memset_d32(bins, 0, 256)
histogram = module.get_function("histogram")
seconds = histogram(
    cuda.In(data), bins, np.uint64(data.size), block=(128, 1, 1), grid=(8, 1), time_kernel=True
)
assert seconds > 0
counts = cuda.from_device(bins, 256, np.uint32)
np.testing.assert_array_equal(counts, np.bincount(data, minlength=256))
print("done")
