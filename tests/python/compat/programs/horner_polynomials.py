"""A PyCUDA program: polynomials by Horner's rule, code generated from the coefficients."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.tools import ScalarArg, VectorArg

coefficients = [3, -1.5, 0.25, 7, -2]
x = gpuarray.to_gpu(np.linspace(-2, 2, 777))
by_arrays = gpuarray.zeros_like(x) + coefficients[0]
for c in coefficients[1:]:
    by_arrays = by_arrays * x + c
text = "s"
for c in coefficients[1:]:
    text = f"({text}*x[i] + {c!r})"
kernel = ElementwiseKernel(
    [VectorArg(np.float64, "y"), VectorArg(np.float64, "x"), ScalarArg(np.float64, "s")],
    f"y[i] = {text}", "horner",
)  # fmt: skip
by_kernel = gpuarray.empty_like(x)
kernel(by_kernel, x, coefficients[0])
expected = np.polyval(coefficients, x.get())
assert np.allclose(by_arrays.get(), expected) and np.allclose(by_kernel.get(), expected)
print("done")
