"""The Python examples, each run as a user runs it: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"
VERDICTS = {
    "vector_add.py": "a + b is right",
    "matrix_product.py": "a @ b is right",
    "histogram.py": "the counts are right",
    "mandelbrot.py": "written to",
    "monte_carlo_pi.py": "pi is right",
}


def run(folder: Path, *words: str | Path) -> str:
    env = {"WARPWISE_DEVICE": "cpu", **os.environ, "WARPWISE_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, *map(str, words)]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=folder, env=env, check=False, timeout=300
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("name", VERDICTS)
def test_the_example_computes_what_numpy_does(name: str, tmp_path: Path) -> None:
    assert VERDICTS[name] in run(tmp_path, EXAMPLES / name)


def test_the_pycuda_script_runs_unchanged(tmp_path: Path) -> None:
    assert run(tmp_path, "-m", "warpwise", "run", EXAMPLES / "pycuda_script.py").startswith("[[")


def test_every_mistake_is_reported_in_the_users_terms(tmp_path: Path) -> None:
    shown = run(tmp_path, EXAMPLES / "mistakes.py")
    assert "scale.cu:5" in shown
    assert "facter" in shown
    assert shown.count("--- ") == 4


def test_the_picture_is_one(tmp_path: Path) -> None:
    run(tmp_path, EXAMPLES / "mandelbrot.py", "set.png")
    assert (tmp_path / "set.png").read_bytes().startswith(b"\x89PNG")


def test_the_demo_shows_a_row_for_each_kernel(tmp_path: Path) -> None:
    shown = run(tmp_path, EXAMPLES / "demo.py", tmp_path)
    rows = [line for line in shown.splitlines() if line.endswith(" right")]
    assert len(rows) == 4
    assert (tmp_path / "mandelbrot.png").exists()
