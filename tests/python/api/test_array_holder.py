"""ww.ArrayHolder: the base of a layer's own array class, with operators that call no Python."""

from __future__ import annotations

import gc
import operator
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww


class Memory(ww.Allocation):
    pass


class LayersError(Exception):
    pass


class Held(ww.ArrayHolder):
    _memory_class = Memory

    def __init__(self, array: Any, allocator: Any = None, base: Any = None) -> None:
        self._array, self._allocator, self.base = array, allocator, base

    @staticmethod
    def _translate(error: Exception) -> Exception:
        return LayersError(f"layer: {error}")

    def _view_gpudata(self) -> Any:
        return "view", self.base


def held(*values: float) -> Held:
    return Held(ww.array(np.array(values, np.float32)))


def values_of(result: Any) -> Any:
    assert type(result) is Held
    return result._array.get()


BINARY = [operator.add, operator.sub, operator.mul, operator.pow]


@pytest.mark.parametrize("function", BINARY, ids=lambda one: one.__name__)
def test_operators_of_two_holders_are_those_of_their_arrays(function: Callable[..., Any]) -> None:
    a, b = np.array([1, 2, 3], np.float32), np.array([2, 0.5, 3], np.float32)
    found = values_of(function(held(*a), held(*b)))
    np.testing.assert_allclose(found, function(a, b), rtol=1e-6)


@pytest.mark.parametrize("function", BINARY, ids=lambda one: one.__name__)
@pytest.mark.parametrize("number", [2, 2.5, True, np.float32(3)], ids=repr)
def test_numbers_stand_on_either_side(function: Callable[..., Any], number: Any) -> None:
    a = np.array([1, 2, 3], np.float32)
    np.testing.assert_allclose(values_of(function(held(*a), number)), function(a, number), 1e-6)
    if not isinstance(number, np.generic):  # a NumPy scalar asks for the elements first
        np.testing.assert_allclose(values_of(function(number, held(*a))), function(number, a), 1e-6)


def test_the_negative_is_a_holder() -> None:
    assert values_of(-held(1, -2)).tolist() == [-1, 2]


@pytest.mark.parametrize("other", ["text", None, [1, 2], np.ones(2), object()], ids=repr)
def test_other_operands_are_left_to_their_class(other: Any) -> None:
    class Other:
        __array_ufunc__ = None

        def __radd__(self, left: Any) -> str:
            return "theirs"

    assert held(1) + Other() == "theirs"
    assert ww.ArrayHolder.__add__(held(1, 2), other) is NotImplemented


def test_a_result_is_of_the_left_holders_class_and_allocator() -> None:
    class Other(Held):
        pass

    own = Other(ww.ones(2), allocator=max)
    result = own + Held(ww.ones(2), allocator=min)
    assert (type(result), result._allocator) == (Other, max)


def test_a_result_is_no_view() -> None:
    assert (Held(ww.ones(2), base="whole") + 1).base is None


def test_members_are_none_before_they_are_set() -> None:
    empty = ww.ArrayHolder.__new__(Held)
    assert (empty._array, empty._allocator, empty._gpudata, empty.base) == (None,) * 4


def test_the_base_itself_takes_no_arguments() -> None:
    assert ww.ArrayHolder()._array is None
    with pytest.raises(ww.ArgumentError, match=r"ArrayHolder\(\) takes no arguments: derive"):
        ww.ArrayHolder(ww.ones(2))  # type: ignore[call-arg]


def test_repr_is_that_of_the_array_in_the_class() -> None:
    assert repr(Held(ww.ones(2))) == f"Held({ww.ones(2)!r})"
    assert repr(Held(None)) == "Held(None)"


def test_gpudata_is_one_object_of_the_layers_class_over_the_memory() -> None:
    result = held(1, 2) + 1
    memory = result.gpudata
    assert type(memory) is Memory
    assert result.gpudata is memory is result._gpudata
    assert memory.buffer.address == result._array.ptr


def test_gpudata_evaluates_what_was_recorded_since() -> None:
    own = held(1, 2)
    memory = own.gpudata
    own._array += 1
    assert own.gpudata is memory
    assert ww.from_buffer(memory.buffer, (2,), np.float32).tolist() == [2, 3]


def test_gpudata_of_a_view_is_the_layers_business() -> None:
    assert Held(ww.ones(2), base="whole").gpudata == ("view", "whole")


class Counting:
    """An allocator of Memory that notes what it was asked for."""

    def __init__(self) -> None:
        self.sizes: list[int] = []

    def __call__(self, nbytes: int) -> Memory:
        self.sizes.append(nbytes)
        return Memory(ww.mem_alloc(nbytes))


def test_an_allocator_gives_the_memory_once() -> None:
    allocator = Counting()
    own = Held(ww.ones(3), allocator) + 1
    memory = own.gpudata
    assert (own.gpudata is memory, allocator.sizes) == (True, [24])
    assert ww.from_buffer(memory.buffer, (3,), np.float64).tolist() == [2, 2, 2]


def test_what_is_only_read_asks_for_no_memory() -> None:
    allocator = Counting()
    own = Held(ww.ones(3), allocator)
    assert values_of(own + 1).tolist() == [2, 2, 2]
    assert allocator.sizes == []


def test_an_array_in_memory_is_moved_to_the_allocators() -> None:
    array = ww.ones(3)
    address = array.ptr
    own = Held(array, Counting())
    assert own._placed().ptr == own.gpudata.buffer.address != address
    assert values_of(own).tolist() == [1, 1, 1]


