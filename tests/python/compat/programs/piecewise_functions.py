"""A PyCUDA program: functions given in pieces, by if_positive, where, minimum and maximum."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import cumath, gpuarray

host = np.random.default_rng(27).uniform(-3, 3, 4000)
for dtype in (np.float32, np.float64):
    h = host.astype(dtype)
    x = gpuarray.to_gpu(h)
    clipped = gpuarray.minimum(gpuarray.maximum(x, -1.0), 1.0)
    assert (clipped.get() == np.clip(h, -1, 1)).all()
    leaky = gpuarray.if_positive(x, x, x * 0.125)
    assert np.allclose(leaky.get(), np.where(h > 0, h, h * dtype(0.125)))
    huber = gpuarray.if_positive(abs(x) < 1, x * x * 0.5, abs(x) - 0.5)
    assert np.allclose(huber.get(), np.where(abs(h) < 1, h * h / 2, abs(h) - 0.5), atol=1e-6)
    nonzero = gpuarray.where(x > 2, gpuarray.ones_like(x), gpuarray.zeros_like(x))
    assert (nonzero.get() == (h > 2)).all()
    outside = gpuarray.logical_or(x < -2, x > 2)
    assert (outside.get() == (abs(h) > 2)).all()
    inside = gpuarray.logical_not(outside)
    assert (inside.get() == (abs(h) <= 2)).all()
    both = gpuarray.maximum(x, -x)
    assert (both.get() == abs(h)).all() and (both.get() == cumath.fabs(x).get()).all()
    hills = gpuarray.maximum(gpuarray.zeros_like(x), 1 - abs(x))
    assert np.allclose(hills.get(), np.maximum(0, 1 - abs(h)), atol=1e-6)
    counts = [int(gpuarray.sum(flags.astype(np.int32)).get()) for flags in (outside, inside)]
    print(np.dtype(dtype), counts, round(float(gpuarray.sum(nonzero).get())))
    print(bool(gpuarray.any(outside).get()), bool(gpuarray.all(outside).get()))
print("done")
