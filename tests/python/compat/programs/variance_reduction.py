"""A PyCUDA program: mean and variance in one pass, by a reduction that merges moments."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.reduction import ReductionKernel
from pycuda.tools import get_or_register_dtype

CODE = """
struct moments {
    double count, mean, squares;
    __device__ moments() {}
    __device__ moments(double c, double m, double s) : count(c), mean(m), squares(s) {}
    __device__ moments(const moments &o) : count(o.count), mean(o.mean), squares(o.squares) {}
    __device__ moments(const volatile moments &o)
        : count(o.count), mean(o.mean), squares(o.squares) {}
    __device__ volatile moments &operator=(const moments &o) volatile
    {
        count = o.count; mean = o.mean; squares = o.squares;
        return *this;
    }
};

__device__ moments merge(moments a, moments b)
{
    const double count = a.count + b.count;
    if (count == 0) return a;
    const double apart = b.mean - a.mean;
    return moments(count, a.mean + apart * b.count / count,
                   a.squares + b.squares + apart * apart * a.count * b.count / count);
}
"""
moments = np.dtype([("count", np.float64), ("mean", np.float64), ("squares", np.float64)])
get_or_register_dtype("moments", moments)
measure = ReductionKernel(
    moments, "moments(0, 0, 0)", "merge(a, b)", "moments(1, x[i], 0)", "float *x", preamble=CODE
)
rng = np.random.default_rng(29)
for size in (1, 100, 3000, 70_001):
    host = (rng.standard_normal(size) * 0.5 + 1000).astype(np.float32)
    found = measure(gpuarray.to_gpu(host)).get()
    exact = host.astype(np.float64)
    assert found["count"] == size and np.isclose(found["mean"], exact.mean(), rtol=1e-12)
    variance = float(found["squares"]) / size
    assert np.isclose(variance, exact.var(), rtol=1e-6, atol=1e-12)
    print(int(found["count"]), round(float(found["mean"]), 3), round(variance, 4))
print("done")
