"""Arrays of records as arguments of kernels."""

from __future__ import annotations

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda

pytestmark = pytest.mark.filterwarnings("ignore::warpwise.cuda.errors.NumbaPerformanceWarning")

DTYPE = np.dtype([("mass", np.float64), ("count", np.int32), ("flag", np.bool_)], align=True)


def records(shape: int | tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(3)
    made = np.zeros(shape, DTYPE)
    made["mass"], made["count"] = rng.normal(size=shape), rng.integers(0, 9, shape)
    made["flag"] = rng.random(shape) < 0.5
    return made


@cuda.jit(device=True)
def grow(all_of_them, i, amount):
    all_of_them[i]["count"] += amount
    all_of_them[i].mass *= 2


@cuda.jit
def change(x, sizes):
    i = cuda.grid(1)
    if i < len(x):
        if x.flag[i]:
            grow(x, i, 3)
        else:
            x["mass"][i] = -x[i].mass
        sizes[0], sizes[1], sizes[2] = x.size, x.shape[0], x.ndim


def expected(x: np.ndarray) -> np.ndarray:
    result = x.copy()
    result["count"] += 3 * x["flag"]
    result["mass"] = np.where(x["flag"], 2 * x["mass"], -x["mass"])
    return result


@pytest.mark.parametrize("n", [1, 33, 100])
def test_fields_are_read_and_written(n):
    host, sizes = records(n), np.zeros(3, np.int64)
    wanted = expected(host)
    change[4, 32](host, sizes)
    assert np.array_equal(host, wanted) and sizes.tolist() == [n, n, 1]


def test_records_on_the_device_and_in_any_order():
    host = records(40)
    device = cuda.to_device(host)
    change[2, 32](device[::-2], np.zeros(3, np.int64))
    host[::-2] = expected(host[::-2])
    assert np.array_equal(device.copy_to_host(), host)


def test_two_axes():
    @cuda.jit
    def kernel(x):
        i, j = cuda.grid(2)
        if i < x.shape[0] and j < x.shape[1]:
            x[i, j]["mass"] = x[i, j]["count"] + 0.5

    host = records((5, 7))
    kernel[(1, 1), (8, 8)](host)
    assert np.array_equal(host["mass"], host["count"] + 0.5)


def test_packed_records_whose_fields_are_aligned():
    @cuda.jit
    def kernel(x):
        x[cuda.grid(1)].b = x[cuda.grid(1)].a + 1

    host = np.zeros(6, [("a", np.float32), ("b", np.float32)])
    host["a"] = np.arange(6)
    kernel[1, 6](host)
    assert host["b"].tolist() == [1, 2, 3, 4, 5, 6]


def test_arrays_that_are_only_read_are_not_written():
    @cuda.jit
    def kernel(x, out):
        i = cuda.grid(1)
        out[i] = x[i].mass

    host, out = records(8), np.zeros(8)
    host.flags.writeable = False
    kernel[1, 8](host, out)
    assert np.array_equal(out, host["mass"])
    with pytest.raises(ValueError, match="read-only"):
        change[1, 8](host, np.zeros(3, np.int64))


def bad_field(x):
    x[cuda.grid(1)].mas = 3


def whole_record(x):
    y = x[cuda.grid(1)]
    y["mass"] = 3


def loop(x):
    for each in x:
        each.mass = 1


def unpacked(x):
    a, _b, _c = x
    a[0] = 1


@pytest.mark.parametrize(("function", "words"), [
    (bad_field, "no field 'mas'; did you mean 'mass'"), (whole_record, "fields: x"),
    (loop, "record"), (unpacked, "record"),
])  # fmt: skip
def test_what_kernels_cannot_do_with_records(function, words):
    with pytest.raises(ww.Error, match=words):
        cuda.jit(function)[1, 1](records(4))


@pytest.mark.parametrize(("dtype", "words"), [
    ([("a", np.int8), ("b", np.float64)], "field 'b' of the records is not aligned to 8 bytes"),
    ([("a", np.float32, 3)], "field 'a' of the records is no single number"),
    ([("a", [("b", np.float32)])], "field 'a' of the records is no single number"),
])  # fmt: skip
def test_records_that_kernels_do_not_take(dtype, words):
    with pytest.raises((TypeError, ValueError), match=words):
        cuda.jit(bad_field)[1, 1](np.zeros(4, dtype))


def test_a_record_alone_is_refused():
    with pytest.raises(TypeError, match="one axis or more"):
        cuda.jit(bad_field)[1, 1](cuda.to_device(records(3)[0]))
