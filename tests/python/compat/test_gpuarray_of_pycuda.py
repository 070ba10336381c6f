"""pycuda.gpuarray.GPUArray: what it is, its memory, transfers, views, elements."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray
from pycuda.compiler import SourceModule
from pycuda.tools import DeviceMemoryPool

import warpwise as ww

RNG = np.random.default_rng()


def drawn(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return RNG.integers(-100, 100, shape).astype(dtype)


def test_what_an_array_says_of_itself() -> None:
    array = gpuarray.GPUArray((3, 4), np.float64, order="F")
    assert gpuarray.empty is gpuarray.GPUArray
    assert array.shape == (3, 4)
    assert array.dtype == np.float64
    assert (array.size, array.mem_size, array.nbytes, array.itemsize) == (12, 12, 96, 8)
    assert array.ndim == 2
    assert array.strides == (8, 24)
    assert array.flags.f_contiguous
    assert array.flags.forc
    assert not array.flags.c_contiguous
    assert len(array) == 3
    assert array.base is None
    assert array.allocator is drv.mem_alloc
    with pytest.raises(TypeError):
        len(gpuarray.zeros(()))
    with pytest.raises(TypeError, match="hash"):
        hash(array)


@pytest.mark.parametrize("shape", [5, np.int32(5), (5,), [5], np.array(5), np.array([5])])
def test_shapes_of_every_kind(shape: Any) -> None:
    assert gpuarray.empty(shape, np.int32).shape == (5,)


def test_wrong_shapes_and_orders_are_refused() -> None:
    with pytest.raises(drv.LogicError, match="negative"):
        gpuarray.empty((3, -1), np.int32)
    with pytest.raises(TypeError, match="whole numbers"):
        gpuarray.empty((2.5,), np.int32)
    with pytest.raises(ValueError, match="order"):
        gpuarray.empty((2, 2), np.int32, order="X")
    with pytest.raises(ValueError, match="strides"):
        gpuarray.empty((2, 2), np.int32, strides=(4,))
    with pytest.raises(TypeError):
        gpuarray.empty((2, 2), object)


@pytest.mark.parametrize("order", ["C", "F"])
def test_transfers_keep_the_order(order: Any) -> None:
    host = np.asarray(drawn(4, 6, 3), order=order)
    array = gpuarray.to_gpu(host)
    assert array.strides == host.strides
    back = array.get()
    np.testing.assert_array_equal(back, host)
    assert back.strides == host.strides
    array.set(2 * host)
    np.testing.assert_array_equal(array.get(), 2 * host)


def test_orders_of_both_sides_may_differ() -> None:
    """Section 4.4, #145: C-order set into an F array corrupted it."""
    host = drawn(5, 7)
    array = gpuarray.empty((5, 7), np.float32, order="F")
    array.set(host)
    np.testing.assert_array_equal(array.get(), host)
    into = np.zeros((5, 7), np.float32)
    assert array.get(into) is into
    np.testing.assert_array_equal(into, host)
    spread = np.zeros((10, 14), np.float32)[::2, ::-2]
    array.get(spread)
    np.testing.assert_array_equal(spread, host)
    array.set(np.ascontiguousarray(host[::-1])[::-1])
    np.testing.assert_array_equal(array.get(), host)


def test_asynchronous_transfers() -> None:
    stream, host = drv.Stream(), drv.pagelocked_empty((100,), np.float32)
    host[:] = drawn(100)
    array = gpuarray.to_gpu_async(host, allocator=drv.mem_alloc, stream=stream)
    array.set_async(host, stream=stream)
    array.set(host, async_=True, stream=stream)
    into = np.empty_like(host)
    back = array.get_async(stream=stream, ary=into)
    other = array.get(async_=True, stream=stream, pagelocked=True)
    stream.synchronize()
    assert back is into
    np.testing.assert_array_equal(back, host)
    np.testing.assert_array_equal(other, host)
    np.testing.assert_array_equal(array.get(stream=stream), host)


