"""What it costs the CPU device to start and end kernels: launches of 1, 64 and 1,024 blocks of an
empty, a small and a medium kernel, by 1, 2, 4 ... workers, in a new process for each number.

back to back  many launches, then one wait; the time of one
with wait     each launch is waited for
OpenMP        a parallel loop over the same blocks with as many threads, which waits as well
chain         2,000 launches, each of which needs the one before, beside the calls of a function
              that does the same in one thread
two at once   a second process measures the same at the same time; the goal is 2.5 times the time
              of one process

Launches are made by C++ (launch/dispatch.cpp), so that Python's part of a launch is left out. A
table is printed to standard error at the end. `--quick` takes fewer samples."""

from __future__ import annotations

import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from report import row

KERNELS = ("empty", "small", "medium")
BLOCKS = (1, 64, 1024)
CHAIN_BLOCKS = (1, 16, 64)
CHAIN = 2000
SAMPLE_NS = 20e6
COUNTS = (1, 2, 4, 8, 16)


def thread_counts() -> list[int]:
    cores = len(os.sched_getaffinity(0))
    return [count for count in COUNTS if count <= cores]


def library(folder: str) -> ctypes.CDLL:
    import launch_overhead as overhead
    import warpwise as ww

    os.environ["WARPWISE_DEVICE"] = "cpu"
    ww.Device()
    warpwise = overhead.mapped("libwarpwise.so")
    flags = (*overhead.headers(warpwise), "-O3", "-march=native", "-fopenmp", warpwise)
    made = overhead.build("dispatch", folder, *flags, f"-Wl,-rpath,{Path(warpwise).parent}")
    made.dispatch_error.restype = ctypes.c_char_p
    for name in ("open", "launch", "openmp", "plain"):
        getattr(made, f"dispatch_{name}").restype = ctypes.c_double
    check(made, made.dispatch_open())
    return made


def check(made: ctypes.CDLL, time: float) -> float:
    if time < 0:
        raise RuntimeError(made.dispatch_error().decode())
    return time


def samples(measure: Callable[[int], float], rounds: int) -> list[float]:
    """Microseconds of one launch, after as much warm-up as a sample takes: by then the kernel is
    compiled for its block, and its time is known."""
    for _ in range(3):
        count = max(20, min(20_000, int(SAMPLE_NS / max(1.0, measure(50)))))
        measure(count)
    return [measure(count) / 1e3 for _ in range(rounds)]


def measure_all(made: ctypes.CDLL, threads: int, rounds: int, note: str) -> None:
    def launch(kernel: int, blocks: int, waits: int) -> Callable[[int], float]:
        return lambda count: check(
            made, made.dispatch_launch(kernel, blocks, waits, ctypes.c_long(count))
        )

    def loop(what: str, kernel: int, blocks: int) -> Callable[[int], float]:
        function = getattr(made, f"dispatch_{what}")
        return lambda count: function(kernel, blocks, ctypes.c_long(count))

    end = f"{threads} workers{note}"
    for kernel, name in enumerate(KERNELS):
        for blocks in BLOCKS:
            work = f"{name}, {blocks}"
            row(f"{work}, back to back, {end}", samples(launch(kernel, blocks, 0), rounds), "us")
            row(f"{work}, with wait, {end}", samples(launch(kernel, blocks, 1), rounds), "us")
            row(f"{work}, OpenMP, {end}", samples(loop("openmp", kernel, blocks), rounds), "us")
    for blocks in CHAIN_BLOCKS:
        work, ours, plain = (
            f"small, {blocks}, chain",
            launch(1, blocks, 0),
            loop("plain", 1, blocks),
        )
        samples(ours, 1)
        row(f"{work}, {end}", [ours(CHAIN) / 1e3 for _ in range(rounds)], "us")
        row(f"{work}, C++, {end}", [plain(CHAIN) / 1e3 for _ in range(rounds)], "us")


def one_process(threads: int, rounds: int, note: str) -> None:
    with tempfile.TemporaryDirectory(prefix="warpwise-bench-") as folder:
        measure_all(library(folder), threads, rounds, note)


def start(threads: int, rounds: int, note: str) -> subprocess.Popen[str]:
    env = {
        **os.environ,
        "WARPWISE_NUM_THREADS": str(threads),
        "OMP_NUM_THREADS": str(threads),
        "WARPWISE_DEVICE": "cpu",
    }
    words = ["--one-process", str(threads), str(rounds), note]
    command = [sys.executable, __file__, *words]
    return subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)


def finished(program: subprocess.Popen[str]) -> list[dict[str, Any]]:
    printed, _ = program.communicate()
    if program.returncode:
        raise RuntimeError(f"a measuring process failed with status {program.returncode}")
    return [json.loads(line) for line in printed.splitlines()]


def table(medians: dict[str, float], threads: list[int]) -> str:
    """A line for each work and way, a column for each number of workers."""
    works = list(dict.fromkeys(name.rsplit(", ", 1)[0] for name in medians))
    lines = ["microseconds; workers:            " + "".join(f"{count:>10}" for count in threads)]
    for note in ("", ", two at once"):
        for work in works:
            names = [f"{work}, {count} workers{note}" for count in threads]
            cells = [f"{medians[name]:>10.2f}" if name in medians else " " * 10 for name in names]
            if any(cell.strip() for cell in cells):
                lines.append(f"{work + note:<34}" + "".join(cells))
    return "\n".join(lines)


def main() -> None:
    rounds = 3 if "--quick" in sys.argv else 7
    medians: dict[str, float] = {}
    counts = thread_counts()
    pairs: list[float] = []
    for threads in counts:
        rows = finished(start(threads, rounds, ""))
        if threads == counts[-1]:
            programs = [start(threads, rounds, " at once") for _ in range(2)]
            first, second = (finished(program) for program in programs)
            for one, other in zip(first, second, strict=True):
                one["median"] = statistics.mean((one["median"], other["median"]))
            pairs = [two["median"] / one["median"] for one, two in zip(rows, first, strict=True)]
            rows += [{**one, "name": f"{one['name']}"} for one in first]
        for one in rows:
            name = str(one["name"]).replace(" workers at once", " workers, two at once")
            medians[name] = float(one["median"])
            print(json.dumps({**one, "name": name}), flush=True)
    row("two at once: times the time of one", pairs, "x")
    print(table(medians, counts), file=sys.stderr)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one-process"]:
        one_process(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    else:
        main()
