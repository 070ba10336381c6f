"""A PyCUDA program: two halves of an array on two streams, with events between them."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda import cumath, gpuarray

N = 50_000
host = drv.pagelocked_empty((2, N), np.float32)
host[:] = np.random.default_rng(16).random((2, N))
streams = [drv.Stream() for _ in range(2)]
results = [drv.pagelocked_empty((N,), np.float32) for _ in range(2)]
kept = []
for half, stream, result in zip(host, streams, results, strict=True):
    array = gpuarray.to_gpu_async(half, stream=stream)
    roots = cumath.sqrt(array, stream=stream)
    roots.get_async(stream=stream, ary=result)
    kept += [array, roots]
events = [drv.Event().record(stream) for stream in streams]
for event in events:
    event.synchronize()
for half, result in zip(host, results, strict=True):
    assert np.allclose(result, np.sqrt(half))
streams[0].wait_for_event(events[1])
streams[0].synchronize()
assert streams[0].is_done()
print("done")
