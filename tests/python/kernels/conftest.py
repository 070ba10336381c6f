"""Kernels as people write them, compared with NumPy."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww

Launcher = Callable[..., None]


@pytest.fixture(params=["native", "x86-64-v3", "x86-64-v2"])
def at_each_level(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Runs a program in a process of its own, once for each level of processors."""

    def run_program(text: str) -> None:
        done = subprocess.run(
            [sys.executable, "-c", text],
            env=os.environ | {"WARPWISE_CPU": request.param},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr

    return run_program


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    seed = int(np.random.SeedSequence().entropy) % 2**32
    request.node.add_report_section("setup", "seed", str(seed))
    return np.random.default_rng(seed)


@pytest.fixture
def run() -> Launcher:
    """Compile ``source`` and launch its only kernel (or ``name``) once, then wait."""

    def launch(
        source: str, *args: Any, grid: Any = 1, block: Any = 1, name: str | None = None, **kw: Any
    ) -> None:
        options = kw.pop("options", [])
        module = ww.SourceModule(source, options=options)
        kernel = module.get_function(name or "kernel")
        kernel(*args, grid=grid, block=block, **kw)
        ww.Device().synchronize()

    return launch
