"""Functions of NumPy of small matrices and vectors, np.isclose(), np.select() and math.fsum()."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from part_kernels import arguments, check, kernel_of

import warpwise as ww
from warpwise import cuda
from warpwise._script import Function, JitOptions

BODIES = """\
out[0] = np.trace(m[:4, :4]) + np.trace(m)
out[0] = np.trace(np.eye(3))
out[0] = np.trace(m[:3, :3] > 2)
out[:3] = np.roll(a[:3], 1)
out[:3] = np.roll(a[:3], -4)
out[:3] = np.flip(a[:3])
out[:6] = np.stack((a[:3], b[:3])).ravel()
out[:4] = np.vstack((np.array([1, 2]), np.array([3, 4]))).ravel()
out[:6] = np.tile(a[:3], 2)
out[:6] = np.repeat(a[:3], 2)
w[:4] = np.array([[1.5, 2.0], [3.0, 4.0]]).ravel()
out[0] = np.isclose(a[0], a[0] + 1e-9)
out[0] = np.isclose(1.0, 1.1, rtol=0.2)
out[0] = np.isclose(100, 101, 0.0, 1.0)
out[0] = np.isclose(math.nan, math.nan)
out[0] = np.isclose(math.nan, math.nan, equal_nan=True)
out[0] = np.isclose(math.inf, math.inf)
out[0] = np.isclose(1.0, math.inf) + np.isclose(math.inf, 1.0)
out[:3] = np.isclose(a[:3], b[:3], atol=0.5)
out[:8] = np.isclose(a, b, 0.5)
out[0] = np.isclose(a, a).all()
out[0] = np.allclose(a[:3], a[:3] + 1e-12)
out[0] = np.allclose(a[:3], b[:3])
out[0] = np.allclose(1.0, 1.0 + 1e-7)
out[0] = np.linalg.det(m[1:4, 1:4])
out[:9] = np.linalg.inv(m[:3, :3]).ravel()
out[:2] = np.linalg.solve(((2, 1), (1, 3)), (3, 5))
out[:3] = np.linalg.solve(m[:3, :3], a[:3])
out[:6] = np.linalg.solve(m[0:2, 0:2], m[0:2, 2:5]).ravel()
out[0] = np.linalg.det(np.zeros((2, 2)))
out[0] = np.select([a[0] > 1, a[0] > 0.2], [1.0, 2.0], 3.0)
out[0] = np.select([a[0] > 1, a[0] > 20], [1.0, 2.0])
out[:3] = np.select([a[:3] > 1, b[:3] > 0.7], [a[:3], b[:3] * 2], default=-1)
out[:8] = np.clip(a, 0.6, None)
out[:8] = np.clip(a, None, 1.2)
out[0] = np.clip(n, None, 2)
out[0] = np.allclose(a, b)
out[0] = np.allclose(a, b, atol=3)
out[0] = np.allclose(m, m + 1e-9) and not np.allclose(m, a[:6])
out[0] = np.allclose(a, 1.5, 0.9)
out[:8] = np.isclose(a, b, atol=1.0)
out[0] = np.polyval(a[:4], 0.75)
out[0] = np.polyval((1, 2, 3), n)
out[0] = abs(a[:3] - b[:3]).sum()
out[:3] = abs(-a[:3])
out[:4] = np.array([1.25, 2.75, -0.5, 4.0]).round()
out[:3] = a[:3].conj() + a[:3].conjugate()
out[0] = math.fsum(a)
out[0] = math.fsum((1e100, 1.0, -1e100, 1e-30))
out[0] = math.fsum([0.1] * 10)
out[0] = math.fsum(a[:3] * 0.1)
out[0] = math.fsum(w)""".splitlines()


@pytest.mark.parametrize("body", BODIES)
def test_a_function_of_numpy(body):
    check(body, rtol=1e-12)


def sums(rows, out):
    i = cuda.grid(1)
    if i < len(out):
        out[i] = math.fsum(rows[i])


def test_exact_sums_of_random_numbers():
    draw = random.Random(5)
    rows = np.array(
        [[draw.gauss(0, 1) * 2.0 ** draw.randint(-300, 300) for _ in range(40)] for _ in range(200)]
    )
    rows[:100, 20:] = -rows[:100, :20]
    rows[:50, 3] += 1e-9
    rows[0, 4] = math.inf
    rows[1, 4] = math.nan
    rows[2] = 0.1
    rows[3] = [2.0**53, 1.0, 2.0**-60] + [0.0] * 37
    rows[4] = [2.0**53, -1.0, -(2.0**-60)] + [0.0] * 37
    out = np.zeros(200)
    Function(sums)[7, 32](rows, out)
    np.testing.assert_array_equal(out, [math.fsum(row) for row in rows])


@pytest.mark.parametrize("row", [[1e308, 1e308], [math.inf, -math.inf]])
def test_sums_that_python_refuses_end_the_thread(row):
    out = np.array([7.0])
    Function(sums)[1, 1](np.array([row]), out)
    assert out[0] == 7


def test_types_of_matrices():
    def kernel(m, k, out):
        out[0] = np.linalg.det(m[:2, :2])
        out[1:3] = np.linalg.solve(k[:2, :2], k[:2, 2])

    m = np.array([[1, 2], [3, 4.5]], np.float32)
    k = np.array([[2, 1, 3], [1, 3, 5]], np.int16)
    out, expected = np.zeros(3), np.zeros(3)
    kernel(m, k, expected)
    Function(kernel)[1, 1](m, k, out)
    np.testing.assert_allclose(out, expected, rtol=1e-6)


def singular(a, out):
    out[0] = 1
    x = np.linalg.inv(np.zeros((2, 2)))
    out[1] = x[0, 0] + 1


def test_singular_matrices_end_the_thread():
    out = np.zeros(2)
    Function(singular)[1, 1](out, out)
    assert list(out) == [1, 0]
    with pytest.raises(np.linalg.LinAlgError, match="Singular matrix"):
        Function(singular, options=JitOptions(debug=True))[1, 1](out, out)


@pytest.mark.parametrize(
    "body, message",
    [
        ("out[0] = np.linalg.det(m)", "whose shape is known when compiled"),
        ("out[0] = np.linalg.det(m[:2, :3])", "takes a square matrix"),
        ("x = np.linalg.solve(m[:2, :2], a[:3])", "takes a right side of 2 real numbers"),
        ("x = np.roll(a, 1)", r"or is a value of a part: z\[:\] = np.roll"),
        ("x = np.tile(a[:2], n)", "the number of numpy.tile.. is a constant"),
        ("out[0] = np.polyval(a, 2.0)", "as many as are known when compiled"),
        ("out[0] = math.fsum(v for v in a)", "takes an array or a tuple"),
    ],
)
def test_what_is_refused(body, message):
    with pytest.raises((ww.CompileError, ww.UnsupportedError), match=message):
        Function(kernel_of(body))[1, 1](*arguments())


def test_they_compile_for_gpus():
    def kernel(m, x, out):
        out[:3] = np.linalg.solve(m[:3, :3], x[:3]) + np.linalg.inv(m[:3, :3])[0]
        out[3] = np.linalg.det(m[:3, :3]) + np.trace(m) + math.fsum(x)
        out[4] = np.isclose(x[0], x[1])

    source = Function(kernel).inspect_source("float32[:,::1], float32[:], float64[::1]")
    for target in ("sm_75", "sm_120"):
        assert ww.compile(source, target=target, format="cubin")[:4] == b"\x7fELF"
