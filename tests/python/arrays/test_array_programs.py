"""Random programs over arrays: lazily, with every operation at once, and in NumPy, the same values.

WARPWISE_ARRAY_PROGRAMS=100000 runs as many; what pairs of features they have is counted, and
array_programs.md records it (`python array_programs.py 0 2000` prints the counts).
"""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from array_programs import FEATURES, features_of

import warpwise as ww

FOLDER = Path(__file__).parent
COUNT = int(os.environ.get("WARPWISE_ARRAY_PROGRAMS", "2000"))
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


@pytest.mark.parametrize("first", range(0, COUNT, SHARE))
def test_programs_compute_what_numpy_does(first: int) -> None:
    # Interpreted where that can be: compiling thousands of kernels would take hours.
    counts = programs(first, min(first + SHARE, COUNT), WARPWISE_TIER="quick")
    assert sum(counts.values()) > 0


def test_programs_compute_it_with_compiled_kernels() -> None:
    programs(0, 12, WARPWISE_TIER="full")


def test_every_pair_of_features_is_in_many_programs() -> None:
    used = [features_of(seed) for seed in range(2000)]
    for a, b in itertools.combinations(FEATURES, 2):
        both = sum(1 for features in used if a in features and b in features)
        assert both >= LEAST, f"{a} and {b} are together in {both} programs"


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
