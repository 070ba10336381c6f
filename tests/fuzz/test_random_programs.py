"""Random programs on every executor: the bits must be the same.

A short run is part of every test run; WARPWISE_FUZZ=long makes it a long one. Seeds are the numbers
of the cases, so that a failure can be run again by name.
"""

from __future__ import annotations

import os
from collections import Counter

import numpy as np
import pytest

import warpwise as ww
from random_program import Generator

CASES = 20_000 if os.environ.get("WARPWISE_FUZZ") == "long" else 60


def run(program: Generator, executor: str) -> dict[str, np.ndarray]:
    with ww.Device("cpu"):
        module = ww.SourceModule(program.source(), options=[f"--warpwise-executor={executor}"])
        return launch(program, module["program"])


def launch(program: Generator, kernel: ww.Kernel) -> dict[str, np.ndarray]:
    random = np.random.default_rng(program.threads)
    total = program.threads * program.grid[0] * program.grid[1]
    arrays = {
        "input": random.integers(0, 2**32, 1024, dtype=np.uint32),
        "results": np.zeros(24 * total, np.uint32),
        "slots": random.integers(0, 2**32, 8 * total, dtype=np.uint32),
        "common": np.zeros(64, np.uint32),
    }
    inputs, *outputs = arrays.values()
    kernel(ww.In(inputs), *map(ww.InOut, outputs), 6, grid=program.grid, block=program.block)
    return arrays


@pytest.mark.parametrize("seed", range(CASES))
def test_executors_agree(seed: int) -> None:
    program = Generator(seed)
    source = program.source()
    program.source = lambda: source  # type: ignore[method-assign]
    expected = run(program, "reference")
    for executor in ("auto",):
        got = run(program, executor)
        for name, values in expected.items():
            differs = np.flatnonzero(got[name] != values)
            assert differs.size == 0, (
                f"{executor}: {name}[{differs[0]}] of block {program.block}\n{source}"
            )


def test_the_short_run_uses_every_construct() -> None:
    used: Counter[str] = Counter()
    for seed in range(60):
        program = Generator(seed)
        program.source()
        used += program.used
    rare = {name: count for name, count in used.items() if count < 3}
    assert len(used) >= 34 and not rare, (sorted(used), rare)
