"""The Python interface."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import devices
import pytest

import warpwise as ww

ADD = """
__global__ void add(const float *x, const float *y, float *z, int n)
{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) z[i] = x[i] + y[i]; }
"""

Script = Callable[..., subprocess.CompletedProcess[str]]


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
