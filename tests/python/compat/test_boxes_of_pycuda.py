"""pycuda.driver: arrays and their descriptions, Memcpy2D, Memcpy3D and Memcpy3DPeer."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pycuda.driver as drv
import pytest


def filled(copy: Any, **attributes: int) -> Any:
    for name, value in attributes.items():
        setattr(copy, name, value)
    return copy


def test_a_rectangle_is_copied_from_its_place_to_another() -> None:
    source = np.arange(48, dtype=np.uint8).reshape(6, 8)
    target = np.zeros((5, 10), np.uint8)
    memory = drv.to_device(source)
    copy = drv.Memcpy2D()
    copy.src_x_in_bytes, copy.src_y, copy.src_pitch = 2, 1, 8
    copy.dst_x_in_bytes, copy.dst_y, copy.dst_pitch = 3, 2, 10
    copy.width_in_bytes, copy.height = 4, 3
    copy.set_src_device(memory)
    copy.set_dst_host(target)
    assert copy.src_memory_type is drv.memory_type.DEVICE
    assert copy.dst_memory_type is drv.memory_type.HOST
    assert copy.src_device == int(memory) and copy.dst_device == 0
    copy(aligned=False)
    expected = np.zeros_like(target)
    expected[2:5, 3:7] = source[1:4, 2:6]
    np.testing.assert_array_equal(target, expected)


def test_ends_may_be_set_as_attributes() -> None:
    source, target = drv.to_device(np.arange(8, dtype=np.uint8)), drv.mem_alloc(8)
    copy = filled(drv.Memcpy2D(), width_in_bytes=8, height=1)
    copy.src_device, copy.dst_device = source, int(target)
    copy.src_memory_type = copy.dst_memory_type = drv.memory_type.DEVICE
    assert copy.dst_device == int(target)
    stream = drv.Stream()
    copy(stream)
    stream.synchronize()
    assert drv.from_device(target, 8, np.uint8).tolist() == list(range(8))


def test_arrays_and_unified_memory_are_ends() -> None:
    descr = drv.ArrayDescriptor()
    descr.width, descr.height = 8, 2
    descr.format, descr.num_channels = drv.array_format.UNSIGNED_INT8, 1
    array = drv.Array(descr)
    source, target = drv.managed_zeros(16, np.uint8), drv.managed_zeros(16, np.uint8)
    source[:] = np.arange(16)
    copy = filled(drv.Memcpy2D(), width_in_bytes=8, height=2, src_pitch=8)
    copy.set_src_unified(source)
    copy.set_dst_array(array)
    assert copy.src_memory_type is drv.memory_type.UNIFIED
    assert copy.dst_memory_type is drv.memory_type.ARRAY
    copy(aligned=True)
    back = filled(drv.Memcpy2D(), width_in_bytes=8, height=2, dst_pitch=8)
    back.set_src_array(array)
    back.set_dst_unified(target)
    back()
    assert target.tolist() == list(range(16))
    assert array.handle != drv.Array(descr).handle


def test_a_box_is_copied_from_its_place_to_another() -> None:
    source = np.arange(4 * 5 * 6, dtype=np.uint8).reshape(4, 5, 6)
    target = np.zeros((3, 4, 7), np.uint8)
    memory = drv.to_device(source)
    copy = drv.Memcpy3D()
    copy.src_x_in_bytes, copy.src_y, copy.src_z, copy.src_lod = 1, 2, 1, 0
    copy.src_pitch, copy.src_height = 6, 5
    copy.dst_x_in_bytes, copy.dst_y, copy.dst_z, copy.dst_lod = 2, 1, 1, 0
    copy.dst_pitch, copy.dst_height = 7, 4
    copy.width_in_bytes, copy.height, copy.depth = 3, 2, 2
    copy.set_src_device(memory)
    copy.set_dst_host(target)
    copy()
    expected = np.zeros_like(target)
    expected[1:3, 1:3, 2:5] = source[1:3, 2:4, 1:4]
    np.testing.assert_array_equal(target, expected)
    copy.src_lod = 1
    with pytest.raises(drv.LogicError, match="src_lod=1"):
        copy()


def test_boxes_go_between_contexts() -> None:
    context = drv.Device(0).retain_primary_context()
    source = drv.to_device(np.arange(24, dtype=np.uint8))
    target = drv.mem_alloc(24)
    copy = filled(drv.Memcpy3DPeer(), width_in_bytes=4, height=3, depth=2)
    filled(copy, src_pitch=4, dst_pitch=4, src_height=3, dst_height=3)
    copy.set_src_context(context)
    copy.set_dst_context(ctx=context)
    copy.set_src_device(int(source))
    copy.set_dst_device(int(target))
    copy()
    assert drv.from_device(target, 24, np.uint8).tolist() == list(range(24))


def test_copies_keep_their_host_memory() -> None:
    """Section 1.4: the host setters drop the buffer right after reading its address."""
    copy = filled(drv.Memcpy2D(), width_in_bytes=1 << 16, height=1)
    copy.set_src_host(np.full(1 << 16, 7, np.uint8))
    memory = drv.mem_alloc(1 << 16)
    copy.set_dst_device(memory)
    gc.collect()
    trash = [np.full(1 << 16, 9, np.uint8) for _ in range(4)]
    copy()
    assert (drv.from_device(memory, 1 << 16, np.uint8) == 7).all()
    assert len(trash) == 4


def test_a_copy_without_ends_is_refused() -> None:
    with pytest.raises(drv.LogicError, match="set_src_"):
        filled(drv.Memcpy2D(), width_in_bytes=4, height=1)()


def test_descriptions_of_volumes() -> None:
    descr = drv.ArrayDescriptor3D()
    descr.width, descr.height, descr.depth = 4, 3, 2
    descr.format, descr.num_channels, descr.flags = drv.array_format.FLOAT, 2, 0
    array = drv.Array(descr)
    found = array.get_descriptor_3d()
    assert (found.width, found.height, found.depth) == (4, 3, 2)
    assert (found.format, found.num_channels, found.flags) == (drv.array_format.FLOAT, 2, 0)
    plain = array.get_descriptor()
    assert (plain.width, plain.height) == (4, 3)
    array.free()
    with pytest.raises(drv.LogicError, match="freed before"):
        array.free()


@pytest.mark.parametrize(
    ("dtype", "name"), [(np.uint8, "UNSIGNED_INT8"), (np.int32, "SIGNED_INT32"), ("f4", "FLOAT")]
)
def test_formats_belong_to_dtypes(dtype: Any, name: str) -> None:
    assert drv.dtype_to_array_format(dtype) is drv.array_format[name]
    with pytest.raises(TypeError, match="complex"):
        drv.dtype_to_array_format(np.complex64)


class OnDevice:
    """What PyCUDA's GPUArray is to a function that copies one."""

    def __init__(self, host: np.ndarray) -> None:
        self.shape, self.dtype, self.gpudata = host.shape, host.dtype, drv.to_device(host)


