"""A PyCUDA program: a permutation applied and undone by taking and putting."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray

rng = np.random.default_rng(20)
order = rng.permutation(2000).astype(np.uint32)
hosts = [rng.standard_normal(2000).astype(np.float32) for _ in range(3)]
index = gpuarray.to_gpu(order)
mixed = gpuarray.multi_take([gpuarray.to_gpu(one) for one in hosts], index)
back = gpuarray.multi_put(mixed, index, dest_shape=(2000,))
for host, one, other in zip(hosts, mixed, back, strict=True):
    assert (one.get() == host[order]).all()
    assert (other.get() == host).all()
chosen = gpuarray.to_gpu(order[:100])
assert np.isclose(
    gpuarray.subset_sum(chosen, back[0]).get(), hosts[0][order[:100]].sum(), rtol=1e-4
)
assert gpuarray.subset_max(chosen, back[1]).get() == hosts[1][order[:100]].max()
print("done")
