"""Methods of arrays in kernels, and NumPy's functions of one array, give what NumPy gives."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise._script import Function

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")


def reduce_by_methods(x, out):
    out[0], out[1], out[2] = x.sum(), x.prod(), x.mean()
    out[3], out[4], out[5] = x.min(), x.max(), x.var()
    out[6], out[7], out[8] = x.any(), x.all(), x.std()
    out[9], out[10] = x.argmin(), x.argmax()


def reduce_by_functions(x, out):
    out[0], out[1], out[2] = np.sum(x), np.prod(x.T), np.mean(x.T)
    out[3], out[4], out[5] = np.min(x), np.amax(x), np.var(x)
    out[6], out[7], out[8] = np.any(x), np.all(x), np.std(x)
    out[9], out[10] = np.argmin(x), np.argmax(x)
    out[11], out[12], out[13] = np.count_nonzero(x), np.ptp(x), np.linalg.norm(x)
    out[14] = 1 in x


ARRAYS = {
    "contiguous": np.arange(-5.0, 7.0).reshape(3, 4) / 4,
    "strides": np.arange(24.0, dtype=np.float32).reshape(4, 6)[::2, 4:0:-1] - 9.5,
    "integers": (np.arange(30, dtype=np.int16) % 7 - 3).reshape(5, 6)[:, 1:4],
    "unsigned": np.arange(5, dtype=np.uint8) + 250,
    "half": np.linspace(-2, 3, 11).astype(np.float16),
    "nan": np.array([1.0, np.nan, 3.0, np.nan, 0.0]),
    "infinite": np.array([np.inf, -np.inf, 1.0]),
    "one": np.full((1, 1, 1), 7, np.int64),
}


@pytest.mark.parametrize("function", [reduce_by_methods, reduce_by_functions])
@pytest.mark.parametrize("name", sorted(ARRAYS))
def test_an_array_becomes_a_number_as_in_numpy(function, name):
    x = ARRAYS[name]
    given, expected = np.zeros(15), np.zeros(15)
    Function(function)[1, 1](x, given)
    with np.errstate(all="ignore"):
        function(x, expected)
    tolerance = {2: 2e-3, 4: 1e-6}.get(x.dtype.itemsize if x.dtype.kind == "f" else 8, 1e-14)
    np.testing.assert_allclose(given, expected, rtol=tolerance)


def test_sums_of_whole_numbers_have_64_bits():
    def add(x, y, out):
        out[0] = x.sum()
        out[1] = y.sum() == 2**64 - 2

    out = np.zeros(2, np.int64)
    Function(add)[1, 1](np.full(3, 2**31 - 1, np.int32), np.full(2, 2**63 - 1, np.uint64), out)
    assert out.tolist() == [3 * (2**31 - 1), True]


def test_complex_arrays_and_bools():
    def reduce(x, y, out):
        out[0], out[1], out[2], out[3] = x.sum(), x.mean(), x.prod(), np.dot(x, x)
        out[4], out[5], out[6] = y.sum(), y.max(), y.all()

    x, y = np.arange(1, 5) + 1j * np.arange(4)[::-1], np.array([True, False, True])
    given, expected = np.zeros(7, complex), np.zeros(7, complex)
    Function(reduce)[1, 1](x, y, given)
    reduce(x, y, expected)
    np.testing.assert_allclose(given, expected, rtol=1e-15)


def test_products_of_rows_and_columns():
    @cuda.jit
    def multiply(a, b, c):
        i, j = cuda.grid(2)
        if i < c.shape[0] and j < c.shape[1]:
            c[i, j] = np.dot(a[i, :], b[:, j]) + a[i].dot(b[:, j]) - a[i] @ b[:, j]

    a, b = np.random.default_rng(1).random((2, 6, 6))
    c = np.zeros((6, 6))
    multiply[(1, 1), (8, 8)](a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-14)


def test_arrays_of_other_lengths_have_no_product():
    @cuda.jit(debug=True, opt=False)
    def multiply(a, b, out):
        out[0] = np.dot(a, b)

    with pytest.raises(ValueError, match="not aligned"):
        multiply[1, 1](np.ones(3), np.ones(4), np.zeros(1))


def least(x, out):
    out[0] = x.min()


def place_of_greatest(x, out):
    out[0] = np.argmax(x)


@pytest.mark.parametrize(
    ("function", "message"),
    [(least, "zero-size array to reduction"), (place_of_greatest, "of an empty sequence")],
)
def test_an_empty_array_has_no_least_element(function, message):
    with pytest.raises(ValueError, match=message):
        cuda.jit(function, debug=True, opt=False)[1, 1](np.zeros((0, 3)), np.zeros(1))
    out = np.zeros(1)
    cuda.jit(function)[1, 1](np.zeros((0, 3)), out)  # the thread ends, as by `raise`
    assert out[0] == 0


def test_filled_arrays():
    def fill(x, y):
        x.fill(3)
        x[1:3].fill(2.5)
        y.T[1:].fill(4)
        y.flat[5] = 7
        y.ravel()[2] = 1
        own = cuda.local.array(4, np.int32)
        own.fill(2)
        y[0, 0] = own.sum()

    x, y = np.zeros(5, np.float32), np.zeros((2, 3), np.int64)
    Function(fill)[1, 1](x, y)
    assert x.tolist() == [3, 2.5, 2.5, 3, 3]
    assert y.tolist() == [[8, 4, 1], [0, 4, 7]]


def go_over_indices(x, n, out):
    for i, j in np.ndindex(x.shape):
        out[0] = out[0] * 3 + x[i, j] * (i - j)
    for (i, j), value in np.ndenumerate(x):
        out[1] = out[1] * 3 + value * (i - j)
    for number, (i, j, k) in enumerate(np.ndindex(2, n, 3)):
        if k == 1:
            continue
        out[2] += number * i + j * k
    for value in x.T.flat:
        out[3] = out[3] * 3 + value
    out[4] = sum(v for v in x.flat if v > 2) + max(x.flat) + sum(x[0]) + min(x[1], default=1)
    out[5] = sum(1 for index in np.ndindex((n, n)) if index[0] == index[1])
    for _ in np.ndindex(n, n - 4, 5):
        out[6] = 1


@pytest.mark.parametrize("x", [np.arange(6).reshape(2, 3), np.arange(24).reshape(4, 6)[::2, ::-2]])
def test_loops_over_indices_and_all_elements(x):
    given, expected = np.zeros(7), np.zeros(7)
    Function(go_over_indices)[1, 1](x, 4, given)
    go_over_indices(x, 4, expected)
    assert given.tolist() == expected.tolist()


MADE = "for which kernels have no memory; assign to the elements of cuda.local.array()"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("x.copy()", "has no size that is known when the kernel is compiled"),
        ("x.astype(np.int32)", MADE),
        ("x.sort()", "x.sort() is a statement of its own"),
        ("x.sum(axis=0)", "makes an array whose size is not known when the kernel is compiled"),
        ("x.sum(0, np.int32)", "takes an axis in kernels, keepdims and no other arguments"),
        ("x.sum(keepdims=True)", "keepdims stands beside an axis in kernels"),
        ("x.sum(ddof=1)", "takes an axis in kernels, keepdims and no other arguments"),
        ("x.T.flat", "has no view of one axis: only contiguous arrays have"),
        ("np.dot(x, x)", "kernels multiply arrays of one axis"),
        ("x.fill(1) is None", "is a statement of its own"),
        ("np.tile(x, 3)", "numpy.tile() takes arrays of one axis in kernels, of one length"),
    ],
)
def test_what_would_need_memory_is_refused(code, message, tmp_path):
    file = tmp_path / "kernel.py"
    file.write_text(f"def kernel(x):\n    y = {code}\n")
    scope = {"np": np}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    with pytest.raises(ww.UnsupportedError, match=":2:") as caught:
        Function(scope["kernel"])[1, 1](np.zeros((2, 2)))
    assert message in str(caught.value)
