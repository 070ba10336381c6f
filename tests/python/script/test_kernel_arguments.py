"""Arguments of kernels written in Python: arrays of the device and the host, numbers, tuples."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise._script import Function

FACTOR = 2


@Function
def scale(x, f):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= f


@Function
def add_rows(x, y, out):
    i, j = cuda.grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = x[i, j] + y[i, j]


@pytest.mark.parametrize("given", [(), (5,), (2.5,), (5, np.arange(4.0)), (5, None)])
def test_defaults_of_kernels(given):
    @cuda.jit
    def kernel(x, n=3, weights=None):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = n * 10 + (1 if weights is None else weights[i])

    x, wanted = np.zeros(4), np.zeros(4)
    n, weights = (*given, *(3, None)[len(given) :])
    wanted[:] = n * 10 + (1 if weights is None else weights)
    launcher = kernel[1, 4]
    for _ in range(2):  # after a launch with all arguments, too
        launcher(x, *given)
        assert np.array_equal(x, wanted)
        launcher(x, 7, None)
    with pytest.raises(TypeError, match="takes 3 arguments, got 0"):
        launcher()


def test_arrays_of_the_device_are_changed_in_place():
    x = ww.asarray(np.arange(100.0))
    scale[2, 64](x, 3)
    scale.forall(x.size)(x, 0.5)
    np.testing.assert_array_equal(x.get(), np.arange(100.0) * 1.5)


def test_arrays_of_another_dtype_or_rank_are_another_kernel():
    @Function
    def double(x):
        for i in range(x.size):
            x.flat[i] *= 2

    for given in (np.ones(4), np.ones(4, np.float32), np.ones((2, 2), np.float32)):
        x = ww.asarray(given)
        double[1, 1](x)
        double[1, 1](x)
        np.testing.assert_array_equal(x.get(), 4 * given)


def test_numpy_arrays_come_back_when_they_are_written():
    x, y = np.arange(12.0).reshape(3, 4), np.ones((3, 4))
    out = np.zeros((4, 3)).T[:, ::-1]
    add_rows[(1, 1), (8, 8)](x, y, out)
    np.testing.assert_array_equal(out, x + 1)
    np.testing.assert_array_equal(y, np.ones((3, 4)))


def test_numpy_arrays_that_overlap_share_memory():
    @Function
    def shift(a, b):
        i = cuda.grid(1)
        if i < b.size:
            b[i] = a[i] + 10
            a[i] = -1

    x = np.arange(8.0)
    shift[1, 1](x, x[4:])
    assert x[0] == -1 and x[4] == 10
    np.testing.assert_array_equal(x[1:4], [1, 2, 3])


@pytest.mark.parametrize(
    "dtype",
    [
        "int8",
        "uint8",
        "int16",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "uint64",
        "float32",
        "float64",
    ],
)
def test_elements_of_every_dtype(dtype):
    x = np.arange(10).astype(dtype)
    scale[1, 16](x, 2)
    np.testing.assert_array_equal(x, (np.arange(10) * 2).astype(dtype))


def test_bools_and_complex_numbers():
    @Function
    def flip(b, c, z):
        i = cuda.grid(1)
        b[i] = not b[i]
        c[i] = c[i] * z + 1j

    b, c = np.array([True, False]), np.array([1 + 2j, 3 - 1j])
    flip[1, 2](b, c, 2 - 1j)
    assert b.tolist() == [False, True]
    np.testing.assert_allclose(c, np.array([1 + 2j, 3 - 1j]) * (2 - 1j) + 1j)


def test_numbers_tuples_and_none():
    @Function
    def kernel(out, t, none, flag, u):
        if none is None and flag:
            out[0] = t[0] + t[1] * 10 + u

    out = np.zeros(1)
    kernel[1, 1](out, (1, 2.5), None, True, np.uint8(200))
    assert out[0] == 226


def test_three_axes_and_views():
    @Function
    def kernel(x, out):
        i = cuda.grid(1)
        plane = x[i]
        inner = plane[1:-1, ::2]
        out[i] = inner[0, 0] + inner.shape[0] * 100 + inner.shape[1] * 1000 + x[i, -1, -1]

    x = np.arange(60.0).reshape(3, 4, 5)
    out = np.zeros(3)
    kernel[1, 3](x, out)
    expected = [x[i][1, 0] + 2 * 100 + 3 * 1000 + x[i, -1, -1] for i in range(3)]
    np.testing.assert_array_equal(out, expected)


def test_shared_memory_static_and_dynamic():
    @Function
    def reverse(x):
        fixed = cuda.shared.array(64, np.float64)
        grown = cuda.shared.array(0, np.float64)
        i = cuda.threadIdx.x
        fixed[i] = x[i]
        grown[i] = x[i] * 2
        cuda.syncthreads()
        x[i] = fixed[63 - i] + grown[63 - i]

    x = np.arange(64.0)
    reverse[1, 64, None, 64 * 8](x)
    np.testing.assert_array_equal(x, np.arange(64.0)[::-1] * 3)


def test_atomic_operations():
    @Function
    def count(x, bins, extremes):
        i = cuda.grid(1)
        if i < x.size:
            cuda.atomic.add(bins, x[i] % 4, 1)
            cuda.atomic.max(extremes, 0, float(x[i]))
            cuda.atomic.min(extremes, 1, float(x[i]))

    x = np.random.default_rng(3).integers(0, 1000, 777)
    bins, extremes = np.zeros(4, np.int64), np.array([-np.inf, np.inf])
    count[7, 128](x, bins, extremes)
    np.testing.assert_array_equal(bins, np.bincount(x % 4))
    assert extremes.tolist() == [x.max(), x.min()]


CONFIG = {"dt": 0.5, "steps": 3, 4: 7, "body": {"g": 9.75, "axes": (1, 2)}, "norm": abs}


def test_items_of_dicts_by_keys_that_are_written_there():
    own = {"offset": 2}

    @Function
    def kernel(out):
        out[0] = CONFIG["dt"] * CONFIG["steps"] + CONFIG["norm"](-CONFIG[4])
        out[1] = CONFIG["body"]["g"] + CONFIG["body"]["axes"][1] + own["offset"]
        out[2] = ww.cuda.local.array(CONFIG["steps"], np.int8).size

    def launched():
        out = np.zeros(3)
        kernel[1, 1](out)
        return out.tolist()

    assert launched() == [8.5, 13.75, 3]
    own["offset"], CONFIG["dt"], CONFIG["body"]["g"] = 3, 1.5, 1
    assert launched() == [11.5, 6, 3]
    CONFIG["body"] = {"g": 2, "axes": (1, 5)}
    assert launched() == [11.5, 10, 3]


def test_a_changed_global_compiles_anew():
    global FACTOR

    @Function
    def kernel(x):
        x[0] = FACTOR

    launch = kernel[1, 1]
    x = np.zeros(1)
    launch(x)
    assert x[0] == 2
    FACTOR = 5
    try:
        launch(x)
        assert x[0] == 5
    finally:
        FACTOR = 2


def test_raise_and_assert_end_the_thread():
    def checked(v):
        assert v != 3
        if v == 5:
            raise ValueError("five")
        return v * 10

    @Function
    def kernel(x):
        i = cuda.grid(1)
        x[i] = checked(i) + 1

    x = np.full(8, -1.0)
    kernel[1, 8](x)
    assert x.tolist() == [1, 11, 21, -1, 41, -1, 61, 71]


def test_two_threads_compile_once():
    @Function
    def kernel(x):
        x[0] += 1

    x = ww.asarray(np.zeros(1))
    threads = [threading.Thread(target=lambda: kernel[1, 1](x)) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert x.get()[0] == 4
    assert list(kernel.kernels) == ["float64[::1]"]


def test_kernels_pickle():
    again = pickle.loads(pickle.dumps(scale))
    x = np.ones(4)
    again[1, 4](x, 3)
    assert x.tolist() == [3, 3, 3, 3]


def test_signatures_compile_at_once():
    kernel = Function(scale.py_func, signatures=["void(float32[:], int64)"])
    assert list(kernel.kernels) == ["float32[:], int64"]
    assert "__ww_py_strided<float, 1> x" in kernel.inspect_source("float32[:], int64")
    assert Function(lambda a, b: a / b, device=True).result_of("int32, int64") == "float64"


def test_the_place_of_a_fault_is_the_line_in_python():
    source = scale.inspect_source("float32[::1], float64")
    line = scale.py_func.__code__.co_firstlineno + 1
    assert f'#line {line} "{__file__}"' in source


def test_names_that_are_c_keywords_or_not_ascii():
    @Function
    def double(int, π):
        struct = int[0] + π
        NULL = struct * 2  # noqa: N806
        int[0] = NULL

    x = np.ones(1)
    double[1, 1](x, 3)
    assert x[0] == 8


def test_printing(capfd):
    @Function
    def kernel(n):
        print("n =", n, n * 0.5, n > 2, f"[{n:4d}|{n / 3:.3f}]", (n, 1), sep="; ", end=".\n")

    kernel[1, 1](7)
    ww.Device().synchronize()
    out = capfd.readouterr().out
    assert out == "n =; 7; 3.500000; True; [   7|2.333]; (7, 1).\n"


@pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")
def test_constants_reach_the_shapes_of_arrays_in_functions():
    @cuda.jit(device=True)
    def staged(x, n, shape):
        tile = cuda.shared.array(n, np.int64)
        own = cuda.local.array(shape, np.int64)
        i = cuda.threadIdx.x
        tile[i] = x[i]
        for k in range(shape[0]):
            own[k, 1] = k
        cuda.syncthreads()
        return tile[n - 1 - i] + own[shape[0] - 1, 1]

    @cuda.jit(device=True)
    def between(x, n, shape):
        return staged(x, n, shape)

    @cuda.jit
    def kernel(x, out):
        i = cuda.threadIdx.x
        out[i, 0] = between(x, 8, (3, 2))
        out[i, 1] = staged(x, 16, (5, 2))

    x = np.arange(8)
    out = np.zeros((8, 2), int)
    kernel[1, 8](x, out)
    assert np.array_equal(out[:, 0], x[::-1] + 2)

    @cuda.jit
    def unknown(x, out, n):
        out[0, 0] = staged(x, n, (3, 2))

    with pytest.raises(ww.CompileError, match=r"'n' of staged\(\) is the shape of an array there"):
        unknown[1, 1](x, out, 8)


def test_programs_on_the_command_line_have_their_source():
    program = """
