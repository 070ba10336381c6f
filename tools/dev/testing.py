"""./dev test: the build and every suite, one after another, and one line that sums them up.

ctest runs the C++ programs, pytest what is written in Python. A failing suite does not keep the
next one from running.
"""

from __future__ import annotations

import os
from pathlib import Path

import build
import environment
import fuzzing
from step import ROOT, Stop, jobs, output, progress, run
from tally import Tally, read_junit

PYTEST_FOLDERS = ("layout", "dev", "docs", "python", "script", "programs", "examples", "fuzz")
# Presets, whose options are in tests/sanitizers.cpp, each with what is run beside its C++ tests:
# whole programs, kernels and processes as users write them.
SANITIZERS = {
    "asan": ("python/kernels", "python/api", "python/cli", "python/compat", "programs"),
    "tsan": (
        "python/kernels",
        "python/api",
        "python/compat",
        "python/random",
        "python/arrays/test_elementwise_kernel.py",
    ),
}
IS_ABOUT_TIME = "python/api/test_package.py::test_importing_is_quick"
# Fails when the sanitizer's runtime is loaded before its own.
RUNS_NVCC = (
    "python/api/test_gpu_binaries.py::test_nvcc_compiles_on_request",
    "python/api/test_gpu_binaries.py::test_the_part_of_a_fatbin_is_loaded",
)
# What ThreadSanitizer cannot follow: it reports what threads of a forked child share, and fails in
# itself over some of that; and it keeps a signal that arrives in a fiber until its next call of
# the system, which a kernel's fiber never makes; it dies when a process has as many areas of memory
# as the system allows.
NOT_SANITIZED = {
    "asan": (IS_ABOUT_TIME, *RUNS_NVCC),
    "tsan": (
        IS_ABOUT_TIME,
        *RUNS_NVCC,
        "python/kernels/test_watchdog.py::test_more_blocks_wait_for_each_other_than_there_is_room",
        "python/api/test_forms.py::test_a_child_of_fork_compiles_for_itself",
        "python/api/test_processes.py::test_a_forked_child_and_its_parent_both_go_on",
        "python/api/test_processes.py::test_children_of_multiprocessing_run_kernels[fork]",
        "python/api/test_processes.py::test_ctrl_c_stops_a_long_grid_and_the_process_lives[meet",
    ),
}
# Programs and functions that are drawn: how many say WARPWISE_FUZZ and WARPWISE_ARRAY_PROGRAMS.
RANDOM = [
    "tests/fuzz",
    "tests/python/script/test_random_python.py",
    "tests/python/arrays/test_array_programs.py",
]
FUZZ_MINUTES = 10
MUTANTS = 300


def ctest(where: Path) -> Tally:
    """Runs the C++ tests of one build folder."""
    report = where / "ctest.xml"
    report.unlink(missing_ok=True)
    progress(f"C++ tests of {where.relative_to(ROOT)}")
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


def pytest(folders: list[str], where: Path, env: dict[str, str]) -> Tally:
    """Runs Python tests against one build folder. Status 5, no test collected, is a failure."""
    report = where / "pytest.xml"
    report.unlink(missing_ok=True)
    progress(f"Python tests: {' '.join(folders)}")
    status = run(
        [environment.PYTHON, "-m", "pytest", "-q", f"--junitxml={report}", *folders],
        env=env,
        check=False,
    )
    counted = read_junit(report)
    if status and not counted.failed:
        counted.failed = 1
    return counted


def sanitized_libraries(preset: str) -> dict[str, str]:
    """An environment in which the dev build's extension loads a sanitized build's libraries. Python
    itself is not sanitized, so the run time comes before it, and leaks are not reported."""
    where = build.folder(preset)
    signals = ("segv", "sigbus", "sigfpe", "sigill", "abort")  # as in tests/sanitizers.cpp
    options = [f"handle_{signal}=0" for signal in signals]
    # A race is the exit status of its process; its report would be lost with the output of a test,
    # which mostly passes.
    races = ["die_after_fork=0", f"log_path={where}/race"]
    races.append(f"suppressions={ROOT}/tests/python/unseen_order.txt")
    run_time = output(["clang-19", f"-print-file-name=libclang_rt.{preset}-x86_64.so"]).strip()
    return {
        **build.python_path("dev"),
        "LD_PRELOAD": run_time,
        "LD_LIBRARY_PATH": str(where / "lib"),
        "ASAN_OPTIONS": ":".join([*options, "detect_leaks=0"]),
        "TSAN_OPTIONS": ":".join([*options, *races]),
        # What threads of NumPy's matrix products share looks like races: they are not sanitized.
        "OPENBLAS_NUM_THREADS": "1",
        "WARPWISE_CACHE_DIR": str(where / "python-cache"),
    }


def mutants(count: int) -> Tally:
    """A mutation run over all of src/: passes if the tests notice the share it asks for."""
    progress(f"mutation run: {count} mutants")
    tool = ROOT / "tools" / "mutants.py"
    status = run([environment.PYTHON, tool, "--count", str(count)], check=False)
    return Tally(failed=1) if status else Tally(passed=1)


def test(full: bool) -> None:
    """Builds, runs every suite, prints the closing line and fails if anything did."""
    where = build.build("dev")
    total = ctest(where)
    total += pytest([f"tests/{name}" for name in PYTEST_FOLDERS], where, build.python_path())
    if full:
        for preset, names in SANITIZERS.items():
            sanitized = build.build(preset)
            total += ctest(sanitized)
            what = [f"tests/{name}" for name in names]
            what += [f"--deselect=tests/{name}" for name in NOT_SANITIZED[preset]]
            total += pytest(what, sanitized, sanitized_libraries(preset))
        large = {**build.python_path(), "WARPWISE_LARGE": "1"}
        total += pytest(["tests/python/arrays/test_large_arrays.py"], where, large)
        total += fuzzing.fuzz(FUZZ_MINUTES)
        # Hours, unless the user's settings say fewer.
        many = {"WARPWISE_FUZZ": "long", "WARPWISE_ARRAY_PROGRAMS": "100000"}
        many.update((name, os.environ[name]) for name in many if name in os.environ)
        total += pytest(RANDOM, where, {**build.python_path(), **many})
        total += mutants(int(os.environ.get("WARPWISE_MUTANTS", MUTANTS)))
    progress("all suites done")
    print(total, flush=True)
    if total.failed:
        raise Stop("some tests failed")
