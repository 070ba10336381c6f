"""All of these run on the device under test, with inputs that are the same in every run."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import devices
import numpy as np
import pytest

import warpwise as ww


@pytest.fixture(autouse=True)
def _on_the_device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # Host arrays are arguments on purpose.
    monkeypatch.setenv("NUMBA_CUDA_WARN_ON_IMPLICIT_COPY", "0")
    with ww.Device(devices.NAME):
        yield


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))
