"""cuda.pinned, mapped and managed arrays."""

from __future__ import annotations

import numpy as np
import pytest

from warpwise import cuda

MAKERS = [cuda.pinned_array, cuda.mapped_array, cuda.managed_array]


@pytest.mark.parametrize("make", MAKERS)
def test_host_arrays_are_numpys(make):
    array = make((3, 4), np.float32, order="F")
    assert isinstance(array, np.ndarray) and array.flags.f_contiguous
    array[...] = np.arange(12).reshape(3, 4)
    assert array.sum() == 66 and make(5).dtype == np.float64
    assert make((2, 2), np.int16, strides=(8, 2)).strides == (8, 2)


@pytest.mark.parametrize("make", MAKERS[1:])
def test_devices_see_them_without_a_copy(make):
    array = make((2, 3), np.int32)
    array[...] = [[1, 2, 3], [4, 5, 6]]
    view = array.on_device()
    assert cuda.is_cuda_array(view) and np.array_equal(view.copy_to_host(), array)
    view[0, 0] = 10
    cuda.synchronize()
    assert array[0, 0] == 10
    assert np.array_equal(array.copy_to_host(), array)
    array.copy_to_device(np.zeros((2, 3), np.int32))
    cuda.synchronize()
    assert not array.any()


def test_arrays_like_others():
    host = np.zeros((2, 3, 4)).transpose(2, 0, 1)
    for make in (cuda.pinned_array_like, cuda.mapped_array_like, cuda.device_array_like):
        assert make(host).strides == np.empty_like(host).strides
        assert make(np.zeros((2, 3), order="F")).strides == (8, 16)


def test_memory_is_pinned_for_a_block():
    array, other = np.arange(100), np.zeros((4, 5), order="F")
    with cuda.pinned(array, other):
        target = cuda.to_device(array, stream=cuda.stream())
    cuda.synchronize()
    assert np.array_equal(target.copy_to_host(), array)


def test_memory_is_mapped_for_a_block():
    array, other = np.arange(5), np.zeros((2, 3), np.float32)
    with cuda.mapped(array) as one:
        one[1] = 70
    with cuda.mapped(array, other, stream=0) as (first, second):
        second[...] = 3
        first[0] = 4
    assert array.tolist() == [4, 70, 2, 3, 4] and (other == 3).all()


@pytest.mark.parametrize(("call", "words"), [
    (lambda: cuda.mapped(np.zeros(3), page=4), "got 'page'"),
    (lambda: cuda.mapped(), "one or more NumPy arrays"),
    (lambda: cuda.pinned([1, 2]), "cuda.pinned expects NumPy arrays"),
])  # fmt: skip
def test_wrong_blocks_are_refused(call, words):
    with pytest.raises(TypeError, match=words), call():
        pass


def test_what_is_not_contiguous_cannot_be_pinned():
    with pytest.raises(ValueError, match="ascontiguousarray"), cuda.pinned(np.zeros(8)[::2]):
        pass
    with pytest.raises(TypeError, match="contiguous arrays in mapped or managed memory"):
        cuda.mapped_array(8)[::2].on_device()


@pytest.mark.parametrize("make", [cuda.mapped_array, cuda.managed_array])
def test_the_driver_sets_memory_that_the_host_reaches(make):
    from warpwise.cuda.cudadrv import driver

    array = make(10, np.uint32)
    array.fill(123)
    assert driver.device_memory_size(array) == 40
    driver.device_memset(array, 1, driver.device_memory_size(array))
    cuda.synchronize()
    assert np.asarray(array).tolist() == [0x01010101] * 10
    assert cuda.as_cuda_array(array).copy_to_host().tolist() == [0x01010101] * 10
