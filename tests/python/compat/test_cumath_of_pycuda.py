"""pycuda.cumath against NumPy, for every dtype that a function takes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import cumath, gpuarray
from pycuda.cumath import (
    acos,
    asin,
    atan,
    ceil,
    cos,
    cosh,
    exp,
    fabs,
    floor,
    log,
    log10,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)

RNG = np.random.default_rng()
FUNCTIONS: list[tuple[Any, Any]] = [
    (acos, np.arccos), (asin, np.arcsin), (atan, np.arctan), (ceil, np.ceil), (cos, np.cos),
    (cosh, np.cosh), (exp, np.exp), (fabs, np.abs), (floor, np.floor), (log, np.log),
    (log10, np.log10), (sin, np.sin), (sinh, np.sinh), (sqrt, np.sqrt), (tan, np.tan),
    (tanh, np.tanh),
]  # fmt: skip
OF_COMPLEX = [one for one in FUNCTIONS if one[0] not in (ceil, floor, fabs)]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(("ours", "theirs"), FUNCTIONS)
def test_real_functions(ours: Any, theirs: Any, dtype: str) -> None:
    host = np.asfortranarray(RNG.uniform(0.05, 0.95, (13, 7))).astype(dtype)
    array, stream = gpuarray.to_gpu(host), drv.Stream()
    result = ours(array)
    assert result.dtype == host.dtype
    assert result.flags.f_contiguous
    want = theirs(host.astype(np.float64))
    tolerance = {"float16": 2e-3, "float32": 1e-6, "float64": 1e-14}[dtype]
    np.testing.assert_allclose(result.get(), want, rtol=tolerance, atol=tolerance)
    out = gpuarray.empty((13, 7), np.float64)
    assert ours(array, out=out, stream=stream) is out
    stream.synchronize()
    np.testing.assert_allclose(out.get(), result.get())
    np.testing.assert_array_equal(ours(array[::2, 1:]).get(), result.get()[::2, 1:])


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(("ours", "theirs"), OF_COMPLEX)
def test_complex_functions(ours: Any, theirs: Any, dtype: str) -> None:
    host = (RNG.uniform(0.2, 0.9, 50) + 1j * RNG.uniform(0.2, 0.9, 50)).astype(dtype)
    result = ours(gpuarray.to_gpu(host))
    assert result.dtype == host.dtype
    np.testing.assert_allclose(
        result.get(), theirs(host.astype(np.complex128)),
        rtol=2e-6 if dtype == "complex64" else 1e-13,
    )  # fmt: skip


def test_values_that_are_known() -> None:
    one, half = gpuarray.ones(1), gpuarray.zeros(1).fill(0.5)
    assert abs(asin(one).get() - np.pi / 2) < 1e-15
    assert acos(one).get() == 0
    assert abs(atan(one).get() - np.pi / 4) < 1e-15
    assert fabs(-half).get() == 0.5
    assert ceil(half).get() == 1


def test_whole_numbers_are_truncated() -> None:
    array = gpuarray.to_gpu(np.array([1, 4, 8, 9], np.int32))
    result = sqrt(array)
    assert result.dtype == np.int32
    np.testing.assert_array_equal(result.get(), [1, 2, 2, 3])


def test_a_second_positional_argument_warns() -> None:
    array, out = gpuarray.ones(3, np.float32), gpuarray.zeros(3, np.float32)
    with pytest.warns(DeprecationWarning):
        assert exp(array, out) is out
    stream = drv.Stream()
    with pytest.warns(DeprecationWarning):
        result = exp(array, stream)
    stream.synchronize()
    np.testing.assert_allclose(result.get(), out.get())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_parts_of_numbers(dtype: str) -> None:
    """Section 1.12's defect: float64 was misread."""
    host = RNG.uniform(-100, 100, 200).astype(dtype)
    array, stream = gpuarray.to_gpu(host), drv.Stream()
    significand, exponent = cumath.frexp(array, stream=stream)
    fraction, whole = cumath.modf(array, stream=stream)
    stream.synchronize()
    for got, want in zip((significand, exponent), np.frexp(host), strict=True):
        assert got.dtype == host.dtype
        np.testing.assert_array_equal(got.get(), want)
    for got, want in zip((fraction, whole), np.modf(host), strict=True):
        np.testing.assert_array_equal(got.get(), want)
    back = cumath.ldexp(significand, exponent, stream=stream)
    rest = cumath.fmod(array, gpuarray.to_gpu(np.full(200, 7, dtype)), stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(back.get(), host)
    np.testing.assert_array_equal(rest.get(), np.fmod(host, host.dtype.type(7)))
    np.testing.assert_array_equal(cumath.fmod(array, 7).get(), rest.get())
    views = gpuarray.to_gpu(host).reshape(20, 10)[::2, ::-3]
    np.testing.assert_array_equal(cumath.modf(views)[0].get(), np.modf(views.get())[0])


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="GPUArray"):
        sin(np.ones(3))
    with pytest.raises(TypeError, match="GPUArray"):
        cumath.frexp(1.5)
    with pytest.raises(TypeError, match="real"):
        cumath.modf(gpuarray.zeros(3, np.complex64))
    with pytest.raises(drv.Error):
        floor(gpuarray.zeros(3, np.complex64))
    with pytest.raises(ValueError, match="out has shape"):
        sin(gpuarray.zeros(3), out=gpuarray.zeros(4))
