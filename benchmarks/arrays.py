"""Array expressions compared with what is installed: NumPy, C++ by hand, numexpr, Numba and JAX on
the CPU device (arrays_cpu.py); CuPy and PyTorch on a GPU. The yardstick is a copy of the same
memory on the same device, in the same run.

Each work is an expression over two arrays of ELEMENTS float32. Every timed call evaluates its
result, waits for it and reads nothing back; before, one element is compared with NumPy, and the
kernels and stored bytes that Warpwise counts are compared with what the work needs. The ratio
is that of the copy's time to ours, for the bytes that the work has to move.

    ./dev bench arrays [--elements N] [--device cpu|cuda] [--level x86-64-v3] [--expressions]

--level: of x86-64, for ours and the C++ on the CPU. --expressions: the works of this file alone.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import arrays_cpu
import moving_and_sorting
import random_and_sparse
import warpwise as ww
from report import comparison, row

ROUNDS = 9
COPY = "a copy of its bytes"

Work = Callable[[Any, Any, Any], Any]  # (module, x, y) -> result
Contestants = dict[str, dict[str, arrays_cpu.Turn]]  # name -> works, by name

# name -> (expression, bytes read and written by one element)
WORKS: dict[str, tuple[Work, float]] = {
    "5*x + 6*y - sin(x)*sqrt(y)": (lambda m, x, y: 5 * x + 6 * y - m.sin(x) * m.sqrt(y), 12),
    "its sum": (lambda m, x, y: (5 * x + 6 * y - m.sin(x) * m.sqrt(y)).sum(), 8),
    "sum": (lambda m, x, y: x.sum(), 4),
    "sum of x*y": (lambda m, x, y: (x * y).sum(), 8),
    "variance": (lambda m, x, y: x.var(), 4),
    "row sums": (lambda m, x, y: square(x).sum(axis=1), 4),
    "column sums": (lambda m, x, y: square(x).sum(axis=0), 4),
    "x - row means": (lambda m, x, y: square(x) - square(x).mean(1, keepdims=True), 12),
    "every second": (lambda m, x, y: x[::2] + y[::2], 10),
}

# What is ordered: results are compared whole, in the type of the elements. Bytes as before: each
# element read and written once.
ORDERED: dict[str, tuple[Work, float]] = {
    "inclusive scan, int32": (lambda m, x, y: m.cumsum(x.view(m.int32), 0, dtype=m.int32), 8),
    "inclusive scan, float32": (lambda m, x, y: m.cumsum(x, 0), 8),
}


def square(x: Any) -> Any:
    count = int(x.shape[0])
    side = 1 << (count.bit_length() // 2)
    return x.reshape(side, count // side)


def timed(call: Callable[[], object], wait: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Milliseconds of one call: the least of several, each several calls long, once what compiles
    in the background has had the time for it."""
    end = time.perf_counter() + 0.5
    for _ in range(5):
        call()
        wait()
    while time.perf_counter() < end:
        call()
        wait()
    start = time.perf_counter()
    call()
    wait()
    calls = max(1, min(2000, int(0.05 / max(time.perf_counter() - start, 1e-7))))
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        wait()
        best = min(best, (time.perf_counter() - start) / calls)
    return 1e3 * best


def rivals(on_gpu: bool, host: tuple[np.ndarray, np.ndarray]) -> dict[str, tuple[Any, Any, Any]]:
    """name -> (module, its arrays, a function that waits)."""
    found: dict[str, tuple[Any, Any, Any]] = {}
    if not on_gpu:
        found["NumPy"] = (np, host, lambda: None)
        return found
    with contextlib.suppress(Exception):
        import cupy

        arrays = tuple(cupy.asarray(a) for a in host)
        found["CuPy"] = (cupy, arrays, cupy.cuda.Device().synchronize)
    with contextlib.suppress(Exception):
        import torch

        arrays = tuple(torch.from_numpy(a).cuda() for a in host)
        found["PyTorch"] = (torch, arrays, torch.cuda.synchronize)
    return found


