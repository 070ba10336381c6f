"""What PyCUDA's users suffered with arrays, by section of the inventory: none may happen here.

Others are tested where their subject is: the docstrings of those tests name the section, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import Any

import devices
import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import cumath, curandom, gpuarray, reduction
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.tools import DeviceMemoryPool

import warpwise as ww
from warpwise.compat.pycuda._random import source as curandom_source

RNG = np.random.default_rng()

AT_EXIT = """
from warpwise import compat
compat.install()
import numpy as np
import pycuda.autoinit, pycuda.driver as drv
from pycuda import curandom, gpuarray
from pycuda.tools import DeviceMemoryPool
pool = DeviceMemoryPool()
kept = [gpuarray.to_gpu(np.ones(1000, np.float32), allocator=pool.allocate) for _ in range(5)]
lazy = kept[0] + kept[1]
view, generator = kept[2][::2], curandom.XORWOWRandomNumberGenerator()
print("bye")
"""


def test_arrays_and_pools_alive_at_exit() -> None:
    """Section 4.6, #74, #163: pools and arrays that live at exit end the process with an abort."""
    done = subprocess.run(
        [sys.executable, "-c", AT_EXIT], capture_output=True, text=True, check=False, timeout=120,
        env=os.environ | {"WARPWISE_DEVICE": devices.NAME},
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "bye\n", "")


def test_arrays_are_freed_in_any_thread() -> None:
    """Section 4.6, #305: arrays that die in another thread leak, with a warning."""
    pool = DeviceMemoryPool()
    arrays = [gpuarray.zeros(1000, np.float32, allocator=pool.allocate) for _ in range(8)]
    assert all(one.gpudata for one in arrays)
    assert pool.active_blocks == 8
    thread = threading.Thread(target=arrays.clear)
    thread.start()
    thread.join()
    assert pool.active_blocks == 0


def test_taking_needs_no_texture_references() -> None:
    """Section 4.2: take and multi_take are written with what CUDA 12 has removed."""
    host = RNG.random(100)
    index = RNG.integers(0, 100, 30).astype(np.int32)
    taken = gpuarray.take(gpuarray.to_gpu(host), gpuarray.to_gpu(index))
    np.testing.assert_array_equal(taken.get(), host[index])


def test_streams_are_honoured() -> None:
    """Section 4.5, #83, #438, #507: set_async, mul_add, astype and copy dropped their stream."""
    slow = SourceModule(
        "__global__ void slow(float *x) { float v = x[threadIdx.x]; for (int i = 0; i < 20000; ++i)"
        " v += 1; x[threadIdx.x] = v; }"
    ).get_function("slow")
    stream = drv.Stream()
    array = gpuarray.zeros(64, np.float32)
    slow(array, block=(64, 1, 1), stream=stream)
    doubled = array.mul_add(1, array, 1, stream=stream)
    whole = array.astype(np.int32, stream=stream)
    copied = array.copy(stream=stream)
    array.set_async(np.zeros(64, np.float32), stream=stream)
    stream.synchronize()
    assert (doubled.get() == 40000).all()
    assert (whole.get() == 20000).all()
    assert (copied.get() == 20000).all()
    assert not array.get().any()


def test_operators_use_the_current_stream() -> None:
    """Section 4.5, #78: operators have no stream; here there is a current one."""
    array = gpuarray.to_gpu(np.arange(10, dtype=np.float32))
    with ww.Stream() as stream:
        result = array * 2 + 1
    stream.synchronize()
    np.testing.assert_array_equal(result.get(), 2 * np.arange(10) + 1)


def test_one_kernel_object_in_several_contexts() -> None:
    """Section 5.3: ElementwiseKernel and ReductionKernel objects remember one context's module."""
    kernel = ElementwiseKernel("float *x", "x[i] += 1")
    total = ReductionKernel(np.float32, "0", "a+b")
    for _ in range(2):
        context = drv.Device(0).make_context()
        try:
            array = gpuarray.zeros(100, np.float32)
            kernel(array)
            assert total(array).get() == 100
        finally:
            context.pop()
            context.detach()


def test_kernels_are_built_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Section 4.3, #158, 5.2, 5.5: random numbers built their kernel at each call, dot() printed
    where it was kept."""
    curandom.XORWOWRandomNumberGenerator().gen_uniform(10, np.float32).get()
    before = curandom_source.module_of.cache_info().misses
    for _ in range(5):
        curandom.XORWOWRandomNumberGenerator().gen_uniform(10, np.float32).get()
    assert curandom_source.module_of.cache_info().misses == before
    kernel = reduction.get_dot_kernel(np.dtype("f4"), np.dtype("f4"))
    assert reduction.get_dot_kernel(np.dtype("f4"), np.dtype("f4")) is kernel
    x = gpuarray.ones(5, np.float32)
    assert gpuarray.dot(x, x).get() == kernel(x, x).get() == 5
    assert capsys.readouterr().out == ""


def test_template_types_with_commas() -> None:
    """Section 5.5: arguments are split at commas, also those inside of template types."""
    preamble = "template <class T, int N> struct Few { T v[N]; };"
    kernel = ww.ElementwiseKernel("float *z, const float *x", "z[i] = x[i]", preamble=preamble)
    assert kernel.parameters == ("float *z", "const float *x")
    from pycuda.tools import register_dtype

    few = np.dtype([("v", np.float32, (2,))])
    register_dtype(few, "Few<float, 2>")
    total = ReductionKernel(
        np.float32, "0", "a+b", "x[i].v[0] + x[i].v[1]", "const Few<float, 2> *x",
        preamble=preamble,
    )  # fmt: skip
    host = np.zeros(50, few)
    host["v"] = RNG.integers(0, 9, (50, 2))
    assert total(gpuarray.to_gpu(host)).get() == host["v"].sum()


def test_other_libraries_read_arrays_without_a_copy() -> None:
    """Section 4.4, #226, #270: no DLPack, and the array interface came late."""
    array = gpuarray.to_gpu(np.arange(6, dtype=np.float32))
    shared = ww.from_dlpack(array)
    shared += 1
    np.testing.assert_array_equal(array.get(), np.arange(1, 7))
    assert array.__dlpack_device__() == shared.__dlpack_device__()


