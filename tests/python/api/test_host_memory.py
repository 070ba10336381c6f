"""Page-locked, registered, managed and pitched memory."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

import warpwise as ww

TWICE = "__global__ void twice(float *x, int n) { int i = threadIdx.x; if (i < n) x[i] *= 2; }"


@pytest.fixture(scope="module")
def twice() -> ww.Kernel:
    return ww.SourceModule(TWICE)["twice"]


def test_kernels_take_parts_of_page_locked_arrays(twice: ww.Kernel) -> None:
    array = ww.pagelocked_zeros((4, 4), np.float32, mapped=True, portable=True)
    array[1:3] = 3
    twice(ww.mapped_buffer(array[1]), 4, block=4)
    ww.Device().synchronize()
    assert array.sum(axis=1).tolist() == [0, 24, 12, 0]


def test_kernels_take_host_buffers_and_managed_memory(twice: ww.Kernel) -> None:
    memory = ww.managed_alloc(16)
    array = np.frombuffer(memory, np.float32)
    array[:] = [1, 2, 3, 4]
    twice(memory, 4, block=4)
    ww.Device().synchronize()
    assert array.tolist() == [2, 4, 6, 8]
    assert memory.is_managed and repr(memory) == "HostBuffer(16 bytes, managed)"


def test_managed_arrays_are_advised_and_moved(twice: ww.Kernel) -> None:
    array = ww.managed_zeros(8, np.float32)
    array += 1
    ww.advise(array.base, "set_preferred_location", ww.Device())
    ww.prefetch(array.base, ww.Device())
    ww.attach(array.base, "global")
    twice(ww.mapped_buffer(array), 8, block=8)
    ww.prefetch(array.base)
    ww.Device().synchronize()
    assert array.tolist() == [2] * 8


def test_registered_arrays_are_mapped_until_they_are_not(twice: ww.Kernel) -> None:
    array = np.ones(8, np.float32)
    registered = ww.register_host_memory(array)
    twice(registered, 8, block=8)
    ww.Device().synchronize()
    assert array.tolist() == [2] * 8
    registered.unregister()
    assert not registered.is_registered
    with pytest.raises(ww.ArgumentError, match="is not page-locked, registered or managed"):
        ww.mapped_buffer(array)


def test_empty_like_keeps_shape_type_and_order() -> None:
    model = np.zeros((2, 3), np.int16, order="F")
    for make in (
        ww.pagelocked_empty_like,
        ww.pagelocked_zeros_like,
        ww.managed_empty_like,
        ww.managed_zeros_like,
    ):
        made = make(model)
        assert (made.shape, made.dtype) == (model.shape, model.dtype)
        assert made.flags.f_contiguous


def test_pooled_memory_is_reused() -> None:
    first = ww.pagelocked_empty(1000, np.uint8, pooled=True)
    address = first.ctypes.data
    del first
    again = ww.pagelocked_empty(1000, np.uint8, pooled=True)
    assert again.ctypes.data == address
    assert ww.Device().host_pool.active_bytes >= 1000


def test_pitched_memory_takes_boxes() -> None:
    buffer, pitch = ww.mem_alloc_pitch(12, 3, 4)
    assert pitch >= 12 and buffer.nbytes == 3 * pitch
    host = np.arange(9, dtype=np.int32).reshape(3, 3)
    ww.copy_box(buffer, host, 12, 3, destination_pitch=pitch)
    back = np.zeros_like(host)
    ww.copy_box(back, buffer, 12, 3, source_pitch=pitch)
    assert (back == host).all()


def test_freed_memory_is_lent_no_more() -> None:
    memory = ww.HostBuffer(16)
    memory.free()
    assert repr(memory) == "HostBuffer(freed)"
    with pytest.raises(BufferError, match="was freed"):
        memoryview(memory)


def test_memory_stays_known_when_what_wrapped_it_has_gone() -> None:
    memory = ww.HostBuffer(64, managed=True)
    array = np.frombuffer(memory, np.uint8)
    ww.wrap_memory(memory.buffer.address, 64, owner=object())
    assert ww.mapped_buffer(array).address == memory.buffer.address


REFUSED: dict[str, Callable[[], object]] = {
    "mapped=False is not supported": lambda: ww.pagelocked_empty(3, np.int8, mapped=False),
    "not several of these": lambda: ww.HostBuffer(8, pooled=True, managed=True),
    "no managed memory": lambda: ww.prefetch(ww.HostBuffer(8)),
    "an advice is one of 'set_read_mostly'": lambda: ww.advise(ww.managed_alloc(8), "best"),
    "an access is one of 'global', 'host', 'single', not 3": lambda: ww.attach(
        ww.managed_alloc(8),
        3,  # type: ignore[arg-type]
    ),
    "access of 5 bytes": lambda: ww.mem_alloc_pitch(16, 2, 5),
    "nothing to lock": lambda: ww.register_host_memory(np.zeros(0)),
    "page-locked, registered or managed already": lambda: ww.register_host_memory(
        ww.pagelocked_empty(8, np.int8)
    ),
    "array expects a NumPy array": lambda: ww.pagelocked_empty_like([1]),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_is_refused(words: str) -> None:
    with pytest.raises(ww.ArgumentError, match=re.escape(words)):
        REFUSED[words]()
