"""From source text to a kernel ready to launch: four situations, new processes for each sample.

ever     a new process and an empty cache: the headers of device code are compiled as well
first    a new process, this kernel not cached: the compiler library is opened as well
warm     the same process once the compiler is open, another kernel, nothing cached
cached   a new process, from the cache on disk; the compiler library stays closed

The kernel has ten lines. Times begin before SourceModule() and end after get_function(); importing
and asking for the device come before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time

from report import row

SAMPLES = 9
SOURCE = r"""
__global__ void blend(float *out, const float *a, const float *b, float weight, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = a[i] * weight + VARIANT;
    float y = b[i] * (1.0f - weight);
    out[i] = sqrtf(x * x + y * y);
}
"""


def ready_ms(variant: str) -> float:
    import warpwise as ww

    start = time.perf_counter()
    ww.SourceModule(SOURCE.replace("VARIANT", variant)).get_function("blend")
    return 1e3 * (time.perf_counter() - start)


def one_process(variant: str) -> None:
    import warpwise as ww

    ww.Device().synchronize()
    first = ready_ms(variant)
    warm = [ready_ms(f"{variant}{digit}") for digit in range(10)]
    print(json.dumps({"first": first, "warm": warm}))


def run_process(cache: str, variant: str) -> tuple[float, list[float]]:
    env = {**os.environ, "WARPWISE_CACHE_DIR": cache, "WARPWISE_DEVICE": "cpu"}
    command = [sys.executable, __file__, "--one-process", variant]
    printed = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout
    measured = json.loads(printed)
    return measured["first"], measured["warm"]


def main() -> None:
    ever: list[float] = []
    first: list[float] = []
    warm: list[float] = []
    cached: list[float] = []
    for _ in range(SAMPLES):
        with tempfile.TemporaryDirectory(prefix="warpwise-bench-") as cache:
            ever.append(run_process(cache, "1.5f + 0.")[0])
            cold_first, cold_warm = run_process(cache, "2.5f + 0.")
            first.append(cold_first)
            warm += cold_warm
            cached.append(run_process(cache, "2.5f + 0.")[0])
    row("first ever, empty cache", ever, "ms")
    row("first of a process, not cached", first, "ms")
    row("compiler open, not cached", warm, "ms")
    row("new process, cached", cached, "ms")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one-process"]:
        one_process(sys.argv[2])
    else:
        main()
