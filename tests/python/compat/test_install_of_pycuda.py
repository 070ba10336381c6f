"""warpwise.compat.install(), and the package pycuda that stands for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import devices
import pytest

from warpwise import compat


def python(program: str, *folders: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([*map(str, folders), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"WARPWISE_DEVICE": devices.NAME, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, env=environment, check=False, timeout=120,
    )  # fmt: skip


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A folder with another library of the name."""
    (tmp_path / "pycuda").mkdir()
    (tmp_path / "pycuda" / "__init__.py").write_text("IS_OTHER = True\n")
    return tmp_path


INSTALL = "from warpwise import compat; compat.install({}); import pycuda.driver; print(pycuda)"


def test_it_refuses_where_pycuda_is_imported(other: Path) -> None:
    for argument in ("", "override=True"):
        done = python("import pycuda; " + INSTALL.format(argument), other)
        assert "imported already" in done.stderr and str(other) in done.stderr


def test_it_refuses_where_pycuda_is_installed_unless_told(other: Path) -> None:
    refused = python(INSTALL.format(""), other)
    assert "override=True" in refused.stderr and str(other) in refused.stderr
    done = python(INSTALL.format("override=True"), other)
    assert "warpwise.compat.pycuda" in done.stdout, done.stderr


def test_a_second_call_changes_nothing() -> None:
    before = list(sys.meta_path)
    assert compat.install() is None
    assert compat.install(override=True) is None
    assert sys.meta_path == before


def test_the_package_of_that_name_is_ours() -> None:
    done = python("import pycuda.driver; print(pycuda.driver.__name__)", compat.NAMES_FOLDER)
    assert done.stdout == "warpwise.compat.pycuda.driver\n", done.stderr
    done = python("from pycuda import compiler; print(compiler)", compat.NAMES_FOLDER)
    assert "warpwise/compat/pycuda/compiler.py" in done.stdout, done.stderr
    done = python(INSTALL.format(""), compat.NAMES_FOLDER)
    assert "warpwise.compat.pycuda" in done.stdout, done.stderr
    done = python("import pycuda.gl", compat.NAMES_FOLDER)
    assert "UnsupportedModuleError" in done.stderr


def test_modules_can_be_run_by_pythons_switch(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import pycuda.driver as drv\nprint(drv.CUDA_DEBUGGING)\n")
    done = subprocess.run(
        [sys.executable, "-m", "pycuda.debug", str(script)],
        capture_output=True, text=True, check=False, timeout=120,
        env=os.environ | {
            "PYTHONPATH": os.pathsep.join([str(compat.NAMES_FOLDER), os.environ["PYTHONPATH"]])
        },
    )  # fmt: skip
    assert done.stdout == "True\n", done.stderr