import numpy as np
from warpwise import cuda

@cuda.jit
def triple(x):
    x[cuda.grid(1)] *= 3

x = np.arange(4)
triple[1, 4](x)
print(list(x))
scope = {"cuda": cuda}
exec("def other(x):\\n    x[0] = 1", scope)
try:
    cuda.jit(scope["other"])[1, 1](x)
except RuntimeError as error:
    print("source" in str(error))
"""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[np.int64(0), np.int64(3), np.int64(6), np.int64(9)]\nTrue\n"


@pytest.mark.parametrize(
    ("dtype", "message"),
    [
        ("O", "argument 1 is an array of object; kernels take arrays of numbers, of times"),
        (">f4", "in this machine's byte order"),
        (">M8[s]", r"an array of >M8\[s\]; .* in this machine's byte order"),
        (">U4", "in this machine's byte order"),
        ([("id", "i4"), ("name", "O")], "whose field 'name' is of object"),
        ([("at", [("when", ">M8[D]")])], "field 'at' is of .*, whose field 'when' is of >M8"),
    ],
    ids=str,
)
def test_arrays_of_other_than_numbers_are_refused_with_what_to_pass(dtype, message):
    @Function
    def kernel(x):
        pass

    with pytest.raises(TypeError, match=message):
        kernel[1, 1](np.zeros(3, dtype))


def test_dates_may_be_passed_as_whole_numbers():
    @Function
    def later(dates, days):
        i = cuda.grid(1)
        if i < dates.size:
            dates[i] += days

    dates = np.array(["2024-02-28", "2025-02-28"], "M8[D]")
    later[1, 2](dates.view(np.int64), 1)
    assert dates.astype(str).tolist() == ["2024-02-29", "2025-03-01"]
