"""Memory as host arrays, and as parts: what views share, and that nothing is freed under them."""

from __future__ import annotations

import gc
from collections.abc import Callable

import devices
import numpy as np
import pytest

import warpwise as ww

Make = Callable[[], tuple[ww.HostBuffer, object]]


def frombuffer() -> tuple[ww.HostBuffer, object]:
    memory = ww.HostBuffer(64)
    array = np.frombuffer(memory, np.float32)
    array[:] = 0
    return memory, array


def memory_view() -> tuple[ww.HostBuffer, object]:
    memory = ww.HostBuffer(64, pooled=True)
    view = memoryview(memory)
    view[:] = bytes(64)
    return memory, view


def pagelocked() -> tuple[ww.HostBuffer, object]:
    array = ww.pagelocked_zeros((4, 4), np.float32)
    return array.base, array


def part_of_managed() -> tuple[ww.HostBuffer, object]:
    array = ww.managed_zeros(64, np.float32)
    return array.base, array[8:16][::2]


VIEWS = [frombuffer, memory_view, pagelocked, part_of_managed]


@pytest.mark.parametrize("make", VIEWS)
def test_host_memory_is_not_freed_under_a_view(make: Make) -> None:
    memory, view = make()
    with pytest.raises(BufferError, match="still viewed by 1 array or memoryview"):
        memory.free()
    with pytest.raises(BufferError, match="still viewed"):
        memory.buffer.free()
    assert not memory.is_freed
    del view
    gc.collect()
    memory.free()
    assert memory.is_freed


@pytest.mark.parametrize("make", VIEWS)
def test_host_memory_may_be_dropped_under_a_view(make: Make) -> None:
    memory, view = make()
    del memory
    gc.collect()
    assert not np.asarray(view).any()


def test_freed_host_memory_exports_nothing() -> None:
    memory = ww.HostBuffer(64)
    memory.free()
    with pytest.raises(BufferError, match="freed"):
        memoryview(memory)


def test_all_views_of_an_allocation_count() -> None:
    memory = ww.HostBuffer(64)
    views = [memoryview(memory), np.frombuffer(memory, np.uint8), np.frombuffer(memory, np.int16)]
    for left in (3, 2, 1):
        with pytest.raises(BufferError, match=f"by {left} array"):
            memory.free()
        views.pop()
    memory.free()


def test_copies_in_flight_do_not_keep_host_memory_from_being_freed() -> None:
    stream, buffer = ww.Stream(), ww.mem_alloc(1 << 20)
    array = ww.pagelocked_empty(1 << 18, np.float32)
    array[:] = 7
    memory = array.base
    buffer.copy_from(array, stream=stream)
    buffer.copy_from(memory, stream=stream)
    del array
    memory.free()
    result = np.zeros(1 << 18, np.float32)
    buffer.copy_to(result, stream=stream)
    stream.synchronize()
    assert (result == 7).all()


@pytest.mark.cpu_only("its memory is the host's")
def test_a_buffer_of_the_cpu_device_is_an_array_without_a_copy() -> None:
    buffer = ww.to_device(np.arange(8, dtype=np.float32))
    array = np.frombuffer(buffer, np.float32)
    assert array.tolist() == list(range(8))
    array[3] = -1
    assert np.asarray(buffer).dtype == np.uint8 and np.asarray(buffer).shape == (32,)
    assert memoryview(buffer).cast("f")[3] == -1
    with pytest.raises(BufferError, match="still viewed"):
        buffer.free()
    del array
    buffer.free()
    with pytest.raises(BufferError, match="freed"):
        memoryview(buffer)


@pytest.mark.cpu_only("its memory is the host's")
def test_a_view_comes_after_the_work_before_it() -> None:
    stream, buffer = ww.Stream(), ww.mem_alloc(1 << 20)
    with stream:
        buffer.fill(5)
        assert (np.frombuffer(buffer, np.uint8) == 5).all()


