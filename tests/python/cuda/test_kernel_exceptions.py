"""debug=True: what a thread raises reaches the host; indices and divisors are checked."""

from __future__ import annotations

import inspect
import re

import devices
import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise.cuda import types

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")

TEXT = "from a global"
CODE = 44


class Refused(Exception):
    """An exception of the program's own."""


class Worse(Refused):
    def __init__(self, reason: str, code: int = 7) -> None:
        super().__init__(reason, code)
        self.code = code


@pytest.fixture(autouse=True)
def _on_the_device():
    with ww.Device(devices.NAME):
        yield


def line_of(kernel, text: str) -> int:
    lines, first = inspect.getsourcelines(kernel.py_func)
    return next(first + i for i, line in enumerate(lines) if text in line)


@cuda.jit(debug=True, opt=False)
def picky(x, out):
    i = cuda.grid(1)
    if i >= x.size:
        return
    if x[i] == 1:
        raise Refused
    if x[i] == 2:
        raise Refused("two", 22)
    if x[i] == 3:
        raise Worse(TEXT)
    if x[i] == 4:
        raise ValueError(f"four: {CODE:3}")
    assert x[i] != 5, "not five"
    assert x[i] != 6
    out[i] = x[i]


@pytest.mark.parametrize(("value", "error", "words", "more", "statement"), [
    (1, Refused, None, (), "raise Refused\n"),
    (2, Refused, "two", (22,), 'raise Refused("two"'),
    (3, Worse, "from a global", (7,), "raise Worse"),
    (4, ValueError, "four:  44", (), "raise ValueError"),
    (5, AssertionError, "not five", (), "assert x[i] != 5"),
    (6, AssertionError, None, (), "assert x[i] != 6"),
])  # fmt: skip
def test_exceptions_reach_the_host(value, error, words, more, statement):
    x = np.zeros(100, np.int32)
    x[77] = value
    out = cuda.to_device(np.full(100, -1, np.int32))
    with pytest.raises(error) as caught:
        picky[4, 32](cuda.to_device(x), out)
    line = line_of(picky, statement)
    place = f"In function 'picky', file {__file__}, line {line}, tid=[0, 0, 13] ctaid=[0, 0, 2]"
    message = place if words is None else f"{place}: {words}"
    assert caught.value.args == (message, *more)
    assert caught.value.thread == (13, 0, 0)
    assert caught.value.block == (2, 0, 0)
    assert caught.value.__cause__ is None
    # The other threads ran to their end.
    expected = np.zeros(100, np.int32)
    expected[77] = -1
    assert np.array_equal(out.copy_to_host(), expected)


def test_thread_and_block_have_three_axes():
    @cuda.jit(debug=True, opt=False)
    def one_of_all(out):
        if cuda.threadIdx.z == 1 and cuda.threadIdx.y == 2 and cuda.blockIdx.y == 1:
            raise Refused

    with pytest.raises(Refused) as caught:
        one_of_all[(1, 2), (1, 3, 2)](cuda.to_device(np.zeros(1)))
    # Numba's order, then that of C++.
    assert "tid=[1, 2, 0] ctaid=[0, 1, 0]" in str(caught.value)
    assert (caught.value.thread, caught.value.block) == ((0, 2, 1), (0, 1, 0))
    assert "tid=[0, 2, 1] ctaid=[0, 1, 0]" in str(caught.value.__context__)


def test_nothing_is_raised_and_the_next_launch_is_clean():
    out = np.zeros(64, np.int32)
    with pytest.raises(Refused):
        picky[2, 32](np.full(64, 1, np.int32), out)
    assert np.array_equal(out, np.zeros(64))  # host arrays are not written back
    x = np.arange(7, 71, dtype=np.int32)
    picky[2, 32](x, out)
    assert np.array_equal(out, x)
    picky.forall(64)(x + 1, out)
    assert np.array_equal(out, x + 1)
    with pytest.raises(Refused, match="tid="):
        picky.forall(64)(np.full(64, 2, np.int32), out)


