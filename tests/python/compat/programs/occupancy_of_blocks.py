"""A PyCUDA program: the block size with the best occupancy, from the device's own figures."""

import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceData, OccupancyRecord

module = SourceModule(
    """
__global__ void smooth(const float *in, float *out, int n)
{
    extern __shared__ float part[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    const float left = threadIdx.x > 0 ? part[threadIdx.x - 1] : i > 0 && i < n ? in[i - 1] : 0;
    if (i < n) out[i] = 0.5f * (part[threadIdx.x] + left);
}
"""
)
smooth, data = module.get_function("smooth"), DeviceData(pycuda.autoinit.device)
sizes = range(data.warp_size, min(data.max_threads, smooth.max_threads_per_block) + 1, 32)
records = {n: OccupancyRecord(data, n, shared_mem=4 * n) for n in sizes}
best = max(records, key=lambda n: (records[n].occupancy, n))
assert 0 < records[32].occupancy <= records[best].occupancy <= 1
assert records[best].tb_per_mp * best <= data.warps_per_mp * data.warp_size
N = 10_000
x = np.random.default_rng(7).random(N, np.float32)
y = np.empty_like(x)
smooth(cuda.In(x), cuda.Out(y), np.int32(N), block=(best, 1, 1), grid=(-(-N // best), 1),
       shared=4 * best)  # fmt: skip
np.testing.assert_allclose(y, 0.5 * (x + np.concatenate([[0], x[:-1]])), rtol=1e-6)
print("done")
