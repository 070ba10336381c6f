"""pycuda.gpuarray's functions: making, choosing, reducing, taking and joining arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray
from pycuda.tools import DeviceMemoryPool

RNG = np.random.default_rng()
REALS = ["int8", "uint8", "int16", "uint32", "int64", "uint64", "float16", "float32", "float64"]
Make = Callable[..., Any]


def drawn(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return RNG.integers(0, 100, shape).astype(dtype)


# --- Making.


@pytest.mark.parametrize(("make", "value"), [(gpuarray.zeros, 0), (gpuarray.ones, 1)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_filled_arrays(make: Make, value: int, order: str) -> None:
    pool = DeviceMemoryPool()
    array = make((4, 5), dtype=np.int16, allocator=pool.allocate, order=order)
    np.testing.assert_array_equal(array.get(), np.full((4, 5), value, np.int16))
    assert array.flags.f_contiguous == (order == "F")
    assert isinstance(array.gpudata, drv.PooledDeviceAllocation)
    assert make(3).dtype == np.float64


@pytest.mark.parametrize(
    ("make", "value"),
    [(gpuarray.zeros_like, 0), (gpuarray.ones_like, 1), (gpuarray.empty_like, None)],
)
def test_arrays_like_others(make: Make, value: int | None) -> None:
    fortran = gpuarray.to_gpu(np.asfortranarray(drawn(4, 5)))
    for order, is_fortran in (("K", True), ("A", True), ("F", True), ("C", False)):
        array = make(fortran, dtype=np.int8, order=order)
        assert array.flags.f_contiguous == is_fortran
        assert (array.dtype, array.shape) == (np.int8, (4, 5))
        if value is not None:
            assert (array.get() == value).all()
    swapped = make(gpuarray.zeros((2, 3, 4), np.float32).transpose((1, 0, 2)))
    assert swapped.strides == (16, 48, 4)
    with pytest.raises(ValueError, match="order"):
        make(fortran, order="X")


def test_every_parameter_by_name() -> None:
    allocator, stream = DeviceMemoryPool().allocate, drv.Stream()
    empty = gpuarray.GPUArray((2, 3), np.int8, allocator=allocator)
    zeros = gpuarray.zeros((2, 3), dtype=np.int8, allocator=allocator, order="F")
    ones = gpuarray.ones((2, 3), dtype=np.int8, allocator=allocator, order="F")
    for one in (empty, zeros, ones):
        assert isinstance(one.gpudata, drv.PooledDeviceAllocation)
    assert gpuarray.empty_like(zeros, dtype=np.int16, order="C").strides == (6, 2)
    assert gpuarray.zeros_like(zeros, dtype=np.int16, order="C").strides == (6, 2)
    alike = gpuarray.ones_like(zeros, dtype=np.int16, order="C")
    np.testing.assert_array_equal(alike.get(), np.ones((2, 3)))
    out = gpuarray.empty((2, 3), np.int16)
    assert gpuarray.maximum(zeros, ones, out=out, stream=stream) is out
    stream.synchronize()
    np.testing.assert_array_equal(out.get(), np.ones((2, 3)))
    assert gpuarray.minimum(zeros, ones, out=out, stream=stream) is out
    stream.synchronize()
    np.testing.assert_array_equal(out.get(), np.zeros((2, 3)))
    flags = gpuarray.empty((2, 3), np.bool_)
    both = gpuarray.logical_and(zeros, ones, out=flags, allocator=allocator)
    assert not both.get().any()
    either = gpuarray.logical_or(zeros, ones, out=flags, allocator=allocator)
    assert either.get().all()


@pytest.mark.parametrize(
    ("arguments", "dtype"),
    [((5,), "f4"), ((2, 9), "i4"), ((0, 10, 3), "i1"), ((1, 2, 0.25), "f8"), ((5, 0, -2), "f4"),
     ((3, 3), "u8"), ((-128, 127), "i1")],
)  # fmt: skip
def test_ranges(arguments: tuple[Any, ...], dtype: str) -> None:
    stream = drv.Stream()
    array = gpuarray.arange(*arguments, dtype=dtype, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(array.get(), np.arange(*arguments, dtype=dtype))
    assert array.dtype == np.dtype(dtype)


def test_ranges_convert_their_numbers_first() -> None:
    np.testing.assert_array_equal(gpuarray.arange(0.9, 5.9, 2.5, dtype=np.int32).get(), [0, 2, 4])
    array = gpuarray.arange(start=1, stop=4, dtype=np.float32)
    np.testing.assert_array_equal(array.get(), [1, 2, 3])
    np.testing.assert_array_equal(gpuarray.arange(3, np.dtype(np.float32)).get(), [0, 1, 2])
    with pytest.warns(UserWarning, match="float32"):
        assert gpuarray.arange(3).dtype == np.int64


def test_wrong_ranges() -> None:
    for arguments in ((), (1, 2, 3, 4)):
        with pytest.raises(ValueError, match="arange"):
            gpuarray.arange(*arguments, dtype=np.float32)
    with pytest.raises(ValueError, match="stops"):
        gpuarray.arange(stops=3, dtype=np.float32)
    with pytest.raises(ValueError, match="'stop'"):
        gpuarray.arange(3, stop=3, dtype=np.float32)
    with pytest.raises(ValueError, match="step"):
        gpuarray.arange(0, 5, 0.5, dtype=np.int32)
    with pytest.raises(TypeError, match="real"):
        gpuarray.arange(3, dtype=np.complex64)


# --- Choosing.


def test_if_positive_and_where() -> None:
    a, b, stream = drawn(6, 7) - 50, drawn(6, 7), drv.Stream()
    x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    zero = (a > 0).astype(np.float32)
    np.testing.assert_array_equal(gpuarray.if_positive(x, x, y).get(), np.where(a > 0, a, b))
    out = gpuarray.empty((6, 7), np.float64)
    assert gpuarray.if_positive(x, x, y, out=out, stream=stream) is out
    stream.synchronize()
    np.testing.assert_array_equal(out.get(), np.where(a > 0, a, b))
    chosen = gpuarray.where(gpuarray.to_gpu(zero), x, y)
    np.testing.assert_array_equal(chosen.get(), np.where(zero != 0, a, b))
    assert gpuarray.where(gpuarray.to_gpu(-zero), x, y, out=out, stream=stream) is out
    stream.synchronize()
    np.testing.assert_array_equal(out.get(), np.where(zero != 0, a, b))
    np.testing.assert_array_equal(gpuarray.where(x > 0, x, 0).get(), np.where(a > 0, a, 0))


def test_choices_that_do_not_fit() -> None:
    x, y = gpuarray.zeros((3,), np.float32), gpuarray.zeros((4,), np.float32)
    with pytest.raises(ValueError, match="shapes do not match"):
        gpuarray.if_positive(x, x, y)
    with pytest.raises(ValueError, match="dtypes do not match"):
        gpuarray.if_positive(x, x, gpuarray.zeros((3,), np.int32))
    with pytest.raises(TypeError, match="criterion"):
        gpuarray.if_positive(1, x, x)
    with pytest.raises(TypeError, match="GPUArray"):
        gpuarray.where(x, 1, 2)
    with pytest.raises(ValueError, match="out has shape"):
        gpuarray.where(x, x, x, out=y)


@pytest.mark.parametrize("dtype", [*REALS, "bool"])
def test_extremes_of_two(dtype: str) -> None:
    """Section 4.4, #364, 1.8: integers and bool did not compile."""
    a, b = drawn(50, dtype=dtype), drawn(50, dtype=dtype)
    x, y, stream = gpuarray.to_gpu(a), gpuarray.to_gpu(b), drv.Stream()
    for ours, theirs in ((gpuarray.maximum, np.maximum), (gpuarray.minimum, np.minimum)):
        np.testing.assert_array_equal(ours(x, y).get(), theirs(a, b))
        np.testing.assert_array_equal(ours(x, 1).get(), theirs(a, a.dtype.type(1)))
        np.testing.assert_array_equal(ours(1, y).get(), theirs(a.dtype.type(1), b))
        out = gpuarray.empty(50, np.float64)
        assert ours(x, y, out=out, stream=stream) is out
        stream.synchronize()
        np.testing.assert_array_equal(out.get(), theirs(a, b))
        assert ours(x, y).dtype == np.dtype(dtype)


