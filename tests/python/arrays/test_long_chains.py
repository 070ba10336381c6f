"""A million operations: recorded, explained, evaluated and released without recursion."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import warpwise as ww

COUNT = 1_000_000
LIMIT_S = 60  # it takes 2


def on_a_small_stack(function: Callable[[], None]) -> None:
    """256 KiB: recursion over what was recorded would end the process."""
    errors: list[BaseException] = []

    def guarded() -> None:
        try:
            function()
        except BaseException as error:
            errors.append(error)

    before = threading.stack_size(256 << 10)
    try:
        thread = threading.Thread(target=guarded)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    if errors:
        raise errors[0]


def test_a_million_operations() -> None:
    def chain() -> None:
        start = time.monotonic()
        x = ww.zeros(1)
        for _ in range(COUNT):
            x = x + 1
        assert "kernel 1 over (1,)" in ww.explain(x)
        assert float(x[0]) == COUNT
        assert time.monotonic() - start < LIMIT_S

    on_a_small_stack(chain)


def test_a_hundred_thousand_values_that_are_kept() -> None:
    """Each is named when its evaluation is asked for, a tenth is released before that."""

    def kept() -> None:
        x = ww.zeros(1)
        values = []
        for _ in range(COUNT // 10):
            x = x + 1
            values.append(x)
        del values[::10]
        assert "kernel 1" in ww.explain(x) or "in memory" in ww.explain(x)
        ww.evaluate(*values[-100:])
        assert float(values[-1][0]) == COUNT // 10
        assert float(values[0][0]) == 2

    on_a_small_stack(kept)


def test_two_hundred_thousand_writes_in_place() -> None:
    def writes() -> None:
        x = ww.zeros(4)
        tail = x[2:]
        for _ in range(COUNT // 10):
            x += 1
            tail += 1
        assert x.tolist() == [COUNT // 10] * 2 + [COUNT // 5] * 2

    on_a_small_stack(writes)
