"""A PyCUDA program: a scan in segments, with an associative expression of structs."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.scan import InclusiveScanKernel
from pycuda.tools import get_or_register_dtype

pair = np.dtype([("begins", np.int32), ("sum", np.int32)])
get_or_register_dtype("segment_pair", pair)
kernel = InclusiveScanKernel(
    pair, "join(a, b)",
    preamble="""
struct segment_pair { int begins, sum; };

__device__ segment_pair join(segment_pair a, segment_pair b)
{
    segment_pair result;
    result.begins = a.begins | b.begins;
    result.sum = b.begins ? b.sum : a.sum + b.sum;
    return result;
}
""",
)  # fmt: skip
rng = np.random.default_rng(14)
host = np.zeros(3000, pair)
host["begins"], host["sum"] = rng.random(3000) < 0.05, rng.integers(0, 9, 3000)
array = gpuarray.to_gpu(host)
kernel(array)
expected, running = [], 0
for begins, value in host.tolist():
    running = value if begins else running + value
    expected.append(running)
assert array.get()["sum"].tolist() == expected
print(expected[-1], array.get()["sum"].max())
print("done")
