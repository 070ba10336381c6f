"""cuda.to_device, device_array and what DeviceNDArray does, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda

SHAPES = [(), (0,), (1,), (7,), (3, 5), (2, 3, 4), (4, 0, 2)]
DTYPES = ["?", "i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]


def values(shape: tuple[int, ...], dtype: str = "f8") -> np.ndarray:
    rng = np.random.default_rng(len(shape) + 1)
    return np.asarray(rng.integers(-100, 100, shape)).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_arrays_come_back_as_they_went(shape, dtype):
    host = values(shape, dtype)
    array = cuda.to_device(host)
    assert isinstance(array, ww.Array) and cuda.is_cuda_array(array)
    assert (array.shape, array.dtype, array.strides) == (host.shape, host.dtype, host.strides)
    assert (array.size, array.nbytes, array.ndim) == (host.size, host.nbytes, host.ndim)
    assert array.alloc_size == host.nbytes
    back = array.copy_to_host()
    assert back.dtype == host.dtype and np.array_equal(back, host)
    assert np.array_equal(np.asarray(array), host)


@pytest.mark.parametrize("host", [
    np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    np.arange(24).reshape(2, 3, 4).T,
    np.broadcast_to(np.arange(5), (3, 5)),
    np.broadcast_to(np.float32(2), (2, 2)),
])  # fmt: skip
def test_layouts_are_kept(host):
    array = cuda.to_device(host)
    assert array.strides == host.strides
    back = array.copy_to_host()
    assert back.strides == host.strides and np.array_equal(back, host)
    assert array.is_c_contiguous() == host.flags.c_contiguous
    assert array.is_f_contiguous() == host.flags.f_contiguous
    assert array.flags["C_CONTIGUOUS"] == host.flags.c_contiguous


@pytest.mark.parametrize("host", [np.arange(10)[::2], np.arange(12).reshape(3, 4)[:, :2]])
def test_what_is_not_contiguous_is_refused(host):
    with pytest.raises(ValueError, match="ascontiguousarray"):
        cuda.to_device(host)
    array = cuda.to_device(np.zeros(24, host.dtype)).reshape(4, 6)[:, ::2]
    with pytest.raises(ValueError, match="ascontiguousarray"):
        array.copy_to_device(np.zeros((4, 3), host.dtype))


def test_to_an_array_that_exists():
    target = cuda.device_array(5, np.int32)
    host = np.arange(5, dtype=np.int32)
    assert cuda.to_device(host, to=target) is target
    assert np.array_equal(target.copy_to_host(), host)
    out = np.empty(5, np.int32)
    assert target.copy_to_host(out) is out and np.array_equal(out, host)
    other = cuda.device_array_like(target)
    other.copy_to_device(target)
    assert np.array_equal(other.copy_to_host(), host)


@pytest.mark.parametrize(("other", "error", "words"), [
    (np.zeros(5), TypeError, "incompatible dtype: int32 vs. float64"),
    (np.zeros(4, np.int32), ValueError, "incompatible shape"),
    (np.zeros((5, 5), np.int32), ValueError, "incompatible shape"),
])  # fmt: skip
def test_copies_between_different_arrays_are_refused(other, error, words):
    array = cuda.to_device(np.arange(5, dtype=np.int32))
    with pytest.raises(error, match=words):
        array.copy_to_device(other)
    with pytest.raises(error, match=words):
        array.copy_to_host(other)
    with pytest.raises(error, match=words):
        array.copy_to_device(cuda.to_device(other))


def test_copies_to_other_strides_are_refused():
    array = cuda.to_device(np.arange(12.0).reshape(3, 4))
    with pytest.raises(ValueError, match="incompatible strides"):
        array.copy_to_host(np.empty((3, 4), order="F"))
    with pytest.raises(NotImplementedError, match="negative strides"):
        array[::-1].copy_to_host()


@pytest.mark.parametrize("key", [
    0, -1, (1, 2), (slice(None), 1), slice(1, 3), (slice(None, None, 2), slice(1, None)),
    (slice(None, None, -1),), (..., 3), (2, slice(None)), (), (None, 0), slice(5, 2),
])  # fmt: skip
def test_indexing_is_that_of_numpy(key):
    host = values((3, 5))
    array = cuda.to_device(host)
    part = array[key]
    expected = host[key]
    if not isinstance(expected, np.ndarray):
        assert type(part) is type(expected) and part == expected
        return
    assert isinstance(part, cuda.DeviceNDArray) and part.shape == expected.shape
    assert np.array_equal(ww.asarray(part).get(), expected)


@pytest.mark.parametrize(("key", "value"), [
    ((1, 2), 7), (0, 1.5), (slice(None), np.arange(5.0)), ((slice(None), 1), [1, 2, 3]),
    ((slice(1, None), slice(None, None, 2)), np.ones((2, 3))), (..., np.int8(3)),
    ((slice(None), slice(2, 3)), np.arange(3.0).reshape(3, 1)),
])  # fmt: skip
def test_assignment_is_that_of_numpy(key, value):
    host = values((3, 5))
    array = cuda.to_device(host)
    host[key] = value
    array[key] = value
    assert np.array_equal(array.copy_to_host(), host)
    array[key] = cuda.to_device(np.asarray(value))
    assert np.array_equal(array.copy_to_host(), host)


@pytest.mark.parametrize(("key", "value", "words"), [
    (0, np.zeros((2, 5)), r"Can't assign 2-D array to 1-D self"),
    (slice(None), np.zeros(4), r"Can't copy sequence with size 4 to array axis 1 with dimension 5"),
])  # fmt: skip
def test_assignments_of_other_shapes_are_refused(key, value, words):
    array = cuda.to_device(values((3, 5)))
    with pytest.raises(ValueError, match=words):
        array[key] = value


def test_assigning_what_is_no_number_is_refused():
    array = cuda.to_device(np.zeros(3))
    with pytest.raises(TypeError, match="takes numbers"):
        array[0] = "three"


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(12,), (2, 6), (3, -1), (1, 12, 1), (2, 2, 3)])
def test_reshape_is_that_of_numpy(shape, order):
    host = np.array(values((3, 4)), order=order)
    array = cuda.to_device(host).reshape(*shape, order=order)
    assert np.array_equal(array.copy_to_host(), host.reshape(shape, order=order))
    assert np.array_equal(
        cuda.to_device(host).ravel(order=order).copy_to_host(), host.ravel(order=order)
    )


@pytest.mark.parametrize(("shape", "words"), [
    ((5,), "changes the size"), ((-1, -1), "only specify one"), ((5, -1), "cannot infer"),
])  # fmt: skip
def test_reshapes_that_cannot_be_are_refused(shape, words):
    with pytest.raises(ValueError, match=words):
        cuda.to_device(values((3, 4))).reshape(shape)


def test_a_reshape_that_needs_a_copy_is_refused():
    array = cuda.to_device(values((4, 7)))[:, ::2]
    with pytest.raises(NotImplementedError, match="requires copying"):
        array.reshape(16)
    with pytest.raises(NotImplementedError, match="requires copying"):
        array.ravel()


def test_views_of_other_types_share_the_memory():
    host = np.arange(8, dtype=np.float32)
    array = cuda.to_device(host)
    view = array.view(np.int64)
    assert np.array_equal(view.copy_to_host(), host.view(np.int64))
    view[0] = 0
    assert array[0] == 0 and array[1] == 0
    with pytest.raises(ValueError, match="divisor of the total size"):
        cuda.to_device(host[:5]).view(np.float64)
    with pytest.raises(ValueError, match="must be C-contiguous"):
        cuda.to_device(values((4, 4), "f4"))[:, ::2].view(np.float64)


def test_transposes_and_squeezes():
    host = values((2, 1, 3))
    array = cuda.to_device(host)
    assert np.array_equal(array.T.copy_to_host(), host.T)
    assert np.array_equal(array.transpose((1, 0, 2)).copy_to_host(), host.transpose(1, 0, 2))
    assert array.squeeze().shape == (2, 3) and array.squeeze(axis=1).shape == (2, 3)
    with pytest.raises(ValueError, match="invalid axes"):
        array.transpose((0, 0, 1))


def test_split():
    array = cuda.to_device(np.arange(10))
    parts = list(array.split(4))
    assert [part.copy_to_host().tolist() for part in parts] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    parts[1][0] = 50
    assert array[4] == 50
    with pytest.raises(ValueError, match="1d"):
        next(array.reshape(2, 5).split(2))
    with pytest.raises(ValueError, match="unit stride"):
        next(array[::2].split(2))


def test_iteration_and_length():
    host = values((3, 2))
    array = cuda.to_device(host)
    assert len(array) == 3
    assert [row.copy_to_host().tolist() for row in array] == host.tolist()
    assert list(array[0]) == host[0].tolist()
    with pytest.raises(TypeError, match="without axes"):
        len(cuda.to_device(np.float32(1)))


def test_records():
    dtype = np.dtype([("count", np.int32), ("place", np.float64, (2, 3)), ("flag", np.bool_)])
    host = np.zeros(4, dtype)
    host["count"] = [1, 2, 3, 4]
    host["place"][2] = 7
    array = cuda.to_device(host)
    assert array.dtype == dtype and np.array_equal(array.copy_to_host(), host)
    assert array["place"].shape == (4, 2, 3)
    assert np.array_equal(array["count"].copy_to_host(), host["count"])
    record = array[2]
    assert isinstance(record, cuda.DeviceRecord)
    assert record["count"] == 3 and np.array_equal(record["place"].copy_to_host(), host["place"][2])
    record["count"] = 9
    array[0] = host[3]
    host["count"][2], host[0] = 9, host[3]
    assert np.array_equal(array.copy_to_host(), host)
    with pytest.raises(IndexError, match="no field 'size'; it has count, place, flag"):
        record["size"]
    one = cuda.to_device(host[1])
    assert isinstance(one, cuda.DeviceRecord) and one["count"] == 2
    assert one.copy_to_host()[()] == host[1]


@pytest.mark.parametrize("dtype", ["M8[D]", "M8[ns]", "m8[s]"])
def test_dates(dtype):
    host = np.arange(5).astype(dtype)
    array = cuda.to_device(host)
    assert array.dtype == host.dtype and array[3] == host[3]
    assert np.array_equal(array[1:3].copy_to_host(), host[1:3])
    array[0] = host[4]
    assert array[0] == host[4]


def test_new_arrays():
    assert cuda.device_array(3).dtype == np.float64
    array = cuda.device_array((2, 3), np.int16, order="F")
    assert array.strides == (2, 4) and array.is_f_contiguous()
    strided = cuda.device_array((2, 3), "f4", strides=(32, 8))
    assert strided.strides == (32, 8) and strided.alloc_size == 32 + 2 * 8 + 4
    host = np.zeros((2, 3, 4)).transpose(1, 0, 2)
    like = cuda.device_array_like(host)
    assert like.shape == host.shape and like.strides == np.empty_like(host).strides
    assert cuda.device_array_like(like).strides == like.strides


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: cuda.device_array(-1), ValueError, "0 or more, got -1"),
    (lambda: cuda.device_array(2.5), TypeError, "shape expects an int or a tuple of ints"),
    (lambda: cuda.device_array(2, order="K"), ValueError, "order expects 'C' or 'F', got 'K'"),
    (lambda: cuda.device_array((2, 3), strides=(8,)), ValueError, "number of axes"),
    (lambda: cuda.device_array(2, dtype="no"), TypeError, "a dtype is expected"),
    (lambda: cuda.to_device([None]), TypeError, "numbers, times, strings or records"),
    (lambda: cuda.as_cuda_array(np.zeros(3)), TypeError, "cuda array interface"),
    (lambda: cuda.to_device(np.zeros(3), stream="s"), TypeError, "stream expects"),
])  # fmt: skip
def test_wrong_values(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_an_array_is_one_of_warpwise():
    host = np.arange(6, dtype=np.float32)
    array = cuda.to_device(host)
    assert np.array_equal((array * 2 + 1).get(), host * 2 + 1)
    assert float(ww.sum(array)) == host.sum()
    assert cuda.as_cuda_array(array) is array
    over = cuda.as_cuda_array(ww.asarray(host))
    over[0] = 5
    assert over[0] == 5
    kernel = ww.SourceModule("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }")["twice"]
    kernel(array, block=6)
    assert np.array_equal(array.copy_to_host(), host * 2)


def test_streams_are_bound_to_arrays():
    stream = cuda.stream()
    array = cuda.to_device(np.arange(4), stream=stream)
    assert array.stream is stream and array[1:].stream is stream
    assert array.bind().stream == 0
    out = np.zeros(4, np.int64)
    array.copy_to_host(out, stream=stream)
    stream.synchronize()
    assert out.tolist() == [0, 1, 2, 3]
    array.setitem(0, 9, stream=stream)
    assert array.getitem(0, stream=stream) == 9


def test_numpys_functions_give_device_arrays():
    array = cuda.to_device(np.arange(6.0).reshape(2, 3))
    assert np.transpose(array, axes=(1, 0)).copy_to_host().tolist() == [[0, 3], [1, 4], [2, 5]]
    assert isinstance(np.sum(array, axis=0), cuda.DeviceNDArray)


def test_contiguity_without_repetitions():
    from warpwise.cuda.cudadrv.devicearray import array_core, is_contiguous

    plain = np.zeros((3, 4))
    spread = np.broadcast_to(plain, (5, 3, 4))
    assert array_core(spread).shape == (3, 4) and array_core(plain) is plain
    assert is_contiguous(plain) and is_contiguous(spread) and is_contiguous(plain[:0])
    assert not is_contiguous(plain.T) and not is_contiguous(plain[:, ::2])


def test_types_of_device_arrays_and_records():
    record = np.zeros(2, [("a", np.int32), ("b", np.float64)])
    device = cuda.to_device(record)
    assert repr(device._numba_type_).endswith("1, 'C', False, aligned=True)")
    assert device[0]._numba_type_ == cuda.types.from_dtype(record.dtype)


def test_views_have_the_memory_of_their_array():
    dates = cuda.to_device(np.arange("2005-02", "2005-05", dtype="datetime64[D]"))
    numbers = dates.view(np.int64)
    assert numbers.gpu_data is dates.gpu_data and numbers.gpu_data == numbers.view("u8").gpu_data
    assert int(dates.gpu_data) == dates.ptr


def test_arrays_by_shape_strides_and_dtype():
    array = cuda.cudadrv.devicearray.DeviceNDArray((1, 10), (800, 8), np.float64)
    assert array.is_c_contiguous() and array.is_f_contiguous() and array.strides == (800, 8)
    empty = cuda.cudadrv.devicearray.DeviceNDArray(shape=(0,), strides=(8,), dtype=np.int8)
    empty.copy_to_host(np.ndarray((0,), np.int8))
    memory = cuda.to_device(np.arange(6.0))
    again = cuda.cudadrv.devicearray.DeviceNDArray(
        (2, 3), (24, 8), np.float64, gpu_data=memory.gpu_data
    )
    assert again.copy_to_host().tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ValueError, match="differ in their number of axes"):
        cuda.cudadrv.devicearray.DeviceNDArray((2, 3), (8,), np.float64)


@pytest.mark.parametrize("axes", [(0, 0), (0, 2)])
def test_numpy_transposes_as_the_method_does(axes):
    array = cuda.to_device(np.arange(12).reshape(3, 4))
    assert np.transpose(array).shape == (4, 3)
    with pytest.raises(ValueError, match=r"invalid axes list"):
        np.transpose(array, axes=axes)


def test_the_transpose_of_a_matrix_in_memory_of_its_own():
    from warpwise.cuda.kernels.transpose import transpose

    matrix = np.arange(12.0).reshape(3, 4)
    made = transpose(cuda.to_device(matrix))
    assert made.is_c_contiguous() and np.array_equal(made.copy_to_host(), matrix.T)
    target = cuda.device_array((4, 3))
    assert transpose(matrix, target) is target
    assert np.array_equal(target.copy_to_host(), matrix.T)
    with pytest.raises(ValueError, match=r"the transpose has the shape \(4, 3\), but b has"):
        transpose(matrix, cuda.device_array((3, 4)))
    with pytest.raises(ValueError, match="expects a matrix"):
        transpose(np.arange(3.0))
