"""A PyCUDA program: a scan in segments, with an associative expression of structs."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.scan import InclusiveScanKernel
from pycuda.tools import register_dtype

pair = np.dtype([("begins", np.int32), ("sum", np.int32)])
register_dtype(pair, "segment_pair")
kernel = InclusiveScanKernel(
    pair, "segment_pair{a.begins | b.begins, b.begins ? b.sum : a.sum + b.sum}",
    preamble="struct segment_pair { int begins, sum; };",
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
print("done")
