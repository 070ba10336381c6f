"""ElementwiseKernel against NumPy: shapes, strides, types, ranges, and what it refuses."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww

LIN_COMB = ww.ElementwiseKernel(
    "float a, const float *x, float b, const float *y, float *z",
    "z[i] = a*x[i] + b*y[i]",
    name="lin_comb",
)
# Whole numbers, so that contraction changes nothing.
SIZES = [1, 2, 31, 255, 256, 257, 1023, 1024, 1025, 4099]


def whole(*shape: int, dtype: Any = np.float32, start: int = 0) -> np.ndarray:
    count = int(np.prod(shape))
    return (np.arange(start, start + count) % 97).astype(dtype).reshape(shape)


@pytest.mark.parametrize("n", SIZES)
def test_writes_the_output_it_is_given_and_returns_it(n: int) -> None:
    x, y = whole(n), whole(n, start=5)
    z = ww.zeros(n, dtype=np.float32)
    assert LIN_COMB(5, ww.asarray(x), 6, ww.asarray(y), z) is z
    np.testing.assert_array_equal(z.get(), 5 * x + 6 * y)


@pytest.mark.parametrize("n", SIZES)
def test_makes_the_only_output_where_it_is_left_out(n: int) -> None:
    x, y = whole(n), whole(n, start=5)
    z = LIN_COMB(5, ww.asarray(x), 6, ww.asarray(y))
    assert z.dtype == np.float32
    np.testing.assert_array_equal(z.get(), 5 * x + 6 * y)


def test_the_output_left_out_may_stand_anywhere() -> None:
    double = ww.ElementwiseKernel("int *out, const int *x", "out[i] = 2 * x[i]")
    np.testing.assert_array_equal(double(ww.arange(5, dtype=np.int32)).get(), [0, 2, 4, 6, 8])


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1],
        lambda a: a[1:],
        lambda a: a[::3, 1::2],
        lambda a: a.T,
        lambda a: a[:, ::-1].T,
        lambda a: a[2],
        lambda a: a[:, 3:4],
        lambda a: a[1, 2],
        lambda a: a[None, :, None],
    ],
    ids=["reversed", "rows", "steps", "transposed", "both", "row", "column", "0-d", "new axes"],
)
@pytest.mark.parametrize("shape", [(7, 5), (9, 300), (300, 9)])
def test_strided_inputs_and_outputs(view: Callable[[Any], Any], shape: tuple[int, int]) -> None:
    a, b = whole(*shape), whole(*shape, start=11)
    expected = 2 * view(a) + 3 * view(b)
    made = LIN_COMB(2, view(ww.asarray(a)), 3, view(ww.asarray(b)))
    np.testing.assert_array_equal(made.get(), expected)
    target = ww.zeros(shape, dtype=np.float32)
    LIN_COMB(2, view(ww.asarray(a)), 3, view(ww.asarray(b)), view(target))
    np.testing.assert_array_equal(view(target).get(), expected)
    assert float(target.sum()) == expected.sum()  # and nothing else was written


@pytest.mark.parametrize(
    ("one", "other"),
    [((3, 4), (4,)), ((3, 1), (1, 4)), ((5, 1, 200), (7, 1)), ((), (6,)), ((2, 3), ()), ((), ())],
)
def test_inputs_broadcast(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    a, b = whole(*one), whole(*other, start=3)
    made = LIN_COMB(1, ww.asarray(a), 10, ww.asarray(b))
    expected = a + 10 * b
    assert made.shape == expected.shape
    np.testing.assert_array_equal(made.get(), expected)


@pytest.mark.parametrize("shape", [(0,), (0, 5), (3, 0)])
def test_empty_arrays_run_nothing(shape: tuple[int, ...]) -> None:
    x = ww.zeros(shape, dtype=np.float32)
    assert LIN_COMB(1, x, 2, x).shape == shape


def test_axes_beyond_two() -> None:
    a = whole(3, 4, 5, 6)
    x = ww.asarray(a)
    made = LIN_COMB(1, x[:, ::2, :, 1:5], 2, x[:, 1::2, :, :4])
    np.testing.assert_array_equal(made.get(), a[:, ::2, :, 1:5] + 2 * a[:, 1::2, :, :4])


def test_results_keep_the_order_of_the_axes() -> None:
    x = ww.asarray(whole(4, 6)).T
    assert LIN_COMB(1, x, 1, x).strides == x.strides


def test_several_outputs_and_statements() -> None:
    both = ww.ElementwiseKernel(
        "const double *x, double *s, double *p",
        "double v = x[i]; s[i] = v + 1; if (v > 3) { p[i] = v * v; }",
    )
    x = whole(700, dtype=np.float64)
    s, p = ww.empty(700), ww.full(700, -1.0)
    first, second = both(ww.asarray(x), s, p)
    assert first is s
    assert second is p
    np.testing.assert_array_equal(s.get(), x + 1)
    np.testing.assert_array_equal(p.get(), np.where(x > 3, x * x, -1))


def test_outputs_are_read_too() -> None:
    add = ww.ElementwiseKernel("float *y, const float *x", "y[i] += x[i]")
    y = ww.ones(1500, dtype=np.float32)
    for _ in range(3):
        add(y, ww.asarray(whole(1500)))
    np.testing.assert_array_equal(y.get(), 1 + 3 * whole(1500))


def test_a_write_that_not_every_element_makes_leaves_the_others() -> None:
    clear = ww.ElementwiseKernel("float *x", "if (x[i] < 50) continue; x[i] = 0;", name="clear")
    x = whole(1300)
    y = ww.asarray(x)
    clear(y)
    np.testing.assert_array_equal(y.get(), np.where(x < 50, x, 0))


def test_in_place() -> None:
    x = whole(2000)
    y = ww.asarray(x)
    LIN_COMB(2, y, 3, y, y)
    np.testing.assert_array_equal(y.get(), 5 * x)


def test_an_input_that_overlaps_the_output_elsewhere_is_read_before() -> None:
    x = whole(3000)
    y = ww.asarray(x)
    LIN_COMB(1, y[:-1], 1, y[1:], y[1:])
    np.testing.assert_array_equal(y.get()[1:], x[:-1] + x[1:])
    reverse = ww.ElementwiseKernel("const float *x, float *z", "z[i] = x[n - 1 - i]")
    z = ww.asarray(x)
    reverse(z, z)
    np.testing.assert_array_equal(z.get(), x[::-1])


def test_a_statement_sees_what_the_one_before_wrote_to_the_same_array() -> None:
    two = ww.ElementwiseKernel("const float *x, float *y, float *z", "y[i] = 7; z[i] = x[i];")
    x, z = ww.zeros(1030, dtype=np.float32), ww.zeros(1030, dtype=np.float32)
    two(x, x, z)
    np.testing.assert_array_equal(z.get(), 7)


def test_lazy_inputs() -> None:
    x = whole(900)
    a = ww.asarray(x)
    made = LIN_COMB(1, a + 1, 2, a * 2)
    a += 100  # behind the kernel
    np.testing.assert_array_equal(made.get(), x + 1 + 4 * x)
    np.testing.assert_array_equal(a.get(), x + 100)


def test_writes_come_behind_operations_recorded_before() -> None:
    x = whole(900)
    a = ww.asarray(x)
    before = a + 1
    fill = ww.ElementwiseKernel("float *x, float value", "x[i] = value")
    fill(a, 3)
    np.testing.assert_array_equal(before.get(), x + 1)
    np.testing.assert_array_equal((a + 1).get(), 4)


@pytest.mark.cpu_only("views of NumPy are of host memory")
def test_an_exported_output_has_ended_when_the_call_returns() -> None:
    a = ww.zeros(5000, dtype=np.float32)
    seen = np.asarray(a)
    LIN_COMB(1, ww.ones(5000, dtype=np.float32), 1, ww.ones(5000, dtype=np.float32), a)
    assert (seen == 2).all()
    del seen
    gc.collect()


def test_indices_and_counts_are_of_64_bits() -> None:
    wide = ww.ElementwiseKernel(
        "unsigned long long *z", "z[i] = sizeof(i) * 1000 + sizeof(n) * 100 + (n - i)"
    )
    z = ww.empty(300, dtype=np.uint64)
    wide(z)
    np.testing.assert_array_equal(z.get(), 8800 + 300 - np.arange(300))


def test_an_index_counts_in_c_order_whatever_the_strides() -> None:
    number = ww.ElementwiseKernel("long long *z", "z[i] = i")
    z = ww.zeros((30, 70), dtype=np.int64).T
    number(z)
    np.testing.assert_array_equal(z.get(), np.arange(2100).reshape(70, 30))


@pytest.mark.parametrize("view", [lambda a: a, lambda a: a.T, lambda a: a[::-1, 1:-1]])
def test_other_indices_count_in_c_order_too(view: Callable[[Any], Any]) -> None:
    shift = ww.ElementwiseKernel(
        "const int *x, int *z", "z[i] = x[i] + 1000 * x[i + 1 < n ? i + 1 : 0]"
    )
    a = np.arange(12 * 14, dtype=np.int32).reshape(12, 14)
    x = view(a).ravel()
    expected = (x + 1000 * np.roll(x, -1)).reshape(view(a).shape)
    made = shift(view(ww.asarray(a)))
    np.testing.assert_array_equal(made.get(), expected)


def test_a_table_has_its_own_shape() -> None:
    look_up = ww.ElementwiseKernel(
        "const int *k, const float *table, float *z", "z[i] = table[k[i]]"
    )
    k = (np.arange(1000) * 7 % 50).astype(np.int32)
    table = whole(5, 20)
    for of in (ww.asarray(table), ww.asarray(table.T.copy()).T):
        np.testing.assert_array_equal(look_up(ww.asarray(k), of).get(), table.ravel()[k])


def test_a_histogram_is_written_at_other_places() -> None:
    count = ww.ElementwiseKernel("const int *k, int *bins", "atomicAdd(&bins[k[i]], 1)")
    k = (np.arange(5000) * 13 % 11).astype(np.int32)
    bins = ww.zeros(11, dtype=np.int32)
    count(ww.asarray(k), bins)
    np.testing.assert_array_equal(bins.get(), np.bincount(k))


def test_addresses_of_contiguous_arrays() -> None:
    pointer = ww.ElementwiseKernel("const float *x, float *z", "const float *p = x + i; z[i] = *p")
    x = whole(40, 5)
    np.testing.assert_array_equal(pointer(ww.asarray(x)).get(), x)
    with pytest.raises(ww.ArgumentError, match=r"address of 'x' \(line 1, column 18.*contiguous"):
        pointer(ww.asarray(x).T)


def test_preamble_and_options() -> None:
    kernel = ww.ElementwiseKernel(
        "const float *x, float *z",
        "z[i] = cubed(x[i]) + N",
        preamble="__device__ float cubed(float v) { return v * v * v; }",
        options=["-DN=2"],
    )
    np.testing.assert_array_equal(kernel(ww.asarray(whole(50) % 9)).get(), (whole(50) % 9) ** 3 + 2)


def test_headers_and_functions_that_write_through_references() -> None:
    kernel = ww.ElementwiseKernel(
        "int *x, int *y",
        "exchange(x[i], y[i])",
        preamble='#include "exchange.h"\n__device__ void use(int &a) { exchange(a, a); }',
        headers={
            "exchange.h": "__device__ inline void exchange(int &a, int &b)"
            "{ int c = a; a = b; b = c; }"
        },
    )
    x, y = ww.arange(1100, dtype=np.int32), ww.zeros(1100, dtype=np.int32)
    kernel(x, y)
    np.testing.assert_array_equal(y.get(), np.arange(1100))
    np.testing.assert_array_equal(x.get(), 0)


def test_text_before_and_behind_the_loop() -> None:
    kernel = ww.ElementwiseKernel(
        "const int *x, int *sum",
        "mine += x[i];",
        loop_prep="int mine = 0",
        after_loop="atomicAdd(sum, mine)",
    )
    total = ww.zeros(1, dtype=np.int32)
    kernel(ww.arange(100_000, dtype=np.int32) % 10, total)
    assert int(total[0]) == 450_000


@pytest.mark.parametrize(
    "given",
    [
        slice(3, 50),
        slice(None, None, 2),
        slice(40, 5, -3),
        slice(-20, None),
        slice(None, None, -1),
        slice(50, 20),
        slice(10, 5000),
    ],
)
def test_slices(given: slice) -> None:
    number = ww.ElementwiseKernel("long long *z", "z[i] = i + 1")
    z = ww.zeros(77, dtype=np.int64)
    number(z, slice=given)
    expected = np.zeros(77, dtype=np.int64)
    expected[given] = np.arange(1, 78)[given]
    np.testing.assert_array_equal(z.get(), expected)


@pytest.mark.parametrize("given", [range(3, 20), range(60, 3, -7), slice(0, 77, 5), range(0)])
def test_ranges(given: Any) -> None:
    z = ww.zeros((7, 11), dtype=np.float32).T
    ww.ElementwiseKernel("float *z", "z[i] = 1")(z, range=given)
    expected = np.zeros(77, dtype=np.float32)
    expected[list(range(77))[given] if isinstance(given, slice) else list(given)] = 1
    np.testing.assert_array_equal(z.get().ravel(), expected)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"range": range(5, 100)}, IndexError, "visits elements 5 to 99 of 77"),
        ({"range": range(-1, 5)}, IndexError, "visits elements -1"),
        ({"range": slice(3, None)}, ValueError, "range= needs start and stop"),
        ({"range": range(3), "slice": slice(3)}, TypeError, "range= and slice="),
        ({"slice": (1, 2)}, TypeError, "expects a slice or a range"),
        ({"slice": slice(0, 9, 0)}, ValueError, "cannot be 0"),
    ],
)
def test_ranges_that_are_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    z = ww.zeros(77, dtype=np.float32)
    with pytest.raises(error, match=message) as caught:
        ww.ElementwiseKernel("float *z", "z[i] = 1")(z, **options)
    assert isinstance(caught.value, ww.ArgumentError)
    assert float(z.sum()) == 0


def test_a_range_needs_its_output() -> None:
    x = ww.zeros(5, dtype=np.float32)
    with pytest.raises(ww.ArgumentError, match="output 'z' is left out"):
        LIN_COMB(1, x, 1, x, slice=slice(2))


@pytest.mark.parametrize(
    ("c_type", "dtype"),
    [
        ("bool", np.bool_),
        ("signed char", np.int8),
        ("char", np.int8),
        ("unsigned char", np.uint8),
        ("short int", np.int16),
        ("uint16_t", np.uint16),
        ("int", np.int32),
        ("unsigned", np.uint32),
        ("long", np.int64),
        ("long long int", np.int64),
        ("size_t", np.uint64),
        ("__half", np.float16),
        ("half", np.float16),
        ("float", np.float32),
        ("double", np.float64),
        ("cuFloatComplex", np.complex64),
        ("cuDoubleComplex", np.complex128),
        ("std::complex<float>", np.complex64),
        ("std::complex<double>", np.complex128),
        ("float2", np.complex64),
    ],
)
def test_types(c_type: str, dtype: Any) -> None:
    choose = ww.ElementwiseKernel(f"const {c_type} *x, {c_type} *z", "z[i] = x[n - 1 - i]")
    copy = ww.ElementwiseKernel(f"const {c_type} *x, {c_type} *z", "z[i] = x[i]")
    x = whole(1027, dtype=dtype)
    z = ww.zeros(1027, dtype=dtype)
    np.testing.assert_array_equal(choose(ww.asarray(x), z).get(), x[::-1])
    np.testing.assert_array_equal(copy(ww.asarray(x), z).get(), x)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint32", "int64", "float64"])
def test_types_by_numpys_names(dtype: str) -> None:
    """As CuPy's kernels are declared."""
    more = ww.ElementwiseKernel(f"const {dtype} *x, {dtype} *y, {dtype} a", "y[i] = x[i] + a")
    host = np.array([0, 1, 2, 3]).astype(dtype)
    expected = host + np.ones(4, dtype)
    result = more(ww.asarray(host), ww.empty(4, dtype=dtype), 1)
    assert result.get().tolist() == expected.tolist()