def test_arrays_without_elements_and_views_are_placed_as_they_are() -> None:
    allocator = Counting()
    for own in (Held(ww.empty(0), allocator), Held(ww.ones(2), allocator, base="whole")):
        assert own._placed() is own._array
    assert allocator.sizes == []


@pytest.mark.parametrize(("is_strided", "hook"), [(False, "_place_in"), (True, "_place_strided")])
def test_other_memory_and_other_orders_are_the_layers_business(is_strided: bool, hook: str) -> None:
    class Placing(Held):
        def _place_in(self, given: int) -> Any:
            return self._place_strided()

        def _place_strided(self) -> Any:
            self._gpudata = hook
            return self._array

    array = ww.ones((2, 3)).T if is_strided else ww.ones(2)
    assert Placing(array, int).gpudata == hook


def test_an_error_of_an_allocator_is_raised_as_it_is() -> None:
    def broken(nbytes: int) -> None:
        raise KeyError(nbytes)

    own = Held(ww.ones(2), broken)
    with pytest.raises(KeyError, match="16"):
        own.gpudata  # noqa: B018
    assert values_of(own).tolist() == [1, 1]


def test_memory_that_is_too_small_is_refused() -> None:
    own = Held(ww.ones(2), lambda nbytes: Counting()(4))
    with pytest.raises(LayersError, match="a buffer of 4 bytes for an array of 16"):
        own.gpudata  # noqa: B018


def test_gpudata_of_no_elements_is_none() -> None:
    assert Held(ww.empty(0)).gpudata is None


def test_errors_are_the_layers() -> None:
    with pytest.raises(LayersError, match=r"layer: .*\(2,\).*\(3,\)"):
        held(1, 2) + held(1, 2, 3)


def test_an_error_without_a_translation_names_what_is_missing() -> None:
    class Plain(ww.ArrayHolder):
        pass

    a, b = Plain(), Plain()
    a._array, b._array = ww.ones(2), ww.ones(3)
    with pytest.raises(AttributeError, match="_translate"):
        a + b


ADD_ONE = "__global__ void add_one(float *x) { x[threadIdx.x] += 1; }"


class Launched(Held):
    """Of every second element; counts what is asked for the launch."""

    asked = 0

    def __init__(self, dense: ww.Array) -> None:
        super().__init__(ww.concat((dense, dense))[::2])
        self.dense = dense

    @property
    def _buffer(self) -> Any:
        type(self).asked += 1
        return self.dense


def test_a_launch_takes_the_array_where_it_is_in_c_order() -> None:
    own = held(1, 2)
    ww.SourceModule(ADD_ONE).get_function("add_one")[1, 2](own)
    assert own._array.tolist() == [2, 3]


def test_a_launch_takes_memory_of_the_allocator() -> None:
    memory = ww.Allocation(ww.mem_alloc(8))
    own = held(1, 2) + 1
    own._allocator = lambda size: memory
    ww.SourceModule(ADD_ONE).get_function("add_one")[1, 2](own)
    assert ww.from_buffer(memory.buffer, (2,), np.float32).tolist() == [3, 4]


def test_a_launch_takes_what_stands_for_another_array() -> None:
    own = Launched(ww.array(np.array([1, 2], np.float32)))
    ww.SourceModule(ADD_ONE).get_function("add_one")[1, 2](own)
    assert (Launched.asked, own.dense.tolist()) == (1, [2, 3])


def test_a_launch_takes_more_holders_than_have_a_place_of_their_own() -> None:
    names = [f"x{i}" for i in range(11)]
    source = "__global__ void add(" + ", ".join(f"float *{name}" for name in names) + ") {"
    source += " ".join(f"{name}[threadIdx.x] += {i};" for i, name in enumerate(names)) + "}"
    given = [Launched(ww.zeros((2,), np.float32)) for _ in names]
    ww.SourceModule(source).get_function("add")[1, 2](*given)
    assert [one.dense.tolist() for one in given] == [[i, i] for i in range(11)]


def test_a_launch_raises_what_a_holder_raises() -> None:
    class Broken(Held):
        @property
        def _buffer(self) -> Any:
            raise LayersError("no memory")

    with pytest.raises(LayersError, match="no memory"):
        ww.SourceModule(ADD_ONE).get_function("add_one")[1, 2](Broken(ww.ones(4)[::2]))


def test_what_stands_for_an_array_is_no_holder() -> None:
    class Endless(Held):
        @property
        def _buffer(self) -> Any:
            return self

    with pytest.raises(ww.ArgumentError, match="parameter 'x' expects"):
        ww.SourceModule(ADD_ONE).get_function("add_one")[1, 2](Endless(ww.ones(4)[::2]))


def test_a_holder_without_an_array_is_refused() -> None:
    with pytest.raises(LayersError, match=r"__init__\(\) was not called"):
        ww.ArrayHolder.__new__(Held) + 1


@pytest.mark.parametrize("kind", [3, int])
def test_a_memory_class_is_one_of_allocations(kind: Any) -> None:
    class Wrong(Held):
        _memory_class: Any = kind

    with pytest.raises(LayersError, match=r"a class derived from ww\.Allocation, got"):
        Wrong(ww.ones(2)).gpudata  # noqa: B018


def test_cycles_through_a_holder_are_collected() -> None:
    own = held(1)
    own.base = own
    seen = weakref.ref(own)
    del own
    gc.collect()
    assert seen() is None


def test_a_long_chain_of_views_is_destroyed() -> None:
    chain: Any = held(1)
    for _ in range(100_000):
        chain = Held(chain._array, base=chain)
    del chain
    assert values_of(held(1) + 1).tolist() == [2]
