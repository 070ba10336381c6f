"""A PyCUDA program: the speed of copies, from ordinary and from page-locked memory, pooled."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.tools import DeviceMemoryPool, PageLockedAllocator, PageLockedMemoryPool

SIZE = 1 << 22
pool, host_pool = DeviceMemoryPool(), PageLockedMemoryPool(PageLockedAllocator())
ordinary = np.random.default_rng(11).integers(0, 256, SIZE, np.uint8)
locked = host_pool.allocate((SIZE,), np.uint8)
locked[:] = ordinary
portable = cuda.pagelocked_empty((SIZE,), np.uint8, mem_flags=cuda.host_alloc_flags.PORTABLE)
portable[:] = ordinary
memory, stream = pool.allocate(SIZE), cuda.Stream()
start, end = cuda.Event(), cuda.Event()
speeds = {}
for name, host in (("ordinary", ordinary), ("locked", locked), ("portable", portable)):
    cuda.memset_d8(memory, 0, SIZE)
    start.record(stream)
    if name == "ordinary":
        cuda.memcpy_htod(memory, host)
    else:
        cuda.memcpy_htod_async(memory, host, stream)
    end.record(stream)
    end.synchronize()
    speeds[name] = SIZE / 1e6 / max(end.time_since(start), 1e-3)
    back = np.empty_like(ordinary)
    cuda.memcpy_dtoh(back, memory)
    np.testing.assert_array_equal(back, ordinary)
assert all(speed > 0 for speed in speeds.values())
assert pool.active_blocks >= 1 and pool.managed_bytes >= SIZE
memory.free()
assert pool.held_blocks >= 1
pool.free_held()
print(sorted(speeds), back.sum())
del locked, host
host_pool.free_held()
print("done")
