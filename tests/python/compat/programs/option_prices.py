"""A PyCUDA program: Black and Scholes' prices, by array functions and by one kernel."""

import math

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import cumath, gpuarray
from pycuda.elementwise import ElementwiseKernel

rng = np.random.default_rng(7)
N, RATE, VOLATILITY = 3000, 0.02, 0.3
spot, strike, years = rng.uniform(5, 30, N), rng.uniform(1, 100, N), rng.uniform(0.25, 10, N)
s, k, t = (gpuarray.to_gpu(one) for one in (spot, strike, years))
root = cumath.sqrt(t)
d1 = (cumath.log(s / k) + (RATE + VOLATILITY**2 / 2) * t) / (VOLATILITY * root)
d2 = d1 - VOLATILITY * root
cdf = ElementwiseKernel("double *x, double *y", "y[i] = normcdf(x[i])", "cdf")
n1, n2 = gpuarray.empty_like(d1), gpuarray.empty_like(d2)
cdf(d1, n1)
cdf(d2, n2)
call = s * n1 - k * cumath.exp(-RATE * t) * n2
at = (np.log(spot / strike) + (RATE + VOLATILITY**2 / 2) * years) / (VOLATILITY * np.sqrt(years))
phi = np.vectorize(lambda v: 0.5 * (1 + math.erf(v / math.sqrt(2))))
expected = spot * phi(at) - strike * np.exp(-RATE * years) * phi(at - VOLATILITY * np.sqrt(years))
assert np.allclose(call.get(), expected, atol=1e-9)
print("done")
