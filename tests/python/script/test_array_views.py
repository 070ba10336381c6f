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


def reshaped(x, n):
    whole = x.reshape(-1)
    rows = x.reshape(2, -1)
    cubes = np.reshape(x, (2, n, 2))
    turned = rows.reshape((rows.shape[1], 2))
    rows[1, 0] += 100
    cubes[1, 2, 1] = 50
    small = np.array([1, 2, 3, 4]).reshape(-1, 2)
    return (
        whole[-1] + rows[0, 1] * cubes[1, 0, 0] + turned[2, 1],
        whole.size + 10 * rows.shape[1] + 100 * turned.shape[0],
        (small @ small)[1, 0],
        sum(row[0] for row in cubes.reshape(6, -1)),
    )


def test_contiguous_arrays_have_views_of_other_shapes():
    @cuda.jit
    def kernel(x, n, out):
        for i, value in enumerate(reshaped(x, n)):
            out[i] = value

    for n in (3, -1):
        expected = np.arange(12.0).reshape(3, 4)
        x, out = expected.copy(), np.zeros(4)
        kernel[1, 1](x, n, out)
        assert np.array_equal(out, reshaped(expected, n))
        assert np.array_equal(x, expected)


def test_shared_memory_of_a_size_that_the_launch_gives_has_axes():
    @cuda.jit
    def kernel(x, out):
        n = x.shape[0]
        tile = cuda.shared.array(0, np.float32)[: n * n].reshape(n, n)
        i, j = cuda.grid(2)
        tile[i, j] = x[i, j]
        cuda.syncthreads()
        out[i, j] = tile[j, i]

    x = np.arange(16, dtype=np.float32).reshape(4, 4)
    out = np.zeros_like(x)
    kernel[(1, 1), (4, 4), 0, 64](x, out)
    assert np.array_equal(out, x.T)


@pytest.mark.parametrize("shape", [(5,), (-2, -3), (-1, 4), (-1, 0), (-1, -6), (-1, -1)])
def test_a_thread_ends_where_the_elements_do_not_fit_a_shape(shape):
    @cuda.jit
    def kernel(x, shape, out):
        out[0] = 1
        out[0] = 1 + x.reshape(shape).size

    out = np.zeros(1)
    kernel[1, 1](np.arange(6.0), shape, out)
    assert out[0] == 1
    with pytest.raises(ValueError, match="cannot reshape array"):
        cuda.jit(kernel.py_func, debug=True, opt=False)[1, 1](np.arange(6.0), shape, out)
    assert out[0] == 1