def test_extremes_skip_nan() -> None:
    host = np.array([1, np.nan, 3, np.nan], np.float32)
    x, y = gpuarray.to_gpu(host), gpuarray.to_gpu(host[::-1].copy())
    np.testing.assert_array_equal(gpuarray.maximum(x, y).get(), [1, 3, 3, 1])
    np.testing.assert_array_equal(gpuarray.minimum(x, 2).get(), [1, 2, 2, 2])
    assert gpuarray.max(x).get() == 3
    assert gpuarray.min(x).get() == 1
    nothing = gpuarray.to_gpu(np.full(3, np.nan))
    assert gpuarray.max(nothing).get() == -np.inf
    assert gpuarray.min(nothing).get() == np.inf


# --- Reducing.


@pytest.mark.parametrize("dtype", [*REALS, "complex64", "complex128", "bool"])
@pytest.mark.parametrize("shape", [(0,), (1,), (1025,), (33, 17), ()])
def test_reductions(dtype: str, shape: tuple[int, ...]) -> None:
    host = np.asarray(drawn(*shape)).astype(dtype)
    if dtype == "float16":
        host = (host / 16).astype(dtype)
    array = gpuarray.to_gpu(host)
    total = gpuarray.sum(array)
    assert (total.dtype, total.shape) == (np.dtype(dtype), ())
    want = host.any() if dtype == "bool" else host.sum(dtype=dtype)
    np.testing.assert_allclose(total.get(), want, rtol=1e-2 if dtype == "float16" else 1e-6)
    assert gpuarray.sum(array, dtype=np.float64).dtype == np.float64
    if not dtype.startswith("complex"):
        for ours, theirs in ((gpuarray.max, np.max), (gpuarray.min, np.min)):
            assert ours(array).dtype == np.dtype(dtype)
            if host.size:
                assert ours(array).get() == theirs(host)
    assert gpuarray.any(array).get() == host.any()
    assert gpuarray.all(array).get() == host.all()


