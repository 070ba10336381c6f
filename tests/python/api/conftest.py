"""The Python interface."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import devices
import pytest

import warpwise as ww

ADD = """
__global__ void add(const float *x, const float *y, float *z, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) z[i] = x[i] + y[i]; }
"""

Script = Callable[..., subprocess.CompletedProcess[str]]

FAKE = Path(ww.__file__).parents[2] / "lib/libfake_cuda.so"
ON_FAKE_GPU = """
import warpwise as ww
def message(work):
    try:
        work()
    except ww.Error as error:
        return f"{type(error).__name__}: {error}"
    return "nothing was raised"
"""


@pytest.fixture(scope="session")
def add() -> ww.Kernel:
    """z = x + y for n floats."""
    return ww.SourceModule(ADD, name="add.cu", device=ww.Device(devices.NAME))["add"]


@pytest.fixture
def script() -> Script:
    """Runs Python source in a process of its own and returns what it printed."""

    def run(source: str, *options: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *options, "-c", source]
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)

    return run


@pytest.fixture
def on_fake_gpu() -> Callable[[str], str]:
    """Runs a script with the fake GPUs, which load anything and run nothing; gives what it printed.
    The script has `ww` and message(work), the error that work() raises."""
    if not FAKE.exists():
        pytest.skip("takes the fake driver of the build")

    def run(source: str) -> str:
        env = {
            **os.environ,
            "WARPWISE_CUDA_DRIVER": str(FAKE),
            "WARPWISE_DEVICE": "cuda:0",
            "WARPWISE_CACHE_SIZE": "0",
        }
        command = [sys.executable, "-c", ON_FAKE_GPU + textwrap.dedent(source)]
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
