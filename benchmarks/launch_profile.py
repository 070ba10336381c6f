"""Where the time of a launch goes: inside of the driver's cuLaunchKernel, and between two of them.

A library between the program and the driver (launch/timed_driver.cpp) reads the processor's clock
around each call. The bare loop of launch_overhead.py, our C++ and our Python are called in turns,
as there. "between" is all that is not the driver's, and what of it the bare loop takes is reading
the clock. Needs a GPU and an x86-64 processor."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
import time

import launch_overhead as overhead
from report import row

TIMED = "TIMED_DRIVER"


def tick_ns(timed: ctypes.CDLL) -> float:
    timed.timed_now.restype = ctypes.c_uint64
    ticks, start = timed.timed_now(), time.perf_counter_ns()
    time.sleep(0.2)
    return (time.perf_counter_ns() - start) / (timed.timed_now() - ticks)


def measure(folder: str) -> None:
    driver = os.environ["WARPWISE_CUDA_DRIVER"]
    parts = (
        overhead.raw_measures(folder, driver),
        overhead.cpp_measures(folder),
        overhead.python_launches(),
    )
    timed = ctypes.CDLL(driver)
    taken = (ctypes.c_uint64 * 3)()
    ns = tick_ns(timed)
    for count in overhead.COUNTS:
        work = f"launch, {count} arguments"
        measures = {name: made for part in parts for name, made in part[work].items()}
        samples: dict[str, list[tuple[float, float]]] = {name: [] for name in measures}
        for _ in range(overhead.ROUNDS + 1):
            for name, made in measures.items():
                timed.timed_take(taken)
                made(overhead.LAUNCHES)
                timed.timed_take(taken)
                calls = taken[2]
                samples[name].append((ns * taken[0] / calls, ns * taken[1] / (calls - 1)))
        for name, pairs in samples.items():
            row(f"{work}: {name}, inside", [inside for inside, _ in pairs[1:]], "ns")
            row(f"{work}: {name}, between", [between for _, between in pairs[1:]], "ns")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        if TIMED in os.environ:
            measure(folder)
            return
        made = overhead.build("timed_driver", folder)._name
        real = os.environ.get("WARPWISE_CUDA_DRIVER", "libcuda.so.1")
        # Only calls of cuLaunchKernel are timed.
        env = {
            **os.environ,
            TIMED: real,
            "WARPWISE_CUDA_DRIVER": made,
            "WARPWISE_LAUNCH_GRAPHS": "0",
        }
        subprocess.run([sys.executable, __file__], env=env, check=True)


if __name__ == "__main__":
    main()
