"""The device the Python suites run on: WARPWISE_DEVICE, else the CPU.

A test that is about one kind of device says so, `@pytest.mark.cpu_only("why")`, and is skipped on
the others.
"""

from __future__ import annotations

import os

NAME = os.environ.get("WARPWISE_DEVICE", "cpu")
IS_CPU = NAME == "cpu"

# Of the CPU device. A GPU has one way to run a kernel, so that tests run there once, not once for
# each of these.
_EXECUTORS = {"auto", "quick", "known", "gang", "regions", "reference"}


def without_executors(parameters: dict[str, object]) -> tuple[tuple[str, str], ...]:
    """What tells a test from its other cases, apart from executors."""
    return tuple(
        (name, repr(value))
        for name, value in parameters.items()
        if not (isinstance(value, str) and value in _EXECUTORS)
    )
