"""pycuda.reduction: kernels of any expression, PyCUDA's own ones, and their two stages by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray, reduction
from pycuda.reduction import ReductionKernel
from pycuda.tools import DeviceMemoryPool, ScalarArg, VectorArg, register_dtype

RNG = np.random.default_rng()


def drawn(n: int, dtype: Any = np.float32) -> np.ndarray:
    return RNG.integers(-40, 40, n).astype(dtype)


@pytest.mark.parametrize("n", [0, 1, 2047, 2049, 1_000_003])
def test_dot_products(n: int) -> None:
    kernel = ReductionKernel(np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]",
                             arguments="float *x, float *y")  # fmt: skip
    a, b = drawn(n), drawn(n)
    result = kernel(gpuarray.to_gpu(a), gpuarray.to_gpu(b))
    assert result.shape == ()
    np.testing.assert_allclose(result.get(), np.dot(a.astype(float), b), rtol=1e-3, atol=2)


def test_every_keyword(capsys: pytest.CaptureFixture[str]) -> None:
    """Section 4.4, #235: results could not be stored where the caller wants them."""
    kernel = ReductionKernel(
        dtype_out=np.int64, neutral=0, reduce_expr="plus(a, b)", map_expr="FACTOR*x[i] + shift",
        arguments=[VectorArg(np.int32, "x"), ScalarArg(np.int64, "shift")], name="summed",
        keep=True, options=["-DFACTOR=3"],
        preamble="__device__ long plus(long a, long b) { return a + b; }",
    )  # fmt: skip
    assert "summed" in repr(kernel)
    assert "compiler output in" in capsys.readouterr().out
    host, stream = drawn(500, np.int32), drv.Stream()
    x = gpuarray.to_gpu(host)
    want = 3 * host.astype(np.int64).sum() + 500 * 2
    out = gpuarray.zeros(3, np.int64)
    assert kernel(x, 2.9, stream=stream, out=out) is out
    stream.synchronize()
    np.testing.assert_array_equal(out.get(), [want, 0, 0])
    pool = DeviceMemoryPool()
    result = kernel(x, 2, allocator=pool.allocate)
    assert isinstance(result.gpudata, drv.PooledDeviceAllocation)
    assert result.get() == want
    calls = []

    def wrapper(function: Any) -> Any:
        def wrapped(grid: Any, block: Any, stream: Any, *args: Any) -> Any:
            calls.append((grid, block, len(args)))
            return function(grid, block, stream, *args)

        return wrapped

    assert kernel(x, 2, kernel_wrapper=wrapper).get() == want
    assert calls[0][2] == 3


@pytest.mark.parametrize(
    ("neutral", "dtype"),
    [(0, "i4"), (np.float32(0), "f4"), (-np.inf, "f8"), (0j, "c8"), (False, "?"),
     (-(2**63), "i8"), (2**64 - 1, "u8"), (np.nan, "f4"), (np.int8(-3), "i1")],
)  # fmt: skip
def test_neutral_elements_may_be_numbers(neutral: Any, dtype: str) -> None:
    kernel = ReductionKernel(np.dtype(dtype), neutral, "a", "in[i]")
    result = kernel(gpuarray.zeros(0, dtype))
    np.testing.assert_array_equal(result.get(), np.asarray(neutral).astype(dtype))


def test_structs_need_copying_only() -> None:
    dtype = np.dtype([("low", np.float32), ("high", np.float32), ("at", np.int32)])
    register_dtype(dtype, "reduction_bounds")
    kernel = ReductionKernel(
        dtype, "reduction_bounds{INFINITY, -INFINITY, -1}",
        "reduction_bounds{fminf(a.low, b.low), fmaxf(a.high, b.high), a.high < b.high ? b.at : "
        "a.at}",
        "reduction_bounds{x[i], x[i], int(i)}", "float *x",
        preamble="struct reduction_bounds { float low, high; int at; };",
    )  # fmt: skip
    host = RNG.permutation(5000).astype(np.float32)
    result = kernel(gpuarray.to_gpu(host)).get()
    assert result["low"] == 0
    assert result["high"] == 4999
    assert result["at"] == host.argmax()


def test_orders_and_gaps() -> None:
    kernel = ReductionKernel(np.float32, "0", "a+b", "x[i]*(i == 1)", "float *x")
    host = drawn(12).reshape(3, 4)
    assert kernel(gpuarray.to_gpu(host)).get() == host[0, 1]
    assert kernel(gpuarray.to_gpu(np.asfortranarray(host))).get() == host[1, 0]
    assert kernel(gpuarray.to_gpu(host)[:, ::2]).get() == host[0, 2]


