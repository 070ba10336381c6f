"""A PyCUDA program: a linear system by Jacobi's iteration, two vectors swapped."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel

N, TURNS = 200, 60
rng = np.random.default_rng(21)
matrix = rng.uniform(-1, 1, (N, N))
matrix[np.arange(N), np.arange(N)] = 2.5 * N**0.5 * rng.uniform(4, 5, N)
wanted = rng.uniform(-1, 1, N)
step = ElementwiseKernel(
    "double *after, double *before, double *a, double *b",
    """
    double sum = b[i];
    for (size_t j = 0; j < n; ++j) if (j != i) sum -= a[i * n + j] * before[j];
    after[i] = sum / a[i * n + i];
    """,
    "jacobi_step",
)
change = ReductionKernel(
    np.float64, "0", "fmax(a, b)", "fabs(x[i] - y[i])", "double *x, double *y"
)  # fmt: skip
a, b = gpuarray.to_gpu(matrix), gpuarray.to_gpu(matrix @ wanted)
before, after = gpuarray.zeros(N, np.float64), gpuarray.empty(N, np.float64)
for turn in range(TURNS):
    step(after, before, a, b)
    if turn == 0:
        first = float(change(after, before).get())
    before, after = after, before
last = float(change(after, before).get())
assert np.allclose(before.get(), wanted, atol=1e-9)
print(round(first, 3), last < 1e-9 * first, round(float(gpuarray.sum(before).get()), 4))
print("done")
