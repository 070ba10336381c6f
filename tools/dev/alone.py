"""Every header compiles alone, and every source without precompiled headers.

What build/dev compiles with precompiled headers may lack an include, and a header may work only
after another one. Neither shows there, and both break builds without them: the wheel.
Headers that a source of the same name includes first have passed with that source.
"""

from __future__ import annotations

import concurrent.futures
import subprocess
import threading
from pathlib import Path, PurePosixPath

import commands
import includes
import tidy
from commands import Command
from passed import Record
from step import ROOT, Budget, jobs, output, progress

# Device code, and what replaces a macro in nanobind's own source.
NOT_ALONE = (
    "src/codegen/device/",
    "python/warpwise/compat/pycuda/include/",
    "python/bindings/interpreter/nanobind_hooks.hpp",
)
COMPILER = "clang++-19"


def _headers() -> list[str]:
    listed = output(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "*.hpp"])
    names = sorted(set(listed.splitlines()))
    return [n for n in names if (ROOT / n).is_file() and not n.startswith(NOT_ALONE)]


def _nearest(header: str, sources: list[Command]) -> Command | None:
    """The source whose flags a header gets: of those that include it, if there are any, that with
    the most folders in common."""
    folders = PurePosixPath(header).parts[:-1]

    def common(source: Command) -> int:
        pairs = zip(folders, PurePosixPath(source.file).parts[:-1], strict=False)
        return next((i for i, (a, b) in enumerate(pairs) if a != b), len(folders))

    users = [source for source in sources if header in includes.closure(source.file)]
    return max(users or sources, key=common, default=None)


def _jobs(where: Path) -> list[tuple[str, Command, bool]]:
    """What is to be compiled, with whose flags, and whether it is a header."""
    sources = commands.read(where)
    # clang-tidy reads the library's sources without precompiled headers, and what is compiled
    # without them in build/dev needs no second look.
    found = [
        (s.file, s, False) for s in sources if s.uses_pch and not s.file.startswith(tidy.FOLDERS)
    ]
    proven = {includes.first(source.file) for source in sources}
    for header in _headers():
        source = _nearest(header, sources)
        if header not in proven and source is not None:
            found.append((header, source, True))
    return found


def check(where: Path, record: Record, budget: Budget) -> bool:
    """Compiles what has not passed yet, for its syntax only, as long as the budget allows."""
    tool = output([COMPILER, "--version"])
    left: list[tuple[str, Command, bool, str]] = []
    total = _jobs(where)
    for file, source, is_header in total:
        flags = commands.portable(source.flags)
        key = includes.fingerprint(file, "alone", tool, flags)
        if not record.has(key):
            left.append((file, source, is_header, key))
    progress(
        f"headers alone and sources without precompiled headers: {len(left)} of {len(total)} files"
    )
    bad: list[str] = []
    lock = threading.Lock()

    def compile_one(file: str, source: Command, is_header: bool, key: str) -> None:
        if not budget.allows(file):
            return
        command = [COMPILER, *source.flags, "-Wno-everything", "-fsyntax-only"]
        command += (
            ["-include", str(ROOT / file), "-xc++", "/dev/null"]
            if is_header
            else [str(ROOT / file)]
        )
        done = subprocess.run(
            command, cwd=source.folder, capture_output=True, text=True, check=False
        )
        with lock:
            if done.returncode == 0:
                record.add(key)
                return
            bad.append(file)
            print(done.stderr, flush=True)

    with concurrent.futures.ThreadPoolExecutor(jobs()) as pool:
        list(pool.map(lambda row: compile_one(*row), left))
    if bad:
        progress(f"these lack an include: {', '.join(sorted(bad))}")
    return not bad
