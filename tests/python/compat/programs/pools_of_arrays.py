"""A PyCUDA program: arrays with memory from a pool, in a loop that frees what it makes."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.tools import DeviceMemoryPool, PageLockedMemoryPool

pool, hosts = DeviceMemoryPool(), PageLockedMemoryPool()
values = hosts.allocate((1000,), np.float32)
values[:] = np.arange(1000)
array = gpuarray.to_gpu(values, allocator=pool.allocate)
for _ in range(20):
    array = array + 1
assert (array.get() == np.arange(1000) + 20).all()
drv.Context.synchronize()
assert pool.active_blocks == 1
assert isinstance((array * 2).gpudata, drv.PooledDeviceAllocation)
del array
assert pool.active_blocks == 0
pool.stop_holding()
print("done")
