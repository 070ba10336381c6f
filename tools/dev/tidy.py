"""clang-tidy, with clang's thread-safety analysis, over the sources of library and bindings.

A file costs 2 to 15 s of processor time, so what has passed is remembered (passed.py). It is read
without precompiled headers: a missing include is found here as well.
"""

from __future__ import annotations

import concurrent.futures
import json
import subprocess
import threading
from pathlib import Path

import commands
import includes
from commands import Command
from passed import Record
from step import ROOT, Budget, jobs, output, progress

TOOL = "clang-tidy-19"
FOLDERS = ("src/", "python/")
# libstdc++ 12 calls in its stable algorithms what it declares deprecated; g++ reports the others.
FLAGS = ("-Wthread-safety", "-Wno-deprecated-declarations")
# Where nothing is known to have passed, files that include LLVM or clang are checked by these only:
# 5 s of processor time a file instead of 14, most of which goes into LLVM's own declarations.
QUICK_CHECKS = ",".join(
    (
        "-*",
        "clang-diagnostic-*",
        "misc-definitions-in-headers",
        "modernize-use-override",
        "performance-for-range-copy",
        "performance-move-const-arg",
        "performance-unnecessary-copy-initialization",
        "readability-identifier-naming",
    )
)


def _database(where: Path, sources: list[Command]) -> Path:
    """A compile database of these sources, as clang reads them."""
    folder = where / "lint"
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {
            "file": str(ROOT / source.file),
            "directory": source.folder,
            "arguments": ["clang++-19", *source.flags, *FLAGS, "-c", str(ROOT / source.file)],
        }
        for source in sources
    ]
    (folder / "compile_commands.json").write_text(json.dumps(rows))
    return folder


def _fingerprint(source: Command, checks: str, tool: str) -> str:
    flags = commands.portable((*source.flags, *FLAGS))
    return includes.fingerprint(source.file, "clang-tidy", tool, flags, checks)


def check(
    where: Path, record: Record, budget: Budget, *, quick: bool = False, in_ci: bool = False
) -> bool:
    """Checks what has not passed yet, as many files at a time as there are cores, as long as the
    budget allows. `quick`: files that include LLVM or clang get QUICK_CHECKS only. `in_ci`: a file
    that passed these and has not changed since is not checked again."""
    sources = [s for s in commands.read(where) if s.file.startswith(FOLDERS)]
    database = _database(where, sources)
    tool = output([TOOL, "--version"]) + (ROOT / ".clang-tidy").read_text()
    left: list[tuple[Command, str, str]] = []
    for source in sources:
        keys = {"": _fingerprint(source, "", tool)}
        if (quick or in_ci) and includes.has_llvm(source.file):
            keys[QUICK_CHECKS] = _fingerprint(source, QUICK_CHECKS, tool)
        if not any(record.has(key) for key in keys.values()):
            checks = QUICK_CHECKS if quick and QUICK_CHECKS in keys else ""
            left.append((source, checks, keys[checks]))
    progress(f"clang-tidy: {len(left)} of {len(sources)} files")
    bad: list[str] = []
    lock = threading.Lock()

    def look(source: Command, checks: str, key: str) -> None:
        if not budget.allows(source.file):
            return
        command = [TOOL, "-p", str(database), "--quiet", str(ROOT / source.file)]
        command += [f"--checks={checks}"] if checks else []
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        with lock:
            if done.returncode == 0:
                record.add(key)
                return
            bad.append(source.file)
            print(done.stdout, done.stderr, flush=True)

    with concurrent.futures.ThreadPoolExecutor(jobs()) as pool:
        list(pool.map(lambda row: look(*row), left))
    if bad:
        progress(f"clang-tidy complains about: {', '.join(sorted(bad))}")
    return not bad