def test_blocks_and_threads_of_three_axes():
    @cuda.jit(debug=True, opt=False)
    def corner(out):
        x, y, z = cuda.grid(3)
        if x == 3 and y == 4 and z == 5:
            raise KeyError("corner")
        out[x, y, z] = 1

    with pytest.raises(KeyError) as caught:
        corner[(2, 3, 3), (2, 2, 2)](np.zeros((4, 6, 6)))
    assert caught.value.thread == (1, 0, 1)
    assert caught.value.block == (1, 2, 2)
    assert "tid=[1, 0, 1] ctaid=[2, 2, 1]: corner" in caught.value.args[0]


@cuda.jit(device=True)
def checked_root(x):
    if x < 0:
        raise ValueError("negative")
    return x**0.5


@cuda.jit(device=True)
def total_of_roots(x, first, last):
    if first == last:
        return 0.0
    return checked_root(x[first]) + total_of_roots(x, first + 1, last)


def test_device_functions_raise():
    @cuda.jit(debug=True, opt=False)
    def roots(x, out):
        i = cuda.grid(1)
        out[i] = total_of_roots(x, 0, x.size)

    out = np.zeros(2)
    roots[1, 2](np.array([4.0, 9.0]), out)
    assert np.array_equal(out, [5.0, 5.0])
    with pytest.raises(ValueError, match=r"In function 'checked_root'.*: negative"):
        roots[1, 2](np.array([4.0, -9.0]), out)


def test_without_debug_the_thread_ends():
    @cuda.jit
    def quiet(x, out):
        i = cuda.grid(1)
        if x[i] < 0:
            raise ValueError("negative")
        assert x[i] < 10
        out[i] = x[i]

    out = np.full(4, -5.0)
    quiet[1, 4](np.array([1.0, -1.0, 20.0, 3.0]), out)
    assert np.array_equal(out, [1.0, -5.0, -5.0, 3.0])


@cuda.jit(debug=True, opt=False)
def copies(out, x, shift):
    i = cuda.grid(1)
    if i < 8:
        out[i] = x[i + shift]


@pytest.mark.parametrize(("shift", "index"), [(1, 8), (100, 100), (-9, -9), (-2000, -2000)])
def test_reads_outside_raise_at_their_line(shift, index):
    out = cuda.to_device(np.full(8, -1.0))
    with pytest.raises(IndexError) as caught:
        copies[1, 32](out, cuda.to_device(np.arange(8.0)), shift)
    line = line_of(copies, "out[i] = x[i + shift]")
    assert f"line {line}, " in str(caught.value)
    found = re.search(r"index (-?\d+) is out of bounds for axis 0 with size 8$", str(caught.value))
    assert found is not None
    assert int(found[1]) - caught.value.thread[0] == shift
    assert not -8 <= int(found[1]) < 8
    if shift in (1,):
        assert int(found[1]) == index


def test_negative_indices_are_from_the_end():
    out = np.zeros(8)
    copies[1, 32](out, np.arange(8.0), -8)
    assert np.array_equal(out, np.arange(8.0))


def test_writes_outside_touch_nothing():
    @cuda.jit(debug=True, opt=False)
    def spill(whole, n):
        part = whole[2:6]
        i = cuda.grid(1)
        part[i] += 1
        part[i + n] = 7

    whole = cuda.to_device(np.zeros(12))
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
        spill[1, 1](whole, 4)
    assert np.array_equal(whole.copy_to_host(), [0, 0, 1, *[0] * 9])
    spill[1, 4](whole, 0)
    assert np.array_equal(whole.copy_to_host(), [0, 0, 7, 7, 7, 7, *[0] * 6])
    with pytest.raises(IndexError):
        spill[1, 5](whole, 0)
    assert np.array_equal(whole.copy_to_host(), [0, 0, 7, 7, 7, 7, *[0] * 6])


@pytest.mark.parametrize(("row", "column", "words"), [
    (3, 0, "index 3 is out of bounds for axis 0 with size 3"),
    (0, 5, "index 5 is out of bounds for axis 1 with size 4"),
    (-4, 0, "index -4 is out of bounds for axis 0 with size 3"),
])  # fmt: skip
def test_every_axis_is_checked(row, column, words):
    @cuda.jit(debug=True, opt=False)
    def place(x, row, column):
        x[row, column] = 1

    @cuda.jit(debug=True, opt=False)
    def rows(x, row, column):
        line = x[row]
        line[column] = 1

    @cuda.jit(debug=True, opt=False)
    def add(x, row, column):
        cuda.atomic.add(x, (row, column), 1)

    x = cuda.to_device(np.zeros((3, 4)))
    for kernel in (place, add):
        with pytest.raises(IndexError, match=words):
            kernel[1, 1](x, row, column)
    with pytest.raises(IndexError, match=words.replace("axis 1", "axis 0")):
        rows[1, 1](x, row, column)
    assert not x.copy_to_host().any()


