"""Kernels written in Python compared with CUDA C++ written by hand for the same work.

Each row: the kernel, its time in Python, the C++'s time, and the C++'s divided by Python's; at last
the geometric mean and the least of these. Both are launched on the current device, the C++ by
ww.SourceModule, on the same arrays, compiled in full, in turns; each sample is as many launches as
take 2 ms and the wait for them. The best of the samples counts, medians are in the record. The
results of both are compared before anything is timed. `--table` prints for people, `--source` the
CUDA C++ that the Python becomes as well."""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

os.environ.setdefault("WARPWISE_TIER", "full")  # nothing is left to compile in the background

import warpwise as ww
from python_twins import registry
from report import comparison, row

SAMPLE_S = 2e-3
WARM_S = 0.05

Launch = Callable[[], object]


def on_device(work: registry.Work) -> list[Any]:
    return [ww.asarray(a) if isinstance(a, np.ndarray) else a for a in work.arguments]


def contestants(
    entry: registry.Entry, work: registry.Work, module: ww.SourceModule
) -> dict[str, Launch]:
    """Both on the same arrays, after comparing what they made of equal ones."""
    given, others = on_device(work), on_device(work)
    ours = entry.kernel[work.grid, work.block]
    by_hand = module.get_function(entry.name)[work.grid, work.block]
    ours(*given)
    by_hand(*others, *work.extents)
    for position in work.outputs:
        check(entry.name, work, given[position].get(), others[position].get())
    return {"python": lambda: ours(*given), "cpp": lambda: by_hand(*given, *work.extents)}


def check(name: str, work: registry.Work, got: np.ndarray, expected: np.ndarray) -> None:
    if not np.any(expected):
        raise SystemExit(f"{name}: the C++ has written nothing")
    with np.errstate(invalid="ignore"):
        gaps = np.abs(got.astype(np.float64) - expected.astype(np.float64))
    scale = np.max(np.abs(expected[np.isfinite(expected)]), initial=0)
    wrong = np.mean((got != expected) & ~(gaps <= work.tolerance * scale))
    if wrong > work.differing:
        raise SystemExit(
            f"{name}: {wrong:.2%} of the results differ from those of the C++, by {np.nanmax(gaps)}"
        )


def timed(launch: Launch, wait: Launch, times: int, clock: Callable[[], float]) -> float:
    """Milliseconds of a launch."""
    wait()
    start = clock()
    for _ in range(times):
        launch()
    wait()
    return 1e3 * (clock() - start) / times


def launches_of_a_sample(launch: Launch, wait: Launch) -> int:
    """Warms it up too."""
    end = time.perf_counter() + WARM_S
    once_ms = timed(launch, wait, 1, time.perf_counter)
    while time.perf_counter() < end:
        once_ms = min(once_ms, timed(launch, wait, 1, time.perf_counter))
    return max(1, int(np.ceil(1e3 * SAMPLE_S / once_ms)))


def measure(
    both: dict[str, Launch], rounds: int, clock: Callable[[], float]
) -> dict[str, list[float]]:
    wait = ww.Device().synchronize
    times = {who: launches_of_a_sample(launch, wait) for who, launch in both.items()}
    samples: dict[str, list[float]] = {who: [] for who in both}
    for _ in range(rounds):
        for who, launch in both.items():
            samples[who].append(timed(launch, wait, times[who], clock))
    return samples


def report(name: str, samples: dict[str, list[float]], table: bool) -> float:
    best = {who: min(measured) for who, measured in samples.items()}
    medians = {who: statistics.median(measured) for who, measured in samples.items()}
    ratio = best["cpp"] / best["python"]
    if table:
        us = f"{1e3 * best['python']:>10.1f} us  C++ {1e3 * best['cpp']:>10.1f} us"
        spread = f"(medians {1e3 * medians['python']:.1f}, {1e3 * medians['cpp']:.1f})"
        print(f"{name:<22} Python {us}  {ratio:>6.1%}  {spread}", flush=True)
    else:
        comparison(name, best["python"], {"cpp": best["cpp"]}, "cpp", medians_ms=medians)
    return ratio


def summary(ratios: dict[str, float], table: bool) -> None:
    mean = statistics.geometric_mean(ratios.values())
    least = min(ratios, key=lambda name: ratios[name])
    if table:
        print(f"geometric mean of {len(ratios)}: {mean:.1%}; least: {ratios[least]:.1%}, {least}")
    else:
        row("geometric mean of the shares of C++", [mean], "x")
        row(f"least share of C++: {least}", [ratios[least]], "x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="kernels whose name has this in it")
    parser.add_argument("--rounds", type=int, default=25, help="samples of each")
    parser.add_argument("--table", action="store_true", help="print rows for people")
    parser.add_argument("--source", action="store_true", help="print what the Python becomes")
    parser.add_argument(
        "--busy",
        action="store_true",
        help="time the CPU device by the processor time of one thread: for a machine others use",
    )
    options = parser.parse_args()
    if options.busy:
        os.environ["WARPWISE_NUM_THREADS"] = "1"
    clock = time.process_time if options.busy else time.perf_counter
    kind = ww.Device().kind
    modules: dict[Any, ww.SourceModule] = {}
    ratios: dict[str, float] = {}
    for entry in registry.entries(options.only):
        if entry.source not in modules:
            modules[entry.source] = ww.SourceModule(entry.source.read_text())
        work = entry.make(entry.factors[kind])
        both = contestants(entry, work, modules[entry.source])
        if options.source:
            print("\n".join(entry.kernel.inspect_source().values()), file=sys.stderr)
        samples = measure(both, options.rounds, clock)
        ratios[entry.name] = report(entry.name, samples, options.table)
    if ratios:
        summary(ratios, options.table)


if __name__ == "__main__":
    main()
