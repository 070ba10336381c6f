"""All of these run on the device under test, with inputs that are the same in every run.

What they launch is compiled by NVRTC too, each kernel for one of the GPU architectures: a sample of
the tests, or all with WARPWISE_TEST_KERNELS=all.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator

import devices
import numpy as np
import pytest

import warpwise as ww
from warpwise._script import Function

TARGETS = ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"]
SAMPLE = 1 if os.environ.get("WARPWISE_TEST_KERNELS") == "all" else 6


@pytest.fixture(autouse=True)
def _on_the_device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # Host arrays are arguments on purpose.
    monkeypatch.setenv("NUMBA_CUDA_WARN_ON_IMPLICIT_COPY", "0")
    with ww.Device(devices.NAME):
        yield


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))


@pytest.fixture(autouse=True)
def _compiles_for_gpus(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    number = zlib.crc32(request.node.nodeid.encode())
    if number % SAMPLE != 0:
        yield
        return
    functions = []
    write = Function._write

    def noted(self: Function) -> object:
        functions.append(self)
        return write(self)

    monkeypatch.setattr(Function, "_write", noted)
    yield
    sources = {source for one in functions for source in one.inspect_source().values()}
    for i, source in enumerate(sorted(sources)):
        target = TARGETS[(number // SAMPLE + i) % len(TARGETS)]
        assert ww.compile(source, target=target, format="cubin")[:4] == b"\x7fELF"
