"""What kernels written in Python cost beside CUDA C++: compiling and launching.

compile   a ten-line kernel, compiler open, nothing cached: from its syntax tree, and from the CUDA
          C++ that it becomes; the difference is the front end's
launch    four arrays on the current device: kernel[grid, block](...), the same with the launch
          kept, and the raw kernel of ww.SourceModule; each waits for the end once in a sample
numba     the same kernel by Numba where it is importable and there is a GPU

Each sample compiles another constant, or makes 2,000 launches. `--quick` takes fewer samples."""

from __future__ import annotations

import importlib.util
import linecache
import os
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from report import row

COMPILES = 5 if "--quick" in sys.argv else 15
SAMPLES = 5 if "--quick" in sys.argv else 15
LAUNCHES = 2000
SIGNATURE = "float32[::1], float32[::1], float32[::1], float64"
TEXT = """
def blend(out, a, b, weight):
    i = cuda.grid(1)
    if i >= out.size:
        return
    x = a[i] * weight + {constant}
    y = b[i] * (1 - weight)
    if x < y:
        x, y = y, x
    root = math.sqrt(x * x + y * y)
    out[i] = root if root > 0 else x
"""


def function(constant: float, cuda: Any) -> Any:
    """The kernel's Python function with a constant of its own."""
    import math

    text = TEXT.format(constant=constant)
    file = f"<blend {constant}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = {"cuda": cuda, "math": math}
    exec(compile(text, file, "exec"), scope)
    return scope["blend"]


def compile_times() -> None:
    import warpwise as ww
    from warpwise import cuda

    kernel = cuda.jit(function(0.5, cuda))
    kernel.compile(SIGNATURE)  # opens the compiler
    ours, raw = [], []
    for sample in range(COMPILES):
        start = time.perf_counter()
        cuda.jit(function(1.5 + sample, cuda)).compile(SIGNATURE)
        ours.append(1e3 * (time.perf_counter() - start))
        source = str(cuda.jit(function(0.25 + sample, cuda)).inspect_source(SIGNATURE))
        start = time.perf_counter()
        ww.SourceModule(source).get_function("blend")
        raw.append(1e3 * (time.perf_counter() - start))
    row("compile, from Python", ours, "ms")
    row("compile, from its CUDA C++", raw, "ms")


def timed(launch: Callable[[], object], wait: Callable[[], object]) -> list[float]:
    """Nanoseconds of a launch."""
    samples = []
    for _ in range(SAMPLES):
        wait()
        start = time.perf_counter_ns()
        for _ in range(LAUNCHES):
            launch()
        wait()
        samples.append((time.perf_counter_ns() - start) / LAUNCHES)
    return samples


def launch_times() -> None:
    import warpwise as ww
    from warpwise import cuda

    @cuda.jit
    def four(a: Any, b: Any, c: Any, d: Any) -> None:
        a[0] = b[0] + c[0] + d[0]

    arrays = [cuda.to_device(np.ones(32, np.float32)) for _ in range(4)]
    plain = [ww.asarray(np.ones(32, np.float32)) for _ in range(4)]
    four[1, 1](*arrays)
    four[1, 1](*plain)
    kept = four[1, 1]
    raw = ww.SourceModule(
        "__global__ void four(float *a, float *b, float *c, float *d) "
        "{ a[0] = b[0] + c[0] + d[0]; }"
    )["four"]
    bound = raw[1, 1]
    wait = ww.Device().synchronize
    row("launch, kernel[grid, block]", timed(lambda: four[1, 1](*plain), wait), "ns")
    row("launch, kept", timed(lambda: kept(*plain), wait), "ns")
    row("launch, kept, DeviceNDArray", timed(lambda: kept(*arrays), wait), "ns")
    row("launch, raw kernel", timed(lambda: bound(*plain), wait), "ns")


def numba_times() -> None:
    if importlib.util.find_spec("numba") is None:
        print("numba is not installed: no rows of it", file=sys.stderr)
        return
    from numba import cuda

    if not cuda.is_available():
        print("numba finds no GPU: no rows of it", file=sys.stderr)
        return
    times = []
    for sample in range(COMPILES):
        start = time.perf_counter()
        cuda.jit("void(float32[::1], float32[::1], float32[::1], float64)")(
            function(3.5 + sample, cuda)
        )
        times.append(1e3 * (time.perf_counter() - start))
    row("compile, Numba", times, "ms")

    @cuda.jit
    def four(a: Any, b: Any, c: Any, d: Any) -> None:
        a[0] = b[0] + c[0] + d[0]

    arrays = [cuda.to_device(np.ones(32, np.float32)) for _ in range(4)]
    kept = four[1, 1]
    kept(*arrays)
    row("launch, kept, Numba", timed(lambda: kept(*arrays), cuda.synchronize), "ns")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="warpwise-bench-") as cache:
        os.environ["WARPWISE_CACHE_DIR"] = cache
        compile_times()
        launch_times()
    numba_times()


if __name__ == "__main__":
    main()
