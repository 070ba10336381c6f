"""Cumulative sums and products against NumPy: types, axes, strides, repeatability, errors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
KINDS = ["bool", *INTEGERS, "float16", "float32", "float64", "complex64", "complex128"]
# Around the ends of chains (1040), tiles (8320; 2048 and 4096 on GPUs), and of their groups.
SIZES = [0, 1, 2, 31, 32, 33, 1023, 1024, 1025, 2049, 4097, 8319, 8320, 8321, 100_003, 300_007]


def values(rng: np.random.Generator, shape: Any, kind: str) -> np.ndarray:
    if kind == "bool":
        return rng.random(shape) < 0.5
    if kind in INTEGERS:
        return rng.integers(0, 100, shape).astype(kind)
    parts = rng.standard_normal(shape)
    if kind.startswith("complex"):
        parts = parts + 1j * rng.standard_normal(shape)
    return parts.astype(kind)


def close(result: ww.Array, expected: np.ndarray) -> None:
    host = result.get()
    assert (host.shape, host.dtype) == (expected.shape, expected.dtype)
    if expected.dtype.kind in "biu":
        np.testing.assert_array_equal(host, expected)
        return
    eps = float(np.finfo(expected.dtype).eps)
    scale = max(1.0, float(np.abs(expected.astype(complex)).max(initial=0)))
    np.testing.assert_allclose(host, expected, rtol=32 * eps, atol=64 * eps * scale)


def wide(x: np.ndarray) -> np.ndarray:
    return x.astype({"f": np.longdouble, "c": np.clongdouble}.get(x.dtype.kind, x.dtype))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", SIZES)
def test_sums_of_one_axis(rng: np.random.Generator, kind: str, size: int) -> None:
    x = values(rng, size, kind)
    if kind == "float16":
        x = x[:2000]  # NumPy's own stays in range
    expected = np.cumsum(wide(x)).astype(np.cumsum(x[:1]).dtype)
    close(ww.cumulative_sum(ww.asarray(x)), expected)
    close(ww.cumsum(ww.asarray(x)), expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(3, 4, 5), (1, 5000), (300, 70), (3, 2000, 2), (2000, 3)])
def test_sums_along_axes(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> None:
    x = values(rng, shape, kind) / 8 if kind == "float16" else values(rng, shape, kind)
    for axis in range(-len(shape), len(shape)):
        expected = np.cumsum(wide(x), axis=axis).astype(np.cumsum(x[:1, :1]).dtype)
        close(ww.cumulative_sum(ww.asarray(x), axis=axis), expected)


@pytest.mark.parametrize("kind", ["int32", "uint64", "float32", "float64", "complex64"])
@pytest.mark.parametrize("shape", [(5,), (3, 40), (40, 3), (9000,)])
def test_products(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> None:
    x = values(rng, shape, kind)
    if kind not in INTEGERS:
        x = (x / np.abs(x)).astype(kind)
    expected = np.cumprod(wide(x), axis=0).astype(np.cumprod(x[:1]).dtype)
    host = ww.cumulative_prod(ww.asarray(x), axis=0).get()
    assert host.dtype == expected.dtype
    tolerance = 0 if kind in INTEGERS else 4 * x.shape[0] * float(np.finfo(kind).eps)
    np.testing.assert_allclose(host, expected, rtol=tolerance)
    close(ww.cumprod(ww.asarray(x[:2])), np.cumprod(wide(x[:2])).astype(expected.dtype))


@pytest.mark.parametrize("shape", [(0,), (7,), (4, 1300), (1300, 4), (3, 0), (0, 3), (2, 3, 4)])
def test_an_initial_element(rng: np.random.Generator, shape: tuple[int, ...]) -> None:
    x = values(rng, shape, "int32")
    for axis in range(len(shape)):
        for own, theirs in [
            (ww.cumulative_sum, np.cumulative_sum),
            (ww.cumulative_prod, np.cumulative_prod),
        ]:
            close(
                own(ww.asarray(x), axis=axis, include_initial=True),
                theirs(x, axis=axis, include_initial=True),
            )


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::-1],
        lambda a: a[:, ::-2],
        lambda a: a.T,
        lambda a: a[5:, 3:-3],
        lambda a: a[3],
        lambda a: a[:, 1:2],
        lambda a: a[None],
    ],
)
def test_strides(rng: np.random.Generator, view: Callable[[Any], Any]) -> None:
    x = values(rng, (80, 1300), "int64")
    for axis in range(view(x).ndim):
        close(ww.cumsum(view(ww.asarray(x)), axis), np.cumsum(view(x), axis))
    close(ww.cumsum(view(ww.asarray(x))), np.cumsum(view(x)))


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "float16", "float32", "complex128"])
def test_types_that_are_asked_for(rng: np.random.Generator, dtype: str) -> None:
    x = rng.integers(0, 3, (20, 9))
    expected = np.cumsum(x, axis=1, dtype=dtype)
    close(ww.cumulative_sum(ww.asarray(x), axis=1, dtype=dtype), expected)
    close(ww.asarray(x).cumsum(1, dtype=dtype), expected)
    close(ww.asarray(x).cumprod(1, dtype=dtype), np.cumprod(x, axis=1, dtype=dtype))


def test_bfloat16() -> None:
    import ml_dtypes

    x = (np.arange(300) % 3).astype(ml_dtypes.bfloat16)
    result = ww.cumulative_sum(ww.asarray(x))
    assert result.dtype == ml_dtypes.bfloat16
    expected = np.cumsum(x.astype(np.float32)).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(result.get().view(np.uint16), expected.view(np.uint16))


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("shape", [(300_001,), (40, 9000), (9000, 40)])
def test_the_same_bits_each_time(
    rng: np.random.Generator, kind: str, shape: tuple[int, ...]
) -> None:
    x = ww.asarray(values(rng, shape, kind))
    for axis in range(len(shape)):
        seen = {ww.cumulative_sum(x, axis=axis).get().tobytes() for _ in range(20)}
        assert len(seen) == 1


BITS = """
import hashlib
import numpy as np
import warpwise as ww
x = ww.asarray(np.random.default_rng(3).standard_normal(400_001).astype(np.float32))
kernel = ww.InclusiveScanKernel(np.float32, "a+b")
w = ww.asarray(np.arange(400_001) % 7)
double = x.astype(np.float64)
of_numbers = [ww.cumulative_sum(x), ww.cumulative_sum(double), ww.cumulative_prod(1 + double / 999)]
for y in (*of_numbers, kernel(x), ww.bincount(w, x)):
    print(hashlib.sha256(y.get().tobytes()).hexdigest())
