"""A PyCUDA program: random walks, steps by curandom, positions by a prefix sum."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import curandom, gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.scan import InclusiveScanKernel

WALKS, STEPS = 40, 1000
generator = curandom.XORWOWRandomNumberGenerator(curandom.seed_getter_unique)
noise = generator.gen_uniform((WALKS, STEPS), np.float32)
steps = gpuarray.empty((WALKS, STEPS), np.int32)
ElementwiseKernel("float *noise, int *steps", "steps[i] = noise[i] < 0.5f ? -1 : 1")(noise, steps)
host = steps.get()
assert set(np.unique(host)) == {-1, 1}
total = InclusiveScanKernel(np.int32, "a+b")
ends = []
for walk in range(WALKS):
    row = steps[walk].copy()
    total(row)
    assert (row.get() == host[walk].cumsum()).all()
    ends.append(int(row[STEPS - 1].get()))
spread = np.std(ends) / STEPS**0.5
assert 0.5 < spread < 1.7, spread
print("done")
