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


def _fingerprint(source: Command, tool: str) -> str:
    flags = commands.portable((*source.flags, *FLAGS))
    return includes.fingerprint(source.file, "clang-tidy", tool, flags)


def check(where: Path, record: Record, budget: Budget) -> bool:
    """Checks what has not passed yet, as many files at a time as there are cores, as long as the
    budget allows."""
    sources = [s for s in commands.read(where) if s.file.startswith(FOLDERS)]
    database = _database(where, sources)
    tool = output([TOOL, "--version"]) + (ROOT / ".clang-tidy").read_text()
    keys = {source.file: _fingerprint(source, tool) for source in sources}
    left = [file for file, key in keys.items() if not record.has(key)]
    progress(f"clang-tidy: {len(left)} of {len(sources)} files")
    bad: list[str] = []
    lock = threading.Lock()

    def look(file: str) -> None:
        if not budget.allows(file):
            return
        command = [TOOL, "-p", str(database), "--quiet", str(ROOT / file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        with lock:
            if done.returncode == 0:
                record.add(keys[file])
                return
            bad.append(file)
            print(done.stdout, done.stderr, flush=True)

    with concurrent.futures.ThreadPoolExecutor(jobs()) as pool:
        list(pool.map(look, left))
    if bad:
        progress(f"clang-tidy complains about: {', '.join(sorted(bad))}")
    return not bad
