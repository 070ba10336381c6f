"""kernel[grid, block]: found again, right after values and types have changed, and collected."""

from __future__ import annotations

import gc
import threading
import weakref

import devices
import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise._script import Function

factor = 2.0


class Settings:
    shift = 1.0


settings = Settings()


@pytest.fixture(autouse=True)
def _on_the_device():
    with ww.Device(devices.NAME):
        yield


def scaled(x, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = x[i] * factor + settings.shift


def test_launches_are_found_again():
    kernel = Function(scaled)
    assert kernel[2, 32] is kernel[2, 32]
    assert kernel[(2, 1), (32, 1, 1)] is kernel[(2, 1), (32, 1, 1)]
    assert kernel[2, 32] is not kernel[2, 64]
    assert kernel.launch_of((2, 32)) is not kernel[2, 32]
    stream = ww.Stream()
    assert kernel[2, 32, stream] is not kernel[2, 32, stream]
    first = kernel[1, 1]
    for extent in range(2, 200):
        assert kernel[extent, 1] is kernel[extent, 1]
    assert kernel[1, 1] is not first  # a bounded number of them is kept
    kernel.forget_launches()
    assert "Launch of scaled" in repr(kernel[1, 1])


@pytest.mark.parametrize("key", [
    (1.0, 32), (1, 32.0), ("1", 32), ((1, 1.0), 32), (1, None), (-1, 32), (1, 0),
    (1, (32, 1, 1, 1)),
])  # fmt: skip
def test_wrong_extents_are_refused_after_right_ones(key):
    kernel = Function(scaled)
    x = ww.asarray(np.arange(32.0))
    out = ww.zeros(32)
    kernel[1, 32](x, out)
    kernel[(1, 1), 32](x, out)
    kernel[1, (32, 1, 1)](x, out)
    for _ in range(2):
        with pytest.raises((TypeError, ValueError, ww.LaunchError)):
            kernel[key](x, out)


def test_changed_values_are_seen_by_every_launch():
    global factor
    kernel = Function(scaled)
    launch = kernel[1, 32]
    x = ww.asarray(np.arange(32.0))
    out = ww.zeros(32)
    try:
        for factor in (2.0, 3.0, 2.0, np.float32(0.5)):
            for Settings.shift in (1.0, 5.0):
                for _ in range(3):
                    launch(x, out)
                    expected = np.arange(32.0) * float(factor) + Settings.shift
                    assert np.array_equal(out.get(), expected)
        settings.shift = 7.0
        launch(x, out)
        assert np.array_equal(out.get(), np.arange(32.0) * float(factor) + 7)
        del settings.shift
        launch(x, out)
        assert np.array_equal(out.get(), np.arange(32.0) * float(factor) + Settings.shift)
    finally:
        factor = 2.0
        Settings.shift = 1.0


def test_closures_are_seen_by_every_launch():
    bias = 1.0

    def biased(out):
        out[cuda.grid(1)] = bias

    launch = Function(biased)[1, 4]
    out = ww.zeros(4)
    for bias in (1.0, 2.0, 2.0, 3):
        launch(out)
        assert np.array_equal(out.get(), np.full(4, float(bias)))


def test_every_call_finds_the_kernel_of_its_types():
    def store(out, value):
        out[cuda.grid(1)] = value

    kernel = Function(store)
    launch = kernel[1, 4]
    outs = {name: ww.zeros(4, dtype=name) for name in ("int32", "float32", "float64", "complex128")}
    strided = ww.zeros((4, 2))[:, 0]
    values = [3, 2.5, True, np.float32(1.5), np.int8(-3), np.uint64(7), 4]
    for _ in range(3):
        for name, out in outs.items():
            for value in values:
                launch(out, value)
                expected = np.array([value] * 4).astype(name)
                assert np.array_equal(out.get(), expected)
        launch(strided, 6)
        assert np.array_equal(strided.get(), np.full(4, 6.0))
        host = np.zeros(4)
        launch(host, 9)
        assert np.array_equal(host, np.full(4, 9.0))
    with pytest.raises(TypeError, match="takes 2 arguments, got 1"):
        launch(strided)
    with pytest.raises(TypeError, match="takes 2 arguments, got 3"):
        launch(strided, 1, 2)
    with pytest.raises(TypeError, match="by position"):
        launch(strided, value=3)
    with pytest.raises(TypeError, match=r"argument [12] is .*, which is no argument of a kernel"):
        launch(strided, {1, 2})
    with pytest.raises(ww.CompileError, match="an element of float64 cannot be str"):
        launch(strided, "text")


def test_calls_that_take_turns_run_no_python():
    class Counted(Function):
        anew = 0

        def launch_anew(self, launcher, where, args):
            self.anew += 1
            super().launch_anew(launcher, where, args)

    def store(out, value, other):
        out[cuda.grid(1)] = value if other is None else other

    kernel = Counted(store)
    outs = [ww.zeros(4), ww.zeros(4, dtype=np.float32), ww.zeros((4, 2))[:, 0]]
    calls = [(out, value) for out in outs[:2] for value in (3, np.float32(1.5))]
    calls += [(outs[2], np.uint8(7)), (outs[2], 1.0), (outs[2], True)]
    for _ in range(3):
        for out, value in calls:
            kernel[1, 4](out, value, None)
            assert np.array_equal(out.get(), np.full(4, value, dtype=out.dtype))
    assert kernel.anew == len(calls)
    # More combinations than are remembered are found by their types.
    for out in outs:
        for dtype in "bhilBHIfd":
            kernel[1, 4](out, np.dtype(dtype).type(2), None)
            assert np.array_equal(out.get(), np.full(4, 2.0))


def test_kernels_without_arrays_run_on_the_current_device(capfd):
    def shows(a):
        print("got", a)

    launch = Function(shows)[1, 1]
    for _ in range(3):
        launch(1)
        launch(True)
    ww.Device().synchronize()
    assert capfd.readouterr().out == "got 1\ngot True\n" * 3


def test_read_only_arrays_stay_refused():
    kernel = Function(scaled)
    x = ww.asarray(np.arange(32.0))
    kernel[1, 32](x, ww.zeros(32))
    fixed = ww.broadcast_to(ww.zeros(1), (32,))
    for _ in range(2):
        with pytest.raises(ValueError, match="read-only"):
            kernel[1, 32](x, fixed)
    kernel[1, 32](fixed, x)
    assert np.array_equal(x.get(), np.full(32, 1.0))


def test_forall_follows_its_arguments():
    kernel = Function(scaled)
    launch = kernel.forall(100)
    for dtype in (np.float64, np.float32, np.float64):
        x = ww.asarray(np.arange(100, dtype=dtype))
        for _ in range(2):
            out = ww.zeros(100, dtype=dtype)
            launch(x, out)
            assert np.array_equal(out.get(), np.arange(100, dtype=dtype) * 2 + 1)
    out = ww.zeros(100)
    kernel.forall(0)(out, out)
    assert not out.get().any()


@pytest.mark.parametrize("threads", [1024, 1000])
def test_more_threads_than_32_bits_number(threads):
    def from_grid(last, far):
        i = cuda.grid(1)
        if far <= i < far + last.size:
            last[i - far] = i

    def from_indices(last, far):
        i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
        if far <= i < far + last.size:
            last[i - far] = i

    blocks = (1 << 31) // threads + 2
    count = blocks * threads
    for function in (from_grid, from_indices):
        last = ww.zeros(64, dtype=np.int64)
        Function(function)[blocks, threads](last, count - 64)
        assert np.array_equal(last.get(), np.arange(count - 64, count))
    last = ww.zeros(64, dtype=np.int64)
    Function(from_grid).forall(count)(last, count - 64)
    assert np.array_equal(last.get(), np.arange(count - 64, count))


def test_indices_of_32_bits_are_refused_beyond_them():
    if devices.NAME != "cpu":
        pytest.skip("a GPU computes modulo 2^32")
    module = ww.SourceModule("""
        __global__ void narrow(float *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
        __global__ void wide(char *x, size_t n) {
            size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
            if (i >= n) x[i - n] = 1;
        }""")
    blocks = (1 << 21) + 1
    x = ww.zeros(8, dtype=np.int8)
    module["wide"][blocks, 1024](x, blocks * 1024 - 8)
    assert x.get().tolist() == [1] * 8
    with pytest.raises(ww.LaunchError, match="of 32 bits can number; compute it with 64 bits"):
        module["narrow"][blocks, 1024](ww.zeros(8, dtype=np.float32))
        ww.Device().synchronize()


def test_functions_and_their_launches_are_collected():
    def made():
        def local(out):
            if cuda.grid(1) < out.size:
                out[cuda.grid(1)] = 1

        kernel = Function(local)
        launch = kernel[1, 4]
        out = ww.zeros(4)
        launch(out)
        launch(out)
        kernel.forall(4)(out)
        return weakref.ref(kernel), launch, out

    known, launch, out = made()
    gc.collect()
    assert known() is not None  # the launch keeps it
    out[:] = 0
    launch(out)
    assert np.array_equal(out.get(), np.ones(4))
    del launch
    gc.collect()
    assert known() is None


def test_threads_share_a_launch():
    global factor
    kernel = Function(scaled)
    launch = kernel[1, 32]
    failures = []

    def work(number):
        try:
            x = ww.asarray(np.full(32, float(number)))
            out = ww.zeros(32)
            narrow = ww.zeros(32, dtype=ww.float32)
            for turn in range(50):
                launch(x, narrow if turn % 3 == 0 else out)
            expected = np.full(32, number * 2.0 + 1)
            assert np.array_equal(out.get(), expected)
            assert np.array_equal(narrow.get(), expected.astype(np.float32))
        except BaseException as error:
            failures.append(error)

    with ww.Device(devices.NAME):
        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
    assert not failures
