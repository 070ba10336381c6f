"""A PyCUDA program: x[k] = a[k] x[k-1] + b[k] for all k at once, by a scan of maps."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.scan import InclusiveScanKernel
from pycuda.tools import get_or_register_dtype

CODE = """
struct affine_map { double factor, shift; };

__device__ affine_map after(affine_map first, affine_map second)
{
    affine_map both;
    both.factor = first.factor * second.factor;
    both.shift = second.factor * first.shift + second.shift;
    return both;
}
"""
affine = np.dtype([("factor", np.float64), ("shift", np.float64)])
get_or_register_dtype("affine_map", affine)
compose = InclusiveScanKernel(affine, "after(a, b)", preamble=CODE)
join = ElementwiseKernel(
    "double *factors, double *shifts, affine_map *maps",
    "maps[i].factor = factors[i]; maps[i].shift = shifts[i]", "join", preamble=CODE,
)  # fmt: skip
apply = ElementwiseKernel(
    "affine_map *maps, double start, double *x", "x[i] = maps[i].factor * start + maps[i].shift",
    "apply", preamble=CODE,
)  # fmt: skip
rng = np.random.default_rng(31)
for size in (1, 700, 5001):
    factors, shifts = rng.uniform(-0.95, 0.95, size), rng.standard_normal(size)
    maps, x = gpuarray.empty(size, affine), gpuarray.empty(size, np.float64)
    join(gpuarray.to_gpu(factors), gpuarray.to_gpu(shifts), maps)
    compose(maps)
    apply(maps, 4.0, x)
    expected, running = [], 4.0
    for factor, shift in zip(factors, shifts, strict=True):
        running = factor * running + shift
        expected.append(running)
    assert np.allclose(x.get(), expected)
    print(size, round(float(x[size - 1].get()), 4), round(float(gpuarray.max(x).get()), 4))
print("done")
