"""A PyCUDA program: rows, then columns of a convolution, the filter in constant memory."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

RADIUS, WIDTH, HEIGHT = 4, 200, 90
module = SourceModule(
    """
#define RADIUS @RADIUS@
__constant__ float taps[2 * RADIUS + 1];

__global__ void rows(float *out, const float *in, int w, int h)
{
    extern __shared__ float tile[];
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    for (int i = threadIdx.x; i < blockDim.x + 2 * RADIUS; i += blockDim.x) {
        const int from = (int)(blockIdx.x * blockDim.x) + i - RADIUS;
        tile[i] = from >= 0 && from < w ? in[y * w + from] : 0;
    }
    __syncthreads();
    if (x >= w) return;
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; ++k)
        sum += taps[RADIUS - k] * tile[threadIdx.x + RADIUS + k];
    out[y * w + x] = sum;
}

__global__ void columns(float *out, const float *in, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; ++k)
        if (y + k >= 0 && y + k < h) sum += taps[RADIUS - k] * in[(y + k) * w + x];
    out[y * w + x] = sum;
}
""".replace("@RADIUS@", str(RADIUS))
)
taps = np.exp(-(np.linspace(-2, 2, 2 * RADIUS + 1) ** 2)).astype(np.float32)
cuda.memcpy_htod(module.get_global("taps")[0], taps)
image = np.random.default_rng(2).random((HEIGHT, WIDTH), np.float32)
source, between, target = (
    cuda.to_device(image),
    cuda.mem_alloc_like(image),
    cuda.mem_alloc_like(image),
)
sizes = np.int32(WIDTH), np.int32(HEIGHT)
module.get_function("rows")(
    between, source, *sizes, block=(64, 1, 1), grid=(-(-WIDTH // 64), HEIGHT),
    shared=4 * (64 + 2 * RADIUS),
)  # fmt: skip
module.get_function("columns")(
    target, between, *sizes, block=(32, 8, 1), grid=(-(-WIDTH // 32), -(-HEIGHT // 8))
)
rows = np.stack([np.convolve(row, taps, "same") for row in image])
expected = np.stack([np.convolve(column, taps, "same") for column in rows.T]).T
np.testing.assert_allclose(cuda.from_device_like(target, image), expected, rtol=1e-4)
print("done")
