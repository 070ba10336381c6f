"""What the programs share: the executors to run on, fresh inputs, and a record of every launch.

The record is what report.py prints: `--launches FILE` writes it at the end of a run.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import devices
import numpy as np
import pytest

import warpwise as ww

# "auto" is what users get eventually, "quick" what they get first.
EXECUTORS = {
    "auto": "--warpwise-tier=full",
    "quick": "--warpwise-tier=quick",
    "reference": "--warpwise-executor=reference",
}

FOLDER = Path(__file__).parent
RECORD = pytest.StashKey[list[dict[str, Any]]]()


class Program:
    """One compiled .cu file: ``program("kernel", *args, grid=, block=, shared=)`` runs a kernel
    and waits for it, so that whatever goes wrong is raised where it was launched."""

    def __init__(self, path: str, executor: str, options: list[str], record: list[dict[str, Any]]):
        source = (FOLDER / path).read_text(encoding="utf-8")
        self.module = ww.SourceModule(source, options=[*options, EXECUTORS[executor]], name=path)
        self._about = {"program": path, "asked": executor}
        self._record = record

    def __call__(
        self, name: str, *args: Any, grid: Any = 1, block: Any = 1, shared: int = 0
    ) -> None:
        kernel = self.module.get_function(name)
        kernel(*args, grid=grid, block=block, shared=shared)
        ww.Device().synchronize()
        lanes = getattr(kernel, "lane_by_lane", None)  # the share, where the device counts it
        self._record.append(
            {**self._about, "kernel": name, "executor": kernel.executor, "lane_by_lane": lanes}
        )


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--launches", metavar="FILE", help="write every launch and its executor, JSON")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[RECORD] = []


def pytest_sessionfinish(session: pytest.Session) -> None:
    file = session.config.getoption("--launches")
    if file:
        Path(file).write_text(json.dumps(session.config.stash[RECORD], indent=1), encoding="utf-8")


@pytest.fixture(autouse=True)
def _on_the_device() -> Any:
    with ww.Device(devices.NAME):
        yield


@pytest.fixture(params=EXECUTORS)
def load(request: pytest.FixtureRequest) -> Callable[..., Program]:
    """``load("scans/blelloch.cu", "-DN=4")`` compiles a file of this folder for one executor."""

    def compiled(path: str, *options: str) -> Program:
        return Program(path, request.param, list(options), request.config.stash[RECORD])

    return compiled


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """Fresh numbers in every run; a failing test prints the seed."""
    seed = int(np.random.SeedSequence().entropy) % 2**32
    request.node.add_report_section("setup", "seed", str(seed))
    return np.random.default_rng(seed)
