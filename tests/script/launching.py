"""How the tests of Python functions launch them."""

from __future__ import annotations

from typing import Any


def over(kernel: Any, n: int, *arguments: Any, threads: int = 64) -> None:
    """Launches one thread for each of n elements, rounded up to whole blocks."""
    kernel[max((n + threads - 1) // threads, 1), threads](*arguments)


def over_2d(kernel: Any, shape: tuple[int, int], *arguments: Any, block: int = 8) -> None:
    """Launches a thread for each element of a matrix; x is the last axis."""
    rows, columns = shape
    grid = ((columns + block - 1) // block, (rows + block - 1) // block)
    kernel[grid, (block, block)](*arguments)
