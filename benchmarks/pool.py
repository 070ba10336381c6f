"""What allocating device memory and giving it back costs from Python, nanoseconds, beside other
pools where they are installed: CuPy's, PyTorch's, the driver's own (cuMemAllocAsync through
cuda.bindings). They need a GPU; ours runs on the device that WARPWISE_DEVICE names.

Each row is one size: a loop of one allocation, let go at once."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable

import warpwise as ww
from report import row

ROUNDS = 15
TURNS = 20_000
SIZES = {"1 kB": 1_000, "1 MB": 1_000_000, "100 MB": 100_000_000}


def per_turn_ns(turn: Callable[[int], object], size: int, turns: int = TURNS) -> float:
    start = time.perf_counter()
    for _ in range(turns):
        turn(size)
    return 1e9 * (time.perf_counter() - start) / turns


def ours_freed(size: int) -> None:
    ww.mem_alloc(size).free()


def driver_turn() -> Callable[[int], object]:
    from cuda.bindings import driver

    def turn(size: int) -> None:
        _, address = driver.cuMemAllocAsync(size, 0)
        driver.cuMemFreeAsync(address, 0)

    return turn


def rivals() -> dict[str, Callable[[int], object]]:
    """Those that are installed and find a GPU; the context is theirs to make."""
    found: dict[str, Callable[[int], object]] = {}
    with contextlib.suppress(Exception):
        import cupy

        cupy.cuda.alloc(16)
        found["CuPy's pool"] = cupy.cuda.alloc
    with contextlib.suppress(Exception):
        import torch

        torch.empty(16, dtype=torch.uint8, device="cuda")
        found["torch.empty"] = lambda size: torch.empty(size, dtype=torch.uint8, device="cuda")
        turn = driver_turn()
        turn(16)
        found["cuMemAllocAsync"] = turn
    return found


def main() -> None:
    others = rivals()
    for label, size in SIZES.items():
        samples = [per_turn_ns(ww.mem_alloc, size) for _ in range(ROUNDS)]
        row(f"{label}, mem_alloc, let go", samples, "ns")
        samples = [per_turn_ns(ours_freed, size) for _ in range(ROUNDS)]
        row(f"{label}, mem_alloc, free()", samples, "ns")
        for name, turn in others.items():
            samples = [per_turn_ns(turn, size, TURNS // 10) for _ in range(ROUNDS)]
            row(f"{label}, {name}", samples, "ns")


if __name__ == "__main__":
    main()
