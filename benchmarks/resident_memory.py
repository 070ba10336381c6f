"""The memory that compiled kernels occupy: 1,000 different ones, each a module of its own, in one
process. Pages that belong to the process alone count, after every kernel has run once, beyond
those it had once the first of them had.

compiled   by this process, the compiler library open
cached     from the cache on disk; the compiler library is not opened"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from report import row

KERNELS = 1000
SAMPLES = 3
SOURCE = r"""
__global__ void blend(float *out, const float *a, const float *b, float weight, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float x = a[i] * weight + VARIANT.5f;
    float y = b[i] * (1.0f - weight);
    out[i] = sqrtf(x * x + y * y);
}
"""


def private_bytes() -> int:
    rollup = Path("/proc/self/smaps_rollup").read_text()
    kilobytes = re.findall(r"^Private_(?:Clean|Dirty):\s+(\d+) kB", rollup, re.MULTILINE)
    return 1024 * sum(map(int, kilobytes))


def one_process() -> None:
    import numpy as np

    import warpwise as ww

    n = 1000
    a, b, out = (ww.mem_alloc(4 * n) for _ in range(3))
    kept = []

    def add(number: int) -> None:
        kernel = ww.SourceModule(SOURCE.replace("VARIANT", str(number))).get_function("blend")
        kernel[4, 256](out, a, b, np.float32(0.5), n)
        ww.Device().synchronize()
        kept.append(kernel)

    add(0)
    before = private_bytes()
    for number in range(1, KERNELS + 1):
        add(number)
    print(json.dumps({"megabytes": (private_bytes() - before) / 1e6}))


def measured_in_a_process(cache: str) -> float:
    env = {**os.environ, "WARPWISE_CACHE_DIR": cache, "WARPWISE_DEVICE": "cpu"}
    command = [sys.executable, __file__, "--one-process"]
    printed = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout
    return float(json.loads(printed)["megabytes"])


def main() -> None:
    compiled, cached = [], []
    for _ in range(SAMPLES):
        with tempfile.TemporaryDirectory(prefix="warpwise-bench-") as cache:
            compiled.append(measured_in_a_process(cache))
            cached.append(measured_in_a_process(cache))
    row(f"{KERNELS:,} kernels, compiled here", compiled, "MB")
    row(f"{KERNELS:,} kernels, from the cache", cached, "MB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one-process"]:
        one_process()
    else:
        main()
