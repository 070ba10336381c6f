"""The tour that `./dev demo` gives: a PyCUDA script unchanged, four kernels with their times, a
picture, and what mistakes look like. `python demo.py FOLDER` leaves the picture in FOLDER.

Every measured example runs in two fresh processes that share one new cache folder: the first
compiles its kernel, the second finds it there. Before them one process compiles another kernel, and
with it the headers of device code, which happens once in a cache's life.
"""

import argparse
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import warpwise as ww

HERE = Path(__file__).parent
PRIMER = """
import time, warpwise as ww
start = time.perf_counter()
ww.SourceModule("__global__ void first() {}").get_function("first")
print(1e3 * (time.perf_counter() - start))
"""
EXAMPLES = ("vector_add", "matrix_product", "histogram", "mandelbrot")


def measure(name: str) -> dict[str, Any]:
    """In this process: milliseconds to a ready kernel, and to a result with all its copies."""
    example = importlib.import_module(name)
    ww.Device().synchronize()
    start = time.perf_counter()
    kernel = ww.SourceModule(example.SOURCE, name=f"{name}.cu").get_function(example.KERNEL)
    ready = time.perf_counter()
    result = example.compute(kernel)
    done = time.perf_counter()
    return {
        "ready_ms": 1e3 * (ready - start),
        "run_ms": 1e3 * (done - ready),
        "right": example.is_right(result),
    }


def output_of_a_new_process(cache: str, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        env={**os.environ, "WARPWISE_CACHE_DIR": cache},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()[-1]


def table(cache: str) -> bool:
    primed = float(output_of_a_new_process(cache, "-c", PRIMER))
    print(f"Kernels on {ww.Device()}; times in milliseconds\n")
    print(f"{'kernel':16} {'compiled':>9} {'cached':>9} {'run':>9}  against NumPy")
    good = True
    for name in EXAMPLES:
        cold, warm = (
            json.loads(output_of_a_new_process(cache, __file__, "--measure", name))
            for _ in range(2)
        )
        right = cold["right"] and warm["right"]
        good = good and right
        times = f"{cold['ready_ms']:9.1f} {warm['ready_ms']:9.1f} {warm['run_ms']:9.1f}"
        print(f"{name:16} {times}  {'right' if right else 'WRONG'}", flush=True)
    print("\ncompiled: the first kernel of a new process, which opens the compiler")
    print("cached:   the same in another new process, from the cache on disk")
    print("run:      copies to the device, the kernel, copies back")
    print(f"The very first kernel, with which the headers were compiled, took {primed:.0f} ms.")
    return good


def tour(folder: Path) -> bool:
    def show(title: str, *command: str | Path) -> bool:
        print(f"\n=== {title}\n", flush=True)
        return subprocess.run([sys.executable, *command], check=False).returncode == 0

    folder.mkdir(parents=True, exist_ok=True)
    good = show("A PyCUDA script, unchanged", "-m", "warpwise", "run", HERE / "pycuda_script.py")
    print("\n=== Four kernels\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="warpwise-demo-") as cache:
        good &= table(cache)
    good &= show("A picture", HERE / "mandelbrot.py", folder / "mandelbrot.png")
    good &= show("Mistakes", HERE / "mistakes.py")
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description="A tour of Warpwise.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path())
    parser.add_argument("--measure", choices=EXAMPLES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure)))
        return 0
    return 0 if tour(options.folder) else 1


if __name__ == "__main__":
    sys.exit(main())
