"""A PyCUDA program: functions of complex arrays, and the identities between them."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import cumath, gpuarray

rng = np.random.default_rng(26)
host = rng.uniform(0.2, 1.5, 1500) + 1j * rng.uniform(-1.2, 1.2, 1500)
for dtype, close in ((np.complex128, 1e-10), (np.complex64, 1e-3)):
    z = gpuarray.to_gpu(host.astype(dtype))
    for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh"):
        result = getattr(cumath, name)(z)
        assert result.dtype == dtype
        assert np.allclose(result.get(), getattr(np, name)(host), rtol=close), name
    assert np.allclose(cumath.exp(cumath.log(z)).get(), host, rtol=close)
    one = cumath.sin(z) * cumath.sin(z) + cumath.cos(z) * cumath.cos(z)
    assert np.allclose(one.get(), 1, atol=10 * close)
    root = cumath.sqrt(z)
    assert np.allclose((root * root).get(), host, rtol=close)
    length = (z * z.conj()).real
    assert np.allclose(length.get(), abs(z).get() ** 2, rtol=close)
    assert np.allclose((z.real * z.real + z.imag * z.imag).get(), length.get(), rtol=close)
    turned = z * 1j
    assert np.allclose(turned.real.get(), -z.imag.get())
    total = gpuarray.sum(z).get()
    assert np.allclose(total, host.sum(), rtol=1e-3)
    print(dtype.__name__, round(float(total.real), 1), length.dtype, (2 - z).dtype)
angles = gpuarray.to_gpu(np.linspace(0, 2 * np.pi, 360))
euler = cumath.exp(1j * angles)
assert np.allclose(euler.real.get(), cumath.cos(angles).get())
assert np.allclose(euler.imag.get(), cumath.sin(angles).get())
print("done")
