"""Bugs that are planted in the sources by text, one at a time, to see whether tests notice them.

What the planted_*.py have in common. Sources are as before afterwards, and so is the build.
"""

from __future__ import annotations

import select
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Bug:
    what: str
    file: str
    right: str
    wrong: str


def build(target: str) -> bool:
    """A target of build/dev."""
    command = ["ninja", "-C", ROOT / "build" / "dev", target]
    return subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0


def noticed_by(process: subprocess.Popen[str], subject: str, silence_s: float) -> str:
    """How a process noticed a bug, or nothing.

    It prints the number of each subject (a program, a function) that it tries, and at the end a
    line that begins with the subject if it noticed something. Silence counts as hanging.
    """
    last = ""
    with process:
        assert process.stdout is not None
        while select.select([process.stdout], [], [], silence_s)[0]:
            line = process.stdout.readline()
            if not line:
                if process.wait():
                    return f"{subject} {last} fails"
                return last if last.startswith(subject) else ""
            last = line.strip()
        process.kill()
    return f"{subject} {last} hangs"


def try_bug(bug: Bug, folder: str, target: str, noticed: Callable[[], str]) -> str:
    """How the tests noticed the bug in the built target, or nothing."""
    path = ROOT / folder / bug.file
    source = path.read_text()
    if source.count(bug.right) != 1:
        raise SystemExit(f"{bug.file} has '{bug.right}' {source.count(bug.right)} times, not once")
    try:
        path.write_text(source.replace(bug.right, bug.wrong))
        if not build(target):
            raise SystemExit(f"the bug cannot be built: {bug.what}")
        return noticed()
    finally:
        path.write_text(source)


def try_bugs(
    bugs: Sequence[Bug],
    numbers: Sequence[int],
    folder: str,
    target: str,
    noticed: Callable[[], str],
) -> None:
    """Those with the numbers, or all; prints a line for each. Fails if one stays unnoticed."""
    unnoticed = 0
    for number in numbers or range(len(bugs)):
        start = time.monotonic()
        how = try_bug(bugs[number], folder, target, noticed)
        unnoticed += not how
        took = time.monotonic() - start
        print(f"{number:2}  {bugs[number].what}: {how or 'UNNOTICED'} ({took:.0f} s)", flush=True)
    build(target)
    if unnoticed:
        raise SystemExit(f"{unnoticed} planted bugs stayed unnoticed")
