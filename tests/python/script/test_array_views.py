"""Views of an array's memory with elements of another type, in kernels."""

from __future__ import annotations

import devices
import numpy as np
import pytest
from refused_lines import expect_refused

import warpwise as ww
from warpwise import cuda

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")


@pytest.fixture(autouse=True)
def _on_the_device():
    with ww.Device(devices.NAME):
        yield


@cuda.jit
def change_parts(x):
    i = cuda.grid(1)
    if i < x.shape[0]:
        cuda.atomic.add(x.real, i, 1)
        x.imag[i] = x.real[i] - x.imag[i]


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
@pytest.mark.parametrize("step", [1, 3, -2])
def test_parts_of_complex_numbers_are_places_in_their_array(dtype, step):
    whole = np.arange(24).astype(dtype) * (1 + 2j)
    expected = whole.copy()
    part = expected[::step]
    part.real += 1
    part.imag = part.real - part.imag
    change_parts[1, 32](whole[::step])
    assert np.array_equal(whole, expected)


def test_the_real_part_of_real_numbers_is_the_array():
    @cuda.jit
    def kernel(x):
        x.real[cuda.grid(1)] += 1

    x = np.arange(4.0)
    kernel[1, 4](x)
    assert x.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("start", [0, 1, 3])
@pytest.mark.parametrize("dtype", ["int16", "int32", "float32", "float64", "uint64"])
def test_bytes_are_read_and_written_as_numbers_at_any_address(start, dtype):
    kind = np.dtype(dtype)

    @cuda.jit
    def kernel(data, out):
        i = cuda.grid(1)
        numbers = data[start:].view(kind)
        if i < numbers.size:
            out[i] = numbers[i]
            numbers[i] = 7

    data = np.arange(67, dtype=np.uint8)
    count = (67 - start) // kind.itemsize
    end = start + count * kind.itemsize
    expected = data[start:end].view(kind).copy()
    out = np.zeros(count, kind)
    kernel[1, 96](data, out)
    assert out.tobytes() == expected.tobytes()
    assert np.all(data[start:end].view(kind) == 7)
    assert data[end:].tolist() == list(range(67))[end:]


def test_elements_of_one_size_may_lie_anywhere_and_smaller_ones_split_the_last_axis():
    @cuda.jit
    def kernel(x, bits, halves):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            bits[i, j] = x.view(np.int32)[i, j]
        if i < halves.shape[0] and j < halves.shape[1]:
            halves[i, j] = bits.view("uint16")[i, j]

    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    bits, halves = np.zeros((4, 3), np.int32), np.zeros((4, 6), np.uint16)
    kernel[1, (8, 8)](x.T, bits, halves)
    assert np.array_equal(bits, x.T.view(np.int32))


@pytest.mark.parametrize(("text", "message"), [
    ("x[::2].view(np.int64)", "only contiguous arrays, float32[::1], have one"),
    ("x.view('int33')", "Invalid NumPy dtype specified: 'int33'"),
    ("x.imag", "an array float32[::1] has no imaginary parts"),
    ("x.view()", "view"),
])  # fmt: skip
def test_what_has_no_view_is_refused_with_its_line(text, message, tmp_path):
    expect_refused(tmp_path, f"y = {text}", "y[0] = 1", {"np": np}, message)
