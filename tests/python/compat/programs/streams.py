"""A PyCUDA program: chunks through several streams, with page-locked memory and events."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

square = SourceModule(
    "__global__ void square(float *x, int n)"
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= x[i]; }"
).get_function("square")

CHUNKS, SIZE = 4, 50_000
host = cuda.pagelocked_empty((CHUNKS, SIZE), np.float32)
host[:] = np.random.default_rng(6).random((CHUNKS, SIZE))
expected = host**2
streams = [cuda.Stream() for _ in range(CHUNKS)]
memory = [cuda.mem_alloc(host[0].nbytes) for _ in range(CHUNKS)]
ends = []
start = cuda.Event().record()
for chunk, gpu, stream in zip(host, memory, streams, strict=True):
    cuda.memcpy_htod_async(gpu, chunk, stream)
    square(gpu, np.int32(SIZE), block=(256, 1, 1), grid=(-(-SIZE // 256), 1), stream=stream)
    cuda.memcpy_dtoh_async(chunk, gpu, stream)
    ends.append(cuda.Event().record(stream))
for end in ends:
    assert start.time_till(end.synchronize()) >= 0
np.testing.assert_array_equal(host, expected)

free, total = cuda.mem_get_info()
assert 0 < free <= total
try:
    square(gpu, block=(256, 1, 1))
except cuda.Error as error:
    assert "square" in str(error) or "argument" in str(error)
else:
    raise AssertionError("a missing argument must raise")
print("done")
