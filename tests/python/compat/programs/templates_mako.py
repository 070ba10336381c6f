"""A PyCUDA program: kernels for several types and sizes from one Mako template."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from mako.template import Template
from pycuda.compiler import SourceModule
from pycuda.tools import dtype_to_ctype

TEMPLATE = Template(
    """
__global__ void polynomial(const ${type} *x, ${type} *y)
{
    const int i = blockIdx.x * ${block} + threadIdx.x;
    const ${type} v = x[i];
    ${type} sum = 0;
% for factor in reversed(factors):
    sum = sum * v + (${type})${factor};
% endfor
    y[i] = sum;
}
"""
)
factors, rng = [3.0, -1.0, 0.5, 2.0], np.random.default_rng(5)
for dtype in (np.float32, np.float64):
    for block in (32, 128):
        x = rng.standard_normal(4 * block).astype(dtype)
        y = np.empty_like(x)
        source = TEMPLATE.render(type=dtype_to_ctype(dtype), block=block, factors=factors)
        SourceModule(source).get_function("polynomial")(
            cuda.In(x), cuda.Out(y), block=(block, 1, 1), grid=(4, 1)
        )
        np.testing.assert_allclose(y, np.polyval(factors[::-1], x), rtol=1e-4, atol=1e-4)
print("done")
