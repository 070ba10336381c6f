"""A PyCUDA program: kernels from PyCUDA's own builders, launched by prepared calls."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import elementwise, gpuarray

n = 5000
x, y = (gpuarray.to_gpu(np.random.default_rng(18).random(n)) for _ in range(2))
z = gpuarray.empty_like(x)
axpby = elementwise.get_axpbyz_kernel(x.dtype, y.dtype, z.dtype)
axpby.prepared_call(x._grid, x._block, 2, x.gpudata, -3, y.gpudata, z.gpudata, z.mem_size)
assert np.allclose(z.get(), 2 * x.get() - 3 * y.get())
own = elementwise.get_elwise_kernel(
    "double *x, double *z", "z[i] = x[n - 1 - i] + total_threads*0", "backwards"
)
seconds = own.prepared_timed_call(x._grid, x._block, x.gpudata, z.gpudata, n)
assert seconds() > 0
assert (z.get() == x.get()[::-1]).all()
part = elementwise.get_elwise_kernel("double *z", "z[i] = -1", "part", use_range=True)
part.prepared_call(z._grid, z._block, z.gpudata, 10, 100, 9)
assert (z.get()[10:100:9] == -1).all() and (z.get() == -1).sum() == 10
print("done")
