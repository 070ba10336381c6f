"""A PyCUDA program: the heat equation, the last step read through a texture bound to memory."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

N, STEPS = 64, 30
module = SourceModule(
    """
texture<float, 1, cudaReadModeElementType> last;

__global__ void step(float *next, int n, float speed)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int i = y * n + x;
    const float here = tex1Dfetch(last, i);
    const bool is_edge = x == 0 || y == 0 || x == n - 1 || y == n - 1;
    next[i] = is_edge ? here : here + speed * (tex1Dfetch(last, i - 1) + tex1Dfetch(last, i + 1)
        + tex1Dfetch(last, i - n) + tex1Dfetch(last, i + n) - 4 * here);
}
"""
)
last = module.get_texref("last")
step = module.get_function("step")
heat = np.zeros((N, N), np.float32)
heat[N // 4 : N // 2, N // 3 : N // 2] = 100
now, following = cuda.to_device(heat), cuda.mem_alloc_like(heat)
for _ in range(STEPS):
    last.set_address(now, heat.nbytes)
    step(following, np.int32(N), np.float32(0.2), block=(16, 16, 1), grid=(4, 4), texrefs=[last])
    now, following = following, now

expected = heat.astype(np.float64)
for _ in range(STEPS):
    inside = expected[1:-1, 1:-1]
    change = (
        expected[1:-1, :-2] + expected[1:-1, 2:] + expected[:-2, 1:-1] + expected[2:, 1:-1]
        - 4 * inside
    )  # fmt: skip
    expected[1:-1, 1:-1] = inside + 0.2 * change
np.testing.assert_allclose(cuda.from_device_like(now, heat), expected, atol=1e-3)
print("done")
