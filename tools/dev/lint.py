"""./dev lint: layout rules, formats, ruff, mypy, clang-tidy, and headers that compile alone.

What costs seconds a file is remembered when it passes, outside of the checkout (passed.py): a file
is checked again when it, a header it includes, its flags, or the rules change.
"""

from __future__ import annotations

from pathlib import Path

import alone
import build
import environment
import packages
import testing
import tidy
from passed import Record
from step import ROOT, Budget, Stop, output, progress, run

FORMATTED = (".hpp", ".cpp", ".cuh", ".h")
PYTHON_FOLDERS = ("tools", "tests", "python", "benchmarks", "cmake", "examples", "docs")


def _files(*suffixes: str) -> list[str]:
    listed = output(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"])
    names = [name for name in listed.splitlines() if name.endswith(suffixes)]
    return [name for name in names if (ROOT / name).is_file()]


def clang_format(fix: bool) -> bool:
    progress("clang-format")
    names = _files(*FORMATTED)
    mode = ["-i"] if fix else ["--dry-run", "-Werror"]
    return run(["clang-format-19", *mode, *names], check=False) == 0


def ruff(fix: bool) -> bool:
    progress("ruff")
    tool: list[str | Path] = [environment.PYTHON, "-m", "ruff"]
    folders = [name for name in PYTHON_FOLDERS if (ROOT / name).is_dir()]
    checked = run([*tool, "check", *(["--fix"] if fix else []), *folders], check=False)
    formatted = run([*tool, "format", *([] if fix else ["--check"]), *folders], check=False)
    return checked == 0 and formatted == 0


def mypy() -> bool:
    progress("mypy")
    good = True
    for where in ("tools/dev", "python/warpwise", "cmake"):
        if any((ROOT / where).glob("**/*.py")):
            good &= run([environment.PYTHON, "-m", "mypy", where], check=False) == 0
    return good


def layout() -> bool:
    progress("layout")
    return testing.pytest(["tests/layout"], build.folder("dev"), {}).failed == 0


def quick_checks(fix: bool = False) -> list[str]:
    """What takes seconds for the whole tree; returns the names of those that complained."""
    checks = {"clang-format": clang_format(fix), "ruff": ruff(fix), "mypy": mypy()}
    return [name for name, good in checks.items() if not good]


def compiled_checks(record: Record, budget: Budget) -> list[str]:
    """What reads every source as a compiler does, where it has not passed yet; needs build/dev."""
    where = build.build("dev")
    checks = {
        "clang-tidy": tidy.check(where, record, budget),
        "includes": alone.check(where, record, budget),
    }
    return [name for name, good in checks.items() if not good]


def lint(fix: bool) -> None:
    """Runs every check, then fails if any complained."""
    packages.ensure(packages.BUILD, packages.LINT)
    environment.ensure()
    build.folder("dev").mkdir(parents=True, exist_ok=True)
    bad = quick_checks(fix)
    bad += [] if layout() else ["layout"]
    bad += compiled_checks(Record(), Budget())
    if bad:
        raise Stop(f"these complained: {', '.join(bad)}")
    progress("lint is clean")
