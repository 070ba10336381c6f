"""A PyCUDA program: bodies that attract each other, in arrays of float4."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel

N = 128
module = SourceModule("""
__global__ void pull(float4 *force, const float4 *body, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = body[i], sum = make_float4(0, 0, 0, 0);
    for (int j = 0; j < n; ++j) {
        float dx = body[j].x - me.x, dy = body[j].y - me.y, dz = body[j].z - me.z;
        float d = rsqrtf(dx*dx + dy*dy + dz*dz + 0.01f), s = body[j].w * d * d * d;
        sum.x += s * dx; sum.y += s * dy; sum.z += s * dz;
    }
    force[i] = sum;
}""")
host = np.zeros(N, gpuarray.vec.float4)
for name in "xyz":
    host[name] = np.random.default_rng(ord(name)).standard_normal(N)
host["w"] = 1
bodies, forces = gpuarray.to_gpu(host), gpuarray.zeros(N, gpuarray.vec.float4)
module.get_function("pull")(forces, bodies, np.int32(N), block=(64, 1, 1), grid=(2, 1))
p = np.stack([host[name] for name in "xyz"], 1).astype(np.float64)
d = p[np.newaxis] - p[:, np.newaxis]
expected = (d / ((d**2).sum(2) + 0.01)[..., np.newaxis] ** 1.5).sum(1)
assert np.allclose(forces.get()["x"], expected[:, 0], rtol=1e-3, atol=1e-3)
move = ElementwiseKernel(
    "float4 *b, float4 *f, float dt", "b[i].x += dt*f[i].x; b[i].y += dt*f[i].y", "move"
)
move(bodies, forces, 0.1)
assert np.allclose(bodies.get()["y"], host["y"] + 0.1 * expected[:, 1], rtol=1e-3, atol=1e-3)
print("done")
