"""ww.Allocator: memory of a pool in objects of a layer's own class."""

from __future__ import annotations

import gc
import random
from typing import Any

import numpy as np
import pytest

import warpwise as ww

ALONE = 64 << 20  # bytes that share no piece of the device's memory with other allocations


class Memory(ww.Allocation):
    """As a layer has it."""


class LayersError(Exception):
    """What a layer raises in the place of ours."""


def test_what_it_makes_is_of_the_layers_class() -> None:
    made = ww.Allocator(Memory).allocate(100)
    assert type(made) is Memory
    assert made.buffer.size == 100


def test_memory_is_memory_of_the_current_device() -> None:
    made = ww.Allocator(Memory).allocate(12)
    made.buffer.copy_from(np.arange(3, dtype=np.int32))
    found = ww.find_memory(made.buffer.address)
    assert found is not None and found.size == 12


def test_nothing_may_be_asked_for() -> None:
    allocator = ww.Allocator(Memory)
    made = allocator.allocate(0)
    assert allocator.sizes() == [0]
    assert made.buffer.address == 0


def test_it_counts_what_is_there() -> None:
    allocator, living = ww.Allocator(Memory), {}
    draw = random.Random(29)
    for step in range(500):
        if living and draw.random() < 0.5:
            one = living.pop(draw.choice(list(living)))
            if draw.random() < 0.3:
                one.free()
            del one
        else:
            living[step] = allocator.allocate(draw.randrange(1, 5000))
        assert sorted(allocator.sizes()) == sorted(m.buffer.size for m in living.values())


def test_a_layer_makes_its_own_over_a_buffer() -> None:
    buffer = ww.mem_alloc(12)
    made = Memory(buffer)
    assert made.buffer.address == buffer.address
    made.free()
    assert buffer.is_freed


ADD_ONE = "__global__ void add_one(float *x) { x[threadIdx.x] += 1; }"


def test_a_launch_takes_the_memory() -> None:
    made = ww.Allocator(Memory).allocate(16)
    made.buffer.copy_from(np.arange(4, dtype=np.float32))
    ww.SourceModule(ADD_ONE).get_function("add_one")[1, 4](made)
    assert ww.from_buffer(made.buffer, (4,), np.float32).tolist() == [1, 2, 3, 4]


def test_a_launch_refuses_freed_memory() -> None:
    made = ww.Allocator(Memory).allocate(16)
    made.free()
    with pytest.raises(ww.ArgumentError, match=r"parameter 'x' .* freed"):
        ww.SourceModule(ADD_ONE).get_function("add_one")[1, 4](made)


def test_a_launch_refuses_an_instance_without_a_value() -> None:
    with pytest.raises(ww.ArgumentError, match="parameter 'x' expects"):
        ww.SourceModule(ADD_ONE).get_function("add_one")[1, 4](Memory.__new__(Memory))


def test_it_counts_nothing_of_others() -> None:
    allocator, other = ww.Allocator(Memory), ww.Allocator(Memory)
    made = other.allocate(8)
    assert allocator.sizes() == []
    assert other.sizes() == [made.buffer.size]


def test_memory_may_outlive_its_allocator() -> None:
    made = ww.Allocator(Memory).allocate(100)
    gc.collect()
    made.free()
    assert made.buffer.is_freed


def test_memory_lives_as_long_as_what_shares_it() -> None:
    allocator = ww.Allocator(Memory)
    part = allocator.allocate(100).buffer[10:20]
    assert allocator.sizes() == []
    assert not part.is_freed


def test_what_is_there_is_shown() -> None:
    allocator = ww.Allocator(Memory)
    made = allocator.allocate(100)
    assert repr(made) == "Memory(100 bytes)"
    assert repr(allocator) == "Allocator(of Memory, 1 in use)"
    made.free()
    assert repr(made) == "Memory(freed)"


def test_memory_is_freed_once() -> None:
    made = ww.Allocator(Memory).allocate(100)
    made.free()
    with pytest.raises(ww.ArgumentError, match="was freed before"):
        made.free()


@pytest.mark.cpu_only("the host reaches its memory")
def test_memory_that_is_viewed_is_not_freed() -> None:
    made = ww.Allocator(Memory).allocate(100)
    view = memoryview(made.buffer)
    with pytest.raises(BufferError, match="still viewed by 1 array or memoryview"):
        made.free()
    view.release()
    made.free()
    assert made.buffer.is_freed


def test_memory_goes_back_to_the_device_once_nothing_is_held() -> None:
    pool, allocator = ww.Device().pool, ww.Allocator(Memory)
    made = [allocator.allocate(ALONE) for _ in range(3)]
    held = pool.held_bytes
    allocator.stop_holding()
    for rest in (2, 1, 0):
        if rest == 1:
            made.pop().free()
        else:
            made.pop()
        assert pool.held_bytes <= held - (3 - rest) * ALONE


@pytest.mark.parametrize(
    ("size", "error", "words"),
    [
        (-1, ww.ArgumentError, "size expects 0 or more, got -1"),
        (1 << 70, ww.OutOfMemoryError, "more bytes than any device has"),
        (1 << 60, ww.OutOfMemoryError, "bytes"),
        ("8", ww.ArgumentError, "size"),
        (8.0, ww.ArgumentError, "size"),
    ],
)
def test_sizes_that_cannot_be_are_refused(size: Any, error: type[ww.Error], words: str) -> None:
    allocator = ww.Allocator(Memory)
    with pytest.raises(error, match=words):
        allocator.allocate(size)
    assert allocator.sizes() == []


def test_errors_are_the_layers_own() -> None:
    allocator = ww.Allocator(Memory, lambda error: LayersError(f"layer: {error}"))
    with pytest.raises(LayersError, match=r"layer: .*more bytes than any device has"):
        allocator.allocate(1 << 70)


def test_errors_of_cached_memory_are_the_layers_own() -> None:
    allocator = ww.Allocator(Memory, lambda error: LayersError(f"layer: {error}"))
    allocator.allocate(100)  # cached now
    stream = ww.Stream()
    with stream, stream.capture(), pytest.raises(LayersError, match="captured"):
        allocator.allocate(100)


@pytest.mark.parametrize("kind", [object, ww.Buffer, None, Memory.__new__, 3])
def test_the_class_is_derived_from_allocation(kind: Any) -> None:
    with pytest.raises(ww.ArgumentError, match=r"a class derived from ww\.Allocation for 'kind'"):
        ww.Allocator(kind)
