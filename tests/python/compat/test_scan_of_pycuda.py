"""pycuda.scan: in place by default, of any expression and any type."""

from __future__ import annotations

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel
from pycuda.tools import DeviceMemoryPool, register_dtype

RNG = np.random.default_rng()


@pytest.mark.parametrize("n", [0, 1, 33, 1023, 100_003])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "float64"])
def test_sums_in_place(n: int, dtype: str) -> None:
    host = RNG.integers(0, 10, n).astype(dtype)
    kernels = [
        (InclusiveScanKernel(np.dtype(dtype), "a+b"), host.cumsum(dtype=dtype)),
        (ExclusiveScanKernel(np.dtype(dtype), "a+b", neutral="0"),
         (host.cumsum(dtype=dtype) - host).astype(dtype)),
    ]  # fmt: skip
    for kernel, want in kernels:
        array = gpuarray.to_gpu(host)
        assert kernel(array) is array
        np.testing.assert_array_equal(array.get(), want)


PREAMBLE = "__device__ int larger(int a, int b) { return a > b ? a : b; }"


def test_every_keyword() -> None:
    inclusive = InclusiveScanKernel(
        dtype=np.int32, scan_expr="larger(a, b) + SHIFT", neutral=-1000, name_prefix="largest",
        options=["-DSHIFT=0"], devices=None, preamble=PREAMBLE,
    )  # fmt: skip
    exclusive = ExclusiveScanKernel(
        dtype=np.int32, scan_expr="larger(a, b) + SHIFT", neutral=-1000, name_prefix="largest",
        options=["-DSHIFT=0"], devices=None, preamble=PREAMBLE,
    )  # fmt: skip
    host, stream = RNG.integers(-50, 50, 777).astype(np.int32), drv.Stream()
    running = np.maximum.accumulate(host)
    array, out, pool = gpuarray.to_gpu(host), gpuarray.empty(777, np.int32), DeviceMemoryPool()
    for kernel, want in (
        (inclusive, running), (exclusive, np.concatenate([[-1000], running[:-1]])),
    ):  # fmt: skip
        assert "largest" in repr(kernel)
        assert kernel(input_ary=array, output_ary=out, stream=stream) is out
        stream.synchronize()
        np.testing.assert_array_equal(out.get(), want)
        np.testing.assert_array_equal(array.get(), host)
        new = kernel(array, output_ary="new", allocator=pool.allocate)
        np.testing.assert_array_equal(new.get(), want)
        assert isinstance(new.gpudata, drv.PooledDeviceAllocation)


def test_complex_numbers_and_structs() -> None:
    host = (RNG.integers(0, 9, 50) + 1j * RNG.integers(0, 9, 50)).astype(np.complex64)
    array = gpuarray.to_gpu(host)
    InclusiveScanKernel(np.complex64, "a+b", neutral=0j)(array)
    np.testing.assert_array_equal(array.get(), host.cumsum())
    dtype = np.dtype([("count", np.int32), ("total", np.float32)])
    register_dtype(dtype, "scan_pair")
    pairs = gpuarray.to_gpu(np.array([(1, 0.5)] * 100, dtype))
    struct = "struct scan_pair { int count; float total; };"
    join = "scan_pair{a.count + b.count, a.total + b.total}"
    InclusiveScanKernel(dtype, join, preamble=struct)(pairs)
    assert pairs.get()[99].tolist() == (100, 50)


def test_wrong_scans() -> None:
    kernel = InclusiveScanKernel(np.int32, "a+b")
    array = gpuarray.zeros(6, np.int32)
    with pytest.raises(TypeError, match="GPUArray"):
        kernel(np.zeros(6, np.int32))
    with pytest.raises(RuntimeError, match="contiguous"):
        kernel(array[::2])
    with pytest.raises(ValueError, match="one axis"):
        kernel(array.reshape(2, 3))
    with pytest.raises(TypeError, match="int32"):
        kernel(gpuarray.zeros(6, np.float32))
    with pytest.raises(TypeError, match="output_ary"):
        kernel(array, output_ary="old")
    with pytest.raises(ValueError, match="output"):
        kernel(array, output_ary=gpuarray.zeros(5, np.int32))
    with pytest.raises(ValueError, match="neutral"):
        ExclusiveScanKernel(np.int32, "a+b", None)
    with pytest.raises(drv.CompileError):
        InclusiveScanKernel(np.int32, "a+wrong")(array)
