"""GPUArray arithmetic against NumPy: all dtypes, scalars and arrays, broadcast and strided."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray

import warpwise as ww

DTYPES = [np.dtype(one) for one in "?bBhHiIlLefdFD"]
NUMBERS = [one for one in DTYPES if one.kind != "b"]
RNG = np.random.default_rng()
SHAPES = [(), (0,), (1,), (1023,), (7, 33), (3, 5, 4), (2, 0, 3)]

Function = Callable[[Any, Any], Any]


def values(dtype: np.dtype[Any], shape: tuple[int, ...]) -> np.ndarray:
    """Small enough for products, and away from 0."""
    if dtype.kind == "b":
        return np.asarray(RNG.integers(0, 2, shape)).astype(bool)
    if dtype.kind in "iu":
        low = 1 if dtype.kind == "u" else -11
        drawn = np.asarray(RNG.integers(low, 11, shape)).astype(dtype)
        return np.where(drawn == 0, 5, drawn).astype(dtype)
    real = np.asarray(RNG.uniform(0.5, 3, shape) * RNG.choice([-1, 1], shape))
    if dtype.kind == "c":
        real = real + 1j * np.asarray(RNG.uniform(-2, 2, shape))
    return np.asarray(real).astype(dtype)


def assert_same(got: Any, want: np.ndarray) -> None:
    assert isinstance(got, gpuarray.GPUArray)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    if want.dtype.kind in "fc":
        tolerance = {2: 2e-3, 4: 1e-6, 8: 1e-6 if want.dtype.kind == "c" else 1e-14, 16: 1e-14}
        np.testing.assert_allclose(
            got.get(), want, rtol=tolerance[want.dtype.itemsize],
            atol=tolerance[want.dtype.itemsize],
        )  # fmt: skip
    else:
        np.testing.assert_array_equal(got.get(), want)


def c_quotient(a: Any, b: Any) -> Any:
    """Of integers as in C, else NumPy's."""
    kind = np.result_type(a, b)
    if kind.kind not in "iu":
        return np.true_divide(a, b)
    exact = np.trunc(np.true_divide(np.asarray(a, np.float64), np.asarray(b, np.float64)))
    return np.asarray(exact).astype(kind)


OPERATORS: list[tuple[Function, Function]] = [
    (operator.add, np.add),
    (operator.mul, np.multiply),
    (operator.truediv, c_quotient),
]


@pytest.mark.parametrize("left", DTYPES, ids=str)
@pytest.mark.parametrize("right", DTYPES, ids=str)
def test_arrays_of_two_dtypes(left: np.dtype[Any], right: np.dtype[Any]) -> None:
    shape = SHAPES[RNG.integers(len(SHAPES))]
    a, b = values(left, shape), values(right, shape)
    x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for ours, theirs in OPERATORS:
            if ours is operator.truediv and b.dtype.kind == "b":
                continue
            assert_same(ours(x, y), np.asarray(theirs(a, b)))
        if "b" not in (left.kind, right.kind):
            assert_same(x - y, np.asarray(a - b))


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_scalars_on_both_sides(dtype: np.dtype[Any]) -> None:
    a = values(dtype, (3, 17))
    x = gpuarray.to_gpu(a)
    scalars: list[Any] = [3, 2.5, np.float32(1.5), np.int8(2), True, 2 - 1j]
    for scalar in scalars:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            for ours, theirs in OPERATORS:
                assert_same(ours(x, scalar), np.asarray(theirs(a, scalar)))
                assert_same(ours(scalar, x), np.asarray(theirs(scalar, a)))
            assert_same(x - scalar, np.asarray(a - scalar))
            assert_same(scalar - x, np.asarray(scalar - a))


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_powers_signs_and_magnitudes(dtype: np.dtype[Any]) -> None:
    a = values(dtype, (41,))
    x = gpuarray.to_gpu(a)
    assert_same(-x, -a)
    assert_same(+x, +a)
    assert_same(abs(x), abs(a))
    assert_same(x**2, np.asarray(a**2))
    exponents = np.asarray(RNG.integers(0, 4, 41)).astype(dtype)
    assert_same(x ** gpuarray.to_gpu(exponents), a**exponents)
    assert_same(2 ** gpuarray.to_gpu(exponents), np.asarray(2**exponents))
    x **= 2
    assert_same(x, np.asarray(a**2))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_comparisons_keep_the_dtype(dtype: np.dtype[Any]) -> None:
    a, b = values(dtype, (5, 7)), values(dtype, (5, 7))
    x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    compare: list[Function] = [operator.eq, operator.ne]
    if dtype.kind != "c":
        compare += [operator.lt, operator.le, operator.gt, operator.ge]
    for one in compare:
        assert_same(one(x, y), np.asarray(one(a, b)).astype(dtype))
        assert_same(one(x, 1), np.asarray(one(a, 1)).astype(dtype))
    wide = gpuarray.to_gpu(b.astype(np.complex128))
    assert (x == wide).dtype == np.complex128


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_operators_in_place_keep_array_and_dtype(dtype: np.dtype[Any]) -> None:
    a, b = values(dtype, (6, 5)), values(dtype, (6, 5))
    x = gpuarray.to_gpu(a)
    memory, same = int(x.gpudata), x
    x += gpuarray.to_gpu(b)
    x *= 3
    x -= gpuarray.to_gpu(b)
    want = ((a + b) * 3 - b).astype(dtype)
    assert x is same
    assert int(x.gpudata) == memory
    assert_same(x, want)
    x /= 2
    assert_same(x, np.asarray(c_quotient(want, 2)).astype(dtype))


