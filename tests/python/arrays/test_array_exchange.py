"""Arrays and the memory of others: NumPy, DLPack, the buffer protocol, kernels, files, pickle."""

from __future__ import annotations

import copy
import gc
import hashlib
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from samples import expect_equal

import warpwise as ww

SOURCE = "__global__ void twice(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }"


@pytest.mark.cpu_only("NumPy reads the memory of the CPU device")
def test_numpy_shares_the_memory_and_sees_later_writes() -> None:
    x = ww.arange(4, dtype=ww.float32) + 1
    host = np.asarray(x)
    x += 1
    np.testing.assert_array_equal(host, [2, 3, 4, 5])
    host[0] = 9
    assert float(x[0]) == 9


@pytest.mark.cpu_only("NumPy reads the memory of the CPU device")
def test_laziness_returns_when_the_export_is_gone() -> None:
    x = ww.zeros(4)
    host = np.asarray(x)
    del host
    gc.collect()
    x += 1
    assert x.tolist() == [1, 1, 1, 1]


@pytest.mark.cpu_only("memory views are of host memory")
def test_memory_views() -> None:
    x = ww.asarray(np.arange(6, dtype=np.int32).reshape(2, 3))
    view = memoryview(x)
    assert view.shape == (2, 3)
    assert view.format == "i"
    assert [view[1, i] for i in range(3)] == [3, 4, 5]
    with pytest.raises(BufferError, match="not contiguous"):
        hashlib.sha256(x[:, ::2])


@pytest.mark.cpu_only("NumPy reads the memory of the CPU device")
@pytest.mark.parametrize("code", np.typecodes["AllInteger"] + "?efdFD")
def test_numpy_reads_the_type_that_it_has_itself(code: str) -> None:
    dtype = np.dtype(np.dtype(code).str)
    shared = np.asarray(ww.zeros(3, dtype=dtype))
    assert shared.dtype.num == dtype.num  # equal types of C have several numbers
    assert memoryview(ww.zeros(3, dtype=dtype)).format == memoryview(np.zeros(3, dtype)).format


@pytest.mark.cpu_only("NumPy exports and imports tensors of the CPU")
def test_dlpack_both_ways() -> None:
    x = ww.asarray(np.arange(6.0).reshape(2, 3))
    host = np.from_dlpack(x)
    host[0, 0] = 7
    assert float(x[0, 0]) == 7
    back = ww.from_dlpack(np.arange(5, dtype=np.int16)[::2])
    assert back.tolist() == [0, 2, 4]
    assert x.__dlpack_device__() == (1, 0)
    with pytest.raises(TypeError, match="__dlpack__"):
        ww.from_dlpack([1, 2])


@pytest.mark.parametrize("dtype", [">i2", ">f4", ">c16", [("n", ">i4"), ("x", "<f8")]])
def test_numbers_of_the_other_byte_order_are_converted(dtype: Any) -> None:
    host = np.zeros((3, 2), dtype)
    host[...] = 300
    x = ww.asarray(host[::-1])
    assert x.dtype == host.dtype.newbyteorder("=") and np.array_equal(x.get(), host[::-1])
    assert np.array_equal(ww.array(host, dtype=x.dtype).get(), host)
    with pytest.raises(TypeError, match="other byte order; convert it"):
        ww.asarray(host, copy=False)


@pytest.mark.cpu_only("host memory is the CPU device's")
def test_asarray_without_a_copy_keeps_its_owner() -> None:
    host = np.arange(4.0)
    x = ww.asarray(host, copy=False)
    host[1] = 10
    del host
    gc.collect()
    assert x.tolist() == [0, 10, 2, 3]
    fixed = np.arange(3)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ww.asarray(fixed, copy=False)[0] = 1


def test_other_protocols_are_for_their_devices() -> None:
    x = ww.zeros(3)
    if x.device.kind == "cpu":
        assert not hasattr(x, "__cuda_array_interface__")
    else:
        assert x.__cuda_array_interface__["shape"] == (3,)


def test_pointers_and_buffers() -> None:
    x = ww.arange(10, dtype=ww.float32)
    part = x[2:5]
    assert part.ptr == x.ptr + 8
    assert part.gpudata.size == 12
    y = ww.from_pointer(x.ptr, (5,), ww.float32, strides=(8,), owner=x)
    assert y.tolist() == [0, 2, 4, 6, 8]
    z = ww.from_buffer(x.gpudata, 3, ww.float32, offset=4)
    z += 1
    assert x.tolist()[:4] == [0, 2, 3, 4]
    with pytest.raises(ValueError, match="needs bytes"):
        ww.from_buffer(x.gpudata, 20, ww.float32)


def test_arrays_are_arguments_of_kernels() -> None:
    kernel = ww.SourceModule(SOURCE)["twice"]
    x = ww.arange(4, dtype=ww.float32) + 1
    kernel(x, 4, block=4)
    y = x + 1
    assert y.tolist() == [3, 5, 7, 9]
    with pytest.raises(ww.ArgumentError, match="float"):
        kernel(ww.zeros(4, ww.float64), 4, block=4)
    with pytest.raises(ww.ArgumentError, match="contiguous"):
        kernel(x[::2], 2, block=2)


