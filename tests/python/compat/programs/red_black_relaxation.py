"""A PyCUDA program: a boundary value problem by red-black relaxation, every second element."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel

N, SWEEPS, FACTOR = 65, 200, 1.9
x = np.linspace(0, 1, N)
force = np.pi**2 * np.sin(np.pi * x) / (N - 1) ** 2
relax = ElementwiseKernel(
    "double *u, double *force, double factor",
    "u[i] += factor * (0.5 * (u[i - 1] + u[i + 1] + force[i]) - u[i])",
    "relax",
)
u, f = gpuarray.zeros(N, np.float64), gpuarray.to_gpu(force)
u[N - 1] = 2.0
for _ in range(SWEEPS):
    relax(u, f, FACTOR, range=slice(1, N - 1, 2))
    relax(u, f, FACTOR, slice=slice(2, N - 1, 2))
host = np.zeros(N)
host[-1] = 2
for _ in range(SWEEPS):
    for start in (1, 2):
        at = np.arange(start, N - 1, 2)
        host[at] += FACTOR * (0.5 * (host[at - 1] + host[at + 1] + force[at]) - host[at])
assert np.allclose(u.get(), host)
exact = np.sin(np.pi * x) + 2 * x
apart = gpuarray.max(abs(u - gpuarray.to_gpu(exact))).get()
assert apart < 1e-3
print([round(float(value), 3) for value in u[::16].get()])
print("done")
