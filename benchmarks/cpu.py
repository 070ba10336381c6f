"""The CPU device beside hand-written C++, PoCL and NumPy: same data, same memory, one run.

Each row: what it is, our time, everybody's time, and the C++'s time divided by ours. Contestants
take turns, several rounds each; medians count. Results are checked before anything is timed."""

from __future__ import annotations

import argparse
import math
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

from report import comparison, row

ROUNDS = 5
REPEATS = 3  # in a row, after one that does not count
# Between contestants: idle threads of the last one stop spinning within it. OpenBLAS's take 2^26
# cycles, some 30 ms, and slowed down whoever came after NumPy's matrix product.
PAUSE_S = 0.1
WARM_UP_S = 0.3


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


def times_of(work: Work, run: Callable[[], object]) -> list[float]:
    measured = []
    for repeat in range(REPEATS + 1):
        clear(work.reset)
        start = time.perf_counter()
        run()
        if repeat > 0:
            measured.append(1e3 * (time.perf_counter() - start))
    return measured


def warm_up(ours: Callable[[], object]) -> None:
    """What is launched again is compiled in full, in the background."""
    ours()
    time.sleep(WARM_UP_S)


def measure(work: Work, cpp: Cpp, ours: Ours, pocl: Pocl | None) -> float:
    contestants: dict[str, Callable[[], object]] = {
        "ours": ours.run(work.kernel, work.grid, work.block, work.arguments),
        "cpp": cpp.run(work.cpp, work.cpp_arguments or work.arguments),
    }
    if pocl is not None and pocl.has(work.kernel):
        contestants["pocl"] = pocl.run(work.kernel, work.grid, work.block, work.arguments)
    for who, run in contestants.items():
        clear([work.result, *work.reset])
        run()
        check(work, who)
    warm_up(contestants["ours"])
    if work.numpy is not None:
        contestants["numpy"] = work.numpy
    samples: dict[str, list[float]] = {who: [] for who in contestants}
    for _ in range(ROUNDS):
        for who, run in contestants.items():
            time.sleep(PAUSE_S)
            samples[who] += times_of(work, run)
    medians = {who: statistics.median(times) for who, times in samples.items()}
    mine = medians.pop("ours")
    return comparison(
        work.name, mine, medians, "cpp", goal=work.goal, executor=ours.executor(work.kernel)
    )


def empty_launch_us(ours: Ours, launches: int = 500) -> list[float]:
    run = ours.run("empty", (1,), (1,), [])
    samples = []
    for _ in range(ROUNDS * REPEATS):
        start = time.perf_counter()
        for _ in range(launches):
            run()
        samples.append(1e6 * (time.perf_counter() - start) / launches)
    return samples


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="works whose name has this in it")
    only = parser.parse_args().only
    with tempfile.TemporaryDirectory(prefix="warpwise-bench-") as folder:
        cpp, ours, pocl = Cpp(Path(folder)), Ours(), Pocl.available()
        ratios = [
            measure(work, cpp, ours, pocl)
            for family in FAMILIES
            for work in family()
            if only in work.name
        ]
        if ratios:
            mean = math.exp(statistics.fmean(map(math.log, ratios)))
            row("geometric mean of the shares of C++", [mean], "x")
        row("empty launch and wait", empty_launch_us(ours), "us")


if __name__ == "__main__":
    main()
