"""The project's own Python environment, .venv: made from tools/requirements-dev.txt, all pinned.

A stamp inside it holds a hash of what it was made from, so that an unchanged one costs nothing.
"""

from __future__ import annotations

import hashlib
import shutil
import sys

from step import ROOT, progress, run

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
REQUIREMENTS = ROOT / "tools" / "requirements-dev.txt"


def ensure() -> None:
    """Makes .venv, or remakes it when the pins or this Python have changed."""
    stamp = VENV / "made-from"
    identity = f"{sys.version} {sys.base_prefix} {VENV}\n".encode() + REQUIREMENTS.read_bytes()
    digest = hashlib.sha256(identity).hexdigest()
    if PYTHON.exists() and stamp.exists() and stamp.read_text() == digest:
        return
    progress("making .venv with the pinned Python packages")
    shutil.rmtree(VENV, ignore_errors=True)
    run([sys.executable, "-m", "venv", VENV])
    run([PYTHON, "-m", "pip", "install", "--quiet", "--no-deps", "--requirement", REQUIREMENTS])
    stamp.write_text(digest)