def test_memory_of_a_block_and_of_a_thread_is_checked():
    @cuda.jit(debug=True, opt=False)
    def local(out, at):
        block = cuda.shared.array(8, types.float64)
        own = cuda.local.array(4, types.float64)
        i = cuda.threadIdx.x
        block[i] = i
        cuda.syncthreads()
        own[at] = block[7 - i]
        out[i] = own[at]

    out = np.zeros(8)
    local[1, 8](out, 3)
    assert np.array_equal(out, np.arange(7.0, -1.0, -1.0))
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
        local[1, 8](out, 4)
    with pytest.raises(IndexError, match="with size 8"):
        local[1, 9](np.zeros(9), 3)


def test_conditions_guard_their_indices():
    @cuda.jit(debug=True, opt=False)
    def guarded(x, out):
        i = cuda.grid(1)
        if i < x.size and x[i] > 1:
            out[i] = x[i]
        other = x[i] if i < x.size else -1.0
        k = i
        while k < x.size and x[k] < 100:
            k += 1
        if i < x.size:
            out[i] += other + k

    x = np.arange(5.0)
    out = np.zeros(5)
    guarded[1, 32](x, out)
    assert np.array_equal(out, np.where(x > 1, 2 * x, x) + 5)


def test_an_index_alone_raises():
    @cuda.jit(debug=True, opt=False)
    def touches(x, i):
        x[i]

    @cuda.jit(debug=True, opt=False)
    def item(x, i):
        x.shape[-i]

    touches[1, 1](np.zeros(2), 1)
    with pytest.raises(IndexError, match="axis 0 with size 2"):
        touches[1, 1](np.zeros(2), 2)
    item[1, 1](np.zeros(2), 1)
    with pytest.raises(IndexError, match="tuple index out of range"):
        item[1, 1](np.zeros(2), 2)


@pytest.mark.parametrize("op", ["/", "//", "%"])
@pytest.mark.parametrize("dtype", [np.int32, np.uint64, np.float32, np.float64])
def test_divisions_by_zero(op, dtype):
    scope = {"cuda": cuda}
    text = f"def divide(out, a, b):\n    out[0] = a[0] {op} b[0]\n    out[1] = 1\n"
    import linecache

    file = f"<division {op} {dtype.__name__}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), scope)
    kernel = cuda.jit(scope["divide"], debug=True, opt=False)
    out = cuda.to_device(np.zeros(2))
    kernel[1, 1](out, np.array([7], dtype), np.array([2], dtype))
    expected = {"/": 3.5, "//": 3, "%": 1}[op]
    assert np.array_equal(out.copy_to_host(), [expected, 1])
    out = cuda.to_device(np.zeros(2))
    with pytest.raises(ZeroDivisionError, match=r"line 2, tid=.*: division by zero"):
        kernel[1, 1](out, np.array([7], dtype), np.array([0], dtype))
    assert np.array_equal(out.copy_to_host(), [0, 0])


def test_values_of_threads_are_refused_in_exceptions():
    @cuda.jit(debug=True, opt=False)
    def tells(x):
        if x[0] > 0:
            raise ValueError("got", x[0])

    with pytest.raises(NotImplementedError, match="constants in kernels with debug=True"):
        tells[1, 1](np.ones(1))
    kind = ValueError

    @cuda.jit(debug=True, opt=False)
    def chosen(x):
        error = kind
        raise error

    with pytest.raises(NotImplementedError, match="by the names of their classes"):
        chosen[1, 1](np.ones(1))


def test_a_kernel_without_anything_to_raise_has_no_record():
    @cuda.jit(debug=True, opt=False)
    def plain(x):
        pass

    plain[1, 1](np.ones(1))
    assert "__ww_raised" not in plain.inspect_source("float64[::1]")
    assert "__ww_raised" in picky.inspect_source("int32[::1], int32[::1]")
