"""A PyCUDA program: a table in an array, read through a texture of doubles."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule

module = SourceModule("""
#include <pycuda-helpers.hpp>
texture<fp_tex_double, 1, cudaReadModeElementType> table;
__global__ void look_up(double *out, int *index, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = fp_tex1Dfetch(table, index[i]);
}""")
rng = np.random.default_rng(15)
values, picked = rng.standard_normal(256), rng.integers(0, 256, 1000).astype(np.int32)
table, index = gpuarray.to_gpu(values), gpuarray.to_gpu(picked)
reference = module.get_texref("table")
table.bind_to_texref_ext(reference, allow_double_hack=True)
table *= 2  # the texture is of the memory, so it sees later operations
out = gpuarray.empty(1000, np.float64)
module.get_function("look_up")(
    out, index, np.int32(1000), block=(128, 1, 1), grid=(8, 1), texrefs=[reference]
)
assert (out.get() == 2 * values[picked]).all()
assert (gpuarray.take(table, index).get() == 2 * values[picked]).all()
array = drv.gpuarray_to_array(gpuarray.to_gpu(values.astype(np.float32).reshape(16, 16)), "C")
assert array.get_descriptor().width == 16
print("done")