def test_complex_arithmetic_and_scalars() -> None:
    kernel = ww.ElementwiseKernel(
        "std::complex<double> a, const std::complex<double> *x, std::complex<double> *z",
        "z[i] = a * x[i]",
    )
    x = whole(300, dtype=np.complex128) + 2j
    np.testing.assert_array_equal(kernel(1 + 1j, ww.asarray(x)).get(), (1 + 1j) * x)


def test_vectors_are_the_last_axis() -> None:
    kernel = ww.ElementwiseKernel(
        "float s, const float4 *x, float4 *z",
        "z[i].x = s*x[i].w;z[i].y = x[i].z; z[i].z = x[i].y; z[i].w = x[i].x",
    )
    x = whole(70, 4)
    expected = x[:, ::-1] * [2, 1, 1, 1]
    made = kernel(2, ww.asarray(x))
    assert made.shape == (70, 4)
    np.testing.assert_array_equal(made.get(), expected)
    with pytest.raises(ww.ArgumentError, match="last axis has 4 elements"):
        kernel(2, ww.asarray(whole(70)))


def test_structs() -> None:
    dtype = np.dtype([("value", np.float32), ("index", np.int32)])
    ww.register_dtype("ElementwiseTestPair", dtype)
    kernel = ww.ElementwiseKernel(
        "ElementwiseTestPair *p, const float *x, ElementwiseTestPair add",
        "p[i].value = x[i] + add.value; p[i].index = i + add.index",
        preamble="struct ElementwiseTestPair { float value; int index; };",
    )
    x = whole(90)
    made = kernel(ww.asarray(x), np.array((1.0, 10), dtype)[()])
    assert made.dtype == dtype
    np.testing.assert_array_equal(made.get()["value"], x + 1)
    np.testing.assert_array_equal(made.get()["index"], np.arange(90) + 10)