def test_transfers_that_do_not_fit_are_refused() -> None:
    array = gpuarray.zeros((2, 3), np.float32)
    with pytest.raises(ValueError, match="same size"):
        array.set(np.zeros(5, np.float32))
    with pytest.raises(ValueError, match="dtype"):
        array.set(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="same size"):
        array.get(np.zeros(5, np.float32))
    with pytest.raises(TypeError, match="dtype"):
        array.get(np.zeros((2, 3)))
    with pytest.raises(TypeError, match="ndarray"):
        array.set([1, 2, 3, 4, 5, 6])
    with pytest.warns(UserWarning, match="different shape"):
        array.set(np.arange(6, dtype=np.float32))
    into = np.zeros(6, np.float32)
    with pytest.warns(DeprecationWarning):
        assert array.get(into) is into
    np.testing.assert_array_equal(into, np.arange(6))


def test_set_takes_arrays_of_the_device() -> None:
    host = drawn(2, 3)
    array, stream = gpuarray.zeros((2, 3), np.float32), drv.Stream()
    array.set(gpuarray.to_gpu(host[:, ::-1].copy(order="F"))[:, ::-1])
    np.testing.assert_array_equal(array.get(), host)
    array.set_async(gpuarray.to_gpu(host) * 2, stream=stream)
    np.testing.assert_array_equal(array.get(stream=stream), host * 2)
    with pytest.warns(UserWarning, match="different shape"):
        array.set(gpuarray.arange(6, dtype=np.float32))
    np.testing.assert_array_equal(array.get(), np.arange(6).reshape(2, 3))
    with pytest.raises(ValueError, match="same size"):
        array.set(gpuarray.zeros(5, np.float32))
    with pytest.raises(ValueError, match="dtype"):
        array.set(gpuarray.zeros((2, 3), np.float64))


def test_memory_that_exists() -> None:
    host = np.arange(12, dtype=np.float32)
    memory = drv.to_device(host)
    array = gpuarray.GPUArray((3, 4), np.float32, gpudata=memory)
    assert array.gpudata is memory
    array += 1
    np.testing.assert_array_equal(drv.from_device(memory, (12,), np.float32), host + 1)
    part = gpuarray.GPUArray((2, 2), np.float32, base=array, gpudata=int(memory) + 16,
                             strides=(16, 8))  # fmt: skip
    assert part.base is array
    np.testing.assert_array_equal(part.get(), [[5, 7], [9, 11]])
    part *= 10
    np.testing.assert_array_equal(array.get()[1], [50, 6, 70, 8])
    with pytest.raises(ValueError, match="bytes"):
        gpuarray.GPUArray((4, 4), np.float32, gpudata=memory)


def test_freed_memory_is_refused() -> None:
    array = gpuarray.to_gpu(np.arange(4, dtype=np.float32))
    array.gpudata.free()
    with pytest.raises(drv.Error, match="freed"):
        (array + 1).get()
    with pytest.raises(drv.Error, match="freed"):
        gpuarray.GPUArray((4,), np.float32, gpudata=array.gpudata)


def test_views_remember_their_memory() -> None:
    array = gpuarray.to_gpu(drawn(4, 6))
    want = array.get()[2, ::-1]
    view = array[2, ::-1]
    address = view.gpudata
    assert isinstance(address, int)
    assert int(address) == int(array.gpudata) + array.strides[0] * 3 - array.itemsize
    again = gpuarray.GPUArray(view.shape, view.dtype, gpudata=address, strides=view.strides)
    del array, view
    gpuarray.zeros(24, np.float32).get()
    np.testing.assert_array_equal(again.get(), want)
    back = np.empty(6, np.float32)
    whole = gpuarray.to_gpu(drawn(3, 6))
    drv.memcpy_dtoh(back, whole[1].gpudata)
    np.testing.assert_array_equal(back, whole.get()[1])


def test_building_on_gpudata_does_not_end_laziness() -> None:
    drv.Context.synchronize()
    array = gpuarray.to_gpu(np.ones(1 << 18, np.float32))
    other = gpuarray.GPUArray(array.shape, array.dtype, gpudata=array.gpudata)
    before = ww.Device().pool.active_bytes
    chain = (array + 1) * other
    assert ww.Device().pool.active_bytes == before
    other.fill(5)
    np.testing.assert_array_equal(chain.get()[:2], [2, 2])
    np.testing.assert_array_equal(array.get()[:2], [5, 5])


def test_pointers_and_interface() -> None:
    array = gpuarray.to_gpu(drawn(4, 6))
    view = array[1:, ::2]
    assert array.ptr == int(array.gpudata)
    interface = view.__cuda_array_interface__
    assert interface["data"] == (array.ptr + 24, False)
    assert (interface["shape"], interface["strides"]) == ((3, 3), (24, 8))
    assert (interface["typestr"], interface["version"], interface["stream"]) == ("<f4", 3, None)