@pytest.mark.cpu_only("its memory is the host's")
def test_a_view_of_a_part_keeps_the_whole() -> None:
    buffer = ww.to_device(b"abcdefgh")
    view = memoryview(buffer[2:4])
    with pytest.raises(BufferError, match="still viewed"):
        buffer.free()
    assert bytes(view) == b"cd"
    view.release()
    buffer.free()


@pytest.mark.skipif(devices.IS_CPU, reason="the host reaches the CPU device's memory")
def test_memory_of_a_gpu_is_no_host_array() -> None:
    buffer = ww.mem_alloc(16)
    for view in (np.asarray, memoryview):
        with pytest.raises(ww.UnsupportedError, match="the host cannot reach memory of cuda"):
            view(buffer)


def test_memory_of_a_fake_gpu_is_no_host_array(on_fake_gpu: Callable[[str], str]) -> None:
    printed = on_fake_gpu("""
        import numpy as np
        buffer = ww.mem_alloc(16)
        for view in (np.asarray, memoryview):
            print(message(lambda: view(buffer)))
    """)
    wanted = "UnsupportedError: the host cannot reach memory of cuda:0; copy it with copy_to()"
    assert [line.startswith(wanted) for line in printed.splitlines()] == [True, True]


@pytest.mark.parametrize("role", [ww.In, ww.Out, ww.mapped_buffer, ww.register_host_memory])
def test_a_buffer_is_no_host_array(role: Callable[[object], object]) -> None:
    with pytest.raises(ww.ArgumentError, match="which is device memory; pass a NumPy array"):
        role(ww.mem_alloc(16))


def test_slices_are_parts_in_bytes() -> None:
    rng = np.random.default_rng(3)
    values = rng.integers(0, 256, 100, np.uint8)
    buffer = ww.to_device(values)
    for _ in range(50):
        start, stop = (int(i) for i in rng.integers(-120, 120, 2))
        part = buffer[start:stop]
        result = np.zeros(len(part), np.uint8)
        part.copy_to(result)
        assert result.tolist() == values[start:stop].tolist()
    assert buffer[10:].address == buffer.address + 10 and len(buffer[:]) == 100


def test_parts_share_the_memory() -> None:
    buffer = ww.to_device(bytes(8))
    buffer[2:4].fill(7)
    result = bytearray(8)
    buffer.copy_to(result)
    assert result == bytes([0, 0, 7, 7, 0, 0, 0, 0])


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (3, r"only bytes, taken as buffer\[start:stop\]; got \[3\]"),
        ((slice(0, 1), 0), r"only bytes, taken as buffer\[start:stop\]"),
        (slice(0, 8, 2), "follow each other; got a slice with step 2"),
        (slice(None, None, -1), "follow each other; got a slice with step -1"),
    ],
)
def test_parts_are_slices_without_a_step(key: object, message: str) -> None:
    with pytest.raises(ww.ArgumentError, match=message):
        ww.mem_alloc(8)[key]  # type: ignore[index]


def test_host_arrays_become_buffers() -> None:
    values = np.random.default_rng(4).random((3, 5))
    result = np.zeros_like(values)
    buffer = ww.to_device(values)
    buffer.copy_to(result)
    assert buffer.nbytes == values.nbytes and (result == values).all()
    stream = ww.Stream()
    ww.to_device(values.T.copy(), stream).copy_to(result, stream=stream)
    stream.synchronize()
    assert (result.ravel() == values.T.ravel()).all()
    assert ww.to_device(np.zeros(0)).nbytes == 0


def test_only_contiguous_plain_arrays_become_buffers() -> None:
    with pytest.raises(ww.ArgumentError, match=r"to_device got .* which is not contiguous"):
        ww.to_device(np.zeros((4, 4))[:, 1])
    with pytest.raises(ww.ArgumentError, match="hold Python objects"):
        ww.to_device(np.array([None]))
    with pytest.raises(ww.ArgumentError, match="to_device got 5, which does not export memory"):
        ww.to_device(5)
