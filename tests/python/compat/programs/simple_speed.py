"""A PyCUDA program: the same loop of sines by a SourceModule, an elementwise kernel, GPUArrays and
NumPy, each timed by events."""

import numpy as np
import pycuda.autoinit
import pycuda.cumath
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel

N, TURNS = 20_000, 25
start, end = drv.Event(), drv.Event()


def timed(name, run):
    start.record()
    start.synchronize()
    result = run()
    end.record()
    end.synchronize()
    print(f"{name}: {start.time_till(end):.3f} ms, first three: {result[:3]}")
    return result


module = SourceModule("""
__global__ void sines(float *dest, float *a, int n_iter)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    for (int n = 0; n < n_iter; n++) a[i] = sinf(a[i]);
    dest[i] = a[i];
}""")
block = 128
a = np.ones(N // block * block, np.float32)


def by_module():
    dest = np.zeros_like(a)
    module.get_function("sines")(
        drv.Out(dest), drv.In(a), np.int32(TURNS), grid=(a.size // block, 1), block=(block, 1, 1)
    )
    return dest


def by_kernel():
    kernel = ElementwiseKernel(
        "float *a, int n_iter", "for (int n = 0; n < n_iter; n++) a[i] = sinf(a[i])", "sines"
    )
    array = gpuarray.to_gpu(a)
    kernel(array, TURNS)
    return array.get()


def by_arrays():
    array = gpuarray.to_gpu(a)
    for _ in range(TURNS):
        array = pycuda.cumath.sin(array)
    return array.get()


def by_numpy():
    array = a
    for _ in range(TURNS):
        array = np.sin(array)
    return array


expected = timed("numpy", by_numpy)
for name, run in (("SourceModule", by_module), ("Elementwise", by_kernel), ("GPUArray", by_arrays)):
    assert np.allclose(timed(name, run), expected, rtol=1e-5)
print("done")
