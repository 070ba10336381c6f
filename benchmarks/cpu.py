"""The CPU device compared with hand-written C++, PoCL and NumPy: same data, same memory, one run.

Each row: the work, our time, the others' times, and the C++'s time divided by ours. Contestants
take turns, several rounds each; medians count. Results are checked before anything is timed."""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "cpu"))

from contestants import Cpp, Memory, Ours, Pocl
from works import FAMILIES, Work

from cpu_suite import registry
from report import comparison, row

ROUNDS = 5
REPEATS = 3  # in a row, after one that does not count
# Between contestants: idle threads of the previous one stop spinning within it. OpenBLAS's spin for
# 2^26 cycles, some 30 ms, and slowed down the contestant after NumPy's matrix product.
PAUSE_S = 0.1


def check(work: Work, who: str) -> None:
    expected = work.expected()
    got = work.result.array
    if work.tolerance < 0:
        share = np.mean(got != expected)
        good = share <= -work.tolerance
        detail = f"{share:.2%} of the results differ"
    else:
        difference = np.max(np.abs(got - expected))
        scale = np.max(np.abs(expected))
        good = bool(difference <= work.tolerance * scale)
        detail = f"largest difference {difference:.3g} of {scale:.3g}"
    if not good:
        raise SystemExit(f"{work.name}: the result of {who} is wrong: {detail}")


def clear(memories: list[Memory]) -> None:
    for memory in memories:
        memory.array[...] = 0


def times_of(work: Work, run: Callable[[], object], clock: Callable[[], float]) -> list[float]:
    measured = []
    for repeat in range(REPEATS + 1):
        clear(work.reset)
        start = clock()
        run()
        if repeat > 0:
            measured.append(1e3 * (clock() - start))
    return measured


def measure(
    work: Work,
    cpp: Cpp,
    ours: Ours,
    pocl: Pocl | None = None,
    statistic: Callable[[list[float]], float] = statistics.median,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    contestants: dict[str, Callable[[], object]] = {
        "ours": ours.run(work.kernel, work.grid, work.block, work.arguments)
    }
    for name in (work.cpp, *work.cpp_also):
        who = "cpp" if name == work.cpp else f"cpp {name}"
        contestants[who] = cpp.run(name, work.cpp_arguments or work.arguments)
    if pocl is not None and pocl.has(work.kernel):
        contestants["pocl"] = pocl.run(work.kernel, work.grid, work.block, work.arguments)
    for who, run in contestants.items():
        clear([work.result, *work.reset])
        run()
        check(work, who)
    ours.compile_fully(work.kernel, work.block)
    contestants["ours"]()
    if work.numpy is not None:
        contestants["numpy"] = work.numpy
    samples: dict[str, list[float]] = {who: [] for who in contestants}
    for _ in range(ROUNDS):
        for who, run in contestants.items():
            time.sleep(PAUSE_S)
            samples[who] += times_of(work, run, clock)
    times = {who: statistic(measured) for who, measured in samples.items()}
    ways = [who for who in times if who.startswith("cpp")]
    times["cpp"] = min(times.pop(who) for who in ways)
    mine = times.pop("ours")
    goal = {} if work.goal is None else {"goal": work.goal}
    executor = ours.executor(work.kernel)
    return comparison(work.name, mine, times, "cpp", **goal, executor=executor)


def empty_launch_us(ours: Ours, launches: int = 500) -> list[float]:
    run = ours.run("empty", (1,), (1,), [])
    samples = []
    for _ in range(ROUNDS * REPEATS):
        start = time.perf_counter()
        for _ in range(launches):
            run()
        samples.append(1e6 * (time.perf_counter() - start) / launches)
    return samples


def bench_works(folder: Path, only: str, level: str) -> None:
    cpp, ours, pocl = Cpp(folder, level=level), Ours(), Pocl.available()
    ratios = [
        measure(work, cpp, ours, pocl)
        for family in FAMILIES
        for work in family()
        if only in work.name
    ]
    if ratios:
        row("geometric mean of the shares of C++", [statistics.geometric_mean(ratios)], "x")
    row("empty launch and wait", empty_launch_us(ours), "us")


def bench_suite(folder: Path, only: str, level: str, clock: Callable[[], float]) -> None:
    """The best of all runs counts: others on the machine can only make a run slower."""
    cpp: dict[str, Cpp] = {}
    ours: dict[str, Ours] = {}
    ratios = []
    for entry in registry.entries(only):
        if entry.group not in ours:
            cpp[entry.group] = Cpp(folder, entry.reference, level)
            ours[entry.group] = Ours(entry.kernels)
        work = entry.make()
        work.name = entry.name
        contestants = cpp[entry.group], ours[entry.group]
        ratios.append(measure(work, *contestants, statistic=min, clock=clock))
    if ratios:
        mean = statistics.geometric_mean(ratios)
        row("geometric mean of the suite's shares of C++", [mean], "x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="works whose name has this in it")
    parser.add_argument("--all", action="store_true", help="the works and the enlarged suite")
    parser.add_argument("--suite", action="store_true", help="the enlarged suite alone")
    parser.add_argument("--level", default="native", help="of x86-64 for ours and the C++")
    parser.add_argument("--threads", type=int, help="of ours and the C++; all cores without")
    parser.add_argument(
        "--busy",
        action="store_true",
        help="time the suite by the processor time of one thread: for a machine that others use",
    )
    options = parser.parse_args()
    if options.busy:
        options.threads = 1
    os.environ["WARPWISE_CPU"] = options.level
    if options.threads is not None:
        threads = str(options.threads)
        os.environ.update(WARPWISE_NUM_THREADS=threads, OMP_NUM_THREADS=threads)
    with tempfile.TemporaryDirectory(prefix="warpwise-bench-") as folder:
        if not options.suite:
            bench_works(Path(folder), options.only, options.level)
        if options.suite or options.all:
            clock = time.process_time if options.busy else time.perf_counter
            bench_suite(Path(folder), options.only, options.level, clock)


if __name__ == "__main__":
    main()
