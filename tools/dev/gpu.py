"""./dev gpu-pack, gpu-test and gpu-bench: for a GPU machine with neither network nor LLVM.

gpu-pack runs where ./dev test runs. It leaves build/portable/warpwise-portable.tar.gz: both
libraries with LLVM linked in, the compile worker and the contract tests. The checkout and that file
go to the GPU machine, where gpu-test builds only the Python extension, against that machine's own
Python (which needs nanobind, NumPy and pytest), and runs the suites.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import build
import environment
from step import ROOT, Stop, jobs, progress, run
from tally import Tally, read_junit

PACK = ROOT / "build" / "portable" / "warpwise-portable.tar.gz"
HERE = ROOT / "build" / "gpu"
LIBRARIES = (
    "libwarpwise.so",
    "libwarpwise_compiler.so",
    "warpwise-compile-worker",
    "warpwise-nvrtc-worker",
)
MADE_BY_THE_BUILD = (
    "warpwise-prelude.pch",
    "warpwise-interpreter.ptx",
    "warpwise-programs.bin",
)
CONTRACT_SECONDS = 180  # of a minute or less that it takes
OF_THE_CPU_ALONE = ("tests/python/cli",)
# Every folder of Python tests: a new one is run on both devices without a word here.
CPU_SUITES = (
    *sorted({f"tests/python/{path.parent.name}" for path in ROOT.glob("tests/python/*/test_*.py")}),
    "tests/examples",
)
KERNEL_SUITES = ("tests/python/kernels", "tests/examples")
GPU_SUITES = (
    *(name for name in CPU_SUITES if name not in OF_THE_CPU_ALONE),
    "tests/script",
    "tests/programs",
)
CPU_SHARE = 4  # cores a process: its kernels run on all of them, its compiles on one or two
BENCHMARKS = (
    "launch_overhead",
    "launch_profile",
    "arrays",
    "cpu_dispatch",
    "graph_launches",
    "pool",
    "compile_cuda",
    "gpu_copies",
)


def pack() -> None:
    """Builds the portable preset and packs what another machine needs of it."""
    where = build.build("portable", ("python_package", "warpwise_programs", "contract_test"))
    stage = where / "stage"
    shutil.rmtree(stage, ignore_errors=True)
    for folder, names in (
        ("lib", LIBRARIES),
        ("bin", tuple(path.name for path in (where / "bin").glob("*contract*"))),
    ):
        (stage / folder).mkdir(parents=True)
        for name in names:
            run(["strip", "-o", stage / folder / name, where / folder / name])
    for name in MADE_BY_THE_BUILD:
        shutil.copy2(where / "lib" / name, stage / "lib")
    progress("packing")
    with tarfile.open(PACK, "w:gz", compresslevel=6) as archive:
        archive.add(stage, arcname=".")
    progress(f"{PACK.relative_to(ROOT)}: {PACK.stat().st_size / 1e6:.1f} MB")


def _python() -> Path:
    """This machine's Python if it can build and test the extension, else the project's own."""
    needs = "import nanobind, numpy, pytest, pytest_timeout"
    for candidate in (Path(sys.executable), environment.PYTHON):
        if (
            subprocess.run([candidate, "-c", needs], capture_output=True, check=False).returncode
            == 0
        ):
            return candidate
    raise Stop("no Python here has nanobind, numpy, pytest and pytest-timeout")


def prepare() -> tuple[Path, dict[str, str]]:
    """Unpacks, builds the extension; returns the Python to run and its environment."""
    if not PACK.exists():
        raise Stop(
            f"{PACK.relative_to(ROOT)} is not here. Make it with ./dev gpu-pack on a machine that "
            "runs ./dev test, and carry it along at that path."
        )
    python = _python()
    stamp = HERE / "unpacked-from"
    identity = f"{PACK.stat().st_size} {PACK.stat().st_mtime_ns} {python}"
    if not stamp.exists() or stamp.read_text() != identity:
        progress("unpacking the libraries")
        shutil.rmtree(HERE, ignore_errors=True)
        HERE.mkdir(parents=True)
        with tarfile.open(PACK) as archive:
            archive.extractall(HERE, filter="data")
        stamp.write_text(identity)
    progress("building the Python extension")
    options = {
        "CMAKE_BUILD_TYPE": "Release",
        "WARPWISE_PREBUILT": HERE,
        "WARPWISE_TESTS": "OFF",
        "Python_EXECUTABLE": python,
    }
    defines = [f"-D{name}={value}" for name, value in options.items()]
    run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", HERE, "--log-level=WARNING", *defines])
    run(["ninja", "-C", HERE, f"-j{jobs()}", "python_package"])
    return python, build.python_path("gpu")


def _contract() -> Tally:
    counted = Tally()
    for program in sorted((HERE / "bin").glob("*contract*")):
        progress(f"C++ tests: {program.name}")
        report = HERE / f"{program.name}.xml"
        report.unlink(missing_ok=True)
        _watched(program, f"--gtest_output=xml:{report}")
        counted += read_junit(report)
    return counted


def _watched(program: Path, *words: str) -> None:
    """Runs a GoogleTest program; reports which test hangs. Failures are in the report."""
    log = HERE / f"{program.name}.log"
    with log.open("w") as printed:
        try:
            done = subprocess.run(
                [program, *words],
                stdout=printed,
                stderr=subprocess.STDOUT,
                check=False,
                timeout=CONTRACT_SECONDS,
            )
        except subprocess.TimeoutExpired:
            begun = [line for line in log.read_text().splitlines() if "[ RUN " in line]
            last = begun[-1].split("]")[-1].strip() if begun else "none"
            raise Stop(f"{program.name} hangs; the test it began last: {last}") from None
    if done.returncode:
        print(log.read_text(), flush=True)


def _in_processes(
    python: Path, device: str, env: dict[str, str], folders: tuple[str, ...], at_once: int
) -> Tally:
    """Runs each file of tests in a process of its own, some at a time: after a fault of a kernel a
    GPU is lost to its process only, and compiling fills the cores."""
    progress(f"Python suites on {device}")
    files = sorted(file for folder in folders for file in (ROOT / folder).glob("test_*.py"))
    reports = HERE / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir(parents=True)

    def one(file: Path) -> Tally:
        report = reports / f"{file.parent.name}.{file.stem}.xml"
        command: list[str | Path] = [python, "-m", "pytest", "-q", "--tb=short"]
        command += [f"--junitxml={report}", file]
        all_env = {**os.environ, **env, "WARPWISE_DEVICE": device}
        begun = time.monotonic()
        done = subprocess.run(command, env=all_env, capture_output=True, text=True, check=False)
        counted = read_junit(report)
        print(
            f"{file.parent.name}/{file.name}: {counted}, {time.monotonic() - begun:.0f} s",
            flush=True,
        )
        # 5: every test of the file is about another device.
        if done.returncode not in (0, 5):
            print(done.stdout, done.stderr, flush=True)
            counted.failed = counted.failed or 1
        return counted

    with ThreadPoolExecutor(at_once) as pool:
        return sum(pool.map(one, files), Tally())


def test(device: str | None) -> None:
    """Runs the contract tests on every device, and the Python suites on the first GPU or on the
    CPU; without a device on the GPU, and on the CPU those of kernels: machines without a GPU run
    the others."""
    python, env = prepare()
    total = _contract()
    if device != "cpu":
        usable = "import warpwise as ww; ww.Device('cuda:0').synchronize()"
        done = subprocess.run([python, "-c", usable], env={**os.environ, **env}, check=False)
        if done.returncode:
            raise Stop("no GPU is usable here: the line above says why")
        total += _in_processes(python, "cuda:0", env, GPU_SUITES, jobs())
    if device != "cuda:0":
        suites = CPU_SUITES if device == "cpu" else KERNEL_SUITES
        total += _in_processes(python, "cpu", env, suites, max(1, jobs() // CPU_SHARE))
    print(total, flush=True)
    if total.failed:
        raise Stop("some tests failed")
