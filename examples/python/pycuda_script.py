"""A PyCUDA script, like the first listing of the PyCUDA paper: allocate, copy, launch,
copy back. It does not mention Warpwise. Run it with `warpwise run pycuda_script.py`."""

import numpy
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

a = numpy.random.randn(4, 4).astype(numpy.float32)
a_gpu = cuda.mem_alloc(a.nbytes)
cuda.memcpy_htod(a_gpu, a)

module = SourceModule("""
__global__ void double_them(float *a)
{
    int i = threadIdx.x + threadIdx.y * blockDim.x;
    a[i] *= 2;
}
""")
double_them = module.get_function("double_them")
double_them(a_gpu, block=(4, 4, 1))

doubled = numpy.empty_like(a)
cuda.memcpy_dtoh(doubled, a_gpu)
assert (doubled == 2 * a).all()
print(doubled)
