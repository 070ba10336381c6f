"""A PyCUDA program: what is kept is moved together, by an exclusive scan of flags."""

import numpy as np
import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.scan import ExclusiveScanKernel

rng = np.random.default_rng(13)
host = rng.standard_normal(5000).astype(np.float32)
x = gpuarray.to_gpu(host)
flags = (x > 0.5).astype(np.int32)
places = flags.copy()
ExclusiveScanKernel(np.int32, "a+b", neutral="0")(places)
count = int((places[-1] + flags[-1]).get())
kept = gpuarray.empty(count, np.float32)
move = ElementwiseKernel(
    "float *x, int *flag, int *place, float *kept", "if (flag[i]) kept[place[i]] = x[i]", "move"
)
move(x, flags, places, kept)
assert (kept.get() == host[host > 0.5]).all()
print("done")
