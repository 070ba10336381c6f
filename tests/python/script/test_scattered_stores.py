"""Elements at places that arrays hold: x[i] = v, x[i, j] = v."""

from __future__ import annotations

import numpy as np
import pytest
from part_kernels import arguments, check, kernel_of

import warpwise as ww
from warpwise._script import Function

BODIES = """\
out[w] = 3
out[w] = w
out[w] = a[:1]
out[w + 20] = w * 2
out[w - 10] = w
out[w[:4]] = a[:4]
out[w[:4]] = 1, 2, 3, 4
out[w[:8]] = a + b
out[w[:8]] = np.cumsum(a)
out[w[:4]] = m @ a[:6]
out[w[::2]] = a[:5]
out[w[::-1]] = w
m[w[:4] % 4, w[:4] % 6] = a[:4]
m[1, w % 6] = w
m[w % 4, 2] = 7
m[0][w % 6] = -1
out[w[:6].reshape(2, 3)] = m[:2, :3]
out[w[:6].reshape(2, 3)] = a[:3]
out[w[:3]] += 1
out[w[:3]] *= a[:3] + 2""".splitlines()


@pytest.mark.parametrize("body", BODIES)
def test_elements_at_places(body):
    check(body)


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint64", "bool", "complex64", "M8[s]"])
def test_types_of_elements(dtype):
    def kernel(x, places, values):
        x[places] = values
        x[places[0]] = values[1]

    x, places = np.zeros(6, dtype), np.array([4, 1, -1], np.int32)
    values = np.array([0, 1, 3]).astype(dtype)
    expected = x.copy()
    kernel(expected, places, values)
    Function(kernel)[1, 1](x, places, values)
    assert np.array_equal(x, expected)


def test_a_place_that_occurs_twice_has_the_last_value():
    check("out[w // 2] = w + 1")


def test_another_shape_ends_the_thread():
    given = arguments()
    Function(kernel_of("out[w] = a"))[1, 1](*given)
    assert not given[4].any()


def test_places_outside_raise_with_checks():
    kernel = ww.cuda.jit(kernel_of("out[w + 60] = 1"), debug=True, opt=False)
    with pytest.raises(IndexError):
        kernel[1, 1](*arguments())


@pytest.mark.parametrize(
    "body, message",
    [
        ("out[w] += 1", "once where its place occurs twice"),
        ("out[w] = out[:10] + w", "computed from the array that is written"),
        ("w[w] = 1", "computed from the array that is written"),
        ("out[w] = a[a > 1]", "is not known when compiled"),
        ("m[w] = 1", "an index is a whole number or a slice"),
    ],
)
def test_what_is_refused(body, message):
    with pytest.raises((ww.CompileError, ww.UnsupportedError), match=message):
        Function(kernel_of(body))[1, 1](*arguments())


def test_they_compile_for_gpus():
    def kernel(x, w, out):
        out[w] = x * 2

    source = Function(kernel).inspect_source("float32[:], int32[::1], float64[::1]")
    for target in ("sm_75", "sm_120"):
        assert ww.compile(source, target=target, format="cubin")[:4] == b"\x7fELF"