def test_sums_stay_in_the_dtype() -> None:
    assert gpuarray.sum(gpuarray.ones(300, np.int8)).get() == np.int8(300 - 256)
    stream, pool = drv.Stream(), DeviceMemoryPool()
    total = gpuarray.sum(gpuarray.ones(300, np.int8), dtype=np.int32, stream=stream,
                         allocator=pool.allocate)  # fmt: skip
    stream.synchronize()
    assert total.get() == 300
    assert isinstance(total.gpudata, drv.PooledDeviceAllocation)
    some = gpuarray.any(gpuarray.ones(3), stream=stream, allocator=pool.allocate)
    every = gpuarray.all(gpuarray.zeros(3), stream=stream, allocator=pool.allocate)
    assert some.get()
    assert not every.get()


def test_extremes_of_nothing_and_streams() -> None:
    stream = drv.Stream()
    largest = gpuarray.max(gpuarray.zeros(0, np.int16), stream=stream)
    least = gpuarray.min(gpuarray.zeros(0, np.float32), stream=stream)
    stream.synchronize()
    assert largest.get() == -32768
    assert least.get() == np.inf
    with pytest.raises(TypeError, match="real"):
        gpuarray.max(gpuarray.zeros(3, np.complex64))
    with pytest.raises(TypeError, match="GPUArray"):
        gpuarray.sum(np.ones(3))


@pytest.mark.parametrize(
    ("left", "right"), [("f4", "f4"), ("f4", "f8"), ("i4", "f4"), ("c8", "c8")]
)
def test_products(left: str, right: str) -> None:
    a, b = drawn(7, 11, dtype=left), drawn(7, 11, dtype=right)
    x, y, stream = gpuarray.to_gpu(a), gpuarray.to_gpu(b), drv.Stream()
    product = gpuarray.dot(x, y)
    assert product.dtype == np.result_type(a, b)
    np.testing.assert_allclose(product.get(), (a * b).sum(), rtol=1e-5)
    double = gpuarray.dot(x, y.reshape(77), dtype=np.complex128, stream=stream,
                          allocator=DeviceMemoryPool().allocate)  # fmt: skip
    stream.synchronize()
    assert double.dtype == np.complex128
    np.testing.assert_allclose(double.get(), (a.astype("c16") * b).sum())
    with pytest.raises(ValueError, match="dot"):
        gpuarray.dot(x, gpuarray.zeros(3))


