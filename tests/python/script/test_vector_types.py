"""CUDA's vector types in kernels: cuda.float32x4, cuda.float4 and their like."""

from __future__ import annotations

import devices
import numpy as np
import pytest
from refused_lines import expect_refused

import warpwise as ww
from warpwise import cuda
from warpwise.cuda.vector_types import vector_types

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")


@pytest.fixture(autouse=True)
def _on_the_device():
    with ww.Device(devices.NAME):
        yield


@pytest.mark.parametrize("name", list(vector_types))
def test_vectors_have_their_numbers_as_fields(name):
    kind = vector_types[name]
    make = kind.user_facing_object
    count = kind.num_elements

    def one(out):
        v = make(3)
        out[0] = v.x

    def two(out):
        v = make(3, 4.75)
        out[0], out[1] = v.x, v.y

    def three(out):
        v = make(3, 4.75, 5)
        out[0], out[1], out[2] = v.x, v.y, v.z

    def four(out):
        v = make(3, 4.75, 5, 6)
        out[0], out[1], out[2], out[3] = v.x, v.y, v.z, v.w

    out = np.zeros(count)
    cuda.jit([one, two, three, four][count - 1])[1, 1](out)
    element = kind.base_type.dtype_of_numpy
    assert out.tolist() == np.array([3, 4.75, 5, 6][:count]).astype(element).tolist()


@cuda.jit(device=True)
def weighted(a, factor):
    return cuda.float4(a.x * factor, a.y * factor, a.z * factor, a.w * factor)


def test_vectors_are_made_of_vectors_passed_and_returned():
    @cuda.jit
    def kernel(out):
        i = cuda.grid(1)
        pair = cuda.float2(i, 2.5)
        v = weighted(cuda.float32x4(pair, cuda.int1(7), 1), 2)
        w = cuda.double3(v.w, pair)
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = v.x, v.y, v.z, v.w
        out[i, 4] = w.x + w.y + w.z

    out = np.zeros((3, 5))
    kernel[1, 3](out)
    assert out.tolist() == [[2 * i, 5, 14, 2, 4.5 + i] for i in range(3)]


def test_arguments_are_evaluated_from_left_to_right():
    @cuda.jit(device=True)
    def counted(x):
        x[0] += 1
        return x[0]

    @cuda.jit
    def kernel(x, out):
        v = cuda.int4(counted(x), cuda.int2(counted(x), counted(x)), counted(x))
        out[0], out[1], out[2], out[3] = v.x, v.y, v.z, v.w

    out = np.zeros(4, np.int64)
    kernel[1, 1](np.zeros(1, np.int64), out)
    assert out.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(("text", "message"), [
    ("cuda.float2(1)", "cuda.float32x2() takes 2 numbers, got 1"),
    ("cuda.float2(1, cuda.float2(1, 2))", "cuda.float32x2() takes 2 numbers, got 3"),
    ("cuda.int1(x)", "cuda.int32x1() takes real numbers and vectors of them, got an array"),
    ("cuda.int1(1j)", "cuda.int32x1() takes real numbers and vectors of them, got complex128"),
    ("cuda.int1(value=1)", "cuda.int32x1() takes its numbers by position"),
])  # fmt: skip
def test_wrong_numbers_are_refused_with_their_line(text, message, tmp_path):
    expect_refused(tmp_path, f"v = {text}", "x[0] = v.x", {"cuda": cuda}, message)
