"""A PyCUDA program: transposes, reshapes and views that share memory, in both orders."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda import gpuarray

host = np.arange(24, dtype=np.float32).reshape(4, 6)
a = gpuarray.to_gpu(host)
a[0] = -1
assert (a.T.get()[:, 0] == -1).all()
assert (a.reshape(6, 4).T.get() == a.get().reshape(6, 4).T).all()
f = gpuarray.to_gpu(np.asfortranarray(host))
assert (f.ravel().get() == host.ravel(order="F")).all()
assert f.reshape((6, 4), order="F").flags.f_contiguous
f.T[2] = 7  # a column of f, which is contiguous
host[:, 2] = 7
assert (f.get() == host).all() and f.get().flags.f_contiguous
assert (a[1:3, ::2].get() == a.get()[1:3, ::2]).all()
assert (a.view(np.int32).view(np.float32).get() == a.get()).all()
row = np.empty(6, np.float32)
drv.memcpy_dtoh(row, a[2].gpudata)
assert (row == a.get()[2]).all()
both = gpuarray.concatenate([a, a * 2], axis=1)
assert (both.get() == np.hstack([a.get(), a.get() * 2])).all()
above = gpuarray.concatenate([a, a * 2, a])
assert (above.get() == np.vstack([a.get(), a.get() * 2, a.get()])).all()
piled = gpuarray.stack([a, a * 3])
assert (piled.get() == np.stack([a.get(), a.get() * 3])).all()
deep = gpuarray.stack([f, f * 3], axis=2)
assert deep.flags.f_contiguous and (deep.get() == np.stack([host, host * 3], 2)).all()
print(a.T.shape, both.shape, above.shape, piled.shape, deep.strides, piled[:, 1:2].squeeze().shape)
print("done")
