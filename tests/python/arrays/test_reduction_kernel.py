"""ReductionKernel against NumPy: expressions, values, axes, strides, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww

DOT = ww.ReductionKernel(
    np.float64,
    neutral="0",
    reduce_expr="a+b",
    map_expr="x[i]*y[i]",
    arguments="const double *x, const double *y",
    name="dot",
)
LARGEST = ww.ReductionKernel(np.int32, "-2147483647 - 1", "a > b ? a : b")
PAIR = np.dtype([("value", np.float32), ("index", np.int32)])
ww.register_dtype("ReductionTestPair", PAIR)
ARGMAX = ww.ReductionKernel(
    PAIR,
    neutral="ReductionTestPair{-1e30f, -1}",
    reduce_expr="b.value > a.value || (b.value == a.value && b.index < a.index) ? b : a",
    map_expr="ReductionTestPair{x[i], (int)i}",
    arguments="const float *x",
    name="argmax",
    preamble="struct ReductionTestPair { float value; int index; };",
)
# Blocks of 256 threads take 8 elements each; parts begin at 4096.
SIZES = [1, 2, 31, 255, 256, 257, 2047, 2048, 2049, 4095, 4096, 4097, 8193, 100_003]


def whole(*shape: int, dtype: Any = np.float64) -> np.ndarray:
    count = int(np.prod(shape))
    return (np.arange(count) * 7919 % 101 - 50).astype(dtype).reshape(shape)


@pytest.mark.parametrize("n", SIZES)
def test_dot(n: int) -> None:
    x, y = whole(n), whole(n)[::-1].copy()
    result = DOT(ww.asarray(x), ww.asarray(y))
    assert (result.shape, result.dtype) == ((), np.float64)
    assert float(result) == x @ y


@pytest.mark.parametrize("n", SIZES)
def test_the_default_map_reads_in(n: int) -> None:
    x = whole(n, dtype=np.int32)
    assert int(LARGEST(ww.asarray(x))) == x.max()
    assert LARGEST.parameters == ("const int *in",)


@pytest.mark.parametrize("n", SIZES)
def test_values_that_are_structs(n: int) -> None:
    x = whole(n, dtype=np.float32)
    value, index = ARGMAX(ww.asarray(x)).get()[()]
    assert (value, index) == (x.max(), x.argmax())


def test_mean_and_variance_in_one_pass() -> None:
    moments = np.dtype([("count", np.float64), ("mean", np.float64), ("squares", np.float64)])
    ww.register_dtype("ReductionTestMoments", moments)
    kernel = ww.ReductionKernel(
        moments,
        neutral="ReductionTestMoments{0, 0, 0}",
        reduce_expr="joined(a, b)",
        map_expr="ReductionTestMoments{1, x[i], 0}",
        arguments="const double *x",
        preamble="""