@pytest.mark.parametrize("is_for_surfaces", [False, True])
def test_device_memory_becomes_an_array(is_for_surfaces: bool) -> None:
    host = np.arange(12, dtype=np.float32).reshape(3, 4)
    array = drv.gpuarray_to_array(OnDevice(host), "C", allowSurfaceBind=is_for_surfaces)
    back = np.zeros_like(host)
    copy = filled(drv.Memcpy2D(), width_in_bytes=16, height=3, dst_pitch=16)
    copy.set_src_array(array)
    copy.set_dst_host(back)
    copy()
    np.testing.assert_array_equal(back, host)


def test_rows_go_into_arrays_under_both_names() -> None:
    descr = drv.ArrayDescriptor()
    descr.width, descr.format = 8, drv.array_format.UNSIGNED_INT8
    array, part = drv.Array(descr), np.zeros(3, np.uint8)
    drv.memcpy_htoa(array, 0, np.zeros(8, np.uint8))
    drv.py_memcpy_htoa(array, 0, np.arange(8, dtype=np.uint8))
    drv.py_memcpy_atoh(part, array, 5)
    assert part.tolist() == [5, 6, 7]
    drv.memcpy_htoa(ary=array, index=2, src=np.full(2, 9, np.uint8))
    drv.memcpy_atoh(dest=part, ary=array, index=1)
    assert part.tolist() == [1, 9, 9]


def test_references_of_no_module_keep_what_is_set() -> None:
    texref = drv.TextureReference()
    texref.set_format(drv.array_format.UNSIGNED_INT8, 2)
    texref.set_address_mode(1, drv.address_mode.MIRROR)
    texref.set_filter_mode(drv.filter_mode.LINEAR)
    texref.set_flags(drv.TRSF_READ_AS_INTEGER)
    assert texref.get_format() == (drv.array_format.UNSIGNED_INT8, 2)
    assert texref.get_address_mode(1) is drv.address_mode.MIRROR
    assert texref.get_filter_mode() is drv.filter_mode.LINEAR
    assert texref.get_flags() == drv.TRSF_READ_AS_INTEGER == drv.TRSA_OVERRIDE_FORMAT
    memory = drv.mem_alloc(64)
    assert texref.set_address(memory, 64, allow_offset=True) == 0
    assert texref.get_address() == int(memory)
    descr = drv.ArrayDescriptor()
    descr.width, descr.height, descr.format = 8, 2, drv.array_format.FLOAT
    texref.set_address_2d(memory, descr, 32)
    assert texref.get_format() == (drv.array_format.FLOAT, 1)
    array = drv.matrix_to_array(np.zeros((2, 2), np.float32), "C", allow_double_hack=True)
    texref.set_array(array)
    assert texref.get_array() is array
    assert drv.TR_DEFAULT == -1


STRIDED = np.zeros((4, 12), np.uint8)[:, ::2]


@pytest.mark.parametrize("setter", ["set_src_host", "set_dst_host", "set_dst_unified"])
def test_host_memory_with_gaps_is_refused(setter: str) -> None:
    """What was copied into one in its place would be lost."""
    with pytest.raises(drv.LogicError, match=r"shape \(4, 6\) that is not contiguous"):
        getattr(drv.Memcpy2D(), setter)(STRIDED)
    with pytest.raises(TypeError, match="bytes-like object is required"):
        getattr(drv.Memcpy2D(), setter)([1, 2])


def test_results_are_not_written_to_copies_of_the_destination() -> None:
    descr = drv.ArrayDescriptor()
    descr.width, descr.format = 8, drv.array_format.UNSIGNED_INT8
    array = drv.Array(descr)
    drv.memcpy_htoa(array, 0, b"\x01\x02\x03\x04")
    with pytest.raises(drv.LogicError, match="not contiguous"):
        drv.memcpy_atoh(STRIDED[0], array, 0)
    with pytest.raises(drv.LogicError, match="read-only"):
        drv.memcpy_atoh(b"abcd", array, 0)
    result = bytearray(4)
    drv.memcpy_atoh(result, array, 0)
    assert result == b"\x01\x02\x03\x04"
