"""A PyCUDA program: sums and maxima by shuffles within warps, then atomics between blocks."""

import numpy as np
import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule(
    """
template <class Join>
__device__ int over_warp(int value, Join join)
{
    for (int distance = 16; distance; distance /= 2)
        value = join(value, __shfl_down_sync(0xffffffffu, value, distance));
    return value;
}

extern "C" __global__ void measure(const int *x, int n, int *sum, int *largest, int *positive)
{
    const int lane = threadIdx.x % 32, stride = gridDim.x * blockDim.x;
    int total = 0, most = -2147483647, count = 0;
    for (int start = blockIdx.x * blockDim.x; start < n; start += stride) {
        const int i = start + threadIdx.x;
        const int value = i < n ? x[i] : -2147483647;
        if (i < n) total += value;
        most = max(most, value);
        count += __popc(__ballot_sync(0xffffffffu, i < n && value > 0));
    }
    total = over_warp(total, [](int a, int b) { return a + b; });
    most = over_warp(most, [](int a, int b) { return max(a, b); });
    if (lane == 0) {
        atomicAdd(sum, total);
        atomicMax(largest, most);
        atomicAdd(positive, count);
    }
}
""",
    no_extern_c=True,
)
measure = module.get_function("measure")
rng = np.random.default_rng(35)
for size in (1, 31, 1000, 100_003):
    x = rng.integers(-1000, 1000, size).astype(np.int32)
    results = [np.array([start], np.int32) for start in (0, -(2**31) + 1, 0)]
    measure(
        cuda.In(x), np.int32(size), *[cuda.InOut(result) for result in results],
        block=(128, 1, 1), grid=(20, 1),
    )  # fmt: skip
    found = [int(result[0]) for result in results]
    assert found == [x.sum(), x.max(), (x > 0).sum()]
    print(size, found)
print("done")
