"""One program for PyCUDA and for `warpwise run`: prints `{"row": NAME, "us": MICROSECONDS}` lines.

Started by ../compat_pycuda.py. Calls are timed on the host, without the device's work; works by
events around calls whose result is evaluated (`.gpudata` of an array is).
"""

from __future__ import annotations

import ctypes
import importlib
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pycuda.cumath as cumath
import pycuda.curandom as curandom
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel
from pycuda.tools import DeviceMemoryPool

SMALL = 1024
LARGE = 1 << 28
ADD = """
__global__ void add(float *a, float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}
// VARIANT
"""


def report(name: str, microseconds: float, count: int = 0) -> None:
    """`count`: bytes that the work reads and writes."""
    print(json.dumps({"row": name, "us": microseconds, "bytes": count}), flush=True)


def call(work: Callable[[], object], calls: int = 250, rounds: int = 7) -> float:
    """Microseconds of the host a call; the device is idle before each round."""
    work()
    samples = []
    for _ in range(rounds):
        drv.Context.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            work()
        samples.append(1e6 * (time.perf_counter() - start) / calls)
    drv.Context.synchronize()
    return statistics.median(samples)


def device(work: Callable[[], object], rounds: int = 10) -> float:
    """Microseconds of the device, once what compiles in the background has ended."""
    end = time.perf_counter() + 1
    while time.perf_counter() < end:
        work()
        drv.Context.synchronize()
    samples = []
    for _ in range(rounds + 2):
        begin, end = drv.Event(), drv.Event()
        begin.record()
        work()
        end.record()
        end.synchronize()
        samples.append(1e3 * begin.time_till(end))
    return statistics.median(samples[2:])


def opens() -> None:
    """Makes the context."""
    start = time.perf_counter()
    importlib.import_module("pycuda.autoinit")
    report("import pycuda.autoinit", 1e6 * (time.perf_counter() - start))


def compiles() -> None:
    cold, cached = [], []
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(6):
            source = ADD.replace("VARIANT", f"{time.time_ns()} {turn}")
            for samples in (cold, cached):
                start = time.perf_counter()
                SourceModule(source, cache_dir=folder).get_function("add")
                samples.append(1e6 * (time.perf_counter() - start))
    report("SourceModule, the first of a process", cold[0])
    report("SourceModule, later ones", statistics.median(cold[1:]))
    report("SourceModule, from the cache", statistics.median(cached))


def launches() -> None:
    add = SourceModule(ADD).get_function("add")
    a, b, c = (gpuarray.zeros(SMALL, np.float32) for _ in range(3))
    count, grid, block = np.int32(SMALL), (4, 1), (256, 1, 1)
    report("launch", call(lambda: add(a, b, c, count, grid=grid, block=block)))
    add.prepare("PPPi")
    p, q, r = a.gpudata, b.gpudata, c.gpudata
    report("prepared_call", call(lambda: add.prepared_call(grid, block, p, q, r, SMALL)))
    stream = drv.Stream()
    report(
        "prepared_async_call",
        call(lambda: add.prepared_async_call(grid, block, stream, p, q, r, SMALL)),
    )
    pool = DeviceMemoryPool()
    report("pool, allocate and free 1 MiB", call(lambda: pool.allocate(1 << 20)))
    report("a + b of 1,024 elements", call(lambda: (a + b).gpudata))
    report(
        "zeros from a pool, plus 0",
        call(lambda: (gpuarray.zeros(SMALL, np.float32, allocator=pool.allocate) + 0).gpudata),
    )


def works() -> None:
    pool = DeviceMemoryPool()
    x, y = (curandom.rand(LARGE) for _ in range(2))
    z = gpuarray.empty_like(x)
    size = x.nbytes
    report(
        "copy",
        device(lambda: drv.memcpy_dtod_async(z.gpudata, x.gpudata, size)),
        2 * size,
    )
    u, v = (
        gpuarray.GPUArray(w.shape, w.dtype, gpudata=w.gpudata, allocator=pool.allocate)
        for w in (x, y)
    )
    report(
        "5*x + 6*y - sin(x)*sqrt(y), expression",
        device(lambda: (5 * u + 6 * v - cumath.sin(u) * cumath.sqrt(v)).gpudata, 5),
        3 * size,
    )
    chain = ElementwiseKernel(
        "float *x, float *y, float *z", "z[i] = 5*x[i] + 6*y[i] - sinf(x[i])*sqrtf(y[i])", "chain"
    )
    report("the same, ElementwiseKernel", device(lambda: (chain(x, y, z), z.gpudata)), 3 * size)
    report("sum", device(lambda: gpuarray.sum(u).gpudata), size)
    dot = ReductionKernel(np.float32, "0", "a+b", "x[i]*y[i]", "float *x, float *y")
    report(
        "dot product, ReductionKernel",
        device(lambda: dot(x, y, allocator=pool.allocate).gpudata),
        2 * size,
    )
    scan = InclusiveScanKernel(np.float32, "a+b")
    report("InclusiveScanKernel", device(lambda: (scan(x, z), z.gpudata), 5), 2 * size)
    report("curandom.rand", device(lambda: curandom.rand(LARGE).gpudata, 5), size)
    generator = curandom.XORWOWRandomNumberGenerator()
    report("XORWOW, fill_uniform", device(lambda: (generator.fill_uniform(z), z.gpudata)), size)
    report("XORWOW, fill_normal", device(lambda: (generator.fill_normal(z), z.gpudata)), size)


def driver_itself() -> None:
    """A launch with four arguments by the driver's function, in a loop of C++."""
    library = ctypes.CDLL(sys.argv[1])
    library.raw_open.restype = ctypes.c_char_p
    library.raw_launch.restype = ctypes.c_double
    if failed := library.raw_open(b"libcuda.so.1"):
        raise RuntimeError(failed.decode())
    samples = [library.raw_launch(4, 0, ctypes.c_long(256)) / 1000 for _ in range(15)]
    report("the driver's own launch", statistics.median(samples))


if __name__ == "__main__":
    opens()
    compiles()
    launches()
    if len(sys.argv) > 1 and Path(sys.argv[1]).exists():
        driver_itself()
    works()
