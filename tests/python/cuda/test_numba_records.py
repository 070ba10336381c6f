"""Arrays of records as arguments of kernels."""

from __future__ import annotations

import types

import numpy as np
import pytest

import warpwise as ww
from warpwise import cuda
from warpwise.cuda.types import from_dtype

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


def other_record(x):
    x[0] = x[0].inner


def whole_part(x):
    x[:2] = x[0]


def unknown_number(x):
    x[0][cuda.grid(1)] = 3


def unpacked(x):
    a, _b, _c = x
    a[0] = 1


NESTED = np.dtype([
    ("count", np.int32),
    ("weight", np.float64),
    ("place", np.float32, 3),
    ("table", np.int16, (2, 3)),
    ("inner", [("flag", np.bool_), ("value", np.float64)]),
])  # fmt: skip


@pytest.mark.parametrize(("function", "words"), [
    (bad_field, "no field 'mas'"), (other_record, "cannot be a record(flag: bool"),
    (whole_part, "one record at a time"), (unknown_number, "fields of a record have names"),
    (unpacked, "record"),
])  # fmt: skip
def test_what_kernels_cannot_do_with_records(function, words):
    with pytest.raises(ww.Error) as caught:
        cuda.jit(function)[1, 1](np.zeros(4, NESTED))
    assert words in str(caught.value)


@pytest.mark.parametrize(("dtype", "words"), [
    ([("a", [("b", np.float32)], 2)], "field 'a' of the records holds an array of records"),
    ([("a", ">U3")], "whose field .a. is of >U3; .* in this machine's byte order"),
])  # fmt: skip
def test_records_that_kernels_do_not_take(dtype, words):
    with pytest.raises((TypeError, ValueError), match=words):
        cuda.jit(bad_field)[1, 1](np.zeros(4, dtype))


def filled(n: int) -> np.ndarray:
    made = np.zeros(n, NESTED)
    made["count"], made["weight"] = np.arange(n), np.arange(n) / 4
    made["place"], made["table"] = np.arange(3 * n).reshape(n, 3), np.arange(6 * n).reshape(n, 2, 3)
    made["inner"]["value"] = np.arange(n) * 10
    return made


@cuda.jit(device=True)
def moved(one, amount):
    one.place[0] += amount
    one["table"][1, 2] = amount
    one.inner.flag = True
    return one


def change_all(x, y):
    for i in range(len(x)):
        one = moved(x[i], 2)
        one.weight = one.count + one[0] + 0.5
        x[i].inner.value -= one["inner"]["value"] / 2
        y[i] = x[-1 - i]
        y[i].place[1:] = one.table[1, :2]
    x[0] = y[2]
    total = 0.0
    for number, one in enumerate(x):
        total += number * one.weight
        one.count = -number
    x[1].weight = total


def test_records_in_variables_functions_and_loops():
    given, wanted = (filled(4), np.zeros(4, NESTED)), (filled(4), np.zeros(4, NESTED))
    cuda.jit(change_all)[1, 1](*given)
    scope = {"moved": moved.py_func}
    types.FunctionType(change_all.__code__, scope)(*(x.view(np.recarray) for x in wanted))
    for one, other in zip(given, wanted, strict=True):
        assert one.tobytes() == other.tobytes()


def test_the_kernel_compiles_for_signatures_of_records():
    record = from_dtype(NESTED)
    for text in ("void(record[:])", None):
        signature = (record[:],) if text is None else cuda.types.void(record[:])
        kernel = cuda.jit(signature)(change_one)
        x = filled(2)
        kernel[1, 1](x)
        assert x[1]["weight"] == 7


def change_one(x):
    x[1].weight = 7


def test_a_record_alone():
    @cuda.jit
    def kernel(one, out):
        out[0] = one.place[1] + one.inner.value
        one.count += 5
        one.inner.flag = True

    x, out = filled(3), np.zeros(1)
    kernel[1, 1](x[2], out)
    assert out[0] == 7 + 20 and x[2]["count"] == 7 and x[2]["inner"]["flag"]
    device = cuda.to_device(x)
    kernel[1, 1](device[1], out)
    assert out[0] == 4 + 10 and device.copy_to_host()[1]["count"] == 6


