"""Parts of arrays that get the elements of an expression over arrays of any length."""

from __future__ import annotations

import random

import numpy as np
import pytest
from part_kernels import check, kernel_of

import warpwise as ww
from warpwise._script import Function


@pytest.mark.parametrize("body", [
    "m[0] = m[1] * 2 + m[2]",
    "m[n % 4] = m[(n + 1) % 4] * 2 + a[:6]",
    "a[:] = a + b",
    "row = m[1]\nrow += m[2] * 0.5",
    "m[0] += m[1] * b[:6]",
    "a[n:] = b[n:] - a[n:]",
    "a[:n] *= 2 + b[:n]",
    "out[:8] = np.sqrt(a) + np.abs(b)",
    "out[:8] = np.where(a > b, a, b)",
    "out[:8] = np.maximum(a, b) * 2",
    "m[:, 0] = m[:, 1] * 2 - m[:, 2]",
    "m[:] = m * 2 + 1",
    "m[:2] = m[2:] - m[:2]",
    "m[-1, ::2] = -m[0, ::2]",
    "out[:n] = a[:n] ** 2",
    "out[:8] = a > b",
    "out[:8] = ~(a > b)",
    "w[:] = w // 2 + 1",
    "w[:] = a[:1] + w",
    "w[:] = w * 1.5",
    "w += w % 3",
    "out[:8] = -a",
    "for i in range(m.shape[0]):\n    m[i] = m[i] / m[i].sum()",
    "for i in range(m.shape[0]):\n    m[i, :] = np.exp(m[i] - m[i].max())\n"
    "    m[i, :] /= m[i].sum()",
    "out[:8] = a.clip(0.5, 1.5) + np.clip(b, 0.1, 0.2)",
    "out[:10] = w.astype(np.float32) / np.float32(3)",
    "m[1:] = m[:1] * a[:6] + np.sum(a * b)",
    "m[1:, 1:] = a[:5] - w[:5]",
    "m.T[:] = m.T * 2",
    "out[:8] = a\nout[8:16] = out[:8] * 2",
], ids=lambda one: one.splitlines()[-1].strip())  # fmt: skip
def test_as_in_numpy(body):
    check(body, rtol=1e-14)


@pytest.mark.parametrize("body", [
    "v = a[:, None]\nout[0], out[1], out[2] = v[2, 0], v.shape[1], v.ndim",
    "v = m[:, np.newaxis, ::2]\nout[0] = v[1, 0, 2]\nout[1:4] = v.shape",
    "v = m[..., None]\nout[0] = v[n - 4, 2, 0] + m[1, None][0, 2] + m[None, :, 1][0, 3]",
    "out[0] = np.sum(a[:, None] * b[None, :])",
    "v, u = a[:, None], b[None]\nout[0] = (v - u).max() + np.argmax(u < v)",
    "d = a[:4, None] - b[None, :4]\nout[0], out[1] = d[1, 2], d.sum()",
    "m[:, :] = a[:4, None]",
    "m[:] = a[n - 1 :, None] * b[None, : n + 1]",
    "m += a[n - 1 :][:, None] - m",
    "m[:, 1:] -= m[:, 1:] * w[None, :n]",
    "def total(x, y):\n    return (x * y).sum() + np.sum(y - x)\n"
    "out[0] = total(a[:, None], b[None, :]) + total(m, a[None, :6]) + total(m[:1], m)",
    "v = a[::2, None]\nv[:] = v * 2\nv[1, 0] = 7",
    "x = np.ones((2, 3))\ny = x[:, None] * np.arange(4)[:, None]\nout[:3] = y[1, 2]",
    "for row in a[:, None]:\n    out[0] += row[0]\nout[1] = len(a[None]) + a[None].T.shape[0]",
])  # fmt: skip
def test_views_with_another_axis(body):
    check(body, rtol=1e-14)


@pytest.mark.parametrize("body", [
    "x = np.zeros(300)\nx[:] = x + 1\nx += x * n\nout[0] = x.sum()",
    "x, y = np.zeros((20, 20)), np.ones((20, 20))\nx[:] = y * 2 + x\nout[0] = x.sum()",
    "x, y = np.full((20, 1), 2.5), np.ones((1, 20))\nz = np.zeros((20, 20))\nz[:] = x * y\n"
    "out[0] = z.sum() + np.sum(x - y)",
    "x = np.ones(300)\nout[1] = (x * 2).sum()",
    "x = np.full(300, 3.5)\nx[1:] = x[:-1] + x[1:]\nout[:] = x[:64]",
    "x, y = np.full((20, 1), 2.5), np.ones((1, 20))\nout[0] = (x - y).sum()\n"
    "out[1] = np.argmax(x * y)",
])  # fmt: skip
def test_large_arrays_of_the_thread(body):
    check(body, rtol=1e-14)