def test_products_do_not_conjugate() -> None:
    x = gpuarray.to_gpu(np.array([1j, 2j], np.complex64))
    assert gpuarray.dot(x, x).get() == -5


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex64"])
@pytest.mark.parametrize("index", ["uint32", "int32", "int64"])
def test_reductions_of_subsets(dtype: str, index: str) -> None:
    host, subset = drawn(500, dtype=dtype), RNG.integers(0, 500, 77).astype(index)
    array, chosen, stream = gpuarray.to_gpu(host), gpuarray.to_gpu(subset), drv.Stream()
    allocator = DeviceMemoryPool().allocate
    wide = np.result_type(dtype, np.float64)
    total = gpuarray.subset_sum(chosen, array, dtype=wide, stream=stream, allocator=allocator)
    product = gpuarray.subset_dot(chosen, array, array, dtype=wide, stream=stream,
                                  allocator=allocator)  # fmt: skip
    stream.synchronize()
    np.testing.assert_allclose(total.get(), host[subset].astype(wide).sum())
    np.testing.assert_allclose(product.get(), (host[subset].astype(wide) ** 2).sum())
    assert gpuarray.subset_sum(chosen, array).dtype == host.dtype
    assert gpuarray.subset_dot(chosen, array, array).dtype == host.dtype
    if not dtype.startswith("complex"):
        largest = gpuarray.subset_max(chosen, array, stream=stream)
        least = gpuarray.subset_min(chosen, array, stream=stream)
        stream.synchronize()
        assert largest.get() == host[subset].max()
        assert least.get() == host[subset].min()


# --- Taking and putting.


