"""Functions of the CUDA dialect that name a place in memory or a lane of a warp."""

from __future__ import annotations

import devices
import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise.cuda import libdevice

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")


@pytest.fixture(autouse=True)
def _on_the_device():
    with ww.Device(devices.NAME):
        yield


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.uint64, np.float32, np.float64])
def test_loads_and_stores_with_hints(dtype):
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        if i < x.size:
            value = cuda.ldca(x, i) + cuda.ldcg(x, i) + cuda.ldcs(x, i) + cuda.ldlu(x, -1 - i)
            cuda.stcg(out, (0, i), value + cuda.ldcv(x, i))
            cuda.stcs(out, (1, i), cuda.ldcg(out, (0, i)))
            cuda.stwb(out, (2, i), value)
            cuda.stwt(out, (3, i), 7)

    x = np.arange(8, dtype=dtype)
    out = np.zeros((4, 8), dtype)
    kernel[1, 8](x, out)
    sums = 3 * x + x[::-1]
    assert np.array_equal(out, [sums + x, sums + x, sums, np.full(8, 7, dtype)])


@pytest.mark.parametrize("dtype", [np.bool_, np.complex64])
def test_hints_are_for_numbers(dtype):
    @cuda.jit
    def kernel(x, out):
        out[0] = cuda.ldcg(x, 0) == 0

    with pytest.raises(
        ww.CompileError, match=r"cuda\.ldcg\(\) takes arrays of whole numbers or floats"
    ):
        kernel[1, 1](np.zeros(1, dtype), np.zeros(1))


def test_hints_take_a_place():
    @cuda.jit
    def kernel(x):
        cuda.stcg(x, 0, 1)

    with pytest.raises(ww.CompileError, match="takes 2 indices, got 1"):
        kernel[1, 1](np.zeros((2, 2)))


@cuda.jit(device=True)
def ticket(counter):
    return cuda.atomic.add(counter, 0, 1)


@pytest.mark.parametrize("debug", [False, True])
def test_atomics_of_values_that_act(debug):
    @cuda.jit(debug=debug, opt=not debug)
    def kernel(counter, out):
        cuda.atomic.add(out[1:], ticket(counter), 10 + ticket(counter))
        cuda.atomic.max(out, (ticket(counter),), ticket(counter))

    counter = np.zeros(1, np.int32)
    out = np.zeros(4)
    kernel[1, 1](counter, out)
    assert out.tolist() == [0, 11, 3, 0]


def test_votes_by_mode():
    @cuda.jit
    def kernel(out):
        lane = cuda.laneid
        for mode in range(4):
            ballot, is_true = cuda.vote_sync_intrinsic(0xFFFFFFFF, mode, lane < 8)
            out[lane, mode] = ballot * 10 + is_true

    out = np.zeros((32, 4), np.int64)
    kernel[1, 32](out)
    assert (out == [2550, 2551, 2550, 2550]).all()


def test_shuffles_by_mode():
    @cuda.jit
    def kernel(out, inside):
        lane = cuda.laneid
        for mode in range(4):
            clamp = 0 if mode == 1 else 0x1F
            out[mode, lane], inside[mode, lane] = cuda.shfl_sync_intrinsic(
                0xFFFFFFFF, mode, lane * 0.5, 3, clamp
            )

    out = np.zeros((4, 32))
    inside = np.zeros((4, 32), np.bool_)
    kernel[1, 32](out, inside)
    lanes = np.arange(32)
    assert np.array_equal(inside, [lanes >= 0, lanes >= 3, lanes < 29, lanes >= 0])
    wanted = [lanes * 0 + 3, lanes - 3, lanes + 3, lanes ^ 3]
    assert np.array_equal(2 * out, np.where(inside, wanted, lanes))


def test_quotients_of_remainders():
    @cuda.jit
    def kernel(out):
        out[0], out[1] = libdevice.remquo(17.0, 5.0)
        rest, quotient = libdevice.remquof(np.float32(-7), np.float32(2))
        out[2], out[3] = rest, quotient

    out = np.zeros(4)
    kernel[1, 1](out)
    assert out.tolist() == [2, 3, 1, -4]
