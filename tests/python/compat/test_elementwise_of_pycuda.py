"""pycuda.elementwise: kernels over arrays, and the builders whose kernels are launched by hand."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import elementwise, gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.tools import ScalarArg, VectorArg, register_dtype

RNG = np.random.default_rng()


def drawn(n: int = 1000, dtype: Any = np.float32) -> np.ndarray:
    return RNG.integers(1, 50, n).astype(dtype)


@pytest.mark.parametrize(
    "arguments",
    [
        "float a, float *x, float b, float *y, float *z",
        [ScalarArg(np.float32, "a"), VectorArg(np.float32, "x"), ScalarArg(np.float32, "b"),
         VectorArg(np.float32, "y"), VectorArg(np.float32, "z")],
    ],
)  # fmt: skip
def test_linear_combinations(arguments: Any) -> None:
    kernel = ElementwiseKernel(arguments, "z[i] = a*x[i] + b*y[i]", "linear_combination")
    a, b = drawn(), drawn()
    x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    z = gpuarray.empty_like(x)
    assert kernel(5, x, 6, y, z) is None
    np.testing.assert_allclose(z.get(), 5 * a + 6 * b)
    kernel(5, x, 6, x, x)  # an output may be an input
    np.testing.assert_allclose(x.get(), 11 * a)


def test_every_keyword(capsys: pytest.CaptureFixture[str]) -> None:
    kernel = ElementwiseKernel(
        arguments="int *z, int count",
        operation="z[i] += twice(i) + SHIFT + before; ++seen",
        name="counted",
        keep=True,
        options=["-DSHIFT=100"],
        preamble="__device__ int twice(int v) { return 2 * v; }",
        loop_prep="int before = 7, seen = 0;",
        after_loop="if (seen > 0) atomicAdd(&z[n - 1], count)",
    )
    assert "counted" in repr(kernel)
    assert "compiler output in" in capsys.readouterr().out
    z, stream = gpuarray.zeros(10, np.int32), drv.Stream()
    kernel(z, 0, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(z.get(), 2 * np.arange(10) + 107)


@pytest.mark.parametrize(
    ("keyword", "given", "visited"),
    [
        ("slice", slice(None, None, 3), np.r_[0:20:3]),
        ("slice", slice(-5, None), np.r_[15:20]),
        ("slice", slice(10, 2, -2), np.r_[10:2:-2]),
        ("slice", slice(30, 40), np.r_[0:0]),
        ("range", slice(4, 9, None), np.r_[4:9]),
        ("range", slice(None, 9, 2), np.r_[0:9:2]),
        ("range", range(15, 5, -3), np.r_[15:5:-3]),
        ("range", range(5, 5), np.r_[0:0]),
    ],
)
def test_parts(keyword: str, given: Any, visited: np.ndarray) -> None:
    """Section 5.4: ranges with step None failed, negative steps got one block."""
    kernel = ElementwiseKernel("int *z", "z[i] = i + 1", "number")
    z = gpuarray.zeros(20, np.int32)
    kernel(z, **{keyword: given})
    want = np.zeros(20, np.int32)
    want[visited] = visited + 1
    np.testing.assert_array_equal(z.get(), want)


def test_parts_that_do_not_fit() -> None:
    kernel = ElementwiseKernel("int *z", "z[i] = i", "number")
    z = gpuarray.zeros(5, np.int32)
    with pytest.raises(IndexError, match="range"):
        kernel(z, range=range(3, 9))
    with pytest.raises(ValueError, match="step"):
        kernel(z, range=slice(0, 3, 0))
    with pytest.raises(TypeError, match="one of them"):
        kernel(z, range=range(3), slice=slice(3))
    with pytest.raises(TypeError, match="range expects"):
        kernel(z, range=7)
    with pytest.raises(TypeError, match="slice expects"):
        kernel(z, slice=7)


def test_elements_are_counted_as_they_lie() -> None:
    number = ElementwiseKernel("int *z", "z[i] = i", "number")
    fortran = gpuarray.zeros((3, 4), np.int32, order="F")
    number(fortran)
    np.testing.assert_array_equal(fortran.get().ravel(order="F"), np.arange(12))
    copy = ElementwiseKernel("int *x, int *z", "z[i] = x[i]", "copied")
    flat = gpuarray.zeros(12, np.int32)
    copy(fortran, flat)
    np.testing.assert_array_equal(flat.get(), np.arange(12))


def test_other_orders_and_gaps_are_counted_logically() -> None:
    copy = ElementwiseKernel("float *x, float *z", "z[i] = x[i] + 1", "copied")
    host = drawn(12).reshape(3, 4)
    z = gpuarray.empty((3, 4), np.float32)
    copy(gpuarray.to_gpu(np.asfortranarray(host)), z)
    np.testing.assert_array_equal(z.get(), host + 1)
    copy(gpuarray.to_gpu(host)[:, ::-2], z[:, ::2])
    np.testing.assert_array_equal(z.get()[:, ::2], host[:, ::-2] + 1)


def test_neighbours_and_longer_arrays() -> None:
    kernel = ElementwiseKernel("float *z, float *x", "z[i] = x[i] + x[i + 1]", "neighbours")
    host = drawn(11)
    z = gpuarray.empty(10, np.float32)
    kernel(z, gpuarray.to_gpu(host))
    np.testing.assert_array_equal(z.get(), host[:-1] + host[1:])
    with pytest.raises(drv.Error):
        kernel(gpuarray.empty(20, np.float32), gpuarray.zeros(11, np.float32))


def test_scalars_truncate_and_complex_numbers_convert() -> None:
    shift = ElementwiseKernel("int a, int *z", "z[i] += a", "shift")
    z = gpuarray.zeros(3, np.int32)
    shift(2.9, z)
    shift(np.float64(-1.9), z)
    np.testing.assert_array_equal(z.get(), [1, 1, 1])
    turn = ElementwiseKernel("pycuda::complex<float> a, pycuda::complex<float> *z", "z[i] *= a")
    c = gpuarray.to_gpu(np.array([1 + 1j, 2], np.complex64))
    turn(1j, c)
    turn(2, c)
    np.testing.assert_array_equal(c.get(), [-2 + 2j, 4j])


def test_wrong_arguments() -> None:
    kernel = ElementwiseKernel("float a, float *x", "x[i] = a", "filled")
    x = gpuarray.zeros(3, np.float32)
    with pytest.raises(TypeError, match="2 arguments"):
        kernel(x)
    with pytest.raises(TypeError, match="GPUArray"):
        kernel(1, np.zeros(3, np.float32))
    with pytest.raises(TypeError, match="float"):
        kernel(1, gpuarray.zeros(3, np.float64))
    with pytest.raises(drv.LogicError):
        kernel("text", x)
    with pytest.raises(TypeError, match="vector"):
        ElementwiseKernel("float a", "a += 1")(1)
    with pytest.raises(drv.CompileError, match="undeclared"):
        ElementwiseKernel("float *x", "x[i] = undeclared", "wrong")(x)
    with pytest.raises(ValueError, match="nothing"):
        ElementwiseKernel("nothing *x", "x[i] = 1")
    with pytest.raises(TypeError, match="VectorArg"):
        ElementwiseKernel([1], "x[i] = 1")


def test_structs_by_registered_names() -> None:
    pair = np.dtype([("first", np.float32), ("second", np.int32)])
    register_dtype(pair, "elementwise_pair")
    kernel = ElementwiseKernel(
        "elementwise_pair *p, elementwise_pair by",
        "p[i].first += by.first; p[i].second = by.second + i",
        preamble="struct elementwise_pair { float first; int second; };",
    )
    array = gpuarray.to_gpu(np.zeros(3, pair))
    kernel(array, np.array((1.5, 7), pair)[()])
    assert array.get().tolist() == [(1.5, 7), (1.5, 8), (1.5, 9)]


@pytest.mark.parametrize("use_range", [False, True])
def test_textures_of_a_kernel(use_range: bool) -> None:
    kernel = ElementwiseKernel(
        "float *z", "z[i] = 10 * tex1Dfetch(source, i)", "textured",
        preamble="texture<float, 1, cudaReadModeElementType> source;",
    )  # fmt: skip
    texture = kernel.get_texref("source", use_range=use_range)
    host = drawn(20)
    source, z = gpuarray.to_gpu(host), gpuarray.zeros(20, np.float32)
    assert source.bind_to_texref_ext(texture, channels=1, allow_offset=True) == 0
    if use_range:
        kernel(z, range=range(2, 20, 3))
        want = np.zeros(20, np.float32)
        want[2::3] = 10 * host[2::3]
    else:
        kernel(z)
        want = 10 * host
    np.testing.assert_array_equal(z.get(), want)


def test_one_object_serves_every_call() -> None:
    kernel = ElementwiseKernel("float *z", "z[i] += 1", "increment")
    big, small = gpuarray.zeros((1000, 1001), np.float32), gpuarray.zeros(1, np.float32)
    for _ in range(3):
        kernel(big)
        kernel(small)
    assert small.get() == 3
    assert (big.get() == 3).all()
    kernel(gpuarray.zeros(0, np.float32))


# --- Launched by hand.


def by_hand(function: Any, n: int, *arguments: Any) -> None:
    grid, block = gpuarray.splay(n)
    values = [one.gpudata if isinstance(one, gpuarray.GPUArray) else one for one in arguments]
    function.prepared_call(grid, block, *values, n)


def test_modules() -> None:
    texts = {"arguments": "float *z, float a", "operation": "z[i] = twice(a) + PLUS + i + begin",
             "name": "made", "keep": False, "options": ["-DPLUS=3"],
             "preamble": "__device__ float twice(float v) { return 2 * v; }",
             "loop_prep": "float begin = 10", "after_loop": "begin = 0"}  # fmt: skip
    z = gpuarray.zeros(10, np.float32)
    module = elementwise.get_elwise_module(**texts)
    module.get_function("made")(z, np.float32(1), np.uint64(10), block=(32, 1, 1))
    np.testing.assert_array_equal(z.get(), 15 + np.arange(10))
    ranged = elementwise.get_elwise_range_module(**texts).get_function("made")
    ranged(z, np.float32(2), np.int64(9), np.int64(3), np.int64(-2), block=(32, 1, 1))
    want = 15 + np.arange(10)
    want[[9, 7, 5]] = 17 + np.array([9, 7, 5])
    np.testing.assert_array_equal(z.get(), want)


def test_modules_of_arguments_that_declare_the_count() -> None:
    """As scripts call it that were written for PyCUDA, which declares nothing itself."""
    arguments = [VectorArg(np.float32, "z"), ScalarArg(np.uintp, "n")]
    module = elementwise.get_elwise_module(arguments, "z[i] = n", "counted")
    z = gpuarray.zeros(10, np.float32)
    module.get_function("counted")(z, np.uintp(7), block=(32, 1, 1))
    np.testing.assert_array_equal(z.get(), [7] * 7 + [0] * 3)


@pytest.mark.parametrize("use_range", [False, True])
def test_kernels_and_their_types(use_range: bool) -> None:
    parts = {"arguments": "int a, int *z", "operation": "z[i] = a", "name": "filled",
             "keep": False, "options": None, "use_range": use_range}  # fmt: skip
    module, function, arguments = elementwise.get_elwise_kernel_and_types(**parts)
    counts_by_name = ["start", "stop", "step"] if use_range else ["n"]
    assert [one.name for one in arguments] == ["a", "z", *counts_by_name]
    assert isinstance(module.get_function("filled"), drv.Function)
    for one in (function, elementwise.get_elwise_kernel(**parts)):
        z = gpuarray.zeros(100, np.int32)
        counts = (10, 20, 2) if use_range else (100,)
        one.prepared_call((2, 1), (32, 1, 1), 7, z.gpudata, *counts)
        assert z.get().sum() == (35 if use_range else 700)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int32"])
def test_take_kernels(dtype: str) -> None:
    hosts = [drawn(30, dtype), drawn(30, dtype)]
    index = RNG.integers(0, 20, 12).astype(np.int32)
    to = RNG.permutation(30)[:12].astype(np.int32)
    sources = [gpuarray.to_gpu(one) for one in hosts]
    function, textures = elementwise.get_take_kernel(dtype, np.int32, vec_count=2)
    for one, texture in zip(sources, textures, strict=True):
        one.bind_to_texref_ext(texture, allow_double_hack=True, allow_complex_hack=True)
    out = [gpuarray.zeros(12, dtype) for _ in hosts]
    by_hand(function, 12, gpuarray.to_gpu(index), *out)
    for host, one in zip(hosts, out, strict=True):
        np.testing.assert_array_equal(one.get(), host[index])
    function, textures = elementwise.get_take_put_kernel(dtype, np.int32, True, vec_count=1)
    sources[0].bind_to_texref_ext(textures[0], allow_double_hack=True, allow_complex_hack=True)
    placed = gpuarray.zeros(30, dtype)
    by_hand(function, 12, gpuarray.to_gpu(to), gpuarray.to_gpu(index), placed, 5)
    np.testing.assert_array_equal(placed.get()[to], hosts[0][index + 5])
    put = elementwise.get_put_kernel(dtype, np.int32, vec_count=1)
    by_hand(put, 12, gpuarray.to_gpu(to), placed, out[1])
    np.testing.assert_array_equal(placed.get()[to], hosts[1][index])


def test_textures_that_stand_for_wide_elements() -> None:
    array = gpuarray.zeros(4, np.float64)
    texture = drv.TextureReference()
    with pytest.raises(TypeError, match="float64"):
        array.bind_to_texref_ext(texture)
    with pytest.raises(ValueError, match="one channel"):
        array.bind_to_texref_ext(texture, channels=2, allow_double_hack=True)
    assert array.bind_to_texref(texture, allow_offset=False) == 0
    with pytest.raises(RuntimeError, match="contiguous"):
        array[::2].bind_to_texref(texture)


def test_linear_combination_kernels() -> None:
    a, b = drawn(20), drawn(20)
    function, textures = elementwise.get_linear_combination_kernel(
        [(False, np.float32, np.float32), (True, np.float32, np.float32)], np.float32
    )
    gpuarray.to_gpu(np.array([3], np.float32)).bind_to_texref_ext(textures[0])
    z = gpuarray.empty(20, np.float32)
    by_hand(function, 20, 2.0, gpuarray.to_gpu(a), gpuarray.to_gpu(b), z)
    np.testing.assert_array_equal(z.get(), 2 * a + 3 * b)


def test_kernels_of_arithmetic() -> None:
    a, b = drawn(20), drawn(20, np.float64)
    x, y, one = gpuarray.to_gpu(a), gpuarray.to_gpu(b), gpuarray.to_gpu(np.array([4], np.float32))
    z = gpuarray.empty(20, np.float64)
    single, double = np.float32, np.float64
    by_hand(elementwise.get_copy_kernel(double, single), 20, z, x)
    np.testing.assert_array_equal(z.get(), a)
    by_hand(elementwise.get_axpbyz_kernel(single, double, double), 20, 2.0, x, 3.0, y, z)
    np.testing.assert_array_equal(z.get(), 2 * a + 3 * b)
    scaled = elementwise.get_axpbyz_kernel(single, single, double, x_is_scalar=True,
                                           y_is_scalar=False)  # fmt: skip
    by_hand(scaled, 20, 2.0, one, 3.0, x, z)
    np.testing.assert_array_equal(z.get(), 8 + 3 * a)
    by_hand(elementwise.get_axpbz_kernel(single, double), 20, 2.0, x, 5.0, z)
    np.testing.assert_array_equal(z.get(), 2 * a + 5)
    operation = elementwise.get_binary_op_kernel(single, single, double, "-", x_is_scalar=False,
                                                 y_is_scalar=True)  # fmt: skip
    by_hand(operation, 20, x, one, z)
    np.testing.assert_array_equal(z.get(), a - 4)
    by_hand(elementwise.get_scalar_op_kernel(single, single, double, "<"), 20, x, 20.0, z)
    np.testing.assert_array_equal(z.get(), a < 20)
    by_hand(elementwise.get_rdivide_elwise_kernel(single, double), 20, x, 7.0, z)
    np.testing.assert_allclose(z.get(), 7 / a.astype(double))
    for number in (False, True):
        minimum = elementwise.get_binary_minmax_kernel("min", double, double, double, number)
        by_hand(minimum, 20, y, 20.0 if number else y, z)
        np.testing.assert_array_equal(z.get(), np.minimum(b, 20 if number else b))
    by_hand(elementwise.get_binary_func_kernel("fmod", double, double, double), 20, y, y, z)
    np.testing.assert_array_equal(z.get(), 0 * b)
    by_hand(elementwise.get_binary_func_scalar_kernel("pow", double, double, double), 20, y, 2.0, z)
    np.testing.assert_allclose(z.get(), b**2)
    by_hand(elementwise.get_pow_array_kernel(double, double, double, True, False), 20, y, 3.0, z)
    np.testing.assert_allclose(z.get(), b**3)
    by_hand(elementwise.get_unary_func_kernel("sqrt", double, out_dtype=double), 20, y, z)
    np.testing.assert_allclose(z.get(), np.sqrt(b))
    with pytest.raises(ValueError, match="operator"):
        elementwise.get_binary_op_kernel(single, single, single, "; evil()")
    with pytest.raises(ValueError, match="'min' or 'max'"):
        elementwise.get_binary_minmax_kernel("mean", single, single, single, False)


def test_kernels_of_one_operand() -> None:
    host = (drawn(20) + 1j * drawn(20)).astype(np.complex64)
    c, z = gpuarray.to_gpu(host), gpuarray.empty(20, np.float32)
    single, kind = np.float32, np.complex64
    by_hand(elementwise.get_real_kernel(kind, single), 20, c, z)
    np.testing.assert_array_equal(z.get(), host.real)
    by_hand(elementwise.get_imag_kernel(kind, single), 20, c, z)
    np.testing.assert_array_equal(z.get(), host.imag)
    conj = gpuarray.empty_like(c)
    by_hand(elementwise.get_conj_kernel(kind, kind), 20, c, conj)
    np.testing.assert_array_equal(conj.get(), host.conj())
    by_hand(elementwise.get_fill_kernel(single), 20, 2.5, z)
    np.testing.assert_array_equal(z.get(), [2.5] * 20)
    by_hand(elementwise.get_arange_kernel(single), 20, z, 3.0, 2.0)
    np.testing.assert_array_equal(z.get(), 3 + 2 * np.arange(20))
    backwards = gpuarray.empty_like(z)
    by_hand(elementwise.get_reverse_kernel(single), 20, z, backwards)
    np.testing.assert_array_equal(backwards.get(), z.get()[::-1])
    negated = gpuarray.empty(20, np.bool_)
    by_hand(elementwise.get_logical_not_kernel(single, np.bool_), 20, z - 3, negated)
    np.testing.assert_array_equal(negated.get(), z.get() == 3)


def test_kernels_of_parts_of_numbers() -> None:
    host = (drawn(20) / 8).astype(np.float32)
    x, first, second = gpuarray.to_gpu(host), *(gpuarray.empty(20, np.float32) for _ in range(2))
    by_hand(elementwise.get_modf_kernel(), 20, x, first, second)
    fraction, whole = np.modf(host)
    np.testing.assert_array_equal(first.get(), whole)
    np.testing.assert_array_equal(second.get(), fraction)
    by_hand(elementwise.get_frexp_kernel(), 20, x, first, second)
    significand, exponent = np.frexp(host)
    np.testing.assert_array_equal(first.get(), significand)
    np.testing.assert_array_equal(second.get(), exponent)
    by_hand(elementwise.get_ldexp_kernel(), 20, first, second, x)
    np.testing.assert_array_equal(x.get(), host)
    modulus = gpuarray.to_gpu(np.full(20, 1.5, np.float32))
    by_hand(elementwise.get_fmod_kernel(), 20, x, modulus, first)
    np.testing.assert_array_equal(first.get(), np.fmod(host, np.float32(1.5)))


def test_kernels_of_choices() -> None:
    a, b = drawn(20) - 25, drawn(20, np.float64)
    crit, x, y = gpuarray.to_gpu(a), gpuarray.to_gpu(b), gpuarray.to_gpu(-b)
    z = gpuarray.empty(20, np.float64)
    by_hand(elementwise.get_if_positive_kernel(np.float32, np.float64), 20, crit, x, y, z)
    np.testing.assert_array_equal(z.get(), np.where(a > 0, b, -b))
    by_hand(elementwise.get_where_kernel(np.float32, np.float64), 20, crit, x, y, z)
    np.testing.assert_array_equal(z.get(), np.where(a != 0, b, -b))


BITS = [("int *x", np.uint32), ("unsigned char *x", np.bool_), ("char *x", np.uint8),
        ("unsigned short *x", np.float16)]  # fmt: skip


@pytest.mark.parametrize(("declared", "dtype"), BITS)
def test_integers_of_one_size_are_taken_with_one_warning(declared: str, dtype: Any) -> None:
    """PyCUDA's pointers are untyped."""
    array = gpuarray.to_gpu(np.array([1, 0, 1], dtype))
    kernel = ElementwiseKernel(declared, "x[i] = x[i] + 0")
    with pytest.warns(UserWarning, match="bits were taken as they are"):
        kernel(array)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kernel(array, range=slice(0, 2))
    np.testing.assert_array_equal(array.get(), np.array([1, 0, 1], dtype))


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.int16])
def test_elements_that_pycuda_would_misread_are_refused(dtype: Any) -> None:
    array = gpuarray.zeros(3, dtype)
    with pytest.raises(drv.LogicError, match=r"expects int \*"):
        ElementwiseKernel("int *x", "x[i] = 1")(array)


def test_reductions_take_integers_of_one_size() -> None:
    array = gpuarray.to_gpu(np.array([True, False, True]))
    count = ReductionKernel(np.int32, "0", "a+b", "x[i]", "unsigned char *x")
    with pytest.warns(UserWarning, match="bits were taken as they are"):
        assert count(array).get() == 2