"""


def test_the_same_bits_for_any_number_of_threads() -> None:
    seen = set()
    for threads in ("1", "2", "5", "16"):
        done = subprocess.run(
            [sys.executable, "-c", BITS],
            env={**os.environ, "WARPWISE_NUM_THREADS": threads, "WARPWISE_DEVICE": "cpu"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.count("\n") == 5
        seen.add(done.stdout)
    assert len(seen) == 1


def test_nan_and_infinities_pass_on() -> None:
    x = np.zeros(20_000, np.float32)
    x[7000], x[15_000] = np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        expected = np.cumsum(x)
    np.testing.assert_array_equal(ww.cumulative_sum(ww.asarray(x)).get(), expected)


def test_out_and_laziness(rng: np.random.Generator) -> None:
    x = values(rng, (30, 40), "float64")
    a = ww.asarray(x)
    out = ww.zeros((30, 40))
    assert ww.cumulative_sum(a * 2, axis=1, out=out) is out
    close(out + 1, np.cumsum(x * 2, axis=1) + 1)
    close(ww.cumsum(a, 0, out=a), np.cumsum(x, axis=0))
    with pytest.raises(ww.ArgumentError, match=r"out= of shape \(30,\).*\(30, 40\)"):
        ww.cumsum(a, 0, out=ww.zeros(30))


def test_numpys_functions(rng: np.random.Generator) -> None:
    x = values(rng, (6, 7), "int32")
    a = ww.asarray(x)
    close(np.cumsum(a, axis=1), np.cumsum(x, axis=1))
    close(np.cumprod(a), np.cumprod(x))
    close(
        np.cumulative_sum(a, axis=0, include_initial=True),
        np.cumulative_sum(x, axis=0, include_initial=True),
    )
    close(np.cumulative_prod(a, axis=0), np.cumulative_prod(x, axis=0))


def test_streams_and_captures(rng: np.random.Generator) -> None:
    x = values(rng, 50_000, "int64")
    a = ww.asarray(x)
    out = ww.zeros(50_000, dtype=np.int64)
    ww.cumulative_sum(a, out=out)
    out.get()
    stream = ww.Stream()
    with stream.capture() as graph:
        ww.cumulative_sum(a, out=out)
    for _ in range(3):
        out[:] = 0
        graph.launch(stream)
        stream.synchronize()
        np.testing.assert_array_equal(out.get(), np.cumsum(x))


def test_what_is_refused() -> None:
    x = ww.zeros((3, 4))
    with pytest.raises(ww.ArgumentError, match=r"cumulative_sum got no axis .*\(3, 4\)"):
        ww.cumulative_sum(x)
    with pytest.raises(ww.ArgumentError, match=r"cumulative_prod got no axis .*\(\)"):
        ww.cumulative_prod(ww.zeros(()))
    with pytest.raises(ww.ArgumentError, match="axis 2"):
        ww.cumulative_sum(x, axis=2)
    record = ww.zeros(3, dtype=np.dtype([("a", np.float32)]))
    with pytest.raises(ww.ArgumentError, match="cumulative_sum got an array of"):
        ww.cumulative_sum(record)
    with pytest.raises(ww.ArgumentError, match="dtype"):
        ww.cumulative_sum(x[0], dtype=np.dtype([("a", np.float32)]))
    with pytest.raises(ww.ArgumentError, match=r"cumsum gives float64.*not converted to int32"):
        ww.cumsum(x, 0, out=ww.zeros((3, 4), dtype=np.int32))
