"""All of these run on the device under test."""

from __future__ import annotations

from collections.abc import Iterator

import devices
import pytest

import warpwise as ww


@pytest.fixture(autouse=True)
def _on_the_device() -> Iterator[None]:
    with ww.Device(devices.NAME):
        yield