def test_fields_at_any_address():
    packed = np.dtype([("a", np.int8), ("b", np.float64), ("c", np.complex64), ("d", np.int32, 2)])
    assert packed.itemsize == 25

    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i].b = x[i].a + 0.5 * x.b[i]
            x[i].c *= 2j
            x[i].d[1] += abs(x[i].d[0]) + max(x[i].d[0], 1)

    @cuda.jit
    def copy_the_first(x):
        i = cuda.grid(1)
        if x[i].b > 3:
            x[i] = x[0]

    x = np.zeros(9, packed)
    x["a"], x["b"], x["c"], x["d"] = np.arange(9), np.arange(9) * 2, 1 + np.arange(9), [-3, 4]
    kernel[1, 1](x[:0])
    kernel[9, 1](x)
    copy_the_first[9, 1](x)
    wanted = x.copy()
    assert x["b"].tolist()[:2] == [0, 2] and x["c"].tolist()[:2] == [2j, 4j]
    assert x["d"].tolist() == 9 * [[-3, 8]] and np.array_equal(x[2:], wanted[[0] * 7])


def test_atomics_need_aligned_fields():
    def kernel(x):
        cuda.atomic.add(x["b"], 0, 1.0)

    with pytest.raises(ww.CompileError, match="make the dtype of the records with align=True"):
        cuda.jit(kernel)[1, 1](np.zeros(2, [("a", np.int8), ("b", np.float64)]))
    aligned = np.zeros(2, np.dtype([("a", np.int8), ("b", np.float64)], align=True))
    cuda.jit(kernel)[1, 1](aligned)
    assert aligned["b"].tolist() == [1, 0]


def test_tuples_and_names_known_when_compiled():
    @cuda.jit
    def kernel(x):
        x[0] = (1, 2.5)
        x[1][name] = x[0][name] + x[0][-1]

    name = "b"
    x = np.zeros(2, [("a", np.int64), ("b", np.float64)])
    kernel[1, 1](x)
    assert x.tolist() == [(1, 2.5), (0, 5.0)]


def test_bad_indices_of_records_raise_with_debug():
    @cuda.jit(debug=True, opt=False)
    def kernel(x):
        x[cuda.grid(1)].weight = 1
        one = x[cuda.grid(1) + 1]
        one.weight = 2

    with pytest.raises(IndexError):
        kernel[1, 4](filled(4))


TEXTS = np.dtype([("n", np.int32), ("name", "U5"), ("code", "S3"), ("day", "M8[D]")], align=True)


def test_a_record_of_its_own_is_copied_to_and_fro():
    host = np.zeros(1, DTYPE)[0]
    host["mass"], host["count"] = 2.5, 7
    record = cuda.cudadrv.devicearray.DeviceRecord(DTYPE)
    record.copy_to_device(host)
    again = np.zeros(1, DTYPE)[0]
    record.copy_to_host(again)
    assert again == host and record.shape == () and record.dtype.isalignedstruct
    assert record.alloc_size == DTYPE.itemsize and record["mass"] == 2.5


def test_strings_and_dates_in_records():
    host = np.zeros(2, TEXTS)
    host[0] = (1, "eins", b"ab", np.datetime64("2026-11-27"))
    array = cuda.to_device(host)
    assert array.dtype == TEXTS and np.array_equal(array.copy_to_host(), host)
    array[1]["name"] = "zwei!?"
    array[1]["code"] = b"xyz"
    assert array[1]["name"] == "zwei!" and array[1]["code"] == b"xyz"
    assert array[0]["name"] == "eins" and array[0]["code"] == b"ab"
    with pytest.raises(TypeError, match="a field of <U5 takes strings, got 3"):
        array[0]["name"] = 3
    with pytest.raises(NotImplementedError, match="'name' of <U5 is read of one record at a time"):
        array["name"]


def test_hints_say_which_way_host_arrays_are_copied():
    @cuda.jit
    def triple(x, out):
        i = cuda.grid(1)
        if i < x.size:
            x[i] *= 3
            out[i] = x[i]

    x, out = np.arange(3), np.zeros(3, np.int64)
    triple[1, 32](cuda.In(x), cuda.Out(out))
    assert (x.tolist(), out.tolist()) == ([0, 1, 2], [0, 3, 6])
    x.flags.writeable = False
    triple[1, 32](cuda.In(x), out)
    assert out.tolist() == [0, 3, 6]
    x.flags.writeable = True
    triple[1, 32](cuda.InOut(x), out)
    assert x.tolist() == [0, 3, 6]


