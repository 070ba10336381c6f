"""A PyCUDA program: arrays pickled and saved, in both orders."""

import io
import pickle

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray

host = np.random.default_rng(17).standard_normal((6, 4))
for order in ("C", "F"):
    array = gpuarray.to_gpu(np.asarray(host, order=order))
    again = pickle.loads(pickle.dumps(array * 2))
    assert again.strides == array.strides
    assert (again.get() == 2 * host).all()
    file = io.BytesIO()
    np.save(file, array.get())
    file.seek(0)
    loaded = gpuarray.to_gpu(np.load(file))
    assert (loaded - array).get().any() == np.False_
    assert (array.ravel().get() == host.ravel(order=order)).all()
print("done")