def test_a_caller_s_allocator_is_called_once_for_each_array() -> None:
    calls = []

    def allocate(size: int) -> Any:
        calls.append((size, drv.mem_alloc(size)))
        return calls[-1][1]

    host = drawn(5, 8)
    array = gpuarray.to_gpu(host, allocator=allocate)
    assert [size for size, _ in calls] == [160]
    assert array.gpudata is calls[0][1]
    assert array.allocator is allocate
    result = array * 2 + 1
    assert len(calls) == 1  # nothing needs its memory yet, nor ever that of array * 2
    assert result.gpudata is calls[1][1]
    assert result.gpudata is calls[1][1]
    assert [size for size, _ in calls] == [160, 160]
    total = gpuarray.sum(array)
    assert total.get() == host.sum()
    assert [size for size, _ in calls] == [160, 160, 4]
    assert total.gpudata is calls[2][1]
    np.testing.assert_array_equal(result.get(), host * 2 + 1)
    assert len(calls) == 3
    (array - 1)[1:].fill(0)
    assert len(calls) == 4
    view = array[1:]
    assert view.allocator is allocate
    assert len(calls) == 4
    result += array
    assert len(calls) == 4
    assert (gpuarray.empty((0, 3), np.int8, allocator=allocate)).gpudata is None
    assert len(calls) == 4


def test_arrays_of_pools() -> None:
    pool = DeviceMemoryPool()
    drv.Context.synchronize()
    before = pool.active_blocks
    array = gpuarray.to_gpu(np.arange(100, dtype=np.int32), allocator=pool.allocate)
    double = array + array
    assert isinstance(double.gpudata, drv.PooledDeviceAllocation)
    np.testing.assert_array_equal(double.get(), 2 * np.arange(100))
    drv.Context.synchronize()
    assert pool.active_blocks == before + 2
    del array, double
    drv.Context.synchronize()
    assert pool.active_blocks == before


def test_reshapes_relabel_memory() -> None:
    host = drawn(4, 6)
    for order in ("C", "F"):
        array = gpuarray.to_gpu(np.asarray(host, order=order))  # type: ignore[call-overload]
        lying = host.ravel(order=order)  # type: ignore[call-overload]
        np.testing.assert_array_equal(array.ravel().get(), lying)
        np.testing.assert_array_equal(array.reshape(3, 8).get(), lying.reshape(3, 8))
        np.testing.assert_array_equal(
            array.reshape((2, -1), order="F").get(), lying.reshape((2, 12), order="F")
        )
        np.testing.assert_array_equal(
            gpuarray.reshape(array, 8, 3, order="F").get(), lying.reshape((8, 3), order="F")
        )
        assert array.reshape(24).base is array
        assert array.reshape([4, 6], order=order) is array
    with pytest.raises(ValueError, match="unchanged"):
        array.reshape(5, 5)
    with pytest.raises(ValueError, match="one unknown"):
        array.reshape(-1, -1)
    with pytest.raises(RuntimeError, match="contiguous"):
        array[::2].reshape(12)


def test_a_reshape_shares_memory() -> None:
    array = gpuarray.to_gpu(np.arange(6, dtype=np.float32))
    array.reshape(2, 3)[1] = 7
    np.testing.assert_array_equal(array.get(), [0, 1, 2, 7, 7, 7])


def test_views_of_other_types() -> None:
    host = drawn(4, 6, dtype=np.int32)
    array = gpuarray.to_gpu(host)
    np.testing.assert_array_equal(array.view(np.uint8).get(), host.view(np.uint8))
    np.testing.assert_array_equal(array.view(np.int64).get(), host.view(np.int64))
    assert array.view().base is array
    fortran = gpuarray.to_gpu(np.asfortranarray(host))
    np.testing.assert_array_equal(
        fortran.view(np.int64).get(), np.asfortranarray(host).T.view(np.int64).T
    )
    with pytest.raises(ValueError, match="compatible"):
        gpuarray.zeros(3, np.int8).view(np.int16)


def test_squeeze_keeps_axes_without_elements() -> None:
    assert gpuarray.zeros((1, 3, 1), np.float32).squeeze().shape == (3,)
    assert gpuarray.zeros((1, 0, 2), np.float32).squeeze().shape == (0, 2)


