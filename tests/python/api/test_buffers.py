"""Buffers, page-locked arrays and pools."""

from __future__ import annotations

import array
import gc
from typing import Any

import numpy as np
import pytest

import warpwise as ww


def test_bytes_go_there_and_back() -> None:
    source = np.random.default_rng(5).random(1000)
    buffer = ww.mem_alloc(source.nbytes)
    buffer.copy_from(source)
    result = np.empty_like(source)
    buffer.copy_to(result)
    np.testing.assert_array_equal(result, source)


def test_any_contiguous_memory_can_be_copied() -> None:
    buffer = ww.mem_alloc(8)
    buffer.copy_from(b"abcdefgh")
    result = array.array("B", bytes(8))
    buffer.copy_to(result)
    assert result.tobytes() == b"abcdefgh"


def test_offsets_are_in_bytes() -> None:
    buffer = ww.mem_alloc(8)
    buffer.copy_from(b"abcdefgh")
    buffer.copy_from(b"XY", offset=3)
    result = bytearray(4)
    buffer.copy_to(result, offset=2)
    assert result == b"cXYf"


def test_copies_in_a_stream_keep_their_host_memory() -> None:
    stream, buffer = ww.Stream(), ww.mem_alloc(8 << 20)
    buffer.copy_from(np.full(1 << 20, 3.0), stream=stream)  # the array has no other owner
    gc.collect()
    result = np.zeros(1 << 20)
    buffer.copy_to(result, stream=stream)
    stream.synchronize()
    assert (result == 3).all()


def test_buffers_copy_from_each_other() -> None:
    one, two = ww.mem_alloc(8), ww.mem_alloc(8)
    one.copy_from(b"abcdefgh")
    two.fill(ord("."))
    two.copy_from(one, nbytes=3, offset=4, source_offset=1)
    result = bytearray(8)
    two.copy_to(result)
    assert result == b"....bcd."


