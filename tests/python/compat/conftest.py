"""PyCUDA's names over Warpwise, on the CPU device."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import warpwise as ww
from warpwise import compat

compat.install()


@pytest.fixture(autouse=True)
def _on_the_cpu() -> Iterator[None]:
    with ww.Device("cpu"):
        yield
