"""./dev ci [--full]: what must hold before a change is accepted. `.ci/run` is this.

Formats, ruff and mypy over everything; every test; clang-tidy and the compile of headers alone
where they have not passed yet; the wheel when something that only its build sees changed since the
last commit that passed. What has passed is in the cache folder (passed.py). Where no commit is
known to have passed, clang-tidy and the compile of headers are left to `./dev lint`. Slow checks
end when their time is spent; what they left out, the next run checks. --full checks
everything, makes the wheel, and adds what `./dev test --full` adds.
"""

from __future__ import annotations

from collections.abc import Callable

import build
import environment
import lint
import packages
import passed
import testing
import wheel
from step import Budget, Stop, progress

# A cold run without the slow checks takes 20 minutes on two cores, and may take 60 in all.
SECONDS = 42 * 60
SECONDS_OF_THE_WHEEL = 17 * 60

# The wheel is made from all of src/, but what a source changes there the tests see as well: here is
# what only the wheel's own build sees.
OF_THE_WHEEL = (
    "cmake/",
    "include/",
    "python/",
    "tests/install/",
    "CMakePresets.json",
    "LICENSE",
    "pyproject.toml",
    "README.md",
    "tools/dev/packages.py",
    "tools/dev/wheel.py",
    "tools/requirements-dev.txt",
)
ENDINGS_OF_THE_WHEEL = ("CMakeLists.txt", ".cmake", ".hpp")


def needs_wheel(changed: list[str] | None) -> bool:
    """Whether something changed that only the build of the wheel notices; unknown counts as yes."""
    return changed is None or any(
        name.startswith(OF_THE_WHEEL) or name.endswith(ENDINGS_OF_THE_WHEEL) for name in changed
    )


def _failure(what: str, step: Callable[[], object]) -> list[str]:
    """Runs a step; the next ones run even if it fails."""
    try:
        step()
    except Stop as stop:
        progress(f"{what}: {stop}")
        return [what]
    return []


def ci(*, full: bool) -> None:
    packages.ensure(packages.BUILD, packages.LINT)
    environment.ensure()
    build.folder("dev").mkdir(parents=True, exist_ok=True)
    record = passed.Record()
    if full:
        record.forget_fingerprints()
    commit = passed.head()
    changed = None if full else passed.changed_since(record.commit)
    if changed is None:
        progress("checking everything" + ("" if full else ": no commit is known to have passed"))
    else:
        progress(
            f"{len(changed)} files differ from {record.commit[:12]}, the last commit that passed"
        )
    budget = Budget(None if full else SECONDS)
    bad = lint.quick_checks()
    bad += _failure("tests", lambda: testing.test(full=full))
    if needs_wheel(changed) and budget.allows("the wheel", SECONDS_OF_THE_WHEEL):
        bad += _failure("wheel", wheel.wheel)
    if changed is None and not full:
        progress("clang-tidy and headers alone are left to ./dev lint: no commit is known to pass")
    else:
        bad += lint.compiled_checks(record, budget)
    if bad:
        raise Stop(f"these failed: {', '.join(bad)}")
    if budget.left_out:
        progress(f"not checked for lack of time, the next run continues: {len(budget.left_out)}")
        progress(" ".join(budget.left_out))
    elif commit and commit == passed.head():
        record.set_commit(commit)
    progress("everything that was checked holds")
