"""Users' scans against NumPy: expressions, structs, segments, overlaps, places of errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww

SIZES = [0, 1, 2, 31, 33, 1039, 1040, 1041, 4097, 8319, 8320, 8321, 100_003]
TOTALS = ww.InclusiveScanKernel(np.int64, "a+b")
BEFORE = ww.ExclusiveScanKernel(np.int64, "a+b", neutral="0")
LARGEST = ww.ExclusiveScanKernel(np.int32, "a > b ? a : b", "-1000", name_prefix="largest")
# Linear recurrences y = f * y + g: not commutative.
MAP = np.dtype([("f", np.float64), ("g", np.float64)])
ww.register_dtype("ScanTestMap", MAP)
COMPOSE = ww.InclusiveScanKernel(
    MAP,
    "ScanTestMap{a.f * b.f, a.g * b.f + b.g}",
    preamble="struct ScanTestMap { double f, g; };",
)
SEGMENTED = ww.GenericScanKernel(
    np.int64,
    "const long long *x, const unsigned char *starts, long long *sums, long long *before",
    input_expr="x[i]",
    scan_expr="across_seg_boundary ? b : a + b",
    neutral="0",
    output_statement="sums[i] = item; before[i] = prev_item;",
    is_segment_start_expr="starts[i]",
    name_prefix="segmented",
)


def same(result: ww.Array, expected: np.ndarray) -> None:
    host = result.get()
    assert (host.shape, host.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(host, expected)


@pytest.mark.parametrize("n", SIZES)
def test_inclusive_and_exclusive(rng: np.random.Generator, n: int) -> None:
    x = rng.integers(-100, 100, n)
    same(TOTALS(ww.asarray(x)), np.cumsum(x))
    before = np.cumsum(x) - x
    same(BEFORE(ww.asarray(x)), before)
    y = x.astype(np.int32)
    largest = np.maximum.accumulate(np.concatenate([[-1000], y[:-1]]))[:n].astype(np.int32)
    same(LARGEST(ww.asarray(y)), largest)


@pytest.mark.parametrize("n", SIZES)
def test_in_place(rng: np.random.Generator, n: int) -> None:
    x = rng.integers(-100, 100, n)
    for kernel, expected in [(TOTALS, np.cumsum(x)), (BEFORE, np.cumsum(x) - x)]:
        a = ww.asarray(x)
        assert kernel(a, out=a) is a
        same(a, expected)
        b = ww.asarray(x)
        kernel(b, b)
        same(b, expected)


@pytest.mark.parametrize("n", SIZES)
def test_an_expression_that_does_not_commute(rng: np.random.Generator, n: int) -> None:
    x = np.zeros(n, MAP)
    x["f"], x["g"] = rng.choice([-1.0, 1.0], n), rng.integers(-9, 9, n)
    f, g = 1.0, 0.0
    expected = np.zeros(n, MAP)
    for i, (one, other) in enumerate(x):
        f, g = f * one, g * one + other
        expected[i] = f, g
    same(COMPOSE(ww.asarray(x)), expected)


def test_segments(rng: np.random.Generator) -> None:
    for n in SIZES[1:]:
        x = rng.integers(-100, 100, n)
        starts = (rng.random(n) < rng.choice([0.0, 0.001, 0.3])).astype(np.uint8)
        sums, before = ww.zeros(n, dtype=np.int64), ww.zeros(n, dtype=np.int64)
        SEGMENTED(ww.asarray(x), ww.asarray(starts), sums, before)
        begins = np.maximum.accumulate(np.where(starts, np.arange(n), 0))
        totals = np.concatenate([[0], np.cumsum(x)])
        expected = totals[1:] - totals[begins]
        same(sums, expected)
        same(before, expected - x)


@pytest.mark.parametrize("n", SIZES)
def test_compaction_as_a_user_writes_it(rng: np.random.Generator, n: int) -> None:
    kernel = ww.GenericScanKernel(
        "int",
        "const float *x, float limit, float *kept, int *count",
        "x[i] > limit ? 1 : 0",
        "a+b",
        "0",
        "if (prev_item != item) kept[item-1] = x[i]; if (i+1 == N) *count = item;",
    )
    x = rng.standard_normal(n).astype(np.float32)
    kept, count = ww.zeros(n, dtype=np.float32), ww.zeros((), dtype=np.int32)
    kernel(ww.asarray(x), 0.25, kept, count)
    assert int(count) == (x > 0.25).sum()
    same(kept[: int(count)], x[x > 0.25])


def test_positions_of_runs_by_a_scan_without_neutral(rng: np.random.Generator) -> None:
    kernel = ww.GenericScanKernel(
        np.int64,
        "const int *x, long long *first",
        "i > 0 && x[i] == x[i-1] ? -1 : (long long)i",
        "a > b ? a : b",
        None,
        "first[i] = item",
    )
    x = np.sort(rng.integers(0, 500, 20_000)).astype(np.int32)
    first = ww.zeros(x.size, dtype=np.int64)
    kernel(ww.asarray(x), first)
    same(first, np.searchsorted(x, x))


@pytest.mark.parametrize("kind", ["float32", "float64", "complex64"])
def test_the_same_bits_each_time(rng: np.random.Generator, kind: str) -> None:
    x = rng.standard_normal(200_001).astype(kind)
    kernel = ww.InclusiveScanKernel(np.dtype(kind), "a+b")
    a = ww.asarray(x)
    assert len({kernel(a).get().tobytes() for _ in range(100)}) == 1
    wide = np.cumsum(x.astype(np.clongdouble if kind == "complex64" else np.longdouble))
    eps = float(np.finfo(kind).eps)
    scale = float(np.abs(wide).max())
    np.testing.assert_allclose(kernel(a).get(), wide.astype(kind), atol=200 * eps * scale)


@pytest.mark.parametrize(
    "view",
    [lambda a: a[::-1], lambda a: a[::3], lambda a: a.reshape(60, 50).T, lambda a: a[5:6]],
)
def test_strides(rng: np.random.Generator, view: Callable[[Any], Any]) -> None:
    x = rng.integers(0, 9, 3000)
    expected = np.cumsum(view(x)).reshape(view(x).shape)
    same(TOTALS(view(ww.asarray(x))), expected)
    a = ww.asarray(x)
    TOTALS(view(a), out=view(a))
    view(x)[...] = expected
    same(a, x)


def test_inputs_that_overlap_the_output_are_copied(rng: np.random.Generator) -> None:
    x = rng.integers(0, 9, 20_000)
    a = ww.asarray(x)
    TOTALS(a[:-1], out=a[1:])
    x[1:] = np.cumsum(x[:-1])
    same(a, x)


def test_types() -> None:
    for kind in ["int8", "uint16", "float16", "uint64", "complex128", "bool"]:
        x = (np.arange(3000) % 7 == 0).astype(kind)
        kernel = ww.InclusiveScanKernel(x.dtype, "a || b" if kind == "bool" else "a + b")
        assert kernel.dtype == x.dtype
        expected = np.logical_or.accumulate(x) if kind == "bool" else np.cumsum(x, dtype=kind)
        same(kernel(ww.asarray(x)), expected)
    assert ww.InclusiveScanKernel("unsigned", "a+b").dtype == np.uint32


def test_preamble_options_and_laziness() -> None:
    kernel = ww.InclusiveScanKernel(
        np.int32,
        "joined(a, b)",
        preamble="__device__ int joined(int a, int b) { return (a + b) % M; }",
        options=["-DM=1000"],
    )
    x = np.arange(5000, dtype=np.int32)
    a = ww.asarray(x)
    result = kernel(a + 1) + 1
    same(result, ((np.cumsum(x.astype(np.int64) + 1) % 1000) + 1).astype(np.int32))


def test_size() -> None:
    kernel = ww.GenericScanKernel(
        np.int32, "int *out, int first", "(int)i + first", "a+b", "0", "out[n-1-i] = item"
    )
    out = ww.zeros(100, dtype=np.int32)
    with pytest.raises(ww.ArgumentError, match=r"no array is used as x\[i\].*give size"):
        kernel(out, 3)
    kernel(out, 3, size=100)
    same(out, np.cumsum(np.arange(3, 103))[::-1].astype(np.int32))
    SEGMENTED(*[ww.zeros(9, dtype=t) for t in (np.int64, np.uint8, np.int64, np.int64)], size=4)
    with pytest.raises(ww.ArgumentError, match="size 10 for arrays of 9 elements"):
        SEGMENTED(
            *[ww.zeros(9, dtype=t) for t in (np.int64, np.uint8, np.int64, np.int64)], size=10
        )


def test_streams_and_captures(rng: np.random.Generator) -> None:
    x = rng.integers(0, 9, 50_000)
    a, out = ww.asarray(x), ww.zeros(50_000, dtype=np.int64)
    stream = ww.Stream()
    TOTALS(a, out, stream=stream)
    same(out, np.cumsum(x))
    with stream.capture() as graph:
        TOTALS(a, out, stream=stream)
    for _ in range(3):
        out[:] = 0
        graph.launch(stream)
        stream.synchronize()
        same(out, np.cumsum(x))


@pytest.mark.parametrize(
    ("texts", "place"),
    [
        ({"input_expr": "x[i] +* 2"}, r"bad\.input_expr:1:\d+"),
        ({"scan_expr": "a + c"}, r"bad\.scan_expr:1:\d+"),
        ({"neutral": "nothing"}, r"bad\.neutral:1:\d+"),
        ({"output_statement": "y[i] = item;\ny[i] = items"}, r"bad\.output_statement:2:\d+"),
        ({"is_segment_start_expr": "y"}, r"bad\.is_segment_start_expr:1:\d+"),
        ({"preamble": "int\nnone"}, r"bad\.preamble:\d:\d+"),
        ({"input_expr": "x[i])"}, r"bad\.input_expr:1:5"),
    ],
)
def test_errors_name_the_users_place(texts: dict[str, str], place: str) -> None:
    given = {
        "arguments": "const int *x, int *y",
        "input_expr": "x[i]",
        "scan_expr": "a+b",
        "neutral": "0",
        "output_statement": "y[i] = item",
    } | texts
    if "is_segment_start_expr" in texts:
        given["is_segment_start_expr"] = "z[i]"
    x = ww.zeros(3, dtype=np.int32)
    with pytest.raises(ww.CompileError, match=place):
        ww.GenericScanKernel(np.int32, name_prefix="bad", **given)(x, ww.zeros_like(x))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ww.InclusiveScanKernel(np.int32, ""), "scan_expr is empty"),
        (lambda: ww.ExclusiveScanKernel(np.int32, "a+b", ""), "begins with the neutral value"),
        (lambda: ww.InclusiveScanKernel("Unknown", "a+b"), "type Unknown .*register_dtype"),
        (lambda: ww.InclusiveScanKernel("float4", "a"), "float4 have no array"),
        (lambda: ww.InclusiveScanKernel(np.int32, "a+b", name_prefix="no name"), "no name of a"),
        (lambda: ww.InclusiveScanKernel(np.int32, "a+b", neutral=0), "neutral"),
        (
            lambda: ww.GenericScanKernel(np.int32, "int *x", "x[i]", "a+b", "0", "x[i]=last_item"),
            "last_item.*n-1",
        ),
        (
            lambda: ww.GenericScanKernel(np.int32, "int *x", "x[i]", "a+b", None, "x[i]=prev_item"),
            "prev_item is the neutral value, which is missing",
        ),
        (
            lambda: ww.GenericScanKernel(np.int32, "int *i", "i[i]", "a+b", "0", "i[i]=item"),
            "called 'i'",
        ),
        (lambda: TOTALS(ww.zeros(3)), "got an array of float64"),
        (lambda: TOTALS(3), "x expects a ww.Array"),
        (lambda: TOTALS(ww.arange(3), out=ww.arange(4)), r"out of shape \(4,\)"),
        (lambda: TOTALS(ww.arange(3), ww.zeros(3)), "got an array of float64"),
        (lambda: TOTALS(ww.arange(3), ww.broadcast_to(ww.arange(1), (3,))), "read-only"),
        (lambda: SEGMENTED(ww.arange(3)), "takes 4 arguments, but 1 was given"),
        (
            lambda: SEGMENTED(
                ww.arange(3), ww.zeros(3, dtype=np.uint8), ww.arange(4), ww.arange(3)
            ),
            r"'x' has shape \(3,\) and 'sums' has shape \(4,\)",
        ),
        (
            lambda: ww.GenericScanKernel(
                np.int64, "long long *x", "x[i] + x[i+1]", "a+b", "0", "x[i] = item"
            )(ww.arange(3)),
            "'x' is read at other indices than i and written",
        ),
    ],
)
def test_what_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ww.ArgumentError, match=message):
        make()


def test_outputs_that_overlap_are_refused() -> None:
    a = ww.arange(6)
    starts = ww.zeros(6, dtype=np.uint8)
    with pytest.raises(ww.ArgumentError, match="'sums' and 'before' overlap"):
        SEGMENTED(a, starts, a, a)


def test_properties() -> None:
    assert (TOTALS.name, LARGEST.name) == ("scan", "largest")
    assert repr(TOTALS) == "<InclusiveScanKernel scan of int64>"
    assert repr(LARGEST) == "<ExclusiveScanKernel largest of int32>"
    assert SEGMENTED.parameters[1] == "const unsigned char *starts"
    assert repr(SEGMENTED).startswith("<GenericScanKernel segmented(const long long *x, ")
    assert "a+b" in TOTALS.source and "prev_item" in BEFORE.source


@pytest.mark.parametrize("target", ["sm_75", "sm_90", "sm_120"])
def test_gpus_compile_them(target: str) -> None:
    """The text for GPUs: that of the CPU device with blocks of 256 threads, or a GPU's own."""
    for kernel in (COMPOSE, SEGMENTED):
        source = kernel.source.replace("true, 1, 1", "false, 256, 4").replace(
            "__launch_bounds__(1)", "__launch_bounds__(256)"
        )
        assert "false, 256, " in source
        assert ww.compile(source, target=target, format="cubin")[:4] == b"\x7fELF"
