"""Ways to launch a kernel, a kernel's attributes, and invalid grids and blocks."""

from __future__ import annotations

import inspect
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import devices
import numpy as np
import pytest

import warpwise as ww

N = 100


@pytest.fixture
def arrays() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = np.arange(N, dtype=np.float32)
    return x, x[::-1].copy(), np.zeros_like(x)


Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]


def test_keywords(add: ww.Kernel, arrays: Arrays) -> None:
    x, y, z = arrays
    add(ww.In(x), ww.In(y), ww.Out(z), N, grid=4, block=32, stream=ww.Stream(), shared=0)
    np.testing.assert_array_equal(z, x + y)


def test_brackets(add: ww.Kernel, arrays: Arrays) -> None:
    x, y, z = arrays
    add[(4, 1), (32, 1, 1)](ww.In(x), ww.In(y), ww.Out(z), N)
    np.testing.assert_array_equal(z, x + y)


def test_brackets_with_stream_and_shared(add: ww.Kernel, arrays: Arrays) -> None:
    x, y, z = arrays
    add[4, 32, ww.Stream(), 64](ww.In(x), ww.In(y), ww.Out(z), N)
    np.testing.assert_array_equal(z, x + y)


def test_forall_covers_every_element(add: ww.Kernel, arrays: Arrays) -> None:
    x, y, z = arrays
    add.forall(N)(ww.In(x), ww.In(y), ww.Out(z), N)
    np.testing.assert_array_equal(z, x + y)


def test_forall_of_nothing_launches_nothing(add: ww.Kernel, arrays: Arrays) -> None:
    x, y, z = arrays
    add.forall(0)(ww.In(x), ww.In(y), ww.InOut(z), 0)
    assert not z.any()


def test_extents_may_be_numpy_integers(add: ww.Kernel, arrays: Arrays) -> None:
    x, y, z = arrays
    add(ww.In(x), ww.In(y), ww.Out(z), np.int32(N), grid=np.int64(4), block=[np.int32(32)])
    np.testing.assert_array_equal(z, x + y)


@pytest.mark.parametrize(
    ("grid", "block"),
    [(0, 32), (1, 0), (-1, 32), (1, 1025), (1, (32, 32, 2)), ((1, 2**20), 32), (2**70, 1)],
)
def test_extents_outside_the_limits_are_refused(
    add: ww.Kernel, arrays: Arrays, grid: Any, block: Any
) -> None:
    x, y, z = arrays
    with pytest.raises((ww.ArgumentError, ww.LaunchError), match=r"grid|block"):
        add(ww.In(x), ww.In(y), ww.Out(z), N, grid=grid, block=block)


@pytest.mark.parametrize("block", ["32", 32.0, (), (1, 1, 1, 1), None])
def test_what_is_no_extent_is_refused(add: ww.Kernel, arrays: Arrays, block: Any) -> None:
    x, y, z = arrays
    with pytest.raises(ww.ArgumentError, match="block"):
        add(ww.In(x), ww.In(y), ww.Out(z), N, grid=4, block=block)


def test_too_much_shared_memory_is_refused(add: ww.Kernel, arrays: Arrays) -> None:
    x, y, z = arrays
    with pytest.raises((ww.ArgumentError, ww.LaunchError), match="shared"):
        add(ww.In(x), ww.In(y), ww.Out(z), N, grid=4, block=32, shared=1 << 30)


def test_a_stream_must_be_one(add: ww.Kernel, arrays: Arrays) -> None:
    x, y, z = arrays
    with pytest.raises(ww.ArgumentError, match="stream"):
        add(ww.In(x), ww.In(y), ww.Out(z), N, grid=4, block=32, stream=0)


def test_brackets_expect_grid_and_block(add: ww.Kernel) -> None:
    with pytest.raises(ww.ArgumentError, match="2 to 4"):
        add[(4,)]


def test_unknown_keywords_are_refused(add: ww.Kernel) -> None:
    with pytest.raises(TypeError):
        add(block=32, texture=1)


def test_the_signature_is_that_of_the_source(add: ww.Kernel) -> None:
    assert add.signature.declaration == "add(const float *x, const float *y, float *z, int n)"


def test_parameters_have_types(add: ww.Kernel) -> None:
    x, _, z, n = add.signature.parameters
    assert (x.name, x.passing, x.dtype, x.is_const) == ("x", "pointer", np.float32, True)
    assert (z.is_const, n.passing, n.dtype) == (False, "scalar", np.int32)


def test_struct_parameters_give_a_numpy_dtype() -> None:
    source = "struct P { char c; double d[2]; float4 f; }; __global__ void k(P p) {}"
    dtype = ww.SourceModule(source)["k"].signature.parameters[0].dtype
    expected = np.dtype([("c", "i1"), ("d", "f8", 2), ("f", "f4", 4)], align=False)
    assert dtype.names == expected.names
    assert [dtype.fields[name][1] for name in dtype.names] == [0, 8, 32]
    assert dtype.itemsize == 48