def test_operators_in_place_convert_as_c_does() -> None:
    whole = gpuarray.to_gpu(np.array([1, -1, 7], np.int32))
    whole *= 0.5
    assert whole.dtype == np.int32
    np.testing.assert_array_equal(whole.get(), [0, 0, 3])
    single = gpuarray.to_gpu(np.array([1, 2], np.float32))
    single += gpuarray.to_gpu(np.array([1e-9, 1], np.float64))
    assert single.dtype == np.float32
    np.testing.assert_array_equal(single.get(), [1, 3])


@pytest.mark.parametrize("operand", [1j, np.array([1j, 2], np.complex64)], ids=["number", "array"])
def test_imaginary_parts_are_not_dropped(operand: Any) -> None:
    real = gpuarray.to_gpu(np.array([1, 2], np.float32))
    with pytest.raises(TypeError, match=r"complex.*float32"):
        real *= gpuarray.to_gpu(operand) if isinstance(operand, np.ndarray) else operand
    np.testing.assert_array_equal(real.get(), [1, 2])


def test_quotients_of_integers_are_those_of_c() -> None:
    a = np.array([7, -7, 7, -7, 6, 0, -128], np.int8)
    b = np.array([2, 2, -2, -2, 3, 5, 3], np.int8)
    got = gpuarray.to_gpu(a) / gpuarray.to_gpu(b)
    np.testing.assert_array_equal(got.get(), [3, -3, -3, 3, 2, 0, -42])
    assert got.dtype == np.int8
    np.testing.assert_array_equal((100 / gpuarray.to_gpu(b)).get(), [50, 50, -50, -50, 33, 20, 33])


SHAPES_TOGETHER = [
    ((4, 1), (1, 5)), ((3,), (2, 3)), ((), (4, 2)), ((5, 1, 3), (2, 1)), ((1,), (0,)),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), SHAPES_TOGETHER)
def test_shapes_broadcast(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    """Section 4.4, #196: a distance matrix by broadcasting."""
    a, b = values(np.dtype("f4"), left), values(np.dtype("f4"), right)
    x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    assert_same(x * y, np.asarray(a * b))
    assert_same(x - y, np.asarray(a - b))
    assert_same(x > y, np.asarray(a > b).astype(np.float32))


def test_shapes_that_do_not_fit_are_refused() -> None:
    x, y = gpuarray.zeros((3, 4)), gpuarray.zeros((4, 3))
    with pytest.raises(drv.LogicError, match=r"\(3, 4\)"):
        x + y
    with pytest.raises(ValueError, match="shape"):
        x += gpuarray.zeros((5, 3, 4))
    with pytest.raises(TypeError):
        x + "text"
    with pytest.raises(TypeError):
        x * np.zeros((3, 4))
    with pytest.raises(TypeError):
        x += [1]


def laid_out(host: np.ndarray) -> list[Any]:
    """GPUArrays with the host array's elements: in C order, F order, with gaps, backwards."""
    spread = gpuarray.zeros((host.shape[0] * 2, host.shape[1] * 3), host.dtype)
    spread[::2, 1::3] = gpuarray.to_gpu(host)
    backwards = gpuarray.to_gpu(np.ascontiguousarray(host[::-1, ::-1]))[::-1, ::-1]
    transposed = gpuarray.to_gpu(np.ascontiguousarray(host.T)).T
    return [
        gpuarray.to_gpu(host), gpuarray.to_gpu(np.asfortranarray(host)), spread[::2, 1::3],
        backwards, transposed,
    ]  # fmt: skip


@pytest.mark.parametrize("dtype", ["int16", "float32", "complex64"])
def test_orders_and_strides_mix(dtype: str) -> None:
    """Section 4.4, #172, #330, #15, #66, #121, #151, #162, #171: operators take all strides, and
    compare them."""
    a, b = values(np.dtype(dtype), (6, 5)), values(np.dtype(dtype), (6, 5))
    for x in laid_out(a):
        for y in laid_out(b):
            assert_same(x + y, a + b)
            assert_same(x * 2 - y, a * 2 - b)
        x += gpuarray.to_gpu(b)
        np.testing.assert_allclose(x.get(), a + b, rtol=1e-6)


def test_results_keep_fortran_order() -> None:
    a = np.asfortranarray(values(np.dtype("f4"), (6, 5)))
    x = gpuarray.to_gpu(a)
    for result in (x + 1, x * x, -x, x.astype(np.float64), x.copy(), x == x, abs(x)):
        assert result.flags.f_contiguous
        assert not result.flags.c_contiguous


def test_numpy_scalars_leave_the_operation_to_the_array() -> None:
    """Section 4.4: numpy scalar * GPUArray was very slow."""
    x = gpuarray.to_gpu(np.arange(4, dtype=np.float32))
    for scalar in (np.float32(2), np.int16(2)):
        assert_same(scalar * x, scalar * np.arange(4, dtype=np.float32))
        assert_same(scalar - x, scalar - np.arange(4, dtype=np.float32))
    assert (np.float64(2) * x).dtype == np.float64


def test_a_scalar_that_changes_nothing_still_copies() -> None:
    x = gpuarray.to_gpu(np.arange(4, dtype=np.float32))
    for result in (x + 0, x - 0, x / 1, x * 1, +x):
        result += 1
        np.testing.assert_array_equal(x.get(), np.arange(4))


def test_a_chain_is_lazy() -> None:
    """What has not been asked for has no memory yet."""
    x = gpuarray.to_gpu(np.arange(1 << 20, dtype=np.float32))
    drv.Context.synchronize()  # nothing of other tests is pending
    before = ww.Device().pool.active_bytes
    chain = ((x + 1) * 2 - 3) / 4
    assert ww.Device().pool.active_bytes == before
    np.testing.assert_array_equal(chain.get()[:3], [-0.25, 0.25, 0.75])
