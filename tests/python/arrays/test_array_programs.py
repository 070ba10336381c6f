"""Random programs over arrays: lazily, with every operation at once, and in NumPy, the same values.

WARPWISE_ARRAY_PROGRAMS=100000 runs as many. In how many programs both features of a pair really
happened is counted: each share of the programs has its part of the 200 of 2,000. array_programs.md
records the counts (`python array_programs.py 0 2000` prints them).
"""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import devices
import pytest
from array_programs import FEATURES

import warpwise as ww

FOLDER = Path(__file__).parent
# On a GPU what a graph records is compiled: a twentieth of them.
USUAL = "2000" if devices.IS_CPU else "100"
COUNT = int(os.environ.get("WARPWISE_ARRAY_PROGRAMS", USUAL))
SHARE = 250  # of the programs, in one process
LEAST = 200  # programs that have each pair of features, of 2000


def programs(first: int, end: int, **settings: str) -> dict[str, int]:
    command = [sys.executable, str(FOLDER / "array_programs.py"), str(first), str(end)]
    done = subprocess.run(
        command, env=os.environ | settings, capture_output=True, text=True, timeout=3600
    )
    assert done.returncode == 0, done.stderr[-3000:]
    counts: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
    return counts


@pytest.fixture(scope="module")
def functions() -> None:
    """GPUs interpret sines too once the interpreter of all ops lies in the cache."""
    if devices.IS_CPU:
        return
    command = [sys.executable, "-c", "import tier_values; tier_values.wait_for_functions()"]
    environment = os.environ | {"WARPWISE_TIER": "auto"}
    subprocess.run(command, env=environment, cwd=FOLDER, check=True, timeout=600)


@pytest.mark.usefixtures("functions")
@pytest.mark.parametrize("first", range(0, COUNT, SHARE))
def test_programs_compute_what_numpy_does(first: int) -> None:
    # Interpreted where that can be: compiling thousands of kernels would take hours.
    end = min(first + SHARE, COUNT)
    counts = programs(first, end, WARPWISE_TIER="quick")
    for a, b in itertools.combinations(sorted(FEATURES), 2):
        both = counts.get(f"{a}, {b}", 0)
        assert both * 2000 >= LEAST * (end - first), f"{a} and {b} are together in {both} programs"


def test_programs_compute_it_with_compiled_kernels() -> None:
    programs(0, 12, WARPWISE_TIER="full")


def test_the_recorded_coverage_has_every_pair() -> None:
    text = (FOLDER / "array_programs.md").read_text()
    rows = dict(re.findall(r"^\| ([a-z -]+, [a-z -]+) \| (\d+) \|$", text, re.MULTILINE))
    for a, b in itertools.combinations(sorted(FEATURES), 2):
        assert int(rows[f"{a}, {b}"]) >= LEAST


def test_programs_detect_a_wrong_value() -> None:
    """The comparison itself: a model that is off by one is noticed."""
    from array_programs import Mismatch, Program

    program = Program(1, frozenset({"fusion", "view"}))
    program.pairs[0].model = program.pairs[0].model + 1
    with pytest.raises(Mismatch):
        program.check(program.pairs[0])
    assert isinstance(program.pairs[0].ours, ww.Array)


def test_what_did_not_happen_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    from array_programs import Program

    program = Program(1, frozenset({"out of memory"}))
    program.pairs.clear()  # nothing to run out of memory with
    program.step("out of memory")
    assert program.used == set()
    program.add_fresh()
    monkeypatch.setattr(program, "draw", lambda end: 0)  # no memory to spare
    program.step("out of memory")
    assert program.used == {"out of memory"}