def test_kernels_describe_themselves(add: ww.Kernel) -> None:
    assert repr(add).startswith("<Kernel add(const float *x")
    assert repr(add[4, 32]) == "<BoundKernel add grid=(4, 1, 1) block=(32, 1, 1)>"


def test_bound_kernels_take_no_keywords(add: ww.Kernel) -> None:
    with pytest.raises(ww.ArgumentError, match=r"'add' has its grid and block.* got 'n='"):
        add[4, 32](n=3)  # type: ignore[call-arg]


def test_bound_kernels_are_made_by_kernels_only() -> None:
    with pytest.raises(TypeError, match="BoundKernel"):
        ww.BoundKernel()


def test_bound_kernels_say_how_they_are_called(add: ww.Kernel) -> None:
    assert add[4, 32].__call__.__doc__ == "Launches it."
    assert str(inspect.signature(add[4, 32])) == "(*args)"


def test_bound_kernels_can_be_unpacked_into(add: ww.Kernel, arrays: Arrays) -> None:
    x, y, z = arrays
    launch, arguments = add[4, 32], (ww.In(x), ww.In(y), ww.Out(z), N)
    launch(*arguments)
    launch.__call__(*arguments)
    np.testing.assert_array_equal(z, x + y)


@pytest.mark.filterwarnings("ignore:nanobind")
def test_a_wrong_argument_after_right_ones_is_refused(add: ww.Kernel) -> None:
    buffer = ww.mem_alloc(4 * N)
    launch = add[4, 32]
    unmade: Any = ww.Buffer.__new__(ww.Buffer)
    wrong = [(buffer, buffer, buffer), (buffer, 1.5, buffer, N), (buffer, buffer, buffer, 2**40)]
    for arguments in [*wrong, (buffer, buffer, buffer, N, N), (buffer, buffer, unmade, N)]:
        for _ in range(3):
            launch(buffer, buffer, buffer, N)
        with pytest.raises(ww.ArgumentError, match="add"):
            launch(*arguments)


def test_many_arguments() -> None:
    names = [f"a{i}" for i in range(40)]
    words = ", ".join(f"int {name}" for name in names)
    source = f"__global__ void sum(int *r, {words}) {{ *r = {' + '.join(names)}; }}"
    result = np.zeros(1, np.int32)
    ww.SourceModule(source)["sum"][1, 1](ww.Out(result), *range(40))
    assert result[0] == sum(range(40))


def test_a_grid_without_a_block_is_refused(add: ww.Kernel) -> None:
    with pytest.raises(ww.ArgumentError, match=r"kernel\[grid, block.* got 1"):
        add[4]  # type: ignore[index]


def test_attributes(add: ww.Kernel) -> None:
    assert add.max_threads_per_block == 1024
    assert (add.num_regs == 0) == devices.IS_CPU
    assert add.static_shared_bytes == 0
    assert add.occupancy(256) >= 1
    assert 1 <= add.suggested_block_size <= 1024
    assert add.executor == ("gang" if devices.IS_CPU else "cuda")
    assert add.lane_by_lane == 0
    assert add.device == ww.Device()


def test_launch_bounds_limit_the_block() -> None:
    kernel = ww.SourceModule("__global__ void __launch_bounds__(64) k(int *p) { *p = 1; }")["k"]
    assert kernel.max_threads_per_block == 64
    with pytest.raises((ww.ArgumentError, ww.LaunchError), match="64"):
        kernel(ww.Out(np.zeros(1, np.int32)), block=128)


@pytest.mark.cpu_only("it compiles for one shape of blocks")
def test_a_kernel_compiled_for_one_shape_takes_no_other() -> None:
    source = (
        "__global__ void where(int *x) { x[threadIdx.y * blockDim.x + threadIdx.x] = blockDim.x; }"
    )
    kernel = ww.SourceModule(source, options=["--warpwise-block=4,2"])["where"]
    x = np.zeros(8, np.int32)
    kernel(ww.Out(x), block=(4, 2))
    assert (x == 4).all()
    with pytest.raises(ww.LaunchError, match=r"compiled for blocks of \(4, 2, 1\)"):
        kernel(ww.Out(x), block=8)


@pytest.mark.cpu_only("it compiles for one shape of blocks")
@pytest.mark.parametrize("shape", ["", "0", "16,", "16,x", "1,1,1,1", "2048"])
def test_what_is_no_shape_is_refused(shape: str) -> None:
    with pytest.raises(ValueError, match="expects the shape of a block"):
        ww.SourceModule("__global__ void k() {}", options=["--warpwise-block=" + shape])


def test_threads_launch_at_once(add: ww.Kernel) -> None:
    def work(seed: int) -> bool:
        x = np.full(N, seed, np.float32)
        z = np.zeros_like(x)
        for _ in range(20):
            add(ww.In(x), ww.In(x), ww.InOut(z), N, grid=4, block=32)
            if not (z == 2 * x).all():
                return False
            z[:] = 0
        return True

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(1, 9)))
