"""One number of an expression over whole arrays: np.sum((a - b) ** 2), (x > 0).any()."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import devices
import numpy as np
import pytest
from refused_lines import expect_refused

import warpwise as ww
from warpwise import cuda


@pytest.fixture(autouse=True)
def _on_the_device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NUMBA_CUDA_WARN_ON_IMPLICIT_COPY", "0")
    with ww.Device(devices.NAME):
        yield


def launched(function: Callable[..., Any], *arguments: Any, dtype: Any = np.float64) -> np.ndarray:
    """What kernel(out, *arguments) writes, of a thread for each pair of rows."""
    out = np.full((5, 4), 77, dtype)

    @cuda.jit
    def kernel(out, *given):
        i, j = cuda.grid(2)
        if i < 5 and j < 4:
            out[i, j] = function(i, j, *given)

    kernel[(1, 1), (8, 8)](out, *arguments)
    return out


def rows(dtype: Any, length: int = 7) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    a = rng.integers(-9, 9, (5, length)) if np.dtype(dtype).kind != "u" else None
    a = rng.integers(0, 9, (5, length)) if a is None else a
    return a.astype(dtype), rng.integers(1, 9, (4, length)).astype(dtype)


FUNCTIONS: list[Callable[..., Any]] = [
    lambda i, j, a, b: np.sum((a[i] - b[j]) ** 2),
    lambda i, j, a, b: math.sqrt(((a[i] - b[j]) ** 2).sum()),
    lambda i, j, a, b: np.sum(np.abs(a[i] - b[j]) * 0.5 + 1),
    lambda i, j, a, b: np.max(np.abs(a[i, :] - b[j, :])),
    lambda i, j, a, b: np.linalg.norm(a[i] - b[j]),
    lambda i, j, a, b: np.mean(a[i] * 2 - b[j, 0]),
    lambda i, j, a, b: np.var(a[i] * 1.5) + (a[i] + b[j]).std(),
    lambda i, j, a, b: (a[i] / b[j]).prod(),
    lambda i, j, a, b: np.count_nonzero(a[i] > b[j]) + (a[i] == 3).sum(),
    lambda i, j, a, b: (a[i] > b[j]).any() + 2 * np.all(a[i] != 100),
    lambda i, j, a, b: np.argmin(np.abs(a[i] - 1)) * 10 + (b[j] - a[i]).argmax(),
    lambda i, j, a, b: np.dot(a[i] - 1, b[j]) - (a[i] * 2) @ b[j] + a[i] @ (b[j] + 1),
    lambda i, j, a, b: np.sum(a[i, 1:] * a[i, :-1]) + np.sum(b[j, ::-1] * a[i]),
    lambda i, j, a, b: np.sum(np.where(a[i] > b[j], a[i], 0)),
    lambda i, j, a, b: np.sum(np.minimum(a[i], b[j]) - np.sqrt(np.square(b[j]))),
    lambda i, j, a, b: sum(a[i] * b[j]) + max(abs(a[i])) - min(-b[j]),
    lambda i, j, a, b: any(a[i] > 8) + 2 * all(b[j] > 0),
    lambda i, j, a, b: np.sum(a[i] / np.sum(b[j] * b[j])),
    lambda i, j, a, b: np.sum((a - 1) * b[0, 1]) + np.max(b * b) + np.argmax(-a),
    lambda i, j, a, b: j if j < 2 else np.sum(a[i] * b[j]),
    lambda i, j, a, b: sum(np.sum(a[k] * b[j]) for k in range(i)),
    lambda i, j, a, b: np.sum(a[i] - np.array([1, 2, 3, 4, 5, 6, 7])),
]


@pytest.mark.parametrize("number", range(len(FUNCTIONS)))
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "int64"])
def test_what_numpy_gives(number: int, dtype: str) -> None:
    function = FUNCTIONS[number]
    a, b = rows(dtype)
    expected = [[float(function(i, j, a, b)) for j in range(4)] for i in range(5)]
    np.testing.assert_allclose(launched(function, a, b), expected, rtol=1e-5, atol=1e-5)


def test_elements_of_strided_arrays() -> None:
    a, b = rows("float64", 14)
    for x, y in ((a[:, ::2], b[:, ::2]), (np.asfortranarray(a), b)):
        got = launched(lambda i, j, a, b: np.sum(a[i] * b[j]), x, y)
        np.testing.assert_allclose(got, x @ y.T)


def test_types_of_the_numbers() -> None:
    @cuda.jit
    def kernel(x, n, z, out):
        out[0] = np.sum(x * x) == np.float32(1.5) * np.float32(1.5) * np.float32(3)
        out[1] = isinstance(np.mean(x * x), np.float32)
        out[2] = isinstance(np.mean(n - 1), np.float64)
        out[3] = isinstance(np.sum(n * n), int)
        out[4] = isinstance((x > 1).any(), bool)
        out[5] = np.sum(n - n[1]) == -1
        out[6] = np.sum(z * z) == 2 * (1 + 2j) ** 2
        # Of elements ~ is NumPy's, of a number Python's.
        out[7] = np.sum(~(x > 1)) == 0 and np.sum(x * ~(n[0] > 0)) == -9
        out[8] = np.all(~(n > 1) == (n <= 1)) and np.sum(~n) == -8
        out[9] = np.sum(~(np.array([1, 2, 3]) > 1)) == 1

    out = np.zeros(10, np.int32)
    kernel[1, 1](np.full(3, 1.5, np.float32), np.array([1, 2, 2], np.int8), np.full(2, 1 + 2j), out)
    assert list(out) == [1] * 10


def test_no_elements() -> None:
    @cuda.jit
    def kernel(x, out):
        out[0] = np.sum(x * 2) + 1
        out[1] = np.prod(x * 2) + 1
        out[2] = np.any(x > 0) + 1
        out[3] = np.all(x > 0) + 1
        out[4] = np.max(x * 2)
        out[5] = 1

    out = np.zeros(6)
    kernel[1, 1](np.zeros(0), out)
    assert list(out) == [1, 2, 1, 2, 0, 0]
    with pytest.raises(ValueError, match=r"max\(\) of an array without elements"):
        cuda.jit(kernel.py_func, debug=True, opt=False)[1, 1](np.zeros(0), out)


def test_the_first_nan_is_the_least_and_the_greatest() -> None:
    @cuda.jit
    def kernel(x, out):
        out[0] = np.min(x * 2)
        out[1] = np.argmax(x * 2)
        out[2] = np.argmin(-x)
        out[3] = max(x * 2)

    x = np.array([1.0, 5.0, np.nan, 7.0, np.nan])
    out = np.zeros(4)
    kernel[1, 1](x, out)
    np.testing.assert_array_equal(out, [np.nan, 2, 2, 14])


def test_shapes_broadcast_to_the_first_of_most_axes() -> None:
    a, b = rows("float64")
    got = launched(lambda i, j, a, b: np.sum(a * b[j]) + np.sum(b[:, :1] * 2 + b[:, 1:2]), a, b)
    expected = [(a * row).sum() + (b[:, :1] * 2 + b[:, 1:2]).sum() for row in b]
    np.testing.assert_allclose(got, np.tile(expected, (5, 1)))
    assert (launched(lambda i, j, a, b: np.sum(a[i, 1:] * b[j]), a, b) == 77).all()


def test_what_is_refused(tmp_path: Path) -> None:
    names = {"np": np}
    for line, message in [
        ("x[0] = np.dot((x * 2).reshape(2, 2), x)", "write x[i] * y[i]"),
        ("x[0] = np.sum(x * 2, axis=0)", "write x[i] * y[i]"),
        ("x[0] = np.sum(x * (1, 2))", "there is no * for"),
    ]:
        expect_refused(tmp_path, line, "x[1] = 1", names, message)
