"""A PyCUDA program: a permutation applied by a kernel that takes, and undone by putting."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel

rng = np.random.default_rng(20)
order = rng.permutation(2000).astype(np.uint32)
hosts = [rng.standard_normal(2000).astype(np.float32) for _ in range(3)]
index = gpuarray.to_gpu(order)
take = ElementwiseKernel("float *out, float *in, unsigned int *at", "out[i] = in[at[i]]", "take")
mixed = [gpuarray.empty(2000, np.float32) for _ in hosts]
for one, host in zip(mixed, hosts, strict=True):
    take(one, gpuarray.to_gpu(host), index)
back = gpuarray.multi_put(mixed, index, dest_shape=(2000,))
for host, one, other in zip(hosts, mixed, back, strict=True):
    assert (one.get() == host[order]).all()
    assert (other.get() == host).all()
chosen = gpuarray.to_gpu(order[:100])
total = gpuarray.subset_sum(chosen, back[0]).get()
assert np.isclose(total, hosts[0][order[:100]].sum(), rtol=1e-4)
largest = gpuarray.subset_max(chosen, back[1]).get()
assert largest == hosts[1][order[:100]].max()
print(round(float(total), 1), round(float(largest), 3))
print("done")