def test_structs_that_are_not_registered_are_checked_by_size() -> None:
    kernel = ww.ElementwiseKernel(
        "struct Unregistered *p", "p[i].b = p[i].a", preamble="struct Unregistered { int a, b; };"
    )
    p = ww.asarray(np.array([(1, 0), (2, 0)], dtype=[("a", np.int32), ("b", np.int32)]))
    kernel(p)
    assert p.get()["b"].tolist() == [1, 2]
    wrong = ww.asarray(np.zeros(3, dtype=[("a", np.int32)]))
    with pytest.raises(ww.CompileError, match="elements of the array p have 4 bytes"):
        kernel(wrong)


@pytest.mark.parametrize(
    ("name", "dtype"), [("", np.float32), ("float", np.float64), ("+", np.float32)]
)
def test_names_that_cannot_be_registered(name: str, dtype: Any) -> None:
    with pytest.raises(ww.ArgumentError, match="register_dtype got"):
        ww.register_dtype(name, dtype)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (2.7, "parameter 'k' expects int, got 2.7; int32 cannot hold that value"),
        (2**40, "int32 cannot hold"),
        (1j, "pass a real number"),
        ("a", "parameter 'k' expects int"),
        (None, "this parameter is a value"),
    ],
)
def test_numbers_are_checked_as_those_of_launches(value: Any, message: str) -> None:
    kernel = ww.ElementwiseKernel("int k, int *z", "z[i] = k", name="fill")
    z = ww.zeros(3, dtype=np.int32)
    with pytest.raises(ww.ArgumentError, match=message):
        kernel(value, z)
    kernel(np.float64(3.0), z)
    assert z.get().tolist() == [3, 3, 3]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: (1, x, 2), "lin_comb takes 5 arguments, but 3 were given"),
        (lambda x: (1, x, 2, x, x, x), "but 6 were given"),
        (lambda x: (1, x.get(), 2, x, x), "parameter 'x' expects const float .*ww.asarray"),
        (lambda x: (1, 3.0, 2, x, x), "parameter 'x' expects const float .*got 3.*ww.asarray"),
        (lambda x: (1, x.gpudata, 2, x, x), "a buffer of 20 bytes; make an array over it"),
        (lambda x: (x, x, 2, x, x), "parameter 'a' expects float, got an array of float32"),
        (lambda x: (1, ww.zeros(5), 2, x, x), "got an array of float64: .*astype"),
        (lambda x: (1, x, 2, ww.zeros(4, dtype=np.float32)), "broadcast"),
        (lambda x: (1, x, 2, x, ww.zeros(6, dtype=np.float32)), "lin_comb: .*broadcast"),
        (
            lambda x: (1, x, 2, ww.zeros((2, 5), dtype=np.float32), x),
            r"output 'z' has shape \(5,\), but the arrays have \(2, 5\)",
        ),
        (lambda x: (1, x, 2, x, ww.broadcast_to(x[0], (5,))), "read-only"),
    ],
)
def test_arguments_that_are_refused(change: Callable[[Any], tuple[Any, ...]], message: str) -> None:
    x = ww.ones(5, dtype=np.float32)
    with pytest.raises(ww.ArgumentError, match=message):
        LIN_COMB(*change(x))
    assert float(x.sum()) == 5