@pytest.mark.parametrize("dtype", ["int8", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("index", ["uint32", "int32", "int64", "uint8"])
def test_take(dtype: str, index: str) -> None:
    host = np.asfortranarray(drawn(9, 11, dtype=dtype))
    picked = RNG.integers(0, 99, 40).astype(index)
    array, indices, stream = gpuarray.to_gpu(host), gpuarray.to_gpu(picked), drv.Stream()
    want = host.ravel(order="F")[picked]
    np.testing.assert_array_equal(gpuarray.take(array, indices).get(), want)
    out = gpuarray.empty(40, dtype)
    assert gpuarray.take(array, indices, out=out, stream=stream) is out
    stream.synchronize()
    np.testing.assert_array_equal(out.get(), want)


def test_take_beyond_the_end_reads_zeros() -> None:
    array = gpuarray.to_gpu(np.array([5, 6, 7], np.float32))
    indices = gpuarray.to_gpu(np.array([2, 3, -1, 1 << 30], np.int32))
    np.testing.assert_array_equal(gpuarray.take(array, indices).get(), [7, 0, 0, 0])


def test_many_arrays_at_once() -> None:
    """Section 1.8's defect: multi_take(out=None) used a dtype as allocator."""
    hosts = [drawn(30) for _ in range(25)]
    arrays = [gpuarray.to_gpu(one) for one in hosts]
    source = RNG.integers(0, 20, 12).astype(np.int32)
    target = RNG.permutation(30)[:12].astype(np.int32)
    to, start, stream = gpuarray.to_gpu(target), gpuarray.to_gpu(source), drv.Stream()
    out = [gpuarray.empty(12, np.float32) for _ in hosts]
    taken = gpuarray.multi_take(arrays, start, out=out, stream=stream)
    stream.synchronize()
    assert all(one is other for one, other in zip(taken, out, strict=True))
    for host, one in zip(hosts, gpuarray.multi_take(arrays, start), strict=True):
        np.testing.assert_array_equal(one.get(), host[source])
    results = [gpuarray.zeros(30, np.float32) for _ in hosts]
    offsets = list(range(10)) * 2 + [0] * 5
    moved = gpuarray.multi_take_put(arrays, to, start, out=results, stream=stream,
                                    src_offsets=offsets)  # fmt: skip
    stream.synchronize()
    for host, offset, one in zip(hosts, offsets, moved, strict=True):
        want = np.zeros(30, np.float32)
        want[target] = host[source + offset]
        np.testing.assert_array_equal(one.get(), want)
    placed = gpuarray.multi_put(taken, to, out=results, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(placed[3].get()[target], hosts[3][source])
    shaped = gpuarray.multi_take_put(arrays[:1], to, start, dest_shape=(5, 6))[0]
    np.testing.assert_array_equal(shaped.get().ravel()[target], hosts[0][source])
    assert gpuarray.multi_put(taken, to, dest_shape=(30,))[0].shape == (30,)
    assert gpuarray.multi_take([], start) == []


def test_takes_that_do_not_fit() -> None:
    array, indices = gpuarray.zeros(5, np.float32), gpuarray.zeros(3, np.int32)
    with pytest.raises(TypeError, match="whole numbers"):
        gpuarray.take(array, gpuarray.zeros(3, np.float32))
    with pytest.raises(ValueError, match="one axis"):
        gpuarray.take(array, gpuarray.zeros((3, 1), np.int32))
    with pytest.raises(TypeError, match="same dtype"):
        gpuarray.take(array, indices, out=gpuarray.zeros(3, np.float64))
    with pytest.raises(ValueError, match="3 indices"):
        gpuarray.take(array, indices, out=gpuarray.zeros(2, np.float32))
    with pytest.raises(TypeError, match="dest_shape"):
        gpuarray.multi_put([array], indices)
    with pytest.raises(ValueError, match="same length"):
        gpuarray.multi_put([array], indices, out=[array, array])
    with pytest.raises(ValueError, match="same shape"):
        gpuarray.multi_take_put([array], indices, gpuarray.zeros(2, np.int32), out=[array])
    with pytest.raises(TypeError, match="same dtype"):
        gpuarray.multi_take_put([array], indices, gpuarray.zeros(3, np.int64), out=[array])
    with pytest.raises(ValueError, match="src_offsets"):
        gpuarray.multi_take_put([array], indices, indices, out=[array], src_offsets=[1, 2])


# --- Logical functions.


def test_logical_functions() -> None:
    a, b = np.array([0, 0, 2, 3], np.int32), np.array([0, 1.5, 0, 1], np.float32)
    x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    out, allocator = gpuarray.empty(4, np.bool_), DeviceMemoryPool().allocate
    for ours, theirs in (
        (gpuarray.logical_and, np.logical_and), (gpuarray.logical_or, np.logical_or),
    ):  # fmt: skip
        assert ours(x, y).dtype == np.bool_
        np.testing.assert_array_equal(ours(x, y, allocator=allocator).get(), theirs(a, b))
        np.testing.assert_array_equal(ours(x, 1).get(), theirs(a, 1))
        np.testing.assert_array_equal(ours(0, y).get(), theirs(0, b))
        assert ours(x, y, out=out) is out
        np.testing.assert_array_equal(out.get(), theirs(a, b))
        assert ours(1, 0).get() == theirs(1, 0)
    negated = gpuarray.logical_not(x, out=out, allocator=allocator)
    np.testing.assert_array_equal(negated.get(), np.logical_not(a))
    assert gpuarray.logical_not(0).get()
    with pytest.raises(ValueError, match="scalars or GPUArrays"):
        gpuarray.logical_and(x, a)
    with pytest.raises(ValueError, match="bool"):
        gpuarray.logical_not(x, out=gpuarray.empty(4, np.int32))


# --- Joining.


def test_concatenate_and_stack() -> None:
    a, b = drawn(3, 4), drawn(5, 4, dtype=np.float64)
    x, y, allocator = gpuarray.to_gpu(a), gpuarray.to_gpu(b), DeviceMemoryPool().allocate
    joined = gpuarray.concatenate([x, y], axis=0, allocator=allocator)
    np.testing.assert_array_equal(joined.get(), np.concatenate([a, b]))
    assert isinstance(joined.gpudata, drv.PooledDeviceAllocation)
    np.testing.assert_array_equal(gpuarray.concatenate((x, x), axis=-1).get(), np.hstack([a, a]))
    for axis in (0, 1, 2, -1):
        piled = gpuarray.stack([x, x + 1], axis=axis, allocator=allocator)
        np.testing.assert_array_equal(piled.get(), np.stack([a, a + 1], axis=axis))
        assert piled.flags.f_contiguous == (axis != 0)
    for function in (gpuarray.concatenate, gpuarray.stack):
        with pytest.raises(ValueError, match="at least one"):
            function([])
        with pytest.raises(ValueError, match="shape"):
            function([x, gpuarray.zeros((2, 3))])


def test_splay() -> None:
    for n in (0, 1, 33, 100_000, 10_000_000):
        grid, block = gpuarray.splay(n, dev=drv.Context.get_device())
        assert grid == (grid[0], 1)
        assert block[0] in (32, 64, 96, 128)
        assert block[1:] == (1, 1)
        assert grid[0] * block[0] <= max(32, n + 127)
    with pytest.raises(ValueError, match="-1"):
        gpuarray.splay(-1)
