"""What allocating and releasing device memory costs from Python, nanoseconds, compared with other
pools where they are installed: CuPy's, PyTorch's, the driver's own (cuMemAllocAsync through
cuda.bindings). They need a GPU; ours runs on the device that WARPWISE_DEVICE names.

Each row is one size: a loop of one allocation, released at once, with nothing else in the loop. All
are measured in turns; the empty loop is a row of its own."""

from __future__ import annotations

import contextlib
import itertools
import time
from collections.abc import Callable
from typing import Any

import warpwise as ww
from report import row

ROUNDS = 15
TURNS = 10_000
SIZES = {"1 kB": 1_000, "1 MB": 1_000_000, "100 MB": 100_000_000}

# The nanoseconds of one iteration for so many bytes.
Measure = Callable[[int], float]


def loop(call: str, turns: int = TURNS, **names: Any) -> Measure:
    """A loop around `call`, as text: a function around it would cost as much as the call."""
    lines = [
        f"def run(size, {', '.join(f'{name}={name}' for name in names)}):",
        "    start = clock()",
        f"    for _ in repeat(None, {turns}): {call}",
        f"    return 1e9 * (clock() - start) / {turns}",
    ]
    scope = {"clock": time.perf_counter, "repeat": itertools.repeat}
    exec("\n".join(lines), scope | names, made := {})
    return made["run"]


def driver_turn() -> Callable[[int], object]:
    from cuda.bindings import driver

    def turn(size: int) -> None:
        _, address = driver.cuMemAllocAsync(size, 0)
        driver.cuMemFreeAsync(address, 0)

    return turn


def rivals() -> dict[str, Measure]:
    """Those that are installed and find a GPU; they create the context."""
    found: dict[str, Measure] = {}
    with contextlib.suppress(Exception):
        import cupy

        cupy.cuda.alloc(16)
        found["CuPy's pool"] = loop("alloc(size)", alloc=cupy.cuda.alloc)
    with contextlib.suppress(Exception):
        import torch

        torch.empty(16, dtype=torch.uint8, device="cuda")
        call = "empty(size, dtype=byte, device='cuda')"
        found["torch.empty"] = loop(call, TURNS // 10, empty=torch.empty, byte=torch.uint8)
        turn = driver_turn()
        turn(16)
        found["cuMemAllocAsync"] = loop("turn(size)", TURNS // 10, turn=turn)
    return found


def main() -> None:
    stream = ww.Stream()
    measures = {
        "the empty loop": loop("pass", alloc=None),
        "mem_alloc, released": loop("alloc(size)", alloc=ww.mem_alloc),
        "mem_alloc, free()": loop("alloc(size).free()", alloc=ww.mem_alloc),
        "mem_alloc on a stream, released": loop("alloc(size, s)", alloc=ww.mem_alloc, s=stream),
        **rivals(),
    }
    for label, size in SIZES.items():
        samples: dict[str, list[float]] = {name: [] for name in measures}
        for _ in range(ROUNDS + 1):
            for name, measure in measures.items():
                samples[name].append(measure(size))
        for name, values in samples.items():
            row(f"{label}, {name}", values[1:], "ns")


if __name__ == "__main__":
    main()
