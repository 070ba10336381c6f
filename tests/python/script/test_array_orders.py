"""Orders of the numbers of small arrays, and elements that a condition chooses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from part_kernels import arguments, check, kernel_of

import warpwise as ww
from warpwise._script import Function

TYPES = "float64[::1], float64[::1], float64[:, ::1], int64[::1], float64[::1], int64"


@pytest.mark.parametrize("body", [
    "x = np.sort(a[n - 4 : n + 3])\nout[:7] = x",
    "x = np.sort((n, 2, a[1]))\nout[:3] = x",
    "out[:5] = np.sort(w[:5])",
    "out[:8] = np.sort(b)",
    "out[:10] = np.sort(w)",
    "a[:] = np.sort(a)",
    "x = a[:5].copy()\nx.sort()\nout[:5] = x",
    "x = np.zeros(9)\nfor i in range(9):\n    x[i] = i * 7 % 5\nx.sort()\nout[:9] = x",
    "a.sort()\nw.sort()",
    "m[1].sort()\nm[:, 2].sort()\nw[2:7].sort()",
    "m[0, ::-1].sort()",
    "x = np.argsort(a[:6])\nfor i in range(6):\n    out[i] = x[i]",
    "out[:3] = np.argsort((3, n, 1)) + a[:5].argsort()[2]",
    "out[0] = np.median(a[:5]) + np.median(a[n - 5 : n - 1]) * 10",
    "out[0] = np.median(w[:4]) + np.median((a[0], a[1], a[2]))",
    "x = np.array([a[0], np.nan, 1])\nout[0], out[1:4] = np.median(x), np.sort(x)",
    "for i in range(2, 6):\n    out[i] = np.median(a[i - 2 : i + 3])",
    "out[0] = np.percentile(a[:5], 30) + np.percentile(a[:4], 75.5) + np.quantile(w[:6], 0.3)",
    "out[0], out[1] = np.quantile(a[:3], 0), np.quantile(a[:3], 1)\n"
    "out[2] = np.quantile(a[:3], 0.5)",
    "out[0] = np.mean((a[0], a[1], n)) + np.std([a[0], b[1]]) + np.argmax((1, n, 2))",
    "out[0], out[1] = np.round(a[7], 2), np.round(a[7])\nout[2] = np.around(n * 10 + 5, -1)",
    "out[:8] = np.round(a * 1.2345, 2)",
], ids=lambda one: one.splitlines()[-1])  # fmt: skip
def test_orders_as_in_numpy(body):
    check(body)


def test_long_arrays_are_sorted_in_place():
    def kernel(x, y):
        x.sort()
        y[::2].sort()

    rng = np.random.default_rng(3)
    expected = rng.random(1000), rng.integers(0, 50, 301)
    expected[0][::97] = np.nan
    given = tuple(one.copy() for one in expected)
    kernel(*expected)
    Function(kernel)[1, 1](*given)
    for one, other in zip(given, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.uint64])
def test_orders_of_other_types(dtype):
    def kernel(x, out):
        out[0] = np.median(x[:5])
        out[1] = np.percentile(x[:4], 37)
        out[2] = np.sort(x[:3])[1]
        out[3] = np.round(x[0], 1)
        x.sort()

    given, expected = (np.array([3.25, 1, 7, 2, 9.5]).astype(dtype) for _ in range(2))
    out, wanted = np.zeros(4, np.float32), np.zeros(4, np.float32)
    kernel(expected, wanted)
    Function(kernel)[1, 1](given, out)
    np.testing.assert_array_equal(given, expected)
    np.testing.assert_allclose(out, wanted, rtol=2e-3 if dtype is np.float16 else 1e-6)


@pytest.mark.parametrize("body", [
    "a[a > 1] = 0",
    "a[(a > 1) & (b < 1)] = n",
    "m[m > m.mean()] -= 1",
    "a[~(a > b)] *= a[0]",
    "mask = a[:5] > 1\nx = a[:5].copy()\nx[mask] = 7\nout[:5] = x",
    "x = np.arange(9)\nx[x % 2 == 0] = n\nout[:9] = x",
    "m[2][m[1] > 2] = 1",
    "w[w == w.max()] += 1",
], ids=lambda one: one.splitlines()[-1])  # fmt: skip
def test_elements_that_a_condition_chooses(body):
    check(body)


def test_products_and_distances():
    check("out[0] = np.vdot(a, b) + np.inner(m[0], m[1]) * 10")
    check("out[0] = math.dist(a[:3], b[n - 3 : n]) + math.dist(m[0, :2], m[1, :2])", rtol=4e-16)


def test_a_condition_of_another_shape_ends_the_thread():
    def kernel(x, y):
        x[y > 0] = 5

    x = np.zeros(4)
    Function(kernel)[1, 1](x, np.ones(3))
    assert x.tolist() == [0, 0, 0, 0]
    with pytest.raises(ValueError, match="the condition has another shape"):
        ww.cuda.jit(kernel, debug=True, opt=False)[1, 1](x, np.ones(3))


@pytest.mark.parametrize("body", [
    "t = (3, 1, n, 1)\nout[0], out[1], out[2] = t.index(n), t.count(1), t.index(1)",
    "x = [3, 1, 2]\nx[0] = n\nout[0], out[1] = x.index(5), x.count(1)",
    "for x, y in zip(a, b, strict=True):\n    out[0] += x * y",
    "for x, y in zip((1, 2), (n, 4), strict=True):\n    out[0] += x * y",
    "out[0] = sum(x * y for x, y in zip(a, b, strict=True))",
    "for x, i in zip(a, range(8), strict=True):\n    out[i] = x",
], ids=lambda one: one.splitlines()[-1])  # fmt: skip
def test_sequences(body):
    check(body)


@pytest.mark.parametrize(("body", "message"), [
    ("t = (3, n)\nout[0] = t.index(7)", "the value is not in the tuple or list"),
    ("for x, y in zip(a, w, strict=True):\n    pass", "zip() of sequences of other lengths"),
    ("out[0] = np.percentile(a[:4], 20 * n + 1)", "Percentiles must be in the range"),
])  # fmt: skip
def test_where_python_raises_the_thread_ends(body, message):
    kernel = kernel_of(f"{body}\nout[0] = 9")
    with pytest.raises(ValueError):
        kernel(*arguments())
    given = arguments()
    Function(kernel)[1, 1](*given)
    assert given[4][0] == 0
    with pytest.raises(ValueError, match=message.replace("(", r"\(").replace(")", r"\)")):
        ww.cuda.jit(kernel, debug=True, opt=False)[1, 1](*arguments())


@pytest.mark.parametrize(("body", "message"), [
    ("out[0] = np.median(a)", "whose length is known when compiled"),
    ("x = np.sort(m)", "of one axis"),
    ("out[0] = np.median(a[:4], axis=0)", "takes an array in kernels, and no other arguments"),
    ("out[0] = math.dist(m[0], m[1])", "np.linalg.norm(p - q) takes any"),
    ("m.sort()", "kernels sort arrays of one axis of real numbers"),
    ("a[a > 1] = b", "np.where(condition, y, x)"),
    ("m[a > 1] = 0", "a condition has as many axes"),
    ("a[1:][a[:-1] > 1] = 0", "reads other parts of the array"),
    ("out[0] = np.round(a[0], n)", "a constant for decimals"),
])  # fmt: skip
def test_what_is_refused(body, message):
    with pytest.raises(ww.Error) as caught:
        Function(kernel_of(body)).inspect_source(TYPES)
    assert message in str(caught.value)


def test_exact_sums_of_generators_are_refused():
    def kernel(a, out):
        out[0] = math.fsum(x * x for x in a)

    with pytest.raises(ww.UnsupportedError, match=r"math\.fsum\(\) takes an array or a tuple"):
        Function(kernel).inspect_source("float64[::1], float64[::1]")
