"""Where the tests find NVRTC, and which of them there are for the device under test."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import devices
import pytest

# The vectoriser checks its IR after each pass.
os.environ.setdefault("WARPWISE_VERIFY", "1")

_NVRTC = Path(sysconfig.get_path("purelib")) / "nvidia/cu13/lib/libnvrtc.so.13"
if _NVRTC.exists():
    os.environ.setdefault("WARPWISE_NVRTC", str(_NVRTC))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "cpu_only(reason): about the CPU device")


def _is_repeated(item: pytest.Item, seen: set[object]) -> bool:
    call = getattr(item, "callspec", None)
    if call is None:
        return False
    key = (item.path, item.originalname, devices.without_executors(call.params))
    if len(devices.without_executors(call.params)) == len(call.params):
        return False
    if key in seen:
        return True
    seen.add(key)
    return False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if devices.IS_CPU:
        return
    seen: set[object] = set()
    repeated = [item for item in items if _is_repeated(item, seen)]
    config.hook.pytest_deselected(items=repeated)
    items[:] = [item for item in items if item not in set(repeated)]
    for item in items:
        mark = item.get_closest_marker("cpu_only")
        if mark is not None:
            item.add_marker(pytest.mark.skip(reason=f"about the CPU device: {mark.args[0]}"))
