"""A PyCUDA program: arrays converted through chains of types, and back."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray

rng = np.random.default_rng(25)
host = rng.integers(0, 200, 3001).astype(np.uint8)
g = gpuarray.to_gpu(host)
for chain in (
    [np.int16, np.int32, np.int64, np.float64, np.float32, np.uint8],
    [np.float32, np.complex64, np.complex64],
    [np.float64, np.complex128],
    [np.uint32, np.float32, np.int16, np.float64, np.uint16],
):
    array = g
    for dtype in chain:
        array = array.astype(dtype)
    back = array.real if array.dtype.kind == "c" else array
    assert array.dtype == chain[-1] and (back.get() == host).all()
    print(array.dtype, int(gpuarray.sum(back.astype(np.float64)).get()))
signed = gpuarray.to_gpu(rng.uniform(-1000, 1000, 500))
whole = signed.astype(np.int32)
assert (whole.get() == signed.get().astype(np.int32)).all()  # towards zero
assert (whole.astype(np.float64).get() == np.trunc(signed.get())).all()
single = signed.astype(np.float32)
assert (single.get() == signed.get().astype(np.float32)).all()
mixed = single + signed
assert mixed.dtype == np.float64 and np.allclose(mixed.get(), 2 * signed.get(), rtol=1e-6)
halves = whole.astype(np.float32) * 0.5
assert halves.dtype == np.float32 and (halves.get() == whole.get() / 2).all()
print(int(gpuarray.sum(whole).get()), gpuarray.sum(g, dtype=np.int32).get())
print("done")
