"""Arrays over a buffer that come and go: what they have written is what the buffer holds."""

from __future__ import annotations

import random

import numpy as np
import pytest

import warpwise as ww

SIZE = 1000


def over(buffer: ww.Buffer) -> ww.Array:
    return ww.from_buffer(buffer, (SIZE,), np.int32)


def held(buffer: ww.Buffer) -> np.ndarray:
    host = np.empty(SIZE, np.int32)
    buffer.copy_to(host)
    return host


@pytest.fixture
def buffer() -> ww.Buffer:
    made = ww.mem_alloc(4 * SIZE)
    made.copy_from(np.arange(SIZE, dtype=np.int32))
    return made


def test_a_write_is_there_when_its_array_is_gone(buffer: ww.Buffer) -> None:
    over(buffer).fill(7)
    assert (held(buffer) == 7).all()


def test_a_kernel_reads_what_an_array_wrote_that_is_gone(buffer: ww.Buffer) -> None:
    twice = ww.SourceModule(
        "__global__ void twice(int* x) { x[threadIdx.x + blockIdx.x * blockDim.x] *= 2; }"
    )["twice"]
    over(buffer)[...] = over(buffer) + 1
    twice[4, SIZE // 4](buffer)
    np.testing.assert_array_equal(held(buffer), 2 * (np.arange(SIZE) + 1))


def test_what_an_array_gave_as_its_buffer_holds_later_writes() -> None:
    x = ww.zeros(SIZE, np.int32)
    buffer = x.gpudata
    x += 3
    del x
    assert (held(buffer) == 3).all()


def test_writes_of_arrays_that_are_gone_are_not_waiting_without_end() -> None:
    buffers = [ww.mem_alloc(4 * SIZE) for _ in range(600)]
    for number, one in enumerate(buffers):
        over(one).fill(number)
    assert [held(one)[0] for one in buffers] == list(range(600))


@pytest.mark.parametrize("seed", range(60))
def test_random_writes(seed: int, buffer: ww.Buffer) -> None:
    """Each step makes arrays over the buffer, or over its parts, and ends some."""
    draw = random.Random(seed)
    model = np.arange(SIZE, dtype=np.int32)
    alive = [over(buffer)]
    values: list[tuple[ww.Array, np.ndarray]] = []
    for _ in range(25):
        array = draw.choice(alive) if alive and draw.random() < 0.5 else over(buffer)
        kind = draw.randrange(7)
        if kind == 0:
            array += 1
            model += 1
        elif kind == 1:
            array[...] = array[::-1] + array
            model[...] = model[::-1] + model
        elif kind == 2:
            array[100:300] = 5
            model[100:300] = 5
        elif kind == 3:
            array.fill(draw.randrange(100))
            model[...] = array.get()
        elif kind == 4:
            values.append((array * 3 - 1, model * 3 - 1))
        elif kind == 5:
            alive = [one for one in alive if draw.random() < 0.5]
        elif draw.random() < 0.5:
            np.testing.assert_array_equal(held(buffer), model)
        if draw.random() < 0.3:
            alive.append(array)
        model %= 1009
        array %= 1009
        del array
    np.testing.assert_array_equal(held(buffer), model)
    for ours, theirs in values:
        np.testing.assert_array_equal(ours.get(), theirs)
