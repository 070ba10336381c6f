"""Kernels as people write them, compared with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww

Launcher = Callable[..., None]


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
