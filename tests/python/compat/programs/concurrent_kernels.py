"""A PyCUDA program: kernels in several streams, their order made by events, times measured."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule(
    """
__global__ void add(double *x, int n, int rounds)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) for (int k = 0; k < rounds; ++k) x[i] += 1;
}
__global__ void gather(const double *x, double *sum, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(sum, x[i]);
}
"""
)
add, gather = module.get_function("add"), module.get_function("gather")
STREAMS, N = 8, 1000
streams = [cuda.Stream() for _ in range(STREAMS)]
memory = [cuda.to_device(np.zeros(N)) for _ in range(STREAMS)]
total = cuda.to_device(np.zeros(1))
begin, ends = cuda.Event(), []
begin.record()
for number, (stream, x) in enumerate(zip(streams, memory)):
    stream.wait_for_event(begin)
    add(x, np.int32(N), np.int32(10 * (number + 1)), block=(128, 1, 1), grid=(8, 1), stream=stream)
    ends.append(cuda.Event(cuda.event_flags.DISABLE_TIMING).record(stream))
collect = cuda.Stream()
for end, x in zip(ends, memory):
    collect.wait_for_event(end)
    gather(x, total, np.int32(N), block=(64, 1, 1), stream=collect)
finish = cuda.Event().record(collect)
finish.synchronize()
assert all(end.query() for end in ends) and collect.is_done()
assert begin.time_till(finish) == -begin.time_since(finish) >= 0
assert cuda.from_device(total, 1, np.float64)[0] == N * 10 * sum(range(1, STREAMS + 1))
print("done")
