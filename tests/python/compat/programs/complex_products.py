"""A PyCUDA program: random complex numbers multiplied elementwise, by a kernel and by operators."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import curandom, gpuarray
from pycuda.elementwise import ElementwiseKernel

N = 1000
parts = [curandom.rand((N,)) for _ in range(4)]
join = ElementwiseKernel(
    "float *re, float *im, pycuda::complex<float> *z",
    "z[i] = pycuda::complex<float>(re[i], im[i])", "join",
)  # fmt: skip
a, b, c = (gpuarray.empty((N,), np.complex64) for _ in range(3))
join(parts[0], parts[1], a)
join(parts[2], parts[3], b)
multiply = ElementwiseKernel(
    "pycuda::complex<float> *x, pycuda::complex<float> *y, pycuda::complex<float> *z",
    "z[i] = x[i] * y[i]", "complex_mult",
    preamble="#include <pycuda-complex.hpp>",
)  # fmt: skip
multiply(a, b, c)
assert np.allclose(c.get(), a.get() * b.get(), rtol=1e-5)
assert np.allclose((a * b).get(), c.get(), rtol=1e-5)
assert np.allclose((a / b).get(), a.get() / b.get(), rtol=1e-5)
assert np.allclose(abs(a).get(), abs(a.get()), rtol=1e-5)
assert np.allclose((a * a.conj()).real.get(), abs(a.get()) ** 2, rtol=1e-5)
print("done")
