"""What a launch costs from Python, besides the kernel's own work: an empty kernel of one block.

queue    the call alone: checks, packing, handing over
finish   the call and waiting until it is done
import   what `import warpwise` adds to `import numpy`, in new processes"""

from __future__ import annotations

import subprocess
import sys
import time

import warpwise as ww
from report import row

ROUNDS = 15
LAUNCHES = 2000
IMPORT = """
import time, numpy
start = time.perf_counter()
import warpwise
print(1e3 * (time.perf_counter() - start))
"""


def per_launch_us(kernel: ww.Kernel, arguments: tuple[object, ...], wait_each: bool) -> float:
    launch = kernel[1, 1]
    device = ww.Device()
    device.synchronize()
    start = time.perf_counter()
    for _ in range(LAUNCHES):
        launch(*arguments)
        if wait_each:
            device.synchronize()
    took = time.perf_counter() - start
    device.synchronize()
    return 1e6 * took / LAUNCHES


def import_ms() -> float:
    printed = subprocess.run(
        [sys.executable, "-c", IMPORT], stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    return float(printed)


def main() -> None:
    module = ww.SourceModule(
        "__global__ void none() {}  __global__ void three(float *x, float f, int n) {}"
    )
    none, three = module.get_function("none"), module.get_function("three")
    arguments = (ww.mem_alloc(64), 2.0, 16)
    for name, wait_each in (("queue", False), ("finish", True)):
        samples = [per_launch_us(none, (), wait_each) for _ in range(ROUNDS)]
        row(f"{name}, no arguments", samples, "us")
        samples = [per_launch_us(three, arguments, wait_each) for _ in range(ROUNDS)]
        row(f"{name}, three arguments", samples, "us")
    row("import, beyond NumPy", [import_ms() for _ in range(ROUNDS)], "ms")


if __name__ == "__main__":
    main()