@pytest.mark.parametrize("order", ["C", "F"])
def test_views_with_gaps_are_read_and_written_by_their_strides(order: Any) -> None:
    """Section 4.4, #38, #76, #75, #154, #265, #292, #385, #403: views, slices, copies, fills, slice
    assignments and transposes of what is not contiguous took memory as it lies."""
    host = np.array(RNG.standard_normal((8, 6)), np.float32, order=order)
    array = gpuarray.to_gpu(host)
    np.testing.assert_array_equal(array[1:7:2, ::-2].copy().get(), host[1:7:2, ::-2])
    np.testing.assert_array_equal(array.T[2:].copy().get(), host.T[2:])
    np.testing.assert_array_equal(array[::2].T.get(), host[::2].T)
    np.testing.assert_array_equal(array.T.view(np.int32).get(), host.T.view(np.int32))
    array[::3, 1::2] = gpuarray.to_gpu(np.arange(9, dtype=np.float32).reshape(3, 3))
    host[::3, 1::2] = np.arange(9).reshape(3, 3)
    array[:, 4] = 7
    host[:, 4] = 7
    array[1::2, :2].fill(-1)
    host[1::2, :2] = -1
    array[2] = array[5]
    host[2] = host[5]
    np.testing.assert_array_equal(array.get(), host)


def test_headers_of_cpp_in_the_preambles_of_kernels() -> None:
    """Section 4.3, #234: extern "C" around generated kernels broke cuda_fp16.h."""
    preamble = """
        #include <cuda_fp16.h>
        template <class T> __device__ T twice(T x) { return x + x; }"""
    x = gpuarray.to_gpu(np.arange(6, dtype=np.float32))
    rounded = ElementwiseKernel(
        "float *x, float *z", "z[i] = twice(__half2float(__float2half(x[i])))", preamble=preamble
    )
    z = gpuarray.empty_like(x)
    rounded(x, z)
    assert z.get().tolist() == [0, 2, 4, 6, 8, 10]
    total = ReductionKernel(np.float32, "0", "a + b", "twice(x[i])", "float *x", preamble=preamble)
    assert total(x).get() == 30


def test_half_precision_arrays() -> None:
    """Section 4.4: no fp16 in arrays and kernels over them."""
    host = RNG.standard_normal(500).astype(np.float16)
    array = gpuarray.to_gpu(host)
    np.testing.assert_allclose((array * 2 + 1).get(), host * 2 + 1, rtol=2e-3, atol=2e-3)
    np.testing.assert_allclose(cumath.exp(array).get(), np.exp(host), rtol=2e-3)
    double = ElementwiseKernel("half *x", "x[i] = __float2half(2 * __half2float(x[i]))")
    double(array)
    np.testing.assert_array_equal(array.get(), 2 * host)
    assert gpuarray.max(array).get() == (2 * host).max()


def test_integers_mix_with_complex_numbers() -> None:
    """Section 4.4, #372: complex arrays with integers."""
    host = (RNG.integers(-5, 5, 20) + 1j * RNG.integers(1, 5, 20)).astype(np.complex64)
    whole = RNG.integers(1, 9, 20).astype(np.int32)
    z, n = gpuarray.to_gpu(host), gpuarray.to_gpu(whole)
    for got, want in ((z * n, host * whole), (n - z, whole - host), (z / n, host / whole)):
        assert got.dtype == want.dtype == np.complex128
        np.testing.assert_allclose(got.get(), want, rtol=1e-6)
    np.testing.assert_allclose((3 * z).get(), 3 * host)


def test_a_generator_of_another_device_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Section 4.6: states that belong to another context."""
    generator = curandom.XORWOWRandomNumberGenerator()
    monkeypatch.setattr(generator, "_device", "cuda:99")
    with pytest.raises(drv.LogicError, match="current device"):
        generator.gen_uniform(10, np.float32)


def test_generators_survive_the_context_they_were_made_in() -> None:
    """Section 4.6: a context that is popped or detached takes nothing with it."""
    context = drv.Device(0).make_context()
    generator: Any = curandom.XORWOWRandomNumberGenerator()
    array = gpuarray.to_gpu(np.arange(5))
    context.pop()
    context.detach()
    assert generator.gen_uniform(1000, np.float32).get().mean() > 0.3
    np.testing.assert_array_equal((array + 1).get(), np.arange(1, 6))
