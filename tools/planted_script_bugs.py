"""Whether the random Python functions would find a bug in what compiles them: plants known ones.

./dev python tools/planted_script_bugs.py [NUMBER ...]

Each is built into build/dev, one at a time. Of the random functions of tests/python/script, those
whose CUDA C++ the bug changes then run, until one of them computes something else than Python does,
is refused, or hangs: of those that every test run has. The sources are as before
afterwards, and so is the build. Fails if a bug stays unnoticed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from planting import ROOT, build, noticed_by, try_bugs
from script_bugs import BUGS, SCRIPT

TESTS = ROOT / "tests" / "python" / "script"
TARGET = "lib/libwarpwise.so.0.1.0"
SILENCE_S = 120  # of one function, until it counts as hanging


def child(mode: str, sources: Path) -> subprocess.Popen[str]:
    path = f"{ROOT / 'build' / 'dev' / 'python'}:{TESTS}"
    command = [sys.executable, "-W", "ignore", __file__, mode, str(sources)]
    return subprocess.Popen(
        command, env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE, text=True
    )


def write_sources(path: Path) -> None:
    from function_constructs import SHORT
    from random_runs import sources

    path.write_text(json.dumps([sources(seed) for seed in range(SHORT)]))


def find_difference(path: Path) -> None:
    """Prints the number of each function that is tried, and a last line that says what differs."""
    import numpy as np
    from random_runs import compared, sources

    changed = 0
    for seed, right in enumerate(json.loads(path.read_text())):
        if sources(seed) == right:
            continue
        changed += 1
        print(seed, flush=True)
        try:
            runs = list(compared(seed))
        except Exception as error:
            reason = str(error).strip().splitlines() or [type(error).__name__]
            print(f"function {seed} is refused: {reason[-1][:60]}", flush=True)
            return
        for run in runs:
            is_same = np.array_equal(run.got, run.expected, equal_nan=True)
            if not is_same or not np.array_equal(run.got_array, run.expected_array):
                print(f"function {seed} differs, the {changed}. that it changes", flush=True)
                return


def noticed(sources: Path) -> str:
    """How the functions noticed the bug, or nothing."""
    return noticed_by(child("--find", sources), "function", SILENCE_S)


def main(numbers: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder) / "sources.json"
        if not build(TARGET) or child("--sources", sources).wait() != 0:
            raise SystemExit("the functions cannot be translated without any planted bug")
        try_bugs(BUGS, numbers, SCRIPT, TARGET, lambda: noticed(sources))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sources"]:
        write_sources(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["--find"]:
        find_difference(Path(sys.argv[2]))
    else:
        main([int(word) for word in sys.argv[1:]])
