"""Values of parts of arrays that are computed one by one: m.sum(axis=1), a @ b, np.roll."""

from __future__ import annotations

import numpy as np
import pytest
from part_kernels import arguments, check, kernel_of

import warpwise as ww
from warpwise._script import Function

ALONG_AXES = """\
out[:4] = m.sum(axis=1)
out[:6] = m.sum(axis=0)
out[:4] = m.sum(1)
out[:4] = np.max(m, axis=1)
out[:6] = m.mean(0)
out[:4] = m.argmax(axis=-1)
out[:4] = -m.min(axis=1)
out[:4] = np.prod(m, axis=1)
out[:4] = np.linalg.norm(m, axis=1)
out[:6] = m.std(axis=0)
out[:6] = m.var(axis=0)
out[:4] = (m > 2).sum(axis=1)
out[:4] = (m > 2).any(axis=1)
out[:6] = (m > -1).all(axis=0)
out[:6] = np.count_nonzero(m > 2, axis=0)
out[:6] = np.abs(m - 3).argmin(axis=0)
out[:4] = (m ** 2).sum(axis=1)
out[:4] = np.sqrt(((m - m[0]) ** 2).sum(axis=1))
out[:6] = (m * a[:4, None]).sum(axis=0)
out[:4] = np.sqrt((m ** 2).sum(axis=1)) * 2 + a[:4]
out[:4] += m.sum(axis=1) / m.shape[1]
out[:4] -= m[:, 1:3].max(axis=1)
out[:2] = m[::2].T.sum(axis=0)
out[0] = np.abs(m.sum(axis=1)).max()
out[:24].reshape(4, 6)[:] = m - m.mean(axis=1, keepdims=True)
out[:24].reshape(4, 6)[:] = m / m.sum(axis=0, keepdims=True)
out[:24].reshape(4, 6)[:] = (m - m.min(1, keepdims=True)) / m.std(axis=-1, keepdims=True)
out[:4].reshape(4, 1)[:] = np.max(m, axis=1, keepdims=True)
out[:4] = np.exp(m - m.max(axis=1, keepdims=True)).sum(axis=1)
out[:6] = (m * m.mean(axis=0)).max(axis=0)
out[:2] = m[:2, :3].sum(axis=1, keepdims=True)[:, 0] * 2
out[:2] = m[:2, :3].std(axis=1, ddof=1)
out[0] = np.var(a, ddof=1) + m.std(ddof=n)
out[:12].reshape(2, 6)[:] = m.reshape(2, 2, 6).max(axis=1)
out[:4].reshape(2, 2)[:] = m.reshape(2, 2, 6).sum(axis=2)""".splitlines()

PRODUCTS = """\
out[:4] = m @ a[:6]
out[:4] = m @ m[0]
out[:6] = a[:4] @ m
out[:4] = np.dot(m, a[:6])
out[:4] = np.matmul(m, b[:6])
out[:4] = m.dot(a[:6])
out[:4] -= 2 * (m @ a[:6])
out[0] = (m @ a[:6]).sum()
out[:4] = np.maximum((m @ a[:6]) + b[:4], 3)
out[:4] = (m * 2) @ (a[:6] + b[:6])
out[0] = np.roll(a, n) @ b
out[:16].reshape(4, 4)[:] = (m * 2) @ (m.T + 1)
out[:16].reshape(4, 4)[:] = m @ m.T
out[:64].reshape(8, 8)[:] = np.outer(a, b)""".splitlines()

MOVED = """\
out[:8] = np.roll(a, 2)
out[:8] = np.roll(a, shift=-n)
out[:8] = np.roll(a, -3) + np.flip(b)
out[:10] = np.roll(w, 23)
out[:7] = np.diff(a)
out[:8] = np.where(np.roll(a, 1) > a, 1, 0)
out[0] = np.abs(np.diff(a)).max()
out[:24].reshape(4, 6)[:] = np.roll(m, 1, axis=0) + np.roll(m, -7, axis=1)
out[:24].reshape(4, 6)[:] = np.roll(m, n)
out[:24].reshape(4, 6)[:] = np.roll(m * 2, shift=-3, axis=-2)
out[:24].reshape(4, 6)[:] = np.flip(m)
out[:24].reshape(4, 6)[:] = np.flip(m, axis=0) - np.flip(m, 1)
out[:20].reshape(4, 5)[:] = np.diff(m)
out[:8] = np.roll(np.flip(a), n - 3)
out[:4] = np.flip(m.sum(axis=1))
out[:40] = np.repeat(a, n)
out[:16] = np.tile(a, reps=2) * np.repeat(b, 2)""".splitlines()