def test_extensions_change_arguments():
    said = []

    class Doubled:
        def prepare_args(self, kind, value, stream, retr):
            said.append(str(kind))
            retr.append(lambda: said.append("after"))
            return kind, 2 * value if isinstance(value, int) else value

    @cuda.jit(extensions=[Doubled()])
    def store(out, value):
        out[0] = value

    out = np.zeros(1, np.int64)
    store[1, 1](out, 4)
    assert out[0] == 8 and said == ["array(int64, 1d, C)", "int64", "after", "after"]

    class Tripled:
        def prepare_args(self, kind, value, stream, retr):
            return kind, 3 * value if isinstance(value, int) else value

    launch = store[1, 1]
    store.extensions.append(Tripled())
    for each in (launch, store[1, 1]):
        each(out, 4)
        assert out[0] == 24


POINT = np.dtype([("x", np.int32), ("y", np.float64)])
KEYED = np.dtype([("key", np.int64), ("at", POINT)])


@pytest.mark.parametrize("space", ["shared", "local"])
def test_records_in_memory_of_the_block_and_the_thread(space):
    array = getattr(cuda, space).array

    @cuda.jit
    def turned(x, out):
        i = cuda.threadIdx.x
        held = array((2, 8), KEYED)
        for k in range(8):
            if space == "local" or k == i:
                held[1, k].key = k
                held[1, k].at.x = x[k].x
                held[1, k]["at"]["y"] = x[k].y
        cuda.syncthreads()
        other = held[1, 7 - i]
        out[i].x = other.key * 100 + other.at.x
        out[i].y = held.at.y[1, 7 - i]

    x = np.zeros(8, POINT)
    x["x"], x["y"] = np.arange(8), np.arange(8) / 4
    out = np.zeros(8, POINT)
    turned[1, 8](x, out)
    assert out["x"].tolist() == [k * 100 + k for k in range(7, -1, -1)]
    assert out["y"].tolist() == [k / 4 for k in range(7, -1, -1)]


def test_whole_records_are_copied_to_shared_memory_and_back():
    @cuda.jit
    def reversed_records(x):
        i = cuda.threadIdx.x
        held = cuda.shared.array(32, POINT)
        held[i] = x[i]
        cuda.syncthreads()
        x[i] = held[31 - i]

    x = np.zeros(32, POINT)
    x["x"], x["y"] = np.arange(32), np.arange(32) / 8
    expected = x[::-1].copy()
    reversed_records[1, 32](x)
    assert np.array_equal(x, expected)


PARTICLE = np.dtype([
    ("x", np.float64), ("at", np.float32, (3,)), ("inner", [("m", np.int32, (2, 2)), ("n", np.int8)]),
])  # fmt: skip


@cuda.jit
def copy_particle(to, of):
    to.x = of.x
    for k in range(3):
        to["at"][k] = of["at"][k]
    to.inner = of.inner


@pytest.mark.parametrize("dtype", [PARTICLE, from_dtype(PARTICLE)])
def test_local_and_shared_records_have_arrays_as_fields(dtype):
    @cuda.jit
    def kernel(x):
        i = cuda.threadIdx.x
        bank = cuda.local.array(2, dtype=dtype)
        held = cuda.shared.array(shape=(4, 1), dtype=dtype)
        mine = bank[1]
        copy_particle(mine, x[i])
        mine.at[1] += 1
        mine.inner.m[1, 0] = mine.inner.m.sum()
        bank[0] = mine
        held[i, 0] = bank[0]
        cuda.syncthreads()
        x[i] = held[3 - i, 0]

    x = np.zeros(4, PARTICLE)
    x["x"], x["at"] = np.arange(4), np.arange(12).reshape(4, 3)
    x["inner"]["m"], x["inner"]["n"] = np.arange(16).reshape(4, 2, 2), np.arange(4)
    expected = x[::-1].copy()
    expected["at"][:, 1] += 1
    expected["inner"]["m"][:, 1, 0] = expected["inner"]["m"].sum(axis=(1, 2))
    kernel[1, 4](x)
    assert np.array_equal(x, expected)
