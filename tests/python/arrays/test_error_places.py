"""Errors of evaluation, which comes later, name the line that wrote the expression."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import numpy as np
import pytest

import warpwise as ww


@pytest.fixture
def wide() -> Iterator[int]:
    """Elements of a float64 array for which there is no memory while the test runs."""
    pool = ww.Device().pool
    before = pool.limit
    pool.free_held()
    pool.limit = pool.held_bytes
    yield max(pool.statistics().largest_free_bytes, 1 << 16) // 8 + 1
    pool.limit = before


def here() -> int:
    return sys._getframe(1).f_lineno


def lift_limit() -> None:
    ww.Device().pool.limit = None


def place(line: int) -> str:
    return "(?m)" + re.escape(f"in the expression at {__file__}:{line}") + "$"


def test_the_line_is_that_of_the_operation_without_memory(wide: int) -> None:
    small = ww.arange(8.0)
    x = ww.full(wide, 2.0) + small[3]
    line = here() - 1
    y = x + 1
    with pytest.raises(ww.OutOfMemoryError, match=place(line)):
        ww.evaluate(x)
    with pytest.raises(ww.OutOfMemoryError, match=place(line)):
        float(x[0])
    lift_limit()
    assert float(y[0]) == 6
    assert float(x[wide - 1]) == 5


def test_each_of_several_lines_is_told_apart(wide: int) -> None:
    values = []
    for number in range(3):
        one = (
            ww.full(wide + number, 2.0)
            + number
        )  # fmt: skip
        values.append(one)
    line = here() - 4
    for one in values:
        with pytest.raises(ww.OutOfMemoryError, match=rf"(?m)\.py:({line}|{line - 1})$"):
            ww.evaluate(one)
    lift_limit()
    assert [float(one[-1]) for one in values] == [2, 3, 4]


def test_operations_that_run_at_once_name_their_line_too(wide: int) -> None:
    with ww.lazy(False), pytest.raises(ww.OutOfMemoryError, match=place(here() + 1)):
        ww.full(wide, 2.0)


def test_the_line_is_the_users_where_the_package_records_it(wide: int) -> None:
    x = ww.full(wide, 2.0)
    y = np.sin(x)  # through Array.__array_ufunc__
    line = here() - 1
    with pytest.raises(ww.OutOfMemoryError, match=place(line)):
        ww.evaluate(y)


def test_writes_in_place_are_named(wide: int) -> None:
    x = ww.full(wide, 2.0)
    x[1:] = 3.0
    with pytest.raises(ww.OutOfMemoryError, match=r"(?m)test_error_places\.py:\d+$"):
        ww.evaluate(x)
    lift_limit()
    assert float(ww.sum(x)) == 2 + 3 * (wide - 1)


def test_a_place_that_was_forgotten_is_not_named_wrongly(wide: int) -> None:
    """More places than are remembered, each of its own code."""
    x = ww.full(wide, 2.0) + 1
    line = here() - 1
    one = ww.ones(1)
    for number in range(6000):
        exec(compile("one + 1", f"cell {number}", "exec"), {"one": one})
    with pytest.raises(ww.OutOfMemoryError) as info:
        ww.evaluate(x)
    text = str(info.value)
    assert "in the expression" not in text or f"{__file__}:{line}\n" in text


def test_code_of_many_cells_is_not_kept() -> None:
    import gc
    import weakref

    one = ww.ones(1)
    alive = []
    for number in range(20000):
        code = compile("one + 1", f"cell {number}", "exec")
        alive.append(weakref.ref(code))
        exec(code, {"one": one})
        del code
    gc.collect()
    assert sum(1 for code in alive if code() is not None) <= 4096
