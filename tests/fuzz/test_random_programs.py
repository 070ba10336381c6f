"""Random programs on every executor and every level of the instruction set: the bits must be the
same as executor *reference* computes.

A short run is part of every test run: every program on every level as the compiler chooses, in
regions where it has barriers; on one of them on executor *gang* as well, where barriers switch
fibers, and compiled for its block's shape. WARPWISE_FUZZ=long makes it a long one, in which each
program meets one level, in turn. Seeds are the numbers of the cases, so that a failure can be run
again by name.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

import warpwise as ww
from level_workers import LevelWorkers, levels_here
from random_program import Generator

IS_LONG = os.environ.get("WARPWISE_FUZZ") == "long"
CASES = 20_000 if IS_LONG else 300
LEVELS = levels_here()
Arrays = dict[str, np.ndarray]


@pytest.fixture(scope="module")
def workers() -> Iterator[LevelWorkers]:
    made = LevelWorkers()
    yield made
    made.close()


def run(seed: int, executor: str, knows_block: bool = False) -> Arrays:
    """What the program of `seed` leaves in memory."""
    program = Generator(seed)
    options = [f"--warpwise-executor={executor}"]
    source = program.source()
    if knows_block:
        options.append("--warpwise-block=" + ",".join(map(str, program.block)))
    with ww.Device("cpu"):
        try:
            module = ww.SourceModule(source, options=options)
        except ww.UnsupportedError:
            assert executor == "gang"  # it refuses what only *reference* takes
            module = ww.SourceModule(source)
        return launch(program, module["program"])


def launch(program: Generator, kernel: ww.Kernel) -> Arrays:
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
def test_executors_agree(seed: int, workers: LevelWorkers) -> None:
    levels = (LEVELS[seed % len(LEVELS)],) if IS_LONG else LEVELS
    reference = workers.submit(levels[-1], run, seed, "reference")
    forms = [("auto", False), ("auto", True), ("gang", False)]
    others = {
        f"{level}, {executor}, {'known' if knows_block else 'any'} block": workers.submit(
            level, run, seed, executor, knows_block
        )
        for place, level in enumerate(levels)
        for executor, knows_block in forms
        if (executor, knows_block) == forms[0] or IS_LONG or place == seed % len(levels)
    }
    expected: Arrays = reference.result()
    for form, future in others.items():
        got: Arrays = future.result()
        for name, values in expected.items():
            differs = np.flatnonzero(got[name] != values)
            assert differs.size == 0, describe(seed, f"{form}: {name}[{differs[0]}]")


def describe(seed: int, what: str) -> str:
    program = Generator(seed)
    return f"{what} of block {program.block}\n{program.source()}"


def test_the_short_run_uses_every_construct() -> None:
    used: Counter[str] = Counter()
    for seed in range(60):
        program = Generator(seed)
        program.source()
        used += program.used
    rare = {name: count for name, count in used.items() if count < 3}
    assert len(used) >= 36 and not rare, (sorted(used), rare)