def test_wrong_reductions() -> None:
    kernel = ReductionKernel(np.float32, "0", "a+b")
    x = gpuarray.zeros(3, np.float32)
    with pytest.raises(TypeError, match="1 arguments"):
        kernel(x, x)
    with pytest.raises(TypeError, match="GPUArray"):
        kernel(np.zeros(3, np.float32))
    with pytest.raises(ValueError, match="out of shape"):
        kernel(x, out=gpuarray.zeros(3, np.float64))
    with pytest.raises(ValueError, match="vector argument"):
        ReductionKernel(np.float32, "0", "a+b", arguments="float x")
    with pytest.raises(TypeError, match="neutral"):
        ReductionKernel(np.float32, [], "a+b")
    with pytest.raises(drv.CompileError):
        ReductionKernel(np.float32, "0", "a+wrong")(x)


def test_the_kernels_of_gpuarray() -> None:
    host, other = drawn(700), drawn(700, np.float64)
    subset = RNG.integers(0, 700, 60).astype(np.uint32)
    x, y, chosen = gpuarray.to_gpu(host), gpuarray.to_gpu(other), gpuarray.to_gpu(subset)
    single, double = np.dtype(np.float32), np.dtype(np.float64)
    assert reduction.get_sum_kernel(double, single)(x).get() == host.astype(double).sum()
    assert reduction.get_sum_kernel(None, single)(x).dtype == single
    assert reduction.get_any_kernel(np.dtype(bool), single)(x).get()
    assert reduction.get_all_kernel(np.dtype(bool), single)(x).get() == host.all()
    total = reduction.get_subset_sum_kernel(double, np.dtype(np.uint32), single)(chosen, x)
    assert total.get() == host[subset].astype(double).sum()
    product = reduction.get_dot_kernel(double, dtype_a=single, dtype_b=double)(x, y)
    assert product.get() == (host * other).sum()
    assert reduction.get_dot_kernel(double)(y, y).get() == (other**2).sum()
    part = reduction.get_subset_dot_kernel(double, np.dtype(np.uint32), dtype_a=single,
                                           dtype_b=double)(chosen, x, y)  # fmt: skip
    assert part.get() == (host[subset] * other[subset]).sum()
    for what, extreme in (("min", np.min), ("max", np.max)):
        assert reduction.get_minmax_kernel(what, single)(x).get() == extreme(host)
        kernel = reduction.get_subset_minmax_kernel(what, single, np.dtype(np.uint32))
        assert kernel(chosen, x).get() == extreme(host[subset])
        assert reduction.get_minmax_neutral(what, np.int8) == {"min": "127", "max": "-128"}[what]
        assert "INFINITY" in reduction.get_minmax_neutral(what, single)
    with pytest.raises(ValueError, match="what"):
        reduction.get_minmax_neutral("mean", single)
    with pytest.raises(TypeError, match="real"):
        reduction.get_minmax_neutral("min", np.complex64)


def test_stages_by_hand() -> None:
    parts: dict[str, Any] = {
        "out_type": "float", "block_size": 64, "neutral": "0", "reduce_expr": "a+b",
        "map_expr": "twice(x[i])", "arguments": "const float *x", "name": "stage", "keep": False,
        "options": ["-DN=2"], "preamble": "__device__ float twice(float v) { return N * v; }",
    }  # fmt: skip
    host = drawn(1000)
    x, values = gpuarray.to_gpu(host), gpuarray.zeros(4, np.float32)
    module = reduction.get_reduction_module(**parts)
    module.get_function("stage")(values, x, np.uint32(4), np.uint64(1000), block=(64, 1, 1),
                                 grid=(4, 1))  # fmt: skip
    want = [2 * host[begin : begin + 256].sum() for begin in range(0, 1000, 256)]
    np.testing.assert_array_equal(values.get(), want)
    first, arguments = reduction.get_reduction_kernel_and_types(stage=1, **parts)
    assert [one.name for one in arguments] == ["x"]
    first.prepared_call((4, 1), (64, 1, 1), values.gpudata, x.gpudata, 4, 1000)
    second, arguments = reduction.get_reduction_kernel_and_types(stage=2, **parts)
    assert [one.name for one in arguments] == ["pycuda_reduction_inp", "x"]
    result = gpuarray.zeros(1, np.float32)
    second.prepared_call((1, 1), (64, 1, 1), result.gpudata, values.gpudata, x.gpudata, 1, 4)
    assert result.get() == 2 * host.sum()
    with pytest.raises(ValueError, match="power of two"):
        reduction.get_reduction_module(**(parts | {"block_size": 48}))
    with pytest.raises(ValueError, match="stage"):
        reduction.get_reduction_kernel_and_types(stage=3, **parts)
