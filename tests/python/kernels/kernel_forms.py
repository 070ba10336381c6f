"""Random kernels in every form that they are compiled in: all leave the same bits."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np


def seeds(count: int) -> range:
    """As many as are part of every run; WARPWISE_FUZZ=FIRST:END takes these instead."""
    first, colon, end = os.environ.get("WARPWISE_FUZZ", "").partition(":")
    return range(int(first), int(end)) if colon else range(count)


def expect_the_bits_of_reference(
    left_by: Callable[[list[str]], np.ndarray], block: str, source: str
) -> None:
    """`left_by(options)` runs the kernel compiled with them; `block` is its shape, as "64,1,1"."""
    expected = left_by(["--warpwise-executor=reference"])
    shape = f"--warpwise-block={block}"
    for options in (
        ["--warpwise-tier=full"],
        [shape, "--warpwise-tier=full"],
        ["--warpwise-executor=gang", shape],
    ):
        assert np.array_equal(left_by(options), expected), f"{options}\n{source}"
