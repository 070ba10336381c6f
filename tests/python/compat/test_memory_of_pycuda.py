"""pycuda.driver: device memory, fills, page-locked, aligned, registered and managed memory."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import devices
import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray
from pycuda.compiler import SourceModule

import warpwise as ww


def test_ranges_are_found_by_any_address_in_them() -> None:
    memory = drv.mem_alloc(1000)
    base, size = drv.mem_get_address_range(memory)
    assert base == int(memory)
    assert size >= 1000
    assert drv.mem_get_address_range(int(memory) + 999) == (base, size)
    memory.free()
    with pytest.raises(drv.LogicError, match="no allocation"):
        drv.mem_get_address_range(base)


def test_allocations_are_numbers() -> None:
    memory = drv.mem_alloc(16)
    assert isinstance(memory, drv.DeviceAllocation)
    assert memory.__int__() == memory.__index__() == int(memory)
    assert f"{int(memory):x}" == f"{memory.__index__():x}"
    memory.free()
    with pytest.raises(drv.LogicError):
        memory.free()
    with pytest.raises(drv.LogicError):
        int(memory)


ACCESSES = {
    "memcpy_htod": lambda address, count: drv.memcpy_htod(address, np.ones(count, np.float32)),
    "memcpy_dtoh": lambda address, count: drv.memcpy_dtoh(np.ones(count, np.float32), address),
    "memset_d32": lambda address, count: drv.memset_d32(address, 0, count),
    "from_device": lambda address, count: drv.from_device(address, count, np.float32),
    "GPUArray": lambda address, count: gpuarray.GPUArray(count, np.float32, gpudata=address).get(),
}


@pytest.mark.cpu_only("a GPU's driver knows addresses")
@pytest.mark.parametrize("access", ACCESSES.values(), ids=ACCESSES)
def test_addresses_without_memory_are_refused(access: Any) -> None:
    memory = drv.to_device(np.arange(8, dtype=np.float32))
    freed = int(memory)
    memory.free()
    host = np.zeros(4, np.float32)
    for address in (12345, freed, host.ctypes.data):
        with pytest.raises(drv.LogicError, match=f"16 bytes at {address:#x}.* no memory there"):
            access(address, 4)


@pytest.mark.parametrize("access", ACCESSES.values(), ids=ACCESSES)
def test_accesses_past_the_end_of_an_allocation_are_refused(access: Any) -> None:
    memory = drv.to_device(np.arange(8, dtype=np.float32))
    access(int(memory) + 16, 4)
    with pytest.raises(drv.LogicError, match=r"400 bytes .* has 32 bytes, and ends 16 bytes on"):
        access(int(memory) + 16, 100)


@pytest.mark.cpu_only("a GPU's driver knows addresses")
def test_addresses_of_all_memory_of_warpwise_are_accepted() -> None:
    buffer, array = ww.mem_alloc(32), ww.zeros(8, "f4")
    locked, managed = drv.pagelocked_empty(8, np.float32), drv.managed_empty(8, np.float32)
    registered = drv.register_host_memory(np.zeros(8, np.float32))
    addresses = [buffer.address, array.gpudata.address]
    addresses += [one.ctypes.data for one in (locked, managed, registered)]
    for address in addresses:
        for _ in range(2):
            drv.memcpy_htod(address + 16, np.arange(4, dtype=np.float32))
            np.testing.assert_array_equal(drv.from_device(address + 16, 4, np.float32), range(4))
        with pytest.raises(drv.LogicError, match="not all in the allocation there"):
            drv.memset_d32(address + 16, 0, 5)
    assert managed[-1] == locked[-1] == registered[-1] == 3


def test_the_address_of_a_variable_outlives_what_named_it() -> None:
    module = SourceModule("__device__ int table[4];")
    address = int(module.get_global("table")[0])
    drv.memset_d32(address + 4, 7, 3)
    assert drv.from_device(address, 4, np.int32).tolist() == [0, 7, 7, 7]


@pytest.mark.cpu_only("the host reaches its memory")
def test_the_host_sees_the_bytes_of_an_allocation() -> None:
    memory = drv.to_device(np.arange(8, dtype=np.uint8))
    assert bytes(memory.as_buffer(4)) == bytes([0, 1, 2, 3])
    assert bytes(memory.as_buffer(size=2, offset=6)) == bytes([6, 7])
    with pytest.raises(drv.LogicError, match="8 bytes"):
        memory.as_buffer(4, 6)


@pytest.mark.cpu_only("the host reaches its memory")
@pytest.mark.parametrize("allocate", [drv.mem_alloc, drv.DeviceMemoryPool().allocate])
def test_memory_that_the_host_views_is_not_freed(allocate: Callable[[int], Any]) -> None:
    memory = allocate(64)
    view = memory.as_buffer(8)
    with pytest.raises(BufferError, match="still viewed"):
        memory.free()
    view.release()
    memory.free()


class Half(drv.PointerHolderBase):
    """The second half of an allocation of 8 bytes."""

    def __init__(self, memory: Any) -> None:
        super().__init__()
        self.memory = memory

    def get_pointer(self) -> int:
        return int(self.memory) + 4


def test_pointer_holders_are_pointers() -> None:
    memory = drv.to_device(np.arange(8, dtype=np.uint8))
    half = Half(memory)
    assert isinstance(half, drv.PointerHolderBase)
    assert int(half) == half.__index__() == half.get_pointer() == int(memory) + 4
    assert drv.from_device(half, 4, np.uint8).tolist() == [4, 5, 6, 7]
    if devices.IS_CPU:
        assert bytes(half.as_buffer(2, 1)) == bytes([5, 6])
        assert bytes(half.as_buffer(size=1, offset=0)) == bytes([4])
    with pytest.raises(NotImplementedError, match="get_pointer"):
        drv.PointerHolderBase().get_pointer()


def test_from_device_has_an_order() -> None:
    data = np.asfortranarray(np.arange(6, dtype=np.int16).reshape(2, 3))
    memory = drv.to_device(data)
    result = drv.from_device(memory, (2, 3), np.int16, order="F")
    np.testing.assert_array_equal(result, data)
    assert result.flags.f_contiguous
    np.testing.assert_array_equal(drv.from_device(memory, 6, np.int16, "C"), data.T.ravel())


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_fills_count_elements(bits: int) -> None:
    kind = np.dtype(f"u{bits // 8}")
    memory = drv.to_device(np.zeros(6, kind))
    fills = {8: drv.memset_d8, 16: drv.memset_d16, 32: drv.memset_d32}
    later = {8: drv.memset_d8_async, 16: drv.memset_d16_async, 32: drv.memset_d32_async}
    stream = drv.Stream()
    assert fills[bits](memory, 7, 5) is None
    assert later[bits](memory, data=9, size=2, stream=stream) is None
    stream.synchronize()
    assert later[bits](int(memory), 11, 1) is None
    drv.Context.synchronize()
    assert drv.from_device(memory, 6, kind).tolist() == [11, 9, 7, 7, 7, 0]


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_fills_of_rectangles_leave_what_is_beside_them(bits: int) -> None:
    kind = np.dtype(f"u{bits // 8}")
    expected = np.zeros((4, 16), kind)
    expected[:3, :5] = 7
    memory = drv.to_device(np.zeros_like(expected))
    fill = {8: drv.memset_d2d8, 16: drv.memset_d2d16, 32: drv.memset_d2d32}[bits]
    later = {8: drv.memset_d2d8_async, 16: drv.memset_d2d16_async, 32: drv.memset_d2d32_async}[bits]
    pitch, stream = 16 * kind.itemsize, drv.Stream()
    assert fill(memory, pitch, 7, 5, 3) is None
    np.testing.assert_array_equal(drv.from_device_like(memory, expected), expected)
    assert later(memory, pitch, data=8, width=16, height=2, stream=stream) is None
    stream.synchronize()
    expected[:2] = 8
    np.testing.assert_array_equal(drv.from_device_like(memory, expected), expected)
    with pytest.raises(drv.LogicError, match="overlap"):
        fill(memory, 2, 7, 5, 3)


def test_every_fill_by_its_name() -> None:
    memory, stream = drv.to_device(np.zeros(16, np.uint32)), drv.Stream()
    drv.memset_d8(memory, 1, 4)
    drv.memset_d16(int(memory) + 4, 2, 2)
    drv.memset_d32(int(memory) + 8, 3, 1)
    drv.memset_d2d8(int(memory) + 12, 2, 4, 2, 2)
    drv.memset_d2d16(int(memory) + 16, 4, 5, 2, 2)
    drv.memset_d2d32(int(memory) + 24, 8, 6, 1, 2)
    drv.memset_d8_async(int(memory) + 28, 7, 4, stream)
    drv.memset_d16_async(int(memory) + 36, 8, 2, stream)
    drv.memset_d32_async(int(memory) + 40, 9, 1, stream)
    drv.memset_d2d8_async(int(memory) + 44, 2, 10, 2, 2, stream)
    drv.memset_d2d16_async(int(memory) + 48, 4, 11, 2, 1, stream)
    drv.memset_d2d32_async(int(memory) + 52, 4, 12, 1, 2, stream)
    stream.synchronize()
    expected = [
        0x01010101, 0x00020002, 3, 0x04040404, 0x00050005, 0x00050005, 6, 0x07070707, 6,
        0x00080008, 9, 0x0A0A0A0A, 0x000B000B, 12, 12, 0,
    ]  # fmt: skip
    assert drv.from_device(memory, 16, np.uint32).tolist() == expected


def test_copies_between_allocations_are_queued() -> None:
    source, stream = drv.to_device(np.arange(4, dtype=np.int32)), drv.Stream()
    memory = drv.mem_alloc(16)
    assert drv.memcpy_dtod_async(memory, source, 16, stream) is None
    stream.synchronize()
    assert drv.from_device(memory, 4, np.int32).tolist() == [0, 1, 2, 3]
    assert drv.memcpy_dtod(memory, int(source) + 8, size=8) is None
    assert drv.from_device(memory, 2, np.int32).tolist() == [2, 3]


def test_fortran_arrays_are_copied_as_they_lie() -> None:
    data = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    memory = drv.mem_alloc_like(data)
    drv.memcpy_htod(memory, data)
    back = np.empty_like(data, order="F")
    drv.memcpy_dtoh(back, memory)
    np.testing.assert_array_equal(back, data)
    drv.memcpy_dtoh_async(dest=back, src=memory)
    drv.memcpy_htod_async(dest=memory, src=data)
    drv.Context.synchronize()
    np.testing.assert_array_equal(back, data)


def test_what_is_not_contiguous_is_refused() -> None:
    memory = drv.mem_alloc(64)
    with pytest.raises(drv.LogicError, match="contiguous"):
        drv.memcpy_htod(memory, np.zeros((4, 4), np.float32)[:, ::2])


def test_too_small_memory_is_refused() -> None:
    """What PyCUDA answers wrongly: a copy past the end of an allocation."""
    memory = drv.mem_alloc(64)
    with pytest.raises(drv.LogicError, match="64"):
        drv.memcpy_htod(memory, np.zeros(1 << 16, np.float32))


KINDS = ["pagelocked", "aligned", "managed"]


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", KINDS)
def test_host_arrays_of_every_kind(kind: str, order: str) -> None:
    empty = {
        "pagelocked": drv.pagelocked_empty,
        "aligned": drv.aligned_empty,
        "managed": drv.managed_empty,
    }[kind]
    made = empty((3, 4), np.int32, order)
    zeros = {
        "pagelocked": drv.pagelocked_zeros,
        "aligned": drv.aligned_zeros,
        "managed": drv.managed_zeros,
    }[kind]
    assert not zeros((3, 4), np.int32, order).any()
    assert made.shape == (3, 4) and made.dtype == np.int32
    assert made.flags.f_contiguous == (order == "F")


def test_arrays_like_others_keep_their_order() -> None:
    like = np.asfortranarray(np.ones((3, 4), np.int16))
    locked = drv.pagelocked_zeros_like(like, mem_flags=drv.host_alloc_flags.PORTABLE)
    assert locked.flags.f_contiguous and not locked.any()
    assert locked.base.get_flags() == drv.host_alloc_flags.PORTABLE
    assert drv.pagelocked_zeros((2, 2), np.int8, "F", 0).tolist() == [[0, 0], [0, 0]]
    assert drv.pagelocked_empty_like(like, 0).shape == (3, 4)
    aligned = drv.aligned_zeros_like(like, 1 << 13)
    assert aligned.ctypes.data % (1 << 13) == 0 and not aligned.any()
    assert not drv.aligned_zeros((2, 2), np.int8, "F", 512).any()
    assert not drv.managed_zeros((2, 2), np.int8, "F", drv.mem_attach_flags.GLOBAL).any()
    assert drv.pagelocked_empty((2, 2), np.int8, order="F").flags.f_contiguous
    assert drv.aligned_empty((2,), np.int8, "C", 512).ctypes.data % 512 == 0
    managed = drv.managed_zeros_like(like, drv.mem_attach_flags.GLOBAL)
    assert managed.shape == (3, 4) and not managed.any()
    flags = drv.mem_attach_flags.GLOBAL
    assert drv.managed_empty((2, 2), np.int8, "C", flags).shape == (2, 2)
    assert drv.managed_empty_like(like, flags).flags.f_contiguous


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_are_made_like_arrays_only(kind: str) -> None:
    for made in ("empty_like", "zeros_like"):
        with pytest.raises(TypeError, match=r"expected a numpy\.ndarray, got int"):
            getattr(drv, f"{kind}_{made}")(3)


def test_alignments_and_accesses_that_do_not_exist_are_refused() -> None:
    with pytest.raises(drv.LogicError, match="alignment must be a power of two, not 3"):
        drv.aligned_empty(4, np.float32, alignment=3)
    with pytest.raises(TypeError, match="'str' object cannot be interpreted as an integer"):
        drv.aligned_empty(4, np.float32, alignment="page")
    with pytest.raises(drv.LogicError, match=r"mem_flags are mem_attach_flags\..*, not 77"):
        drv.managed_empty(4, np.float32, mem_flags=77)


def test_page_locked_memory_has_its_classes() -> None:
    made = drv.pagelocked_empty(4, np.float32, mem_flags=drv.host_alloc_flags.WRITECOMBINED)
    assert isinstance(made.base, drv.HostAllocation)
    assert isinstance(made.base, drv.HostPointer)
    assert drv.HostAllocation is drv.PagelockedHostAllocation
    assert made.base.get_device_pointer() > 0


@pytest.mark.parametrize("kind", KINDS)
def test_memory_may_be_freed_before_its_array(kind: str) -> None:
    made = getattr(drv, f"{kind}_zeros")(8, np.float32)
    base = made.base
    base.free()
    assert made.tolist() == [0] * 8
    with pytest.raises(drv.LogicError, match="freed before"):
        base.free()
    del made, base
    gc.collect()


def test_freed_managed_memory_is_no_argument() -> None:
    add = SourceModule("__global__ void k(float *x) { x[threadIdx.x] += 1; }").get_function("k")
    managed = drv.managed_zeros(4, np.float32)
    assert isinstance(managed.base, drv.ManagedAllocation)
    assert isinstance(managed.base, drv.DeviceAllocation)
    managed.base.free()
    with pytest.raises(drv.LogicError, match="freed"):
        add(managed, block=(4, 1, 1))


def test_managed_memory_is_attached_to_streams() -> None:
    managed, stream = drv.managed_zeros(4, np.float32), drv.Stream()
    managed.base.attach(drv.mem_attach_flags.SINGLE, stream)
    managed.base.attach(mem_flags=drv.mem_attach_flags.GLOBAL)
    stream.synchronize()
    assert managed.base.get_device_pointer() == int(managed.base)
    with pytest.raises(drv.LogicError, match="77"):
        managed.base.attach(77)


def test_bases_name_the_kind_of_memory() -> None:
    aligned, array = drv.aligned_empty(4, np.float32), np.zeros(4, np.float32)
    assert isinstance(aligned.base, drv.AlignedHostAllocation)
    registered = drv.register_host_memory(array, flags=drv.mem_host_register_flags.PORTABLE)
    assert isinstance(registered.base, drv.RegisteredHostMemory)
    assert registered.base.base is array
    registered.base.unregister()


def test_numbers_of_bytes_may_be_numpys() -> None:
    memory = drv.mem_alloc(np.int64(64))
    assert drv.mem_get_address_range(ptr=memory)[1] >= 64
    _, pitch = drv.mem_alloc_pitch(np.int32(100), np.int32(2), np.int32(4))
    assert pitch >= 100
    with pytest.raises(drv.Error, match="-1"):
        drv.mem_alloc(-1)


def test_flags_that_do_not_exist_are_refused() -> None:
    for flags in (1 << 20, -1):
        with pytest.raises(drv.LogicError, match="ctx_flags"):
            drv.Device(0).make_context(flags)
        with pytest.raises(drv.LogicError, match="host_alloc_flags"):
            drv.pagelocked_empty(4, np.float32, mem_flags=flags)
        with pytest.raises(drv.LogicError, match="mem_host_register_flags"):
            drv.register_host_memory(np.zeros(4), flags=flags)
    with pytest.raises(drv.LogicError, match="0xbc614e"):
        drv.Device(0).make_context(12345678)
    known = drv.ctx_flags
    every = known.MAP_HOST | known.SCHED_BLOCKING_SYNC | known.LMEM_RESIZE_TO_MAX
    context = drv.Device(0).make_context(every)
    context.pop()


def test_fills_take_the_number_of_elements_by_either_name() -> None:
    memory = drv.mem_alloc(16)
    drv.memset_d32(memory, data=1, count=4)
    drv.memset_d16(dest=memory, data=2, size=2)
    drv.memset_d8_async(memory, data=3, count=1, stream=drv.Stream())
    drv.Context.synchronize()
    assert drv.from_device(memory, 4, np.uint32).tolist() == [0x00020003, 1, 1, 1]
    with pytest.raises(TypeError, match="size or as count"):
        drv.memset_d32(memory, 1)


@pytest.mark.parametrize("make", [drv.pagelocked_empty, drv.managed_zeros, drv.aligned_empty])
def test_arrays_without_elements_have_a_base(make: Any) -> None:
    """Which programs free, whatever the size."""
    array = make((0, 3), np.float32)
    assert array.shape == (0, 3)
    assert array.base.free() is None


def test_the_host_reads_no_more_of_managed_memory_than_there_is() -> None:
    array = drv.managed_zeros(4, np.float32)
    assert bytes(array.base.as_buffer(4, 12)) == bytes(4)
    for size, offset in ((8, 12), (8, -4)):
        with pytest.raises(drv.LogicError, match="not all in an allocation of 16 bytes"):
            array.base.as_buffer(size, offset)