def evaluated(module: Any, work: Work, x: Any, y: Any) -> Any:
    result = work(module, x, y)
    return ww.evaluate(result) if module is ww else result


def check(work: Work, x: Any, y: Any, host: tuple[np.ndarray, np.ndarray]) -> None:
    ours = np.asarray(evaluated(ww, work, x, y).get(), np.float64)
    reference = work(np, *(a.astype(np.float64) for a in host))
    np.testing.assert_allclose(ours.ravel()[-1], np.ravel(reference)[-1], rtol=2e-4, atol=2e-4)


def check_ordered(work: Work, x: Any, y: Any, host: tuple[np.ndarray, np.ndarray]) -> None:
    ours = evaluated(ww, work, x, y).get()
    if ours.dtype.kind == "f":
        wide = work(np, *(a.astype(np.float64) for a in host))
        np.testing.assert_allclose(ours[:: 1 << 10], wide[:: 1 << 10], rtol=1e-5)
    else:
        np.testing.assert_array_equal(ours, work(np, *host))


def copy_bandwidth(elements: int, wait: Callable[[], object]) -> float:
    """Bytes a millisecond that a device copy reads and writes together."""
    source = ww.mem_alloc(4 * elements)
    target = ww.mem_alloc(4 * elements)
    copy = timed(lambda: target.copy_from(source), wait)
    return 8 * elements / copy


def small(elements: int, wait: Callable[[], object]) -> None:
    """Microseconds of an evaluation where the work itself is nothing."""
    x, y = (ww.asarray(np.ones(elements, np.float32)) for _ in range(2))

    def chain() -> Any:
        z = x
        for _ in range(10):
            z = (z + y) * x
        return z

    rows: dict[str, Callable[[], object]] = {
        "a+b, evaluated": lambda: ww.evaluate(x + y),
        "20 operations, evaluated": lambda: ww.evaluate(chain()),
        "float((a+b).sum())": lambda: float((x + y).sum()),
    }
    for name, call in rows.items():
        row(
            f"{elements:,} elements: {name}",
            [1e3 * timed(call, wait, 1) for _ in range(ROUNDS)],
            "us",
        )


def new_expressions(wait: Callable[[], object], count: int = 200) -> None:
    """Milliseconds for so many expressions of 5 operations that are new to the library, over
    10,000 elements, once its interpreter is loaded; beside NumPy, which compiles nothing."""
    random = np.random.default_rng(2)
    host = [random.random(10_000, np.float32) + np.float32(0.5) for _ in range(3)]
    ours = [ww.asarray(a) for a in host]
    expressions = [expression(seed) for seed in range(count)]
    ww.evaluate(ours[0] + ours[1])
    load_interpreter(ours[0])
    wait()
    start = time.perf_counter()
    for work in expressions:
        ww.evaluate(work(ww, *ours))
    wait()
    row(f"{count} new expressions", [1e3 * (time.perf_counter() - start)], "ms")
    start = time.perf_counter()
    with np.errstate(all="ignore"):
        for work in expressions:
            work(np, *host)
    row(f"{count} new expressions, NumPy", [1e3 * (time.perf_counter() - start)], "ms")


def load_interpreter(x: ww.Array) -> None:
    """On a GPU: what many expressions load in the background. Then new ones take no time."""
    if ww.Device().kind == "cpu":
        return
    end = time.perf_counter() + 60
    quick = 0
    for number in itertools.count(1):
        value = ww.cos(x)
        for digit in f"{number:b}":
            value = value + x if digit == "1" else value * x
        start = time.perf_counter()
        ww.evaluate(value)
        quick = quick + 1 if time.perf_counter() - start < 5e-3 else 0
        if quick == 5:
            return
        assert time.perf_counter() < end, "no group was interpreted"


