"""warpwise run: scripts and modules, their child processes, and what is neither."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import devices
import pytest

KERNEL = """
import numpy as np
import pycuda.autoinit
import pycuda.driver as drv
from pycuda.compiler import SourceModule

def doubled(value):
    x = np.full(4, value, np.float32)
    twice = SourceModule("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }")
    twice.get_function("twice")(drv.InOut(x), block=(4, 1, 1))
    return x[0]
"""


def run(folder: Path, *words: object, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"WARPWISE_DEVICE": devices.NAME, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-m", "warpwise", "run", *map(str, words)],
        capture_output=True, text=True, cwd=folder, env=environment | variables, check=False,
        timeout=120,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kernels.py").write_text(KERNEL)
    return tmp_path


def test_a_module_gets_its_arguments(folder: Path) -> None:
    (folder / "program.py").write_text(
        "import sys, kernels\nprint(kernels.doubled(3), *sys.argv[1:])\n"
    )
    done = run(folder, "-m", "program", "-x", "--flag", "file")
    assert done.stdout == "6.0 -x --flag file\n", done.stderr
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").touch()
    (folder / "package" / "__main__.py").write_text("import kernels\nprint(kernels.doubled(4))\n")
    assert run(folder, "-m", "package").stdout == "8.0\n"


def test_pytest_is_a_module(folder: Path) -> None:
    (folder / "test_it.py").write_text(
        "import kernels\nfrom pycuda.tools import mark_cuda_test\n\n"
        "@mark_cuda_test\ndef test_it():\n    assert kernels.doubled(3) == 6\n"
    )
    done = run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py")
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_of_multiprocessing_have_pycuda(folder: Path, method: str) -> None:
    (folder / "program.py").write_text(
        "import multiprocessing\n\ndef work(value):\n    import kernels\n"
        "    return float(kernels.doubled(value))\n\n"
        "if __name__ == '__main__':\n"
        f"    with multiprocessing.get_context('{method}').Pool(2) as pool:\n"
        "        print(pool.map(work, [1, 2, 3]))\n"
    )
    done = run(folder, "program.py")
    assert done.stdout == "[2.0, 4.0, 6.0]\n", done.stderr


def test_python_in_a_subprocess_has_pycuda(folder: Path) -> None:
    (folder / "program.py").write_text(
        "import subprocess, sys\n"
        "subprocess.run([sys.executable, '-c', 'import kernels; print(kernels.doubled(5))'],"
        " check=True)\n"
    )
    done = run(folder, "program.py")
    assert done.stdout == "10.0\n", done.stderr


def test_an_installed_pycuda_is_not_used(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "site" / "pycuda").mkdir(parents=True)
    (tmp_path / "site" / "pycuda" / "__init__.py").write_text("raise SystemExit('the real one')\n")
    (folder / "program.py").write_text("import kernels\nprint(kernels.doubled(3))\n")
    path = os.pathsep.join([str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")])
    done = run(folder, "program.py", PYTHONPATH=path)
    assert done.stdout == "6.0\n", done.stderr


def test_a_folder_with_a_main_module_is_a_script(folder: Path) -> None:
    (folder / "app").mkdir()
    (folder / "app" / "__main__.py").write_text("import sys\nprint(sys.argv[1])\n")
    assert run(folder, "app", "first").stdout == "first\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["absent.py"], "no such script: absent.py"),
        (["kernel.cu"], "kernel.cu is no Python script"),
        (["picture.png"], "picture.png is no Python script"),
        (["."], "a folder without a __main__.py"),
        (["-m", "no_such_module"], "no module named 'no_such_module'"),
        (["-m", "no_such.module"], "no module named 'no_such.module'"),
        (["-m", "empty"], "no module named 'empty.__main__'"),
        (["-m"], "expects the name of a module"),
    ],
)
def test_what_is_no_program_is_one_message(folder: Path, words: list[str], message: str) -> None:
    (folder / "kernel.cu").write_text("__global__ void k() {}\n")
    (folder / "picture.png").write_bytes(b"\x89PNG\0\0")
    (folder / "empty").mkdir()
    (folder / "empty" / "__init__.py").touch()
    done = run(folder, *words)
    assert done.returncode == 1
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_errors_of_a_module_begin_in_it(folder: Path) -> None:
    (folder / "program.py").write_text("def f():\n    raise ValueError('mine')\n\nf()\n")
    done = run(folder, "-m", "program")
    assert done.returncode == 1
    assert "ValueError: mine" in done.stderr and "runpy" not in done.stderr