def test_files(tmp_path: Path) -> None:
    x = ww.arange(6).reshape(2, 3)
    ww.save(tmp_path / "x.npy", x)
    expect_equal(ww.load(tmp_path / "x.npy"), np.arange(6).reshape(2, 3))
    ww.savez(tmp_path / "all.npz", a=x, b=x + 1)
    assert ww.load(tmp_path / "all.npz")["b"].tolist() == [[1, 2, 3], [4, 5, 6]]
    ww.savez(tmp_path / "more.npz", x, x + 1, last=x + 2)
    assert sorted(ww.load(tmp_path / "more.npz")) == ["arr_0", "arr_1", "last"]
    assert ww.load(tmp_path / "more.npz")["arr_1"].tolist() == [[1, 2, 3], [4, 5, 6]]
    with pytest.raises(ww.ArgumentError, match="savez got 'arr_0' twice, by position and by name"):
        ww.savez(tmp_path / "more.npz", x, arr_0=x)
    with pytest.raises(TypeError, match=r"expects a ww\.Array"):
        ww.save(tmp_path / "y.npy", np.zeros(3))  # type: ignore[arg-type]
    with pytest.raises(ww.UnsupportedError, match=r"use ww\.save$"):
        np.save(tmp_path / "z.npy", x)


def test_copies_and_pickles() -> None:
    x = ww.arange(3)
    for other in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        other += 1
        assert x.tolist() == [0, 1, 2]
        assert other.tolist() == [1, 2, 3]


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (1001,), (50, 60), (5, 6, 70)])
def test_printing_is_numpys(shape: tuple[int, ...]) -> None:
    host = np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)
    x = ww.asarray(host)
    assert str(x) == str(host)
    assert repr(x).startswith("Array(")
    assert "float32" in repr(x)
    assert f"{x}" == str(host) or shape == ()


def test_formats_of_numbers() -> None:
    assert f"{ww.asarray(1.25):.1f}" == "1.2"
    with pytest.raises(TypeError, match="format"):
        format(ww.zeros(3), ".2f")


def test_numbers() -> None:
    x = ww.asarray(np.float32(2.5))
    assert float(x) == 2.5
    assert int(x) == 2
    assert complex(x) == 2.5
    assert bool(x)
    assert [10, 20, 30][ww.asarray(1)] == 20
    with pytest.raises(TypeError):
        [1, 2][x]


def test_the_namespace() -> None:
    x = ww.zeros(3)
    assert x.__array_namespace__() is ww
    assert ww.newaxis is None
    assert ww.pi == np.pi
    names: dict[str, Any] = {}
    exec("from warpwise import *", names)
    assert "sum" not in names
    assert names["sin"] is ww.sin


def test_functions_of_numpy_on_arrays() -> None:
    x = ww.asarray(np.arange(6.0).reshape(2, 3))
    for result, expected in (
        (np.sum(x, axis=0), [3.0, 5.0, 7.0]),
        (np.add.reduce(x), [3.0, 5.0, 7.0]),
        (np.add.accumulate(x), [[0.0, 1.0, 2.0], [3.0, 5.0, 7.0]]),
        (np.multiply.accumulate(x, axis=1, dtype=np.int64), [[0, 0, 0], [3, 12, 60]]),
        ([one.tolist() for one in np.where(x > 2)], [[1, 1, 1], [0, 1, 2]]),
        (np.concatenate([x, x], axis=1).shape, (2, 6)),
        (np.where(x > 2, x, 0).sum(), 12.0),
        (np.var(x, ddof=1), 3.5),
        (np.transpose(x).shape, (3, 2)),
        (np.shape(x), (2, 3)),
    ):
        value = result.tolist() if isinstance(result, ww.Array) else result
        assert value == expected


def test_explain_and_evaluate() -> None:
    ww.Device().synchronize()  # what earlier tests left pending would count
    x = ww.arange(10, dtype=ww.float32)
    y = ww.sin(x) + 1
    assert "sin" in ww.explain(y)
    assert ww.evaluate(y) is y
    first, second = ww.evaluate(x, y)
    assert first is x
    assert second is y


@pytest.mark.cpu_only("memory of a GPU is no host memory")
def test_a_write_reads_what_another_array_of_its_memory_had_before() -> None:
    """Also after the same expression over separate memory, whose plan reads while it writes."""

    def shift(to: np.ndarray, source: np.ndarray) -> np.ndarray:
        x, y = ww.from_dlpack(to), ww.from_dlpack(source)
        x[1:] = y[:-1] * 2
        return x.get()

    values = np.arange(1, 4097, dtype=np.float32)
    shifted = np.append(values[:1], 2 * values[:-1])
    np.testing.assert_array_equal(shift(values.copy(), values), shifted)
    np.testing.assert_array_equal(shift(values, values), shifted)


@pytest.mark.cpu_only("memory of a GPU is no host memory")
@pytest.mark.parametrize("count", [1 << 16, 1 << 23])
def test_users_kernels_have_written_exported_memory_when_they_return(count):
    array = ww.zeros(count, dtype="float32")
    seen = np.from_dlpack(array)
    fill = ww.ElementwiseKernel("float *x", "x[i] = sinf(i) + 2")
    scan = ww.InclusiveScanKernel("float", "max(a, b)")
    for _ in range(3):
        fill(array)
        assert seen[-1] != 0 and np.count_nonzero(seen) == count
        scan(array, out=array)
        assert seen[-1] >= 2.9
        seen[:] = 0