def expression(seed: int) -> Callable[..., Any]:
    """Five operations drawn from the seed; each takes the last value, some another one."""
    random = np.random.default_rng(seed)
    steps = [(int(random.integers(9)), int(random.integers(100))) for _ in range(5)]

    def work(module: Any, *operands: Any) -> Any:
        values = list(operands)
        for kind, other in steps:
            a, b = values[-1], values[other % len(values)]
            choices: tuple[Callable[[], Any], ...] = (
                lambda a=a, b=b: a + b,
                lambda a=a, b=b: a - b,
                lambda a=a, b=b: a * b,
                lambda a=a, b=b: a / b,
                lambda a=a, b=b: module.minimum(a, b),
                lambda a=a: module.sqrt(a),
                lambda a=a: module.sin(a),
                lambda a=a: module.abs(a),
                lambda a=a: module.exp(a),
            )
            values.append(choices[kind]())
        return values[-1]

    return work


def expressions(
    on_gpu: bool,
    by_work: Contestants,
    host: tuple[np.ndarray, np.ndarray],
    wait: Callable[[], object],
) -> float:
    """Times all works; returns the copy's bytes a millisecond."""
    elements = host[0].size
    x, y = (ww.asarray(a) for a in host)
    peers = rivals(on_gpu, host)
    copied = copy_bandwidth(elements, wait)
    ratios: dict[str, list[float]] = {}
    for name, (work, bytes_per_element) in (WORKS | ORDERED).items():
        (check if name in WORKS else check_ordered)(work, x, y, host)
        ours = timed(lambda work=work: evaluated(ww, work, x, y), wait)
        times = {COPY: bytes_per_element * elements / copied}
        for peer, (module, arrays, wait_for_peer) in peers.items():
            times[peer] = timed(
                lambda work=work, module=module, arrays=arrays: work(module, *arrays),
                wait_for_peer,
                3,
            )
        for peer, works in by_work.items():
            if name in works:
                call = works[name]
                times[peer] = timed(lambda call=call: call(*host), lambda: None, 3)
        comparison(name, ours, times, COPY)
        for peer in times:
            ratios.setdefault(peer, []).append(times[peer] / ours)
    for peer, found in ratios.items():
        mean = statistics.geometric_mean(found)
        row(f"time of {peer} / ours, geometric mean of {len(found)}", [mean], "x")
    return copied


def in_cache(by_work: Contestants, elements: int, wait: Callable[[], object]) -> None:
    """The chain on the CPU where its arrays lie in the cache."""
    name, (work, _) = next(iter(WORKS.items()))
    random = np.random.default_rng(4)
    host = tuple(random.random(elements, np.float32) + np.float32(0.5) for _ in range(2))
    x, y = (ww.asarray(a) for a in host)
    check(work, x, y, host)
    ours = timed(lambda: evaluated(ww, work, x, y), wait)
    times = {"NumPy": timed(lambda: work(np, *host), lambda: None, 3)}
    for peer, works in by_work.items():
        times[peer] = timed(lambda call=works[name]: call(*host), lambda: None, 3)
    comparison(f"{name}, {elements:,} elements", ours, times, "C++")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--elements", type=int)
    parser.add_argument("--device")
    parser.add_argument("--level", default="native")
    parser.add_argument("--expressions", action="store_true")
    options = parser.parse_args()
    os.environ["WARPWISE_CPU"] = options.level
    device = ww.Device(options.device) if options.device else ww.Device()
    on_gpu = not device.name.startswith("cpu")
    elements = options.elements or (1 << 28 if on_gpu else 1 << 25)
    random = np.random.default_rng(1)
    host = tuple(random.random(elements, np.float32) + np.float32(0.5) for _ in range(2))
    with device:
        wait = device.synchronize
        new_expressions(wait)
        by_work = {} if on_gpu else arrays_cpu.contestants(options.level)
        copied = expressions(on_gpu, by_work, host, wait)
        if not on_gpu:
            in_cache(by_work, 1 << 16, wait)
        small(1024 if on_gpu else 100, wait)
        if options.expressions:
            return
        moving_and_sorting.works(elements, on_gpu, timed, wait, copied, COPY)
        random_and_sparse.draws(elements, on_gpu, timed, wait, copied, COPY)
        side = 2000 if on_gpu else 1000
        random_and_sparse.systems(side, on_gpu, timed, wait, copied, COPY)


if __name__ == "__main__":
    main()
