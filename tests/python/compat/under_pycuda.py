"""The programs of this folder under PyCUDA itself and under Warpwise: do their outputs agree?

    python tests/python/compat/under_pycuda.py [--pycuda FOLDER] [--at-once N]
        [PROGRAM ...]

Needs a GPU, and an installed PyCUDA, or one in FOLDER (`pip install --target`). Without names: all
of `programs/`. A program passes when both runs succeed and print the same lines; lines with a
figure of this machine (times, rates) are compared without their numbers.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from beyond_pycuda import BEYOND_PYCUDA

HERE = Path(__file__).resolve().parent
TIME_LIMIT_S = 120
ARGUMENTS = {"waves": ("first", "--second")}
_FIGURE = re.compile(r"\d+(\.\d+)?(e[+-]?\d+)?")
_OF_THE_MACHINE = re.compile(r"\b(ns|us|ms|s|seconds|GB/s|MB/s|GFLOP|bytes free)\b")


def lines_of(printed: str) -> list[str]:
    """What two runs have to agree about; not, say, where PyCUDA keeps what it compiled."""
    printed = re.sub(r"(?m)^\*\*\* compiler output in .*\n", "", printed)
    return [
        _FIGURE.sub("#", line) if _OF_THE_MACHINE.search(line) else line
        for line in printed.splitlines()
    ]


def run(command: list[str], environment: dict[str, str]) -> tuple[bool, str]:
    """Whether a program succeeded, and what it printed (with the end of its errors if not)."""
    try:
        done = subprocess.run(
            command,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIME_LIMIT_S,
        )
    except subprocess.TimeoutExpired:
        return False, f"still running after {TIME_LIMIT_S} s"
    if done.returncode:
        return False, done.stdout + done.stderr[-2000:]
    return True, done.stdout


def compare(program: Path, pycuda: Path | None) -> str:
    """ "agrees", or what differs."""
    path = os.pathsep.join(filter(None, (str(pycuda or ""), os.environ.get("PYTHONPATH"))))
    command = [str(program), *ARGUMENTS.get(program.stem, ())]
    theirs, theirs_printed = run([sys.executable, *command], {"PYTHONPATH": path})
    ours, ours_printed = run(
        [sys.executable, "-m", "warpwise", "run", *command], {"WARPWISE_DEVICE": "cuda:0"}
    )
    if not theirs or not ours:
        who = " and ".join(n for n, ok in (("PyCUDA", theirs), ("Warpwise", ours)) if not ok)
        return f"fails under {who}:\n{theirs_printed if not theirs else ours_printed}"
    if lines_of(theirs_printed) != lines_of(ours_printed):
        return f"prints other lines:\nPyCUDA:\n{theirs_printed}\nWarpwise:\n{ours_printed}"
    return "agrees"


def main() -> int:
    """One line for each program; status 1 when one does not agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pycuda", type=Path, help="a folder that PyCUDA was installed in")
    parser.add_argument("--at-once", type=int, default=1, help="programs side by side; default: 1")
    parser.add_argument("programs", nargs="*", help="names; default: all")
    chosen = parser.parse_args()
    programs = sorted((HERE / "programs").glob("*.py"))
    if chosen.programs:
        programs = [path for path in programs if path.stem in chosen.programs]
    failed = 0
    beyond = {path.stem for path in programs} & set(BEYOND_PYCUDA)
    programs = [path for path in programs if path.stem not in beyond]
    with ThreadPoolExecutor(chosen.at_once) as pool:
        verdicts = pool.map(lambda program: compare(program, chosen.pycuda), programs)
        for program, verdict in zip(programs, verdicts, strict=True):
            failed += verdict != "agrees"
            print(f"{program.stem}: {verdict}", flush=True)
    for name in sorted(beyond):
        print(f"{name}: not run: PyCUDA cannot, for {BEYOND_PYCUDA[name]}")
    print(f"{len(programs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