def test_transposes() -> None:
    host = drawn(2, 3, 4)
    array = gpuarray.to_gpu(host)
    np.testing.assert_array_equal(array.T.get(), host.T)
    np.testing.assert_array_equal(array.transpose(axes=(1, 2, 0)).get(), host.transpose(1, 2, 0))
    np.testing.assert_array_equal(gpuarray.transpose(array, axes=[2, 0, 1]).get(),
                                  host.transpose(2, 0, 1))  # fmt: skip
    assert array.T.base is array
    with pytest.raises(ValueError, match="axes"):
        array.transpose((0, 1))


INDICES: list[Any] = [
    2, -1, slice(None), slice(1, 4, 2), slice(None, None, -1), slice(5, 3), slice(3, 1, -1),
    (1, 2), (slice(1, None), -2), (Ellipsis, 1), (1, Ellipsis), (np.newaxis, 3),
    (slice(4, 0, -3), slice(None, None, 2), slice(1, 1)), (slice(None), np.newaxis, 1),
    np.int64(3),
]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_indices_are_those_of_numpy(index: Any) -> None:
    """Also section 1.8's defect: a[5:3] had two elements."""
    host = drawn(5, 6, 3)
    array = gpuarray.to_gpu(host)
    np.testing.assert_array_equal(array[index].get(), host[index])
    array[index] = 7
    host[index] = 7
    np.testing.assert_array_equal(array.get(), host)
    values = drawn(*host[index].shape)
    array[index] = gpuarray.to_gpu(values)
    host[index] = values
    np.testing.assert_array_equal(array.get(), host)
    array[index] = 2 * values
    host[index] = 2 * values
    np.testing.assert_array_equal(array.get(), host)


def test_wrong_indices() -> None:
    array = gpuarray.zeros((3, 4), np.float32)
    for index in (3, -4, (0, 4), (0, 0, 0)):
        with pytest.raises(IndexError):
            array[index]
    with pytest.raises(ValueError, match="shape"):
        array[0] = gpuarray.zeros(5, np.float32)


def test_iteration_ends() -> None:
    array = gpuarray.to_gpu(np.arange(3, dtype=np.float32))
    assert [float(one.get()) for one in array] == [0, 1, 2]


def test_the_truth_of_one_element() -> None:
    assert bool(gpuarray.ones((1, 1)))
    assert not gpuarray.zeros(())
    with pytest.raises(ValueError, match="ambiguous"):
        bool(gpuarray.zeros(2))


def test_fill_truncates_and_takes_a_stream() -> None:
    array = gpuarray.empty(5, np.int32)
    stream = drv.Stream()
    assert array.fill(2.9, stream=stream) is array
    stream.synchronize()
    np.testing.assert_array_equal(array.get(), [2] * 5)
    np.testing.assert_array_equal(gpuarray.empty(3, np.complex64).fill(1 + 2j).get(), [1 + 2j] * 3)
    spread = gpuarray.zeros((4, 6), np.float32)
    spread[::2, 1::2].fill(3)
    assert spread.get().sum() == 18


def test_astype_and_copy() -> None:
    host = np.array([1.9, -2.7, 3], np.float64)
    array, stream = gpuarray.to_gpu(host), drv.Stream()
    whole = array.astype(np.int16, stream=stream)
    stream.synchronize()
    assert whole.dtype == np.int16
    np.testing.assert_array_equal(whole.get(), [1, -2, 3])
    same = array.astype(np.float64)
    copied = array.copy(stream=stream)
    stream.synchronize()
    array.fill(0)
    np.testing.assert_array_equal(same.get(), host)
    np.testing.assert_array_equal(copied.get(), host)


