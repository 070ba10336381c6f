"""Layers of another interface: calls by name and methods that are an instance's own call."""

from __future__ import annotations

import gc
import inspect
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww

SCALE = "__global__ void scale(float *x, float factor) { x[threadIdx.x] *= factor; }"


@pytest.fixture
def memory() -> ww.Array:
    return ww.array(np.ones(4, np.float32))


def named_call(otherwise: Callable[..., Any], count: int = 0) -> Callable[..., Any]:
    kernel = ww.SourceModule(SCALE).get_function("scale")
    return ww.prepared_call(
        lambda grid, block, stream: kernel[grid, block, stream],
        otherwise, ww.ArgumentError, lambda error: error, count, "named",
    )  # fmt: skip


def refuse(*args: Any, **named: Any) -> None:
    raise AssertionError((args, named))


def test_a_call_with_grid_and_block_by_name_is_a_launch(memory: ww.Array) -> None:
    named_call(refuse)(memory, 3.0, grid=(1, 1), block=(4, 1, 1))
    assert memory.tolist() == [3.0] * 4


def test_the_order_of_the_names_does_not_matter(memory: ww.Array) -> None:
    named_call(refuse)(memory, 3.0, block=(2, 1, 1), grid=(1, 1))
    assert memory.tolist() == [3.0, 3.0, 1.0, 1.0]


@pytest.mark.parametrize(
    "given",
    [{}, {"block": [4, 1, 1]}, {"block": (4, 1, 1), "shared": 0}, {"grid": (1, 1)}],
    ids=str,
)
def test_other_calls_are_passed_on(memory: ww.Array, given: dict[str, Any]) -> None:
    seen: list[Any] = []
    named_call(lambda *args, **named: seen.append((args, named)))(memory, 3.0, **given)
    assert seen == [((memory, 3.0), given)]


@pytest.mark.parametrize("number", [int, np.int64, np.uint64], ids=lambda one: one.__name__)
def test_integers_for_pointers_are_addresses(memory: ww.Array, number: Callable[..., Any]) -> None:
    named_call(refuse)(number(memory.gpudata.address), 2.0, grid=(1, 1), block=(4, 1, 1))
    assert memory.tolist() == [2.0] * 4


def test_what_is_no_address_is_passed_on() -> None:
    seen: list[Any] = []
    call = named_call(lambda *args, **named: seen.append(args))
    for wrong in (-1, 2**64, 1.5):
        call(wrong, 2.0, grid=(1, 1), block=(4, 1, 1))
    assert seen == [(-1, 2.0), (2**64, 2.0), (1.5, 2.0)]


def test_an_unknown_form_is_refused() -> None:
    with pytest.raises(ww.ArgumentError, match="'sideways'"):
        ww.prepared_call(
            refuse, refuse, ww.ArgumentError, refuse, 0, "sideways",  # type: ignore[arg-type]
        )  # fmt: skip


class Counted(ww.FastCall):
    """A layer's class whose instances are called."""

    def __init__(self) -> None:
        self._call_target = lambda *args, **named: (args, named)

    def described(self, first: int, *, second: int = 0) -> str:
        """What it does."""
        return "described"


ww.describe_call(Counted, Counted.described)


def test_a_call_of_an_instance_is_one_of_its_target() -> None:
    assert Counted()(1, second=2) == ((1,), {"second": 2})


def test_a_call_by_the_classs_name_is_the_described_function() -> None:
    assert Counted.__call__(Counted(), 1) == "described"


def test_a_class_shows_the_signature_of_the_described_function() -> None:
    assert list(inspect.signature(Counted.__call__).parameters) == ["self", "first", "second"]


def test_an_instance_of_a_derived_class_is_called_through_the_described_function() -> None:
    class Derived(Counted):
        pass

    assert Derived()(1) == "described"


def test_a_target_is_replaced() -> None:
    counted = Counted()
    counted._call_target = lambda: "another"
    assert counted() == "another"


def test_an_instance_shows_its_target() -> None:
    counted = Counted()
    counted._call_target = len
    assert repr(counted) == "<Counted that calls <built-in function len>>"
    assert repr(ww.FastCall()) == "<FastCall that calls nothing yet>"


def test_an_instance_without_its_target_is_not_called() -> None:
    counted = Counted()
    del counted._call_target
    with pytest.raises(AttributeError, match="_call_target"):
        counted(1)


def test_an_instance_that_is_its_own_target_is_collected() -> None:
    counted = Counted()
    counted._call_target = counted.described
    gone = weakref.ref(counted)
    del counted
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("wrong", [3, dict, Counted, ww.FastCall])
def test_only_classes_derived_from_fast_call_are_described(wrong: Any) -> None:
    if wrong is Counted:
        wrong = Counted()
    with pytest.raises(ww.ArgumentError, match="'type'"):
        ww.describe_call(wrong, Counted.described)


def test_only_functions_describe_a_call() -> None:
    with pytest.raises(ww.ArgumentError, match="'described'"):
        ww.describe_call(Counted, 3)  # type: ignore[arg-type]
