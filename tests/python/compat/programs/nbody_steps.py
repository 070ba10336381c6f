"""A PyCUDA program: gravity between bodies, positions read in tiles of shared memory."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

N, STEPS, H, SOFT = 256, 20, 0.01, 0.05
module = SourceModule(
    """
__global__ void accelerate(const double *place, double *speed, int n, double h, double soft)
{
    extern __shared__ double tile[];
    const int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    double sum[3] = {0, 0, 0};
    for (int first = 0; first < n; first += blockDim.x) {
        for (int k = 0; k < 3; ++k) tile[3 * t + k] = place[3 * (first + t) + k];
        __syncthreads();
        for (int j = 0; j < blockDim.x; ++j) {
            double d[3], square = soft;
            for (int k = 0; k < 3; ++k) {
                d[k] = tile[3 * j + k] - place[3 * i + k];
                square += d[k] * d[k];
            }
            const double force = 1 / (square * sqrt(square) * n);
            for (int k = 0; k < 3; ++k) sum[k] += force * d[k];
        }
        __syncthreads();
    }
    for (int k = 0; k < 3; ++k) speed[3 * i + k] += h * sum[k];
}
__global__ void move(double *place, const double *speed, int count, double h)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) place[i] += h * speed[i];
}
"""
)
accelerate, move = module.get_function("accelerate"), module.get_function("move")
accelerate.prepare("PPidd")
move.prepare("PPid")
p = np.random.default_rng(37).standard_normal((N, 3))
v = np.zeros_like(p)
place, speed = cuda.to_device(p), cuda.to_device(v)
for _ in range(STEPS):
    accelerate.prepared_call(
        (N // 64, 1), (64, 1, 1), place, speed, N, H, SOFT, shared_size=3 * 8 * 64
    )
    move.prepared_call((N * 3 // 128, 1), (128, 1, 1), place, speed, N * 3, H)
for _ in range(STEPS):
    d = p[np.newaxis] - p[:, np.newaxis]
    square = (d * d).sum(2) + SOFT
    v += H * (d / (square**1.5 * N)[:, :, np.newaxis]).sum(1)
    p += H * v
np.testing.assert_allclose(cuda.from_device_like(place, p), p, rtol=1e-9, atol=1e-12)
velocities = cuda.from_device_like(speed, v)
assert np.abs(velocities.sum(0)).max() < 1e-10  # forces are in pairs
print([round(float(one), 4) for one in cuda.from_device_like(place, p)[0]])
print("done")