RUNNING = """\
out[:8] = np.cumsum(a)
out[:8] = a.cumprod() * 2
out[:10] = np.cumsum(w)
out[:10] = np.cumprod(w - 2)
out[:8] = np.cumsum(a * b + 1)
out[:8] = np.cumsum(a > 1)
out[:8] += np.cumsum(a) - np.cumsum(b)
out[:24].reshape(4, 6)[:] = np.cumsum(m, axis=1)
out[:24].reshape(4, 6)[:] = np.cumsum(a[:6])
out[:8] = np.maximum.accumulate(a)
out[:10] = np.minimum.accumulate(w)
out[:8] = np.cumsum(np.maximum.accumulate(b))
out[0] = np.cumsum(a).max()
out[0] = np.sum(np.cumsum(a) * b)
out[0] = np.argmax(np.cumsum(a) > 3)
out[:4] = np.cumsum(m, axis=1).max(axis=1)""".splitlines()

ITEMS = """\
out[0] = m.sum(axis=1)[2]
out[0] = m.sum(axis=0)[-1] + m.mean(axis=1)[n - 3]
out[0] = (m @ a[:6])[1]
out[0] = (m @ m.T)[1, -2]
out[0] = np.sqrt((m ** 2).sum(axis=1))[3]
out[0] = (a + b)[2] + np.roll(a, 3)[n]
out[0] = (a[:4] * (k := 2))[k]
out[0] = divmod((k := 1) + n, 4)[k]""".splitlines()

CHOSEN = """\
out[:8] = a / b.sum() if n > 3 else b
out[:8] = a if n > 7 else b * 2
out[:8] = np.cumsum(a) if a[0] > b[0] else np.roll(b, 1)""".splitlines()


@pytest.mark.parametrize("body", [*ALONG_AXES, *PRODUCTS, *MOVED, *RUNNING, *ITEMS, *CHOSEN])
def test_a_value_of_a_part(body):
    check(body, rtol=1e-13)


def test_a_product_that_is_added():
    check("x = out[:16].reshape(4, 4)\nx[:] = 1\nx += m @ m.T", rtol=1e-13)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "uint8", "bool", "complex64"])
def test_types_of_results(dtype):
    def kernel(m, v, out):
        out[:3] = m.sum(axis=1)
        out[3:7] = m.mean(axis=0)
        out[7:10] = m @ v

    m = np.arange(12).reshape(3, 4).astype(dtype)
    v = np.array([1, 0, 1, 1]).astype(dtype)
    if dtype == "bool":
        v = v.astype(np.int8)
    out, expected = np.zeros(10, np.complex128), np.zeros(10, np.complex128)
    kernel(m, v, expected)
    Function(kernel)[1, 1](m, v, out)
    np.testing.assert_allclose(out, expected, rtol=1e-6)


@pytest.mark.parametrize(
    "body",
    [
        "out[:5] = m.sum(axis=1)",
        "out[:3] = m @ a[:6]",
        "out[:4] = m @ a",
        "out[:9] = np.roll(a, 1)",
        "out[:7] = np.cumsum(a)",
        "out[:24] = np.repeat(a, 2)",
    ],
)
def test_other_shapes_end_the_thread(body):
    kernel = kernel_of(body)
    out = np.zeros(64)
    a = np.ones(8)
    Function(kernel)[1, 1](a, a, np.ones((4, 6)), np.zeros(10, np.int64), out, 5)
    assert not out.any()


@pytest.mark.parametrize(
    "body, message",
    [
        ("m[0] = m.sum(axis=0)", "may overlap"),
        ("a[:] = np.roll(a, 1)", "write to another array"),
        ("m[:] = m @ m", "write to another array"),
        ("out[:4] = m.sum(axis=2)", "axis 2 is out of bounds"),
        ("out[:4] = m.sum(axis=n)", "the axis of a reduction is a constant"),
        ("x = m.sum(axis=1)", r"assign it to a part of an array, z\[:\] = x.sum\(axis=1\)"),
        ("x = m @ a", r"assign the product to a part of an array, z\[:\] = x @ y"),
        ("out[:8] = np.roll(a, 0.5)", "takes a whole number"),
        ("out[:24].reshape(4, 6)[:] = np.cumsum(m, axis=0)", "goes along the last axis"),
        ("out[:8] = np.flip(np.cumsum(a))", "are known in their order"),
        ("out[0] = np.cumsum(a)[2]", "are known in their order"),
        ("a[1:] = a[:-1] + np.cumsum(b[1:])", "write to another array"),
        ("out[:4] = (m @ m.T) @ a[:4]", "kernels multiply arrays of one axis"),
        ("out[:3] = m.sum(axis=1)[1:]", "is assigned to an array before"),
    ],
)
def test_what_is_refused(body, message):
    with pytest.raises((ww.CompileError, ww.UnsupportedError), match=message):
        Function(kernel_of(body))[1, 1](*arguments())


def test_they_compile_for_gpus():
    def kernel(m, x, out):
        i = ww.cuda.grid(1)
        out[i, :4] = np.sqrt(((m - x) ** 2).sum(axis=1)) + np.roll(x, i)
        out[i, :4] -= m @ x + np.abs(m - 3).argmin(axis=0)

    source = Function(kernel).inspect_source("float32[:,::1], float32[:], float64[:,::1]")
    for target in ("sm_75", "sm_120"):
        assert ww.compile(source, target=target, format="cubin")[:4] == b"\x7fELF"
