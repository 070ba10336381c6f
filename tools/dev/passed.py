"""What has passed, kept outside of the checkout, since CI runs each commit in a fresh clone.

A record in the cache folder holds the last commit that passed everything, and a fingerprint of each
file that passed a check: of all that decides what the check finds in it. A file whose fingerprint
is known is not checked again. Without a record nothing is known, and everything is checked.
"""

from __future__ import annotations

import datetime
import json
import os
import threading
from pathlib import Path
from typing import Any

from step import ROOT, output

DAYS_KEPT = 60  # a fingerprint that no run came across


def folder() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "warpwise-dev"


class Record:
    """The record in `file`; every change is on disk at once, so an interrupted run counts."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file or folder() / "passed.json"
        self._lock = threading.Lock()
        self._today = datetime.date.today()
        self._commit = ""
        self._days: dict[str, str] = {}
        try:
            read = json.loads(self._file.read_text())
            self._commit, self._days = str(read["commit"]), dict(read["fingerprints"])
        except (OSError, ValueError, KeyError, TypeError):
            return  # none, or damaged: nothing is known

    @property
    def commit(self) -> str:
        """The last commit that passed everything; empty when unknown."""
        return self._commit

    def has(self, fingerprint: str) -> bool:
        with self._lock:
            known = fingerprint in self._days
            if known:
                self._days[fingerprint] = self._today.isoformat()
            return known

    def add(self, fingerprint: str) -> None:
        with self._lock:
            self._days[fingerprint] = self._today.isoformat()
            self._write()

    def forget_fingerprints(self) -> None:
        """Every file is checked again."""
        with self._lock:
            self._days.clear()

    def set_commit(self, commit: str) -> None:
        with self._lock:
            self._commit = commit
            self._write()

    def _write(self) -> None:
        oldest = (self._today - datetime.timedelta(days=DAYS_KEPT)).isoformat()
        kept = {name: day for name, day in self._days.items() if day >= oldest}
        content: dict[str, Any] = {"commit": self._commit, "fingerprints": kept}
        self._file.parent.mkdir(parents=True, exist_ok=True)
        written = self._file.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps(content))
        written.replace(self._file)


def head() -> str:
    """The commit that is checked out, or nothing when files differ from it."""
    if output(["git", "-C", ROOT, "status", "--porcelain"]).strip():
        return ""
    return output(["git", "-C", ROOT, "rev-parse", "HEAD"]).strip()


def changed_since(commit: str) -> list[str] | None:
    """The files that differ from a commit, new ones included; None when this clone lacks it."""
    git = ["git", "-C", str(ROOT)]
    if not commit or not output([*git, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"]):
        return None
    differing = output([*git, "diff", "--name-only", "--no-renames", commit]).splitlines()
    new = output([*git, "ls-files", "--others", "--exclude-standard"]).splitlines()
    return sorted({*differing, *new})
