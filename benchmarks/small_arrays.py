"""What calls with small arrays cost: expressions that are evaluated, and what goes through NumPy or
to and from the host; beside NumPy's own arrays, in turns.

    python benchmarks/small_arrays.py [--device cpu|cuda:0] [--rounds N]

Each figure is the least of N rounds of 1,000 calls; on a GPU a call does not wait
for the device, but for those that fetch.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import warpwise as ww
from report import comparison

CALLS = 1000
Call = Callable[[], object]


def expressions(count: int) -> dict[str, tuple[Call, Call]]:
    """Name -> ours, NumPy's."""
    host = [np.random.default_rng(i).random(count, np.float32) for i in range(2)]
    ours = [ww.asarray(one) for one in host]

    def chain(x: Any, y: Any) -> Any:
        z = x
        for _ in range(10):
            z = (z + y) * x
        return z

    works: dict[str, Callable[[Any, Any], Any]] = {
        "a + b": lambda x, y: x + y,
        "five operations": lambda x, y: (x + y) * x - y * x,
        "20 operations": chain,
        "sum of a + b": lambda x, y: (x + y).sum(),
    }

    def evaluated(work: Callable[[Any, Any], Any]) -> object:
        return ww.evaluate(work(*ours))

    return {
        f"{name}, {count:,} elements": (partial(evaluated, work), partial(work, *host))
        for name, work in works.items()
    }


def through_numpy_and_the_host(count: int) -> dict[str, tuple[Call, Call]]:
    host = np.random.default_rng(3).random(count, np.float32)
    x, mask = ww.asarray(host), host > 0.5
    ours = ww.asarray(mask)
    added = ww.vectorize(lambda a, b: a + b)
    return {
        "np.sum(x)": (lambda: np.sum(x), lambda: np.sum(host)),
        "np.sin(x)": (lambda: np.sin(x), lambda: np.sin(host)),
        "np.where(mask, x, x)": (
            lambda: np.where(ours, x, x),
            lambda: np.where(mask, host, host),
        ),
        "x.get()": (x.get, host.copy),
        "x.set(host)": (lambda: x.set(host), host.copy),
        "ww.asarray(host)": (lambda: ww.asarray(host), host.copy),
        "np.asarray(x)": (lambda: np.asarray(x), lambda: np.asarray(host)),
        "function of ww.vectorize": (lambda: added(x, x), lambda: host + host),
        "float(x[3])": (lambda: float(x[3]), lambda: float(host[3])),
    }


def microseconds(call: Call) -> float:
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - start) / CALLS * 1e6


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--device")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    device = ww.Device(options.device) if options.device else ww.Device()
    with device:
        works = through_numpy_and_the_host(1024)
        for count in (100, 1024, 4096, 8192):
            works |= expressions(count)
        for name, (ours, theirs) in works.items():
            microseconds(ours)  # what compiles in the background has ended then
            device.synchronize()
            time.sleep(0.2)
            rounds = [(microseconds(ours), microseconds(theirs)) for _ in range(options.rounds)]
            device.synchronize()
            mine, numpy = (min(one) for one in zip(*rounds, strict=True))
            comparison(name, mine / 1e3, {"NumPy": numpy / 1e3}, "NumPy")


if __name__ == "__main__":
    main()
