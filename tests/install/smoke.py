"""What an empty environment runs: a kernel never compiled before, checked against NumPy."""

import sys
from pathlib import Path

import numpy as np

import warpwise as ww

module = ww.SourceModule(
    """
    #include <math.h>
    __global__ void wave(float *y, const float *x, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = sinf(x[i]) + 2.0f * x[i];
    }
    """,
    name="wave.cu",
)
x = np.linspace(0, 3, 1000, dtype=np.float32)
y = np.zeros_like(x)
module.get_function("wave")(ww.Out(y), ww.In(x), x.size, grid=4, block=256)
np.testing.assert_allclose(y, np.sin(x) + 2 * x, rtol=1e-6, atol=1e-6)

mapped = Path("/proc/self/maps").read_text()
package = str(Path(ww.__file__).parent)
assert f"{package}/libwarpwise_compiler.so" in mapped, "the compiler library was not opened"
foreign = {
    line.split()[-1] for line in mapped.splitlines() if "/libLLVM" in line or "/libclang" in line
}
assert not foreign, f"an LLVM of another owner was loaded: {foreign}"
print("smoke test passed on", ww.Device(), "with Python", sys.version.split()[0])
