"""A PyCUDA program: memory that host and device share, changed by both in turn."""

import numpy as np
import pycuda.autoinit
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule(
    "__global__ void scale(float *x, float f){ x[blockIdx.x * blockDim.x + threadIdx.x] *= f; }"
)
scale = module.get_function("scale")
x = cuda.managed_empty((64, 32), np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL)
x[:] = np.arange(x.size).reshape(x.shape)
expected = x.copy()
for turn in range(3):
    scale(x, np.float32(2), block=(256, 1, 1), grid=(x.size // 256, 1))
    pycuda.autoinit.context.synchronize()
    x += turn
    expected = 2 * expected + turn
np.testing.assert_array_equal(x, expected)
assert isinstance(x.base, cuda.ManagedAllocation) and x.base.get_device_pointer()
locked = cuda.pagelocked_zeros(256, np.float32, mem_flags=cuda.host_alloc_flags.DEVICEMAP)
locked[:] = 3
scale(np.intp(locked.base.get_device_pointer()), np.float32(4), block=(256, 1, 1))
pycuda.autoinit.context.synchronize()
assert (locked == 12).all()
print("done")
