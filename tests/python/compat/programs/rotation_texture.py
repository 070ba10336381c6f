"""A PyCUDA program: an image rotated by a quarter through a texture with normalised coordinates."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

N = 48
module = SourceModule(
    """
texture<float, 2, cudaReadModeElementType> image;

__global__ void rotate(float *out, int n, float angle)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const float u = (x + 0.5f) / n - 0.5f, v = (y + 0.5f) / n - 0.5f;
    const float s = sinf(angle), c = cosf(angle);
    out[y * n + x] = tex2D(image, u * c - v * s + 0.5f, v * c + u * s + 0.5f);
}
"""
)
picture = np.random.default_rng(3).random((N, N), np.float32)
image = module.get_texref("image")
cuda.matrix_to_texref(picture, image, order="C")
image.set_flags(cuda.TRSF_NORMALIZED_COORDINATES)
image.set_filter_mode(cuda.filter_mode.LINEAR)
for axis in (0, 1):
    image.set_address_mode(axis, cuda.address_mode.WRAP)
out = np.empty_like(picture)
module.get_function("rotate")(
    cuda.Out(out), np.int32(N), np.float32(np.pi / 2), block=(16, 16, 1), grid=(3, 3),
    texrefs=[image],
)  # fmt: skip
np.testing.assert_allclose(out, np.rot90(picture, 1), atol=0.02)
print("done")
