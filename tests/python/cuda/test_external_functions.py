"""Functions of CUDA C++ that kernels in Python call: declare_device and link=."""

from __future__ import annotations

import devices
import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise.cuda import types

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")

ADD = """
extern "C" __device__ int scaled_sum(double *result, double a, int b)
{
    *result = a + 10 * b;
    return 0;
}
"""
SUM = """
extern "C" __device__ int sum_of(float *result, const float *data, long long count)
{
    float total = 0;
    for (long long i = 0; i < count; ++i) total += data[i];
    *result = total;
    return 0;
}
extern "C" __device__ int fill(void *, float *data, float value)
{
    data[0] = data[1] = value;
    return 0;
}
"""


@pytest.fixture(autouse=True)
def _on_the_device():
    with ww.Device(devices.NAME):
        yield


def test_numbers(tmp_path):
    file = tmp_path / "add.cu"
    file.write_text(ADD)
    scaled_sum = cuda.declare_device("scaled_sum", "float64(float64, int32)")
    assert scaled_sum.name == "scaled_sum"
    assert scaled_sum.sig.return_type == types.float64

    @cuda.jit(link=[str(file)])
    def kernel(out, x):
        i = cuda.grid(1)
        if i < x.size:
            out[i] = scaled_sum(x[i], i) + scaled_sum(1, 2.9)

    x = np.linspace(0, 1, 33)
    out = np.zeros(33)
    kernel[2, 32](out, x)
    assert np.array_equal(out, x + 10.0 * np.arange(33) + 21.0)
    source = kernel.inspect_source("float64[::1], float64[::1]")
    assert "scaled_sum(double *result" in source


def test_memory_is_passed_as_a_pointer_and_noted_as_written():
    source = cuda.CUSource(SUM, "sum.cu")
    sum_of = cuda.declare_device(
        "sum_of", types.float32(types.CPointer(types.float32), types.int64), link=source
    )
    fill = cuda.declare_device("fill", "void(CPointer(float32), float32)", link=[source])

    @cuda.jit(device=True)
    def total(part):
        return sum_of(part, part.size)

    @cuda.jit
    def kernel(rows, sums):
        i = cuda.grid(1)
        if i < rows.shape[0]:
            sums[i] = total(rows[i])
            fill(rows[i], sums[i])

    rows = np.arange(20, dtype=np.float32).reshape(4, 5)
    expected = rows.copy()
    expected[:, :2] = rows.sum(1)[:, None]
    sums = np.zeros(4, np.float32)
    kernel[1, 32](rows, sums)
    assert np.array_equal(sums, expected[:, 0])
    assert np.array_equal(rows, expected)


class FFI:
    """What kernels see of cffi's class."""

    def from_buffer(self, value):
        raise NotImplementedError


FFI.__module__ = "cffi.api"


def test_cffis_pointers():
    ffi = FFI()
    sum_of = cuda.declare_device(
        "sum_of", "float32(CPointer(float32), int64)", link=cuda.CUSource(SUM)
    )

    @cuda.jit
    def kernel(x, out):
        pointer = ffi.from_buffer(x)
        out[0] = sum_of(pointer, 3)

    out = np.zeros(1, np.float32)
    kernel[1, 1](np.arange(1, 5, dtype=np.float32), out)
    assert out[0] == 6


def test_wrong_declarations(tmp_path):
    with pytest.raises(TypeError, match="Return type must be provided"):
        cuda.declare_device("f", "(float32, int32)")
    with pytest.raises(TypeError, match="Return type must be provided"):
        cuda.declare_device("f", (types.float32,))
    with pytest.raises(TypeError, match="name of a function"):
        cuda.declare_device("a b", "int32(int32)")
    with pytest.raises(ValueError, match="there is no file"):
        cuda.declare_device("f", "int32(int32)", link=tmp_path / "missing.cu")
    with pytest.raises(NotImplementedError, match="files of CUDA C"):
        cuda.declare_device("f", "int32(int32)", link="f.ptx")
    with pytest.raises(TypeError, match="expects CUDA C"):
        cuda.CUSource(3)
    with pytest.raises(TypeError, match=r"names of files and cuda\.CUSource, got 3"):
        cuda.jit(link=[3])
    f = cuda.declare_device("f", "int32(int32)")
    with pytest.raises(TypeError, match="kernels call it"):
        f(1)


@pytest.mark.parametrize(("call", "words"), [
    (lambda f, x: f(x), "takes 2 arguments, got 1"),
    (lambda f, x: f(x, 1), r"argument 1 of scaled_sum\(\) is an array"),
    (lambda f, x: f(1j, 1), r"argument 1 of scaled_sum\(\) is complex128"),
])  # fmt: skip
def test_wrong_calls(call, words):
    f = cuda.declare_device("scaled_sum", "float64(float64, int32)", link=cuda.CUSource(ADD))

    @cuda.jit
    def kernel(x):
        x[0] = call(f, x)

    with pytest.raises(ww.CompileError, match=words):
        kernel[1, 1](np.zeros(2))


def test_arrays_cannot_be_declared():
    f = cuda.declare_device("f", "float64(float64[:])")

    @cuda.jit
    def kernel(x):
        x[0] = f(x)

    with pytest.raises(NotImplementedError, match=r"declare CPointer\(float64\)"):
        kernel[1, 1](np.zeros(2))


def test_errors_of_the_source_name_it():
    broken = cuda.CUSource('\nextern "C" __device__ int f(int *r) { nonsense; }\n', "broken.cu")
    f = cuda.declare_device("f", "int32()", link=broken)

    @cuda.jit
    def kernel(x):
        x[0] = f()

    with pytest.raises(ww.CompileError, match=r"broken.cu:2:"):
        kernel[1, 1](np.zeros(2))


def test_machine_code_as_text(monkeypatch, tmp_path):
    @cuda.jit
    def kernel(x):
        x[0] = 1

    kernel[1, 1](np.zeros(1))
    if ww.Device().kind == "cpu":
        with pytest.raises(NotImplementedError, match="this is the CPU device"):
            kernel.inspect_sass()
        return
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    with pytest.raises(NotImplementedError, match="nvdisasm has not been found"):
        kernel.inspect_sass()


def test_disassembling(monkeypatch, tmp_path):
    from warpwise.cuda._functions.sass import disassembled

    program = tmp_path / "nvdisasm"
    program.write_text('#!/bin/sh\necho "$1"; [ "$1" = -gi ] || exit 3\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert disassembled(b"code") == "-gi\n"
    with pytest.raises(ww.DeviceError, match="nvdisasm failed"):
        disassembled(b"code", cfg=True)