@pytest.mark.parametrize("order", ["C", "F"])
def test_reverse_goes_by_memory(order: Any) -> None:
    host = np.asarray(drawn(3, 5), order=order)
    array, stream = gpuarray.to_gpu(host), drv.Stream()
    backwards = array.reverse(stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(backwards.get().ravel(order=order), host.ravel(order=order)[::-1])
    with pytest.raises(RuntimeError, match="contiguous"):
        array[:, ::2].reverse()


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_parts_are_arrays_of_their_own(dtype: Any) -> None:
    host = np.asfortranarray(drawn(4, 3) + 1j * drawn(4, 3)).astype(dtype)
    array = gpuarray.to_gpu(host)
    real, imag, conj = array.real, array.imag, array.conj()
    array.fill(0)
    np.testing.assert_array_equal(real.get(), host.real)
    np.testing.assert_array_equal(imag.get(), host.imag)
    np.testing.assert_array_equal(conj.get(), host.conj())
    assert real.flags.f_contiguous
    assert real.dtype == host.real.dtype
    out = gpuarray.empty_like(conj)
    assert conj.conj(out=out) is out
    np.testing.assert_array_equal(out.get(), host)
    assert conj.conjugate(out=out) is out
    np.testing.assert_allclose(abs(conj).get(), abs(host), rtol=1e-6)


def test_parts_of_real_numbers() -> None:
    array = gpuarray.to_gpu(drawn(4))
    assert array.real is array
    assert array.conj() is array
    np.testing.assert_array_equal(array.imag.get(), np.zeros(4))


def test_mul_add() -> None:
    a, b, stream = drawn(50), drawn(50), drv.Stream()
    x, y, times = gpuarray.to_gpu(a), gpuarray.to_gpu(b), []
    np.testing.assert_array_equal(x.mul_add(2, y, 3).get(), 2 * a + 3 * b)
    out = gpuarray.empty(50, np.float64)
    result = x.mul_add(2, y, 3, add_timer=lambda n, seconds: times.append((n, seconds)),
                       stream=stream, out=out)  # fmt: skip
    assert result is out
    stream.synchronize()
    np.testing.assert_array_equal(out.get(), 2 * a + 3 * b)
    assert times[0][0] == 150
    assert times[0][1]() > 0


def test_any_and_all() -> None:
    pool, stream = DeviceMemoryPool(), drv.Stream()
    array = gpuarray.to_gpu(np.array([0, 0, 3], np.float32))
    some = array.any(stream=stream, allocator=pool.allocate)
    every = array.all(stream=stream, allocator=pool.allocate)
    assert some.dtype == np.bool_
    assert isinstance(some.gpudata, drv.PooledDeviceAllocation)
    assert some.get()
    assert not every.get()


@pytest.mark.parametrize("dtype", ["float32", "int8", "complex128", "bool"])
def test_pickles(dtype: str) -> None:
    host = np.asfortranarray(drawn(4, 3).astype(dtype))
    back = pickle.loads(pickle.dumps(gpuarray.to_gpu(host)))
    assert isinstance(back, gpuarray.GPUArray)
    np.testing.assert_array_equal(back.get(), host)
    assert back.strides == host.strides


def test_arrays_are_shown_as_numpys() -> None:
    array = gpuarray.to_gpu(np.arange(3, dtype=np.int16))
    assert str(array) == "[0 1 2]"
    assert repr(array) == "array([0, 1, 2], dtype=int16)"


def test_vector_types() -> None:
    kind = gpuarray.vec.float4
    assert kind.names == ("x", "y", "z", "w")
    assert gpuarray.vec.make_double2(1, y=2).tolist() == (1, 2)
    with pytest.raises(TypeError, match="make_int3"):
        gpuarray.vec.make_int3(1, 2)
    assert not hasattr(gpuarray.vec, "double4")
    array = gpuarray.zeros(5, kind)
    array[2] = gpuarray.vec.make_float4(1, 2, 3, 4)
    double = SourceModule(
        "__global__ void twice(float4 *v) { v[threadIdx.x].w *= 2; v[threadIdx.x].x += 1; }"
    ).get_function("twice")
    double(array, block=(5, 1, 1))
    assert array.get()[2].tolist() == (2, 2, 3, 8)
    assert array.get()[0].tolist() == (1, 0, 0, 0)


def test_subclasses_make_their_own() -> None:
    class Mine(gpuarray.GPUArray):
        pass

    array = Mine((4,), np.float32)
    array.fill(2)
    for one in (array + 1, array[1:], array.copy(), array.reshape(2, 2)):
        assert isinstance(one, Mine)
    double = SourceModule("__global__ void twice(float *v) { v[threadIdx.x] *= 2; }").get_function(
        "twice"
    )
    double(array, block=(4, 1, 1))
    np.testing.assert_array_equal(array.get(), [4] * 4)


class Labelled(gpuarray.GPUArray):
    """As libraries over PyCUDA derive arrays: with attributes and results of their own making."""

    def __init__(self, label: str, shape: Any, dtype: Any, **more: Any) -> None:
        super().__init__(shape, dtype, **more)
        self.label = label
        self.nbytes = 3

    def _new_like_me(self, dtype: Any = None, order: str = "C") -> Any:
        return Labelled(self.label, self.shape, self.dtype if dtype is None else dtype, order=order)


@pytest.mark.parametrize(
    "operation",
    [
        lambda a: a + a, lambda a: 1 + a, lambda a: a - 1.5, lambda a: 3 - a, lambda a: a * a,
        lambda a: 2 * a, lambda a: a**2, lambda a: 2**a, lambda a: -a, lambda a: a / 2, abs,
        lambda a: a < 3, lambda a: a.copy(), lambda a: a.astype(np.float64),
    ],
)  # fmt: skip
def test_results_of_subclasses_are_what_new_like_me_makes(operation: Any) -> None:
    host = np.arange(1, 6, dtype=np.float32)
    array = Labelled("x", host.shape, host.dtype)
    array.set(host)
    result = operation(array)
    assert isinstance(result, Labelled) and result.label == "x"
    np.testing.assert_allclose(result.get(), operation(host), rtol=1e-6)


def test_results_of_another_shape_are_of_the_class() -> None:
    result = Labelled("x", (3,), np.float32).fill(1) + gpuarray.ones((2, 3), np.float32)
    assert isinstance(result, Labelled)
    np.testing.assert_array_equal(result.get(), np.full((2, 3), 2))


def test_subclasses_set_attributes_that_are_computed() -> None:
    array = Labelled("x", (4,), np.float32)
    assert array.nbytes == 3 and array.size == 4
    array.allocator = drv.mem_alloc
    assert array.allocator is drv.mem_alloc


def test_a_shape_that_is_assigned_relabels_memory() -> None:
    array = gpuarray.to_gpu(np.arange(6, dtype=np.int32))
    where = array.gpudata
    array.shape = (2, 3)
    assert array.gpudata is where
    np.testing.assert_array_equal(array.get(), np.arange(6).reshape(2, 3))
    with pytest.raises(ValueError, match="size"):
        array.shape = (4,)
    assert array.shape == (2, 3)


def test_memory_that_is_assigned_takes_the_place_of_the_arrays_own() -> None:
    memory = gpuarray.to_gpu(np.arange(8, dtype=np.float32))
    array = gpuarray.zeros(4, np.float32)
    twice = SourceModule(KERNELS).get_function("twice")
    twice(array, block=(4, 1, 1))
    array.gpudata = int(memory.gpudata) + 16
    twice(array, block=(4, 1, 1))
    np.testing.assert_array_equal(array.get(), [8, 10, 12, 14])
    np.testing.assert_array_equal(memory.get()[4:], [8, 10, 12, 14])
    with pytest.raises(TypeError, match="deleted"):
        del array.gpudata


def test_an_array_at_address_0_waits_for_memory() -> None:
    """Libraries make arrays so whose memory they plan later."""
    array = gpuarray.GPUArray((4,), np.float32, allocator=lambda size: 0)
    assert array.gpudata == 0 and array.nbytes == 16
    with pytest.raises(drv.LogicError, match="freed"):
        array.get()
    memory = gpuarray.to_gpu(np.arange(4, dtype=np.float32))
    array.gpudata = memory.gpudata
    assert array.base is None
    np.testing.assert_array_equal(array.get(), np.arange(4))


def test_elements_are_copied_whatever_the_strides() -> None:
    host = np.arange(12, dtype=np.float32).reshape(3, 4)
    source = gpuarray.to_gpu(host)
    target, back = gpuarray.zeros((4, 3), np.float32), np.zeros((4, 3), np.float32)
    gpuarray._memcpy_discontig(target, source.T)
    np.testing.assert_array_equal(target.get(), host.T)
    gpuarray._memcpy_discontig(back, source.T, async_=False, stream=None)
    np.testing.assert_array_equal(back, host.T)
    gpuarray._memcpy_discontig(target, 2 * host.T)
    np.testing.assert_array_equal(target.get(), 2 * host.T)
    with pytest.raises(ValueError, match="shape"):
        gpuarray._memcpy_discontig(target, source)
    with pytest.raises(TypeError, match="dtype"):
        gpuarray._memcpy_discontig(target, source.T.astype(np.int32))
    with pytest.raises(TypeError, match="src must be"):
        gpuarray._memcpy_discontig(target, [1])


KERNELS = """
__global__ void twice(float *x) { x[threadIdx.x] *= 2; }
__global__ void column(float *x, int pitch) { x[(int)threadIdx.x * pitch] = 9; }
"""


def test_kernels_take_arrays_views_and_addresses() -> None:
    twice = SourceModule(KERNELS).get_function("twice")
    lazy = gpuarray.to_gpu(np.arange(8, dtype=np.float32)) + 1
    twice(lazy, block=(8, 1, 1))
    twice.prepare("P")
    for argument in (lazy.gpudata, lazy, lazy.ptr):
        twice.prepared_call((1, 1), (8, 1, 1), argument)
    twice.prepared_call((1, 1), (4, 1, 1), lazy[4:].gpudata)
    want = 16 * np.arange(1, 9)
    want[4:] *= 2
    np.testing.assert_array_equal(lazy.get(), want)
    fortran = gpuarray.ones((2, 4), np.float32, order="F")
    twice(fortran, block=(8, 1, 1))
    assert (fortran.get() == 2).all()


def test_views_with_gaps_are_passed_as_pointers() -> None:
    column = SourceModule(KERNELS).get_function("column")
    array = gpuarray.zeros((4, 6), np.float32)
    column(array[:, 1], np.int32(6), block=(4, 1, 1))
    column(array[::-1, 4], np.int32(-6), block=(4, 1, 1))
    want = np.zeros((4, 6))
    want[:, [1, 4]] = 9
    np.testing.assert_array_equal(array.get(), want)


def test_other_dtypes_are_passed_as_they_are_with_a_warning() -> None:
    twice = SourceModule(KERNELS).get_function("twice")
    array = gpuarray.ones(4, np.float64)
    with pytest.warns(UserWarning, match="float64"):
        twice(array, block=(8, 1, 1))
    words = np.ones(4).view(np.float32) * 2
    np.testing.assert_array_equal(array.get().view(np.float32), words)


def test_program_order_is_kept() -> None:
    x = gpuarray.to_gpu(np.ones(4, np.float32))
    before = x * 3
    drv.memcpy_htod(x.gpudata, np.full(4, 5, np.float32))
    after = x + 1
    event = drv.Event().record()
    drv.memset_d32(x.gpudata, 0, 4)
    event.synchronize()
    for array, value in ((before, 3), (after, 6), (x, 0)):
        np.testing.assert_array_equal(array.get(), [value] * 4)


def test_arrays_tell_the_grid_and_block_of_kernels_launched_by_hand() -> None:
    """PyCUDA's `_grid` and `_block`, which scripts pass to functions of their own."""
    kernel = SourceModule("""__global__ void add_one(float *x, int n) {
        const int step = blockDim.x * gridDim.x;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) x[i] += 1;
    }""").get_function("add_one")
    for count in (1, 31, 1000, 100_000):
        x = gpuarray.zeros(count, np.float32)
        kernel(x, np.int32(count), grid=x._grid, block=x._block)
        kernel.prepare("Pi").prepared_call(x._grid, x._block, x.gpudata, count)
        assert (x.get() == 2).all() and len(x._grid) == 2 and len(x._block) == 3


@pytest.mark.parametrize("index", [5, (1, 2, 3), "name", 1.5, (..., ...)])
def test_what_is_no_index_is_an_index_error(index: Any) -> None:
    array = gpuarray.zeros((3, 4), np.float32)
    with pytest.raises(IndexError):
        array[index]
    with pytest.raises(IndexError):
        array[index] = 1


@pytest.mark.parametrize(
    ("dtype", "value", "error"),
    [("int32", 2**40, ValueError), ("uint8", -1, ValueError), ("uint8", 256.0, ValueError),
     ("int32", float("nan"), ValueError), ("float32", 1j, TypeError), ("float32", None, TypeError),
     ("float32", "1", TypeError)],
)  # fmt: skip
def test_numbers_that_do_not_fit_are_refused(dtype: str, value: Any, error: Any) -> None:
    array = gpuarray.zeros(3, dtype)
    with pytest.raises(error) as caught:
        array.fill(value)
    assert isinstance(caught.value, drv.LogicError)
    with pytest.raises(error):
        array[1] = value
    np.testing.assert_array_equal(array.get(), 0)
