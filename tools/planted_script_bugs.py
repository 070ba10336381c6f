"""Whether the random Python functions would find a bug in what compiles them: plants known ones.

./dev python tools/planted_script_bugs.py [NUMBER ...]

Each is built into build/dev, one at a time. Of the random functions of tests/python/script, those
whose CUDA C++ the bug changes then run, until one of them computes something else than Python does,
is refused, or hangs: of the FUNCTIONS that every test run has. The sources are as before
afterwards, and so is the build. Fails if a bug stays unnoticed.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from script_bugs import BUGS, SCRIPT, Bug

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests" / "python" / "script"
FUNCTIONS = 300
SILENCE_S = 120  # of one function, until it counts as hanging


def build() -> bool:
    command = ["ninja", "-C", ROOT / "build" / "dev", "lib/libwarpwise.so.0.1.0"]
    return subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0


def child(mode: str, sources: Path) -> subprocess.Popen[str]:
    path = f"{ROOT / 'build' / 'dev' / 'python'}:{TESTS}"
    command = [sys.executable, "-W", "ignore", __file__, mode, str(sources)]
    return subprocess.Popen(
        command, env=os.environ | {"PYTHONPATH": path}, stdout=subprocess.PIPE, text=True
    )


def write_sources(path: Path) -> None:
    from random_runs import sources

    path.write_text(json.dumps([sources(seed) for seed in range(FUNCTIONS)]))


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
    process = child("--find", sources)
    assert process.stdout is not None
    last = ""
    while True:
        ready, _, _ = select.select([process.stdout], [], [], SILENCE_S)
        if not ready:
            process.kill()
            process.wait()
            return f"function {last} hangs"
        line = process.stdout.readline()
        if not line:
            break
        last = line.strip()
    if process.wait() != 0:
        return f"function {last} dies"
    return last if last.startswith("function") else ""


def try_bug(bug: Bug, sources: Path) -> str:
    path = ROOT / SCRIPT / bug.file
    source = path.read_text()
    if source.count(bug.right) != 1:
        raise SystemExit(f"{bug.file} has '{bug.right}' {source.count(bug.right)} times, not once")
    try:
        path.write_text(source.replace(bug.right, bug.wrong))
        if not build():
            raise SystemExit(f"the bug cannot be built: {bug.what}")
        return noticed(sources)
    finally:
        path.write_text(source)


def main(numbers: list[int]) -> None:
    unnoticed = 0
    with tempfile.TemporaryDirectory() as folder:
        sources = Path(folder) / "sources.json"
        if not build() or child("--sources", sources).wait() != 0:
            raise SystemExit("the functions cannot be translated without any planted bug")
        for number in numbers or range(len(BUGS)):
            start = time.monotonic()
            how = try_bug(BUGS[number], sources)
            unnoticed += not how
            took = time.monotonic() - start
            print(
                f"{number:2}  {BUGS[number].what}: {how or 'UNNOTICED'} ({took:.0f} s)", flush=True
            )
    build()
    if unnoticed:
        raise SystemExit(f"{unnoticed} planted bugs stayed unnoticed")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sources"]:
        write_sources(Path(sys.argv[2]))
    elif sys.argv[1:2] == ["--find"]:
        find_difference(Path(sys.argv[2]))
    else:
        main([int(word) for word in sys.argv[1:]])
