"""Steps as a person sees them: a stamped line for each, and commands that stop the script.

Every message of ./dev goes through progress(), so that long work always shows where it is.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import PIPE, STDOUT

ROOT = Path(__file__).resolve().parents[2]
_START = time.monotonic()


class Stop(Exception):
    """Ends ./dev with this message and status 1."""


def leave_stdout_alone() -> None:
    """From now on messages and what commands print go to stderr: stdout belongs to the program
    that this one will become."""
    sys.stdout.flush()
    sys.stdout = sys.stderr


def progress(text: str) -> None:
    """Prints one line, stamped with the seconds since ./dev began."""
    print(f"[{time.monotonic() - _START:7.1f} s] {text}", flush=True)


class Budget:
    """How long slow checks may go on, in seconds since ./dev began; None: until they are done.

    What no longer fits is counted, so that nothing is taken to have passed that was not checked.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._end = None if seconds is None else _START + seconds
        self._lock = threading.Lock()
        self.left_out: list[str] = []

    def allows(self, name: str, seconds: float = 0.0) -> bool:
        """Whether a check that takes so long may begin; if not, its name is noted."""
        if self._end is None or time.monotonic() + seconds < self._end:
            return True
        with self._lock:
            self.left_out.append(name)
        return False


def jobs() -> int:
    """How many processes a build may start: the cores this process may use."""
    return len(os.sched_getaffinity(0))


def run(
    command: Sequence[str | Path],
    *,
    env: dict[str, str] | None = None,
    cwd: Path = ROOT,
    check: bool = True,
) -> int:
    """Runs a command with its output shown; a failure ends ./dev unless `check` is false."""
    words = [str(word) for word in command]
    sys.stdout.flush()
    status = subprocess.run(
        words,
        cwd=cwd,
        env={**os.environ, **(env or {})},
        stdout=sys.stderr if sys.stdout is sys.stderr else None,
        check=False,
    ).returncode
    if check and status != 0:
        raise Stop(f"failed with status {status}: {shlex.join(words)}")
    return status


def run_silently_idle(
    command: Sequence[str | Path], is_work: Callable[[str], bool], *, env: dict[str, str]
) -> None:
    """As run(), but output is shown only from the first line that `is_work`, or on a failure: a
    command that finds nothing to do prints nothing."""
    words = [str(word) for word in command]
    held: list[str] = []
    is_shown = False
    with subprocess.Popen(
        words, cwd=ROOT, env={**os.environ, **env}, text=True, stdout=PIPE, stderr=STDOUT
    ) as process:
        for line in process.stdout or ():
            held.append(line)
            is_shown = is_shown or is_work(line)
            if is_shown:
                print(*held, sep="", end="", flush=True)
                held.clear()
    if process.returncode != 0:
        print(*held, sep="", end="", flush=True)
        raise Stop(f"failed with status {process.returncode}: {shlex.join(words)}")


def output(command: Sequence[str | Path]) -> str:
    """What a command prints; empty when it fails or is not there."""
    try:
        done = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return ""
    return done.stdout if done.returncode == 0 else ""
