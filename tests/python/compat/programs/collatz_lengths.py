"""A PyCUDA program: lengths of Collatz sequences, the longest found by a reduction of keys."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel

N = 20_000
count = ElementwiseKernel(
    "int *steps",
    """
    long long number = i + 1;
    int turns = 0;
    while (number != 1) {
        number = number % 2 ? 3 * number + 1 : number / 2;
        ++turns;
    }
    steps[i] = turns;
    """,
    "collatz",
)
steps = gpuarray.empty(N, np.int32)
count(steps)
known = {1: 0}
for start in range(1, N + 1):
    path, number = [], start
    while number not in known:
        path.append(number)
        number = 3 * number + 1 if number % 2 else number // 2
    for turns, one in enumerate(reversed(path), known[number] + 1):
        known[one] = turns
expected = np.array([known[number] for number in range(1, N + 1)], np.int32)
assert (steps.get() == expected).all()
# A key has the length above the place from the end, so the largest is the first of the longest.
longest = ReductionKernel(
    np.int64, "0", "a > b ? a : b", "((long)steps[i] << 32) | (long)(n - i)", "int *steps"
)
length, rest = divmod(int(longest(steps).get()), 1 << 32)
start = N - rest + 1
assert (length, start - 1) == (expected.max(), expected.argmax())
even = gpuarray.to_gpu(np.arange(1, N, 2, dtype=np.int32))
print(start, length, gpuarray.subset_max(even, steps).get(), gpuarray.sum(steps).get())
print("done")