def test_outputs_that_overlap_are_refused() -> None:
    two = ww.ElementwiseKernel("float *x, float *y", "x[i] = 1; y[i] = 2")
    x = ww.zeros(10, dtype=np.float32)
    with pytest.raises(ww.ArgumentError, match="'x' and 'y' overlap"):
        two(x[1:], x[:-1])


def test_a_kernel_without_arrays_is_refused() -> None:
    with pytest.raises(ww.ArgumentError, match="got no array"):
        ww.ElementwiseKernel("int k, int *z", "z[i] = k")(3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("float", "is no parameter"),
        ("float *x, float *x", "two parameters are called 'x'"),
        ("float **x", "pointer to pointers"),
        ("float &x", "no number, struct or pointer"),
        ("float *i", "the kernel's own name for the index"),
        ("int n", "number of elements"),
        ("Unknown x", "type that is not known"),
        ("float *x,", "is no parameter"),
        ("float *__ww_x", "Warpwise's own"),
    ],
)
def test_declarations_that_are_refused(arguments: str, message: str) -> None:
    with pytest.raises(ww.ArgumentError, match=message):
        ww.ElementwiseKernel(arguments, "1")


def test_declarations_as_a_list() -> None:
    kernel = ww.ElementwiseKernel(["const float *restrict x", "float z[]"], "z[i] = x[i]")
    assert kernel.parameters == ("const float *x", "float *z")
    with pytest.raises(ww.ArgumentError, match="arguments expects"):
        ww.ElementwiseKernel(3, "1")  # type: ignore[arg-type]