struct ReductionTestMoments { double count, mean, squares; };
__device__ ReductionTestMoments joined(ReductionTestMoments a, ReductionTestMoments b) {
    double count = a.count + b.count;
    if (count == 0) return a;
    double apart = b.mean - a.mean;
    return {count, a.mean + apart * b.count / count,
            a.squares + b.squares + apart * apart * a.count * b.count / count};
}""",
    )
    x = 1e6 + np.sin(np.arange(70_000))
    count, mean, squares = kernel(ww.asarray(x)).get()[()]
    assert count == x.size
    np.testing.assert_allclose([mean, squares / count], [x.mean(), x.var()], rtol=1e-9)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, (0, 1), (0, 2), (1, 2), (0, 1, 2), ()])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("shape", [(3, 4, 5), (2, 300, 7), (70, 3, 40), (1, 5000, 1)])
def test_axes(axis: Any, keepdims: bool, shape: tuple[int, ...]) -> None:
    x = whole(*shape)
    result = DOT(ww.asarray(x), ww.asarray(x), axis=axis, keepdims=keepdims)
    expected = (x * x).sum(axis=axis, keepdims=keepdims)
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result.get(), expected)


@pytest.mark.parametrize(
    ("axis", "shape"), [(0, (30, 9000)), (0, (3000, 300)), (1, (9000, 30)), (1, (40, 9000))]
)
def test_rows_and_columns(axis: int, shape: tuple[int, int]) -> None:
    x = whole(*shape)
    np.testing.assert_array_equal(
        DOT(ww.asarray(x), ww.asarray(x), axis=axis).get(), (x * x).sum(axis=axis)
    )


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1],
        lambda a: a[:, ::-2],
        lambda a: a.T,
        lambda a: a[5:, 3:-3],
        lambda a: a[:, 4:5],
        lambda a: a[3],
        lambda a: a[1, 2],
        lambda a: a[None],
    ],
)
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_strides(view: Callable[[Any], Any], axis: int | None) -> None:
    x = whole(80, 130)
    if view(x).ndim == 0:
        axis = None
    result = DOT(view(ww.asarray(x)), view(ww.asarray(x)), axis=axis)
    np.testing.assert_array_equal(result.get(), (view(x) * view(x)).sum(axis=axis))


def test_arguments_broadcast() -> None:
    x, y = whole(40, 1), whole(60)
    np.testing.assert_array_equal(
        DOT(ww.asarray(x), ww.asarray(y), axis=0).get(), (x * y).sum(axis=0)
    )


@pytest.mark.parametrize(
    ("shape", "axis"), [((0,), None), ((0, 3), 0), ((3, 0), 0), ((0, 3), None), ((0, 3), 1)]
)
def test_over_nothing_the_result_is_neutral(shape: tuple[int, ...], axis: int | None) -> None:
    x = ww.zeros(shape)
    result = DOT(x, x, axis=axis)
    np.testing.assert_array_equal(result.get(), np.zeros(shape).sum(axis=axis))


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_an_index_counts_in_c_order(axis: int | None) -> None:
    last = ww.ReductionKernel(
        np.int64, "-1", "a > b ? a : b", "(long long)i * (x[i] > 0)", "const float *x"
    )
    x = whole(50, 70, dtype=np.float32).T
    expected = (np.arange(3500).reshape(70, 50) * (x > 0)).max(axis=axis)
    np.testing.assert_array_equal(last(ww.asarray(x.T).T, axis=axis).get(), expected)


@pytest.mark.parametrize("view", [lambda a: a, lambda a: a.T, lambda a: a[::2, ::-1]])
@pytest.mark.parametrize("axis", [None, 1])
def test_other_indices(view: Callable[[Any], Any], axis: int | None) -> None:
    steps = ww.ReductionKernel(
        np.int32,
        "0",
        "a + b",
        "abs(x[i] - x[i == 0 ? n - 1 : i - 1])",
        "const int *x",
    )
    x = whole(30, 40, dtype=np.int32)
    flat = view(x).ravel()
    expected = np.abs(flat - np.roll(flat, 1)).reshape(view(x).shape).sum(axis=axis)
    np.testing.assert_array_equal(steps(view(ww.asarray(x)), axis=axis).get(), expected)


def test_lazy_arguments_and_results() -> None:
    x = whole(5000)
    a = ww.asarray(x)
    result = DOT(a + 1, a * 2) + 1
    a += 100
    assert float(result) == (x + 1) @ (2 * x) + 1


@pytest.mark.parametrize(
    ("c_type", "dtype"),
    [
        (np.int8, np.int8),
        (np.uint64, np.uint64),
        (np.float16, np.float16),
        (np.float32, np.float32),
        (np.complex64, np.complex64),
        (np.complex128, np.complex128),
        ("unsigned", np.uint32),
        ("short", np.int16),
    ],
)
def test_types(c_type: Any, dtype: Any) -> None:
    add = ww.ReductionKernel(c_type, "0", "a+b")
    x = (np.arange(300) % 3 == 0).astype(dtype)
    result = add(ww.asarray(x))
    assert result.dtype == dtype
    assert result.get() == x.sum(dtype=dtype)


def test_numbers_preamble_and_options() -> None:
    norm = ww.ReductionKernel(
        np.float64,
        "0",
        "a + b",
        "power(x[i] - shift) * N",
        ["const double *x", "double shift"],
        preamble="__device__ double power(double v) { return v * v; }",
        options=["-DN=3"],
    )
    x = whole(777)
    assert float(norm(ww.asarray(x), 5)) == (3 * (x - 5) ** 2).sum()


def test_out() -> None:
    x = whole(20, 30)
    a = ww.asarray(x)
    out = ww.zeros(20)
    assert DOT(a, a, axis=1, out=out) is out
    np.testing.assert_array_equal(out.get(), (x * x).sum(axis=1))
    wide = ww.zeros((20, 2))
    DOT(a, a, axis=1, out=wide[:, 1])
    np.testing.assert_array_equal(wide.get()[:, 1], (x * x).sum(axis=1))
    np.testing.assert_array_equal(wide.get()[:, 0], 0)
    DOT(a, a, axis=1, out=a[:, 0])  # read while it is written
    np.testing.assert_array_equal(a.get()[:, 0], (x * x).sum(axis=1))


def test_the_same_bits_each_time_and_for_every_alignment() -> None:
    x = np.random.default_rng(3).standard_normal(200_001)
    memory = ww.zeros(200_009)
    results = set()
    for offset in range(8):
        part = memory[offset : offset + x.size]
        part[:] = ww.asarray(x)
        results.add(float(DOT(part, part)))
    assert len(results) == 1
    np.testing.assert_allclose(results.pop(), x @ x, rtol=1e-12)


def test_streams_and_captures() -> None:
    x = ww.asarray(whole(50_000))
    out = ww.zeros(())
    DOT(x, x, out=out)
    expected = float(out)
    stream = ww.Stream()
    with stream.capture() as graph:
        DOT(x, x, out=out, stream=stream)
    for _ in range(3):
        out[...] = 0
        graph.launch(stream)
        stream.synchronize()
        assert float(out) == expected
    assert float(DOT(x, x, stream=stream)) == expected


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: DOT(x), "dot takes 2 arguments, but 1 was given"),
        (lambda x: DOT(x, 2.0), "parameter 'y' expects const double .*ww.asarray"),
        (lambda x: DOT(x, x.get()), "parameter 'y' expects const double .*ww.asarray"),
        (lambda x: DOT(x, ww.zeros(5, dtype=np.float32)), "got an array of float32: .*astype"),
        (lambda x: DOT(x, ww.zeros(4)), "dot: .*broadcast"),
        (lambda x: DOT(x, x, axis=1), "axis 1"),
        (lambda x: DOT(x, x, axis=(0, 0)), "axis 0 twice"),
        (lambda x: DOT(x, x, out=ww.zeros(3)), r"dot got out of shape \(3,\)"),
        (lambda x: DOT(x, x, out=ww.zeros((), dtype=np.float32)), "type float32"),
        (lambda x: DOT(x, x, out=ww.broadcast_to(x[0], ())), "read-only"),
        (lambda x: DOT(x, x, out=3), "out expects a ww.Array"),
        (lambda x: DOT(x, x, out=ww.zeros((), device="null")), "null"),
    ],
)
def test_arguments_that_are_refused(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ww.ArgumentError, match=message):
        call(ww.ones(5))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ww.ReductionKernel("Unheard", "0", "a+b"), "type Unheard of the values"),
        (lambda: ww.ReductionKernel("float4", "0", "a+b"), "values of type float4"),
        (
            lambda: ww.ReductionKernel(np.dtype([("unlike", np.int8)]), "0", "a+b"),
            "no C\\+\\+ type is known",
        ),
        (lambda: ww.ReductionKernel(np.float32, "0", "a+b", "1", "float"), "is no parameter"),
        (lambda: ww.ReductionKernel(np.float32, "0", "a+b", name="a-b"), "no name of a kernel"),
        (lambda: ww.ReductionKernel(np.float32, "0", "a+b", 5), "map_expr expects"),
        (
            lambda: ww.ReductionKernel("int", "0", "a+b", "k", "int k")(1),
            "got no array, so it has no elements to reduce",
        ),
    ],
)
def test_definitions_that_are_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ww.ArgumentError, match=message):
        make()


def test_writes_at_other_indices_need_contiguous_arrays() -> None:
    kernel = ww.ReductionKernel("int", "0", "a+b", "x[n - 1 - i] = 1", "int *x")
    with pytest.raises(ww.ArgumentError, match="'x' may be written at other indices"):
        kernel(ww.zeros((3, 4), dtype=np.int32).T)
    x = ww.zeros((3, 4), dtype=np.int32)
    assert int(kernel(x)) == 12
    assert int(x.sum()) == 12


@pytest.mark.parametrize(
    ("texts", "file", "column"),
    [
        (("q", "a+b", "x[i]"), "wrong.neutral", 1),
        (("0", "a + q", "x[i]"), "wrong.reduce_expr", 5),
        (("0", "a + b", "x[i] * q"), "wrong.map_expr", 8),
        (("0", "(a + b", "x[i]"), "wrong.reduce_expr", 1),
        (("0", "a + b", "x[i"), "wrong.map_expr", 2),
    ],
)
def test_errors_of_the_compiler_have_the_place_in_the_users_text(
    texts: tuple[str, str, str], file: str, column: int
) -> None:
    with pytest.raises(ww.CompileError) as caught:
        ww.ReductionKernel(np.float32, *texts, "const float *x", "wrong")(
            ww.zeros(3, dtype=np.float32)
        )
    assert (caught.value.file, caught.value.line) == (file, 1)
    assert f"{file}:1:{column}: error" in caught.value.log


def test_what_it_shows() -> None:
    assert repr(DOT) == "<ReductionKernel dot(const double *x, const double *y)>"
    assert (DOT.name, DOT.dtype) == ("dot", np.float64)
    assert "x[i]*y[i];" in DOT.source