@pytest.mark.parametrize("body", [
    "a[1:] = a[:-1] * 2",
    "a[:-1] = a[1:] + b[:-1]",
    "a[2:] += a[:-2] * a[:-2]",
    "m[1:] = m[:-1] + 1",
    "m[:, 1:] -= m[:, :-1] * 2",
    "x = a[::-1]\nx[1:] = x[:-1] - 1",
    "t = m.T\nt[1:, :-1] = t[:-1, 1:] * 2",
    "m[1:, 1:] = m[:-1, :-1] * m[1:, 1:]",
    "m[2] = m[2] * 2 + m[1] - m[0] * m[3]",
    "m[::2] = m[1::2] + 1\nm[1:3, ::2] -= m[1:3, 1::2] * 2",
    "a[2::2] = a[:-2:2] * 2\na[:-1:3] += a[1::3] * 2",
    "a[::-1][3:] = a[::-1][:-3] + 1\nw[:2:-2] = w[6::-2] * 2",
    "m[:2, n] += m[:2, 1] * m[:2, -2]",
])  # fmt: skip
def test_all_is_read_before_it_is_written(body):
    check(body, rtol=1e-14)


@pytest.mark.parametrize("body", [
    "a[:] = a[::-1] + b",
    "m[:] = m - m[0]",
    "a[1:-1] = a[:-2] + a[2:]",
    "m[:4, :4] += m[:4, :4].T * 2",
    "a[::2] = a[n - 1 :] * 2",
])  # fmt: skip
def test_what_needs_a_copy_is_refused(body):
    types = "float64[::1], float64[::1], float64[:, ::1], int64[::1], float64[::1], int64"
    with pytest.raises(ww.UnsupportedError, match="kernels have no memory for a copy"):
        Function(kernel_of(body)).inspect_source(types)


def test_values_are_evaluated_once_and_before_the_place():
    def next_number(counter):
        counter[0] += 1
        return counter[0]

    def kernel(x, y, counter):
        x[next_number(counter) :] = y[next_number(counter) :] * next_number(counter)
        x[next_number(counter) :] += y[next_number(counter) - 2 :] * next_number(counter)

    given, expected = ([np.zeros(6), np.arange(4.0), np.zeros(1, np.int64)] for _ in range(2))
    given[0][0] = expected[0][0] = 7
    kernel(*expected)
    Function(kernel)[1, 1](*given)
    for one, other in zip(given, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_array_that_does_not_fit_ends_the_thread():
    def kernel(x, y):
        x[:] = y * 2
        x[0] = 9

    x = np.zeros(4)
    Function(kernel)[1, 1](x, np.ones(3))
    assert x.tolist() == [0, 0, 0, 0]
    with pytest.raises(ValueError, match="could not broadcast an array to another shape"):
        ww.cuda.jit(kernel, debug=True, opt=False)[1, 1](x, np.ones(3))


@pytest.mark.parametrize(("body", "message"), [
    ("a[0] = a + b", "assign to an array, z[:] = x + y"),
    ("x = a * b", "assign to an array, z[:] = x * y"),
    ("a[:] = m * 2", "does not fit into"),
    ("a[:] = b * 1j", "cannot hold complex128"),
])  # fmt: skip
def test_what_is_refused(body, message):
    types = "float64[::1], float64[::1], float64[:, ::1], int64[::1], float64[::1], int64"
    with pytest.raises(ww.Error) as caught:
        Function(kernel_of(body)).inspect_source(types)
    assert message in str(caught.value)


def random_part(chance, base):
    """A part of an array of 6 by 6, of 3 by 3 elements or of 3."""
    first, second = chance.randrange(4), chance.randrange(4)
    kind = chance.randrange(5)
    if kind < 3:
        return f"{base}[{first}:{first + 3}, {second}:{second + 3}]"
    return f"{base}[{first}, {second}:{second + 3}]" if kind == 3 else f"{base}[:3, :3]"


def random_kernel(seed):
    chance = random.Random(seed)
    order = chance.choice(["x", "x.T", "x[::-1]", "x[:, ::-1]", "x.T[::-1]"])
    parts = [
        random_part(chance, chance.choice(["v", "v", "y"])) for _ in range(chance.choice([1, 2]))
    ]
    op = chance.choice(["=", "+=", "-=", "*="])
    value = " - ".join(f"{part} * {k + 2}" for k, part in enumerate(parts))
    return f"v = {order}\n{random_part(chance, 'v')} {op} {value}"


def test_random_parts():
    """Each is as in NumPy or refused, by the translation or at the end of the thread."""
    equal = 0
    for seed in range(60):
        body = random_kernel(seed)
        kernel = kernel_of(body.replace("x", "m").replace("y", "b"))
        types = [np.arange(36.0).reshape(6, 6) + 1, np.arange(36.0).reshape(6, 6) ** 2 % 11]
        expected = [None, types[1], types[0].copy(), None, None, 0]
        given = [None, types[1], types[0].copy(), None, None, 0]
        try:
            kernel(*expected)
        except ValueError:
            continue
        try:
            Function(kernel)[1, 1](*given)
        except ww.Error as refused:
            assert "kernels have no memory for a copy" in str(refused) or "fit" in str(refused)
            continue
        np.testing.assert_array_equal(given[2], expected[2], err_msg=body)
        equal += 1
    assert equal > 25