def test_many_small_copies_in_streams_keep_their_host_memory() -> None:
    streams, buffers = [ww.Stream(), ww.Stream()], [ww.mem_alloc(400) for _ in range(100)]
    for number, buffer in enumerate(buffers):
        array = np.full(100, number, np.int32)  # no other owner
        buffer.copy_from(array, stream=streams[number // 40 % 2])
    gc.collect()
    results = np.zeros((100, 100), np.int32)
    for number, buffer in enumerate(buffers):
        buffer.copy_to(results[number], stream=streams[number // 40 % 2])
    for stream in streams:
        stream.synchronize()
    assert (results == np.arange(100)[:, None]).all()


def test_copies_outside_of_a_capture_are_not_part_of_it() -> None:
    stream, other, buffer = ww.Stream(), ww.Stream(), ww.mem_alloc(4)
    source, result = np.array([7], np.int32), np.zeros(1, np.int32)
    buffer.copy_from(source, stream=stream)
    with stream.capture() as graph:
        buffer.copy_to(result, stream=stream)
        for _ in range(3):
            ww.mem_alloc(4, stream=other).copy_from(np.zeros(1, np.int32), stream=other)
    assert len(graph) == 1
    assert result[0] == 0
    graph.launch(stream)
    stream.synchronize()
    assert result[0] == 7


@pytest.mark.parametrize(("value", "dtype"), [(7, "u1"), (-2, "i2"), (1.5, "f4"), (2.5, "f8")])
def test_fill_writes_values(value: Any, dtype: str) -> None:
    buffer, result = ww.mem_alloc(64), np.zeros(64 // np.dtype(dtype).itemsize, dtype)
    buffer.fill(value, dtype)
    buffer.copy_to(result)
    assert (result == value).all()


def test_fill_stops_at_its_count() -> None:
    buffer, result = ww.mem_alloc(4), bytearray(4)
    buffer.fill(0)
    buffer.fill(9, count=2, offset=1)
    buffer.copy_to(result)
    assert result == b"\0\x09\x09\0"


def test_fill_refuses_other_sizes() -> None:
    with pytest.raises(ww.ArgumentError, match="1, 2, 4 or 8"):
        ww.mem_alloc(64).fill(1j, "complex128")


def test_slices_share_memory() -> None:
    buffer = ww.mem_alloc(8)
    buffer.copy_from(b"abcdefgh")
    part = buffer.slice(2, 3)
    del buffer
    result = bytearray(3)
    part.copy_to(result)
    assert result == b"cde"
    assert len(part) == part.nbytes == 3


def test_the_address_is_an_integer() -> None:
    buffer = ww.mem_alloc(8)
    assert int(buffer) == buffer.address != 0
    assert int(buffer.slice(4, 4)) == int(buffer) + 4


def test_empty_buffers_are_allowed() -> None:
    buffer = ww.mem_alloc(0)
    buffer.copy_from(b"")
    assert buffer.size == 0


@pytest.mark.parametrize(("size", "offset"), [(9, 0), (1, 8), (4, 5)])
def test_copies_past_the_end_are_refused(size: int, offset: int) -> None:
    buffer = ww.mem_alloc(8)
    with pytest.raises(ww.ArgumentError, match="8"):
        buffer.copy_from(bytes(size), offset=offset)
    with pytest.raises(ww.ArgumentError, match="8"):
        buffer.copy_to(bytearray(size), offset=offset)


def test_results_need_writable_memory() -> None:
    with pytest.raises(ww.ArgumentError, match="read-only"):
        ww.mem_alloc(4).copy_to(b"abcd")


def test_host_memory_must_be_contiguous() -> None:
    with pytest.raises(ww.ArgumentError, match="contiguous"):
        ww.mem_alloc(16).copy_from(np.zeros((4, 4))[:, 0])


def test_page_locked_memory_has_a_size() -> None:
    assert repr(ww.HostBuffer(24)) == "HostBuffer(24 bytes)"


def test_an_object_without_memory_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="list"):
        ww.mem_alloc(16).copy_from([1, 2])


def test_freeing_twice_is_refused() -> None:
    buffer = ww.mem_alloc(8)
    buffer.free()
    assert buffer.is_freed
    assert repr(buffer) == "Buffer(freed)"
    with pytest.raises(ww.ArgumentError, match=r"freed|given back"):
        buffer.free()


def test_freed_buffers_cannot_be_copied() -> None:
    buffer = ww.mem_alloc(8)
    buffer.free()
    with pytest.raises(ww.ArgumentError, match="freed"):
        buffer.copy_from(bytes(8))


def test_impossible_requests_raise_memory_error() -> None:
    with pytest.raises(MemoryError) as caught:
        ww.mem_alloc(1 << 60)
    assert isinstance(caught.value, ww.OutOfMemoryError)


@pytest.mark.parametrize(
    "use",
    [
        lambda: ww.mem_alloc(-1),
        lambda: ww.mem_alloc(8).slice(-4, 4),
        lambda: ww.mem_alloc(8).copy_from(bytes(4), offset=-1),
        lambda: ww.mem_alloc(8).copy_to(bytearray(4), offset=-1),
        lambda: ww.mem_alloc(8).fill(0, count=-1),
        lambda: ww.pagelocked_empty(-3, np.float32),
    ],
)
def test_negative_sizes_are_refused(use: Any) -> None:
    with pytest.raises(ww.ArgumentError, match="0 or more, got -"):
        use()


def test_sizes_may_be_numpy_integers() -> None:
    assert ww.mem_alloc(np.int64(12)).size == 12


@pytest.mark.cpu_only("its memory is the host's")
def test_wrapped_memory_keeps_its_owner() -> None:
    owner = np.arange(4, dtype=np.float32)
    buffer = ww.wrap_memory(owner.ctypes.data, owner.nbytes, owner=owner)
    expected = owner.copy()
    del owner
    gc.collect()
    result = np.empty_like(expected)
    buffer.copy_to(result)
    np.testing.assert_array_equal(result, expected)


def test_memory_is_found_by_an_address_in_it() -> None:
    buffer, array = ww.mem_alloc(100), ww.zeros(8, "f4")
    host = ww.pagelocked_zeros(4, "i4")
    found = ww.find_memory(int(buffer) + 99)
    assert found is not None and (int(found), found.size) == (int(buffer), 100)
    assert ww.find_memory(array.gpudata.address, ww.Device()).size == 32
    assert ww.find_memory(ww.mapped_buffer(host).address + 15).size == 16
    assert ww.find_memory(int(buffer) + 100) is None
    assert ww.find_memory(8) is None
    address = int(buffer)
    buffer.copy_from(b"kept" + bytes(96))
    del buffer
    kept = bytearray(100)
    found.copy_to(kept)
    assert kept[:4] == b"kept"
    assert not ww.is_freed_memory(address)
    found.free()
    assert ww.find_memory(address) is None
    inside = address + 16  # the address itself may be the end of a buffer before it
    assert ww.is_freed_memory(inside)
    assert not ww.is_freed_memory(8, ww.Device())
    with pytest.raises(ww.ArgumentValueError, match=f"at {inside:#x}: this memory was freed"):
        ww.wrap_memory(inside, 64)


def test_addresses_can_be_copied_between() -> None:
    one, two = ww.mem_alloc(8), ww.mem_alloc(8)
    one.copy_from(b"abcdefgh")
    two.fill(0)
    ww.copy_address(int(two) + 1, int(one), 4)
    result = bytearray(8)
    two.copy_to(result)
    assert result == b"\0abcd\0\0\0"


@pytest.mark.parametrize("shape", [5, (2, 3), ()])
def test_page_locked_arrays_are_arrays(shape: Any) -> None:
    result = ww.pagelocked_empty(shape, np.int16)
    result[...] = 3
    assert result.shape == np.empty(shape).shape
    assert result.dtype == np.int16
    assert (result == 3).all()


def test_page_locked_arrays_have_the_requested_order() -> None:
    assert ww.pagelocked_empty((2, 3), np.float32, order="F").flags.f_contiguous


def test_pools_account_for_buffers() -> None:
    pool = ww.Device().pool
    before = pool.active_bytes
    buffer = ww.mem_alloc(1 << 20)
    assert pool.active_bytes >= before + (1 << 20)
    assert pool.held_bytes >= pool.active_bytes
    buffer.free()
    assert pool.active_bytes == before


def test_pools_have_statistics() -> None:
    pool = ww.Device().pool
    pool.reset_peak()
    before = pool.statistics()
    with_peak = ww.mem_alloc(3 << 20)
    now = pool.statistics()
    assert now.active_bytes == before.active_bytes + (3 << 20)
    assert now.active_blocks == before.active_blocks + 1
    with_peak.free()
    assert pool.statistics().peak_bytes == now.active_bytes
    assert pool.statistics().largest_free_bytes >= 3 << 20
    assert "PoolStatistics(held_bytes=" in repr(now)


def test_pools_and_errors_report_live_allocations() -> None:
    pool = ww.Device().pool
    held = [ww.mem_alloc(5 << 20) for _ in range(3)]
    assert "3 x 5.0 MiB" in pool.report()
    with pytest.raises(ww.OutOfMemoryError, match=r"in use, largest first: .*3 x 5\.0 MiB"):
        ww.mem_alloc(1 << 60)
    del held


def test_free_held_gives_kept_blocks_back() -> None:
    pool = ww.Device().pool
    pool.free_held()
    before = pool.held_bytes
    ww.mem_alloc(64 << 20).free()
    pool.free_held()
    assert pool.held_bytes == before


def test_a_limit_holds() -> None:
    pool = ww.Device().pool
    pool.limit = pool.held_bytes + (1 << 20)
    try:
        with pytest.raises(ww.OutOfMemoryError, match="limit"):
            ww.mem_alloc(64 << 20)
    finally:
        pool.limit = None
    assert pool.limit is None
