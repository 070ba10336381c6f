"""./dev test: the build and every suite, one after another, and one line that sums them up.

ctest runs the C++ programs, pytest what is written in Python. A failing suite does not keep the
next one from running.
"""

from __future__ import annotations

from pathlib import Path

import build
import environment
import fuzzing
from step import ROOT, Stop, jobs, output, run, say
from tally import Tally, read_junit

PYTEST_FOLDERS = ("layout", "dev", "docs", "python", "programs", "examples", "fuzz")
SANITIZERS = ("asan", "tsan")  # presets; their options are in tests/sanitizers.cpp
FUZZ_MINUTES = 10
# Whole programs and kernels as users write them: what the C++ tests do not have.
SANITIZED_FOLDERS = ("python/kernels", "programs")


def ctest(where: Path) -> Tally:
    """Runs the C++ tests of one build folder."""
    report = where / "ctest.xml"
    report.unlink(missing_ok=True)
    say(f"C++ tests of {where.relative_to(ROOT)}")
    command: list[str | Path] = [
        "ctest",
        "--test-dir",
        where,
        "-j",
        str(jobs()),
        "--output-on-failure",
    ]
    status = run([*command, "--output-junit", report], check=False)
    counted = read_junit(report)
    if status and not counted.failed:
        counted.failed = 1
    return counted


def pytest(
    folders: list[str], where: Path, env: dict[str, str], python: Path = environment.PYTHON
) -> Tally:
    """Runs Python tests against one build folder. Status 5, no test collected, is a failure."""
    report = where / "pytest.xml"
    report.unlink(missing_ok=True)
    say(f"Python tests: {' '.join(folders)}")
    status = run(
        [python, "-m", "pytest", "-q", f"--junitxml={report}", *folders],
        env=env,
        check=False,
    )
    counted = read_junit(report)
    if status and not counted.failed:
        counted.failed = 1
    return counted


def sanitized_libraries() -> dict[str, str]:
    """An environment in which the dev build's extension meets the asan build's libraries. Python
    itself is not sanitized, so the run time comes before it, and nobody looks for leaks."""
    signals = ("segv", "sigbus", "sigfpe", "sigill", "abort")  # as in tests/sanitizers.cpp
    options = [*(f"handle_{signal}=0" for signal in signals), "detect_leaks=0"]
    return {
        **build.python_path("dev"),
        "LD_PRELOAD": output(["clang-19", "-print-file-name=libclang_rt.asan-x86_64.so"]).strip(),
        "LD_LIBRARY_PATH": str(build.folder("asan") / "lib"),
        "ASAN_OPTIONS": ":".join(options),
        "WARPWISE_CACHE_DIR": str(build.folder("asan") / "python-cache"),
    }


def test(full: bool) -> None:
    """Builds, runs every suite, prints the closing line and fails if anything did."""
    where = build.build("dev")
    total = ctest(where)
    total += pytest([f"tests/{name}" for name in PYTEST_FOLDERS], where, build.python_path())
    if full:
        for preset in SANITIZERS:
            total += ctest(build.build(preset))
        folders = [f"tests/{name}" for name in SANITIZED_FOLDERS]
        total += pytest(folders, build.folder("asan"), sanitized_libraries())
        total += fuzzing.fuzz(FUZZ_MINUTES)
        total += pytest(
            ["tests/fuzz"], where, {**build.python_path("dev"), "WARPWISE_FUZZ": "long"}
        )
    say("all suites done")
    print(total, flush=True)
    if total.failed:
        raise Stop("some tests failed")
