"""Whole PyCUDA programs, unchanged, through `warpwise run`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import devices
import pytest
from beyond_pycuda import BEYOND_PYCUDA

HERE = Path(__file__).resolve().parent
SHARED = HERE.parents[3] / "shared" / "programs"
PROGRAMS = [
    "paper_1_source_module",
    "paper_2_gpuarray",
    "paper_3_elementwise_reduction_scan",
    "paper_4_templates_sparse_textures",
    "guide_basics",
    "guide_patterns",
    "guide_advanced",
    "guide_mistakes",
    "guide_performance",
    "backend_api",
]


def run(script: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "warpwise", "run", str(script), *arguments]
    environment = os.environ | {"WARPWISE_DEVICE": devices.NAME}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared programs are not beside this checkout")
@pytest.mark.parametrize("name", PROGRAMS)
def test_shared_programs_run_unchanged(name: str) -> None:
    done = run(SHARED / f"{name}.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "OK"


@pytest.mark.parametrize("path", sorted((HERE / "programs").glob("*.py")), ids=lambda p: p.stem)
def test_our_own_programs_run(path: Path) -> None:
    if path.stem == "templates_mako":
        pytest.importorskip("mako")
    done = run(path, "first", "--second")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "done"


def test_programs_beyond_pycuda_exist() -> None:
    names = {path.stem for path in (HERE / "programs").glob("*.py")}
    assert set(BEYOND_PYCUDA) <= names
    assert all(reason for reason in BEYOND_PYCUDA.values())
