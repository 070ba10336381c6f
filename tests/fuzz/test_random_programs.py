"""Random programs on every executor and every level of the instruction set: the bits must be the
same as executor *reference* computes.

Part of every test run: 300 programs, every one on every level as the compiler chooses, in regions
where it has barriers; on one of them on executor *gang* as well, where barriers switch fibers,
compiled for its block's shape, and quickly. WARPWISE_FUZZ=long makes them 20,000,
WARPWISE_FUZZ=4000:5000 takes these of them. In such runs each program is compiled in one of these
four forms on each level, by turns. Finished ranges are noted in the file that WARPWISE_FUZZ_LOG
names, with what they met. Seeds are the numbers of the programs, so that a failure can be run again
by name.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warpwise as ww
from construct_table import SHORT, TABLE, counts, read_table
from level_workers import LevelWorkers, levels_here
from random_program import WORDS, Generator

LONG = 20_000
AT_ONCE = 50  # programs of a case of the long run
AHEAD = 4  # programs of the short run that the workers are given: none waits while others are busy
LEVELS = levels_here()
FORMS = (("auto", "full"), ("auto", "known block"), ("gang", "full"), ("auto", "quick"))
Arrays = dict[str, np.ndarray]
Outcome = tuple[str, str]


def wanted() -> range:
    choice = os.environ.get("WARPWISE_FUZZ", "")
    if choice == "long":
        return range(LONG)
    if ":" in choice:
        return range(*map(int, choice.split(":")))
    return range(0)


@pytest.fixture(scope="module")
def workers() -> Iterator[LevelWorkers]:
    made = LevelWorkers()
    yield made
    made.close()


@dataclass
class Task:
    """What a worker is to do: its level, a function and the arguments. A worker that dies takes the
    tasks that wait for it along; they are done again."""

    workers: LevelWorkers
    work: tuple[Any, ...]
    future: Future[Any] = field(init=False)

    def __post_init__(self) -> None:
        self.future = self.workers.submit(*self.work)

    def result(self) -> Any:
        try:
            return self.future.result()
        except BrokenProcessPool:
            return self.workers.submit(*self.work).result()


class ShortRun:
    """The tasks of each program, the executor *reference* first; with one program's the workers
    get those of the next few."""

    def __init__(self, workers: LevelWorkers) -> None:
        self._workers = workers
        self._begun: dict[int, dict[str, Task]] = {}

    def tasks(self, seed: int) -> dict[str, Task]:
        for number in range(seed, min(seed + AHEAD, SHORT)):
            if number not in self._begun:
                self._begun[number] = self._begin(number)
        return self._begun.pop(seed)

    def _begin(self, seed: int) -> dict[str, Task]:
        def task(level: str, *form: str) -> Task:
            return Task(self._workers, (level, run, seed, *form))

        tasks = {"reference": task(LEVELS[-1], "reference")}
        for place, level in enumerate(LEVELS):
            for executor, form in FORMS:
                if (executor, form) == FORMS[0] or place == seed % len(LEVELS):
                    tasks[f"{level}, {executor}, {form}"] = task(level, executor, form)
        return tasks


@pytest.fixture(scope="module")
def short_run(workers: LevelWorkers) -> ShortRun:
    return ShortRun(workers)


def run(seed: int, executor: str, form: str = "full") -> Arrays:
    """What the program of `seed` leaves in memory."""
    program = Generator(seed)
    with ww.Device("cpu"):
        return launch(program, compiled(program, executor, form))


def compiled(program: Generator, executor: str, form: str) -> ww.Kernel:
    options = [f"--warpwise-executor={executor}"]
    source = program.source()
    if form == "known block":
        options.append("--warpwise-block=" + ",".join(map(str, program.block)))
    else:
        options.append(f"--warpwise-tier={form}")
    try:
        return ww.SourceModule(source, options=options)["program"]
    except ww.UnsupportedError:
        assert executor == "gang"  # it refuses what only *reference* takes
        return ww.SourceModule(source)["program"]


def launch(program: Generator, kernel: ww.Kernel) -> Arrays:
    random = np.random.default_rng(program.threads)
    total = program.threads * program.grid[0] * program.grid[1]
    arrays = {
        "input": random.integers(0, 2**32, 1024, dtype=np.uint32),
        "results": np.zeros(WORDS * total, np.uint32),
        "slots": random.integers(0, 2**32, 8 * total, dtype=np.uint32),
        "common": np.zeros(64, np.uint32),
    }
    inputs, *outputs = arrays.values()
    kernel(ww.In(inputs), *map(ww.InOut, outputs), 6, grid=program.grid, block=program.block)
    return arrays


@pytest.mark.parametrize("seed", range(0 if wanted() else SHORT))
def test_executors_agree(seed: int, short_run: ShortRun) -> None:
    tasks = short_run.tasks(seed)
    expected: Arrays = tasks.pop("reference").result()
    for form, task in tasks.items():
        got: Arrays = task.result()
        for name, values in expected.items():
            differs = np.flatnonzero(got[name] != values)
            assert differs.size == 0, describe(seed, f"{form}: {name}[{differs[0]}]")


def describe(seed: int, what: str) -> str:
    program = Generator(seed)
    return f"{what} of block {program.block}\n{program.source()}"


def digest(seed: int, executor: str, form: str) -> Outcome:
    """The executor that the program got, and its results as a few bytes; or the error."""
    program = Generator(seed)
    try:
        with ww.Device("cpu"):
            kernel = compiled(program, executor, form)
            left = launch(program, kernel)
            chosen = str(kernel.executor)
    except ww.Error as error:
        return type(error).__name__, str(error)
    summary = hashlib.blake2b(b"".join(array.tobytes() for array in left.values()))
    return chosen, summary.hexdigest()


def outcome(task: Task) -> Outcome:
    try:
        found: Outcome = task.result()
    except BrokenProcessPool as error:
        return "nothing", str(error)
    return found


@pytest.mark.timeout(0)
@pytest.mark.parametrize("first", wanted()[::AT_ONCE])
def test_executors_agree_on_many(first: int, workers: LevelWorkers) -> None:
    seeds = wanted()[wanted().index(first) :][:AT_ONCE]
    start = time.monotonic()
    met: Counter[str] = Counter()
    wrong: list[str] = []
    submitted: list[tuple[int, Task, dict[str, Task]]] = []
    for seed in seeds:
        level = LEVELS[seed % len(LEVELS)]
        reference = Task(workers, (level, digest, seed, "reference", "full"))
        others = {}
        for place, level in enumerate(LEVELS):
            executor, form = FORMS[(seed + place) % len(FORMS)]
            task = Task(workers, (level, digest, seed, executor, form))
            others[f"{level}, {executor}, {form}"] = task
        submitted.append((seed, reference, others))
    for seed, reference, others in submitted:
        executor, expected = outcome(reference)
        if executor != "reference":
            wrong.append(f"{seed} on executor reference: {executor}, {expected}")
        for form, task in others.items():
            executor, left = outcome(task)
            met[f"{executor}, {form}"] += 1
            if left != expected:
                wrong.append(f"{seed} on {form} with {executor}: {left}")
    note(seeds, time.monotonic() - start, met, wrong)
    assert not wrong, wrong


def note(seeds: range, seconds: float, met: Counter[str], wrong: list[str]) -> None:
    if log := os.environ.get("WARPWISE_FUZZ_LOG"):
        found = {"met": dict(sorted(met.items())), "wrong": wrong}
        line = {"first": seeds[0], "last": seeds[-1], "seconds": round(seconds, 1), **found}
        with Path(log).open("a") as file:
            file.write(json.dumps(line) + "\n")


def test_the_short_run_uses_every_construct() -> None:
    used = counts(SHORT)
    rare = {name: count for name, count in used.items() if count < 3}
    assert len(used) >= 38 and not rare, (sorted(used), rare)


def test_the_table_of_constructs_is_kept() -> None:
    kept = {name: short for name, (short, _) in read_table().items()}
    assert kept == counts(SHORT), f"{TABLE.name} is old: run tests/fuzz/construct_table.py"
