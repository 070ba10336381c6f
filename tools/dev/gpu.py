"""./dev gpu-pack, gpu-test and gpu-bench: for a GPU machine with neither network nor LLVM.

gpu-pack runs where ./dev test runs. It leaves build/portable/warpwise-portable.tar.gz: both
libraries with LLVM linked in, the compile worker and the contract tests. The checkout and that file
go to the GPU machine, where gpu-test builds only the Python extension, against that machine's own
Python (which needs nanobind, NumPy and pytest), and runs the suites.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import build
import environment
import testing
from step import ROOT, Stop, jobs, output, run, say
from tally import Tally, read_junit

PACK = ROOT / "build" / "portable" / "warpwise-portable.tar.gz"
HERE = ROOT / "build" / "gpu"
LIBRARIES = ("libwarpwise.so", "libwarpwise_compiler.so", "warpwise-compile-worker")
PRELUDE = "warpwise-prelude.pch"
SUITES = ("tests/python", "tests/examples")


def pack() -> None:
    """Builds the portable preset and packs what another machine needs of it."""
    where = build.build("portable", ("python_package", "contract_test"))
    stage = where / "stage"
    shutil.rmtree(stage, ignore_errors=True)
    for folder, names in (
        ("lib", LIBRARIES),
        ("bin", tuple(path.name for path in (where / "bin").glob("*contract*"))),
    ):
        (stage / folder).mkdir(parents=True)
        for name in names:
            run(["strip", "-o", stage / folder / name, where / folder / name])
    shutil.copy2(where / "lib" / PRELUDE, stage / "lib")
    say("packing")
    with tarfile.open(PACK, "w:gz", compresslevel=6) as archive:
        archive.add(stage, arcname=".")
    say(f"{PACK.relative_to(ROOT)}: {PACK.stat().st_size / 1e6:.1f} MB")


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
        say("unpacking the libraries")
        shutil.rmtree(HERE, ignore_errors=True)
        HERE.mkdir(parents=True)
        with tarfile.open(PACK) as archive:
            archive.extractall(HERE, filter="data")
        stamp.write_text(identity)
    say("building the Python extension")
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
        say(f"C++ tests: {program.name}")
        report = HERE / f"{program.name}.xml"
        report.unlink(missing_ok=True)
        run([program, f"--gtest_output=xml:{report}", "--gtest_brief=1"], check=False)
        counted += read_junit(report)
    return counted


def test() -> None:
    """Runs the contract tests and the Python suites on every kind of device found here."""
    python, env = prepare()
    listed = "import warpwise; print(*sorted({str(d.kind) for d in warpwise.devices()}))"
    found = output(["env", *(f"{k}={v}" for k, v in env.items()), python, "-c", listed]).split()
    kinds = [kind for kind in found if kind in ("cpu", "cuda")]
    if "cuda" not in kinds:
        say("no CUDA device is usable by this version: the suites run on the cpu device")
    total = _contract()
    for kind in kinds:
        say(f"Python suites on {kind}")
        on_kind = {**env, "WARPWISE_DEVICE": kind}
        total += testing.pytest(list(SUITES), HERE, on_kind, python=python)
    print(total, flush=True)
    if total.failed or not kinds:
        raise Stop("some tests failed" if kinds else "no device was found")
