"""A PyCUDA program: numbers taken apart and put together again, and angles in periods."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import cumath, gpuarray

host = np.random.default_rng(32).uniform(-500, 500, 3000).astype(np.float32)
x = gpuarray.to_gpu(host)
significands, exponents = cumath.frexp(x)
expected = np.frexp(host)
assert (significands.get() == expected[0]).all() and (exponents.get() == expected[1]).all()
assert (cumath.ldexp(significands, exponents).get() == host).all()
fractions, wholes = cumath.modf(x)
assert (fractions.get() == np.modf(host)[0]).all() and (wholes.get() == np.trunc(host)).all()
assert ((fractions + wholes).get() == host).all()
turn = gpuarray.zeros_like(x) + 7
rest = cumath.fmod(x, turn)
assert (rest.get() == np.fmod(host, np.float32(7))).all()
down, up = cumath.floor(x), cumath.ceil(x)
assert (down.get() == np.floor(host)).all() and (up.get() == np.ceil(host)).all()
assert ((up - down).get() == (host != np.trunc(host))).all()
print(int(gpuarray.sum(exponents).get()), int(gpuarray.max(exponents).get()))
for dtype in (np.float32, np.float64):
    angles = gpuarray.to_gpu(host.astype(dtype) / 400)
    h = angles.get()
    for name, inverse in (("sin", "asin"), ("tan", "atan")):
        back = getattr(cumath, inverse)(getattr(cumath, name)(angles))
        assert np.allclose(back.get(), h, atol=1e-5), name
    logs = cumath.log10(cumath.exp(angles))
    assert np.allclose(logs.get(), h / np.log(10), atol=1e-5)
    ratio = cumath.sinh(angles) / cumath.cosh(angles)
    assert np.allclose(ratio.get(), cumath.tanh(angles).get(), atol=1e-5)
    print(np.dtype(dtype), ratio.dtype, round(float(gpuarray.max(ratio).get()), 3))
print("done")
