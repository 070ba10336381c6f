"""Random kernels in every form that they are compiled in: all leave the same bits."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np

WriterOf = TypeVar("WriterOf", bound="Writer")


def seeds(count: int) -> range:
    """As many as are part of every run; WARPWISE_FUZZ=FIRST:END takes these instead."""
    first, colon, end = os.environ.get("WARPWISE_FUZZ", "").partition(":")
    return range(int(first), int(end)) if colon else range(count)


class Writer(Protocol):
    """Writes one random kernel."""

    block: Any  # the extents of its blocks: a number, or two

    def source(self) -> str: ...


def expect_the_bits_of_reference(
    writer: WriterOf, left_by: Callable[[WriterOf, str, list[str], int], np.ndarray], seed: int
) -> None:
    """`left_by(writer, source, options, seed)` runs the kernel compiled with the options, and
    gives what it has left in memory."""
    source = writer.source()
    width, height = writer.block if isinstance(writer.block, tuple) else (writer.block, 1)
    shape = f"--warpwise-block={width},{height},1"
    expected = left_by(writer, source, ["--warpwise-executor=reference"], seed)
    for options in (
        ["--warpwise-tier=full"],
        [shape, "--warpwise-tier=full"],
        ["--warpwise-executor=gang", shape],
    ):
        left = left_by(writer, source, options, seed)
        assert np.array_equal(left, expected), f"{options}\n{source}"