def test_a_name_that_is_none() -> None:
    with pytest.raises(ww.ArgumentError, match="no name of a kernel"):
        ww.ElementwiseKernel("float *x", "x[i] = 1", name="a b")


@pytest.mark.parametrize(
    ("texts", "file", "line", "column"),
    [
        ({"operation": "x[i] = y"}, "wrong.operation", 1, 8),
        ({"operation": "int k = 1;\n  x[i] = k + y;"}, "wrong.operation", 2, 14),
        ({"operation": "x[i] = (1"}, "wrong.operation", 1, 8),
        ({"operation": "x[i] = 1; }"}, "wrong.operation", 1, 11),
        ({"operation": "x[i] = 1", "preamble": "\n\nint f( { }"}, "wrong.preamble", 3, 6),
        ({"operation": "x[i] = 1", "loop_prep": "int k = y"}, "wrong.loop_prep", 1, 9),
        ({"operation": "x[i] = 1", "after_loop": "k = 1;"}, "wrong.after_loop", 1, 1),
    ],
)
def test_errors_of_the_compiler_have_the_place_in_the_users_text(
    texts: dict[str, str], file: str, line: int, column: int
) -> None:
    operation = texts.pop("operation")
    with pytest.raises(ww.CompileError) as caught:
        ww.ElementwiseKernel("float *x", operation, name="wrong", **texts)(
            ww.zeros(3, dtype=np.float32)
        )
    assert (caught.value.file, caught.value.line) == (file, line)
    assert f"{file}:{line}:{column}: error" in caught.value.log
    assert operation.split("\n")[0] in caught.value.log or file != "wrong.operation" or line > 1


def test_comments_do_not_end_the_kernel() -> None:
    kernel = ww.ElementwiseKernel("int *x", "x[i] = 1 // one (")
    assert kernel(ww.zeros(3, dtype=np.int32)).get().tolist() == [1, 1, 1]


def test_streams() -> None:
    stream = ww.Stream()
    x = ww.asarray(whole(4000))
    z = LIN_COMB(1, x, 2, x, stream=stream)
    np.testing.assert_array_equal((z + 1).get(), 3 * whole(4000) + 1)


def test_an_array_of_another_device_is_refused() -> None:
    others = [device for device in ww.devices() if device.name != ww.Device().name]
    if not others:
        pytest.skip("there is one device")
    x = ww.zeros(3, dtype=np.float32)
    with pytest.raises(ww.ArgumentError, match="arrays on"):
        LIN_COMB(1, x, 2, ww.zeros(3, dtype=np.float32, device=others[0]))


def test_a_capture_records_the_kernel() -> None:
    x = ww.ones(100, dtype=np.float32)
    add = ww.ElementwiseKernel("float *x", "x[i] += 1")
    add(x)
    stream = ww.Stream()
    with stream.capture() as graph:
        add(x, stream=stream)
    graph.launch(stream)
    graph.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(x.get(), 4)
