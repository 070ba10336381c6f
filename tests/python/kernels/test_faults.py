"""A fault in a kernel is an exception; the process and the next launch are unaffected."""

import numpy as np
import pytest

import warpwise as ww

pytestmark = pytest.mark.cpu_only("it survives what kernels do wrong, and names the thread")


def fails(body, *args, grid=1, block=1, head="", parameters="int *p"):
    module = ww.SourceModule(
        f"{head}\n__global__ void broken({parameters}) {{ {body} }}", name="broken.cu"
    )
    with pytest.raises(ww.LaunchError) as caught:
        module["broken"](*args, grid=grid, block=block)
        ww.Device().synchronize()
    assert caught.value.kernel == "broken"
    alive = np.zeros(1, np.int32)
    ok = ww.SourceModule("__global__ void ok(int *x) { *x = 3; }")["ok"]
    ok(ww.Out(alive), grid=1, block=1)
    assert alive[0] == 3
    return caught.value


def test_a_write_through_null_names_the_thread():
    error = fails("if (blockIdx.x == 2 && threadIdx.x == 5) *p = 1;", None, grid=4, block=8)
    assert error.block == (2, 0, 0) and error.thread == (5, 0, 0)


def test_an_invalid_read():
    error = fails("*p = *(int *)(1ull << 46);", ww.mem_alloc(4))
    assert "0x400000000000" in str(error)


def test_a_fault_after_a_barrier_in_one_thread():
    error = fails("__syncthreads(); if (threadIdx.x == 33) *p = 1;", None, block=64)
    assert error.thread == (33, 0, 0)


def test_trap():
    assert "trap" in str(fails("if (threadIdx.x == 1) __trap();", None, block=2))


def test_assert_reports_condition_file_and_line():
    error = fails("\nassert(threadIdx.x < 3);", None, block=4, head="#include <assert.h>")
    assert "threadIdx.x < 3" in str(error) and "broken.cu:3" in str(error)
    assert error.thread == (3, 0, 0)


def test_endless_recursion():
    head = "__device__ __noinline__ int down(int x, int *p) { int r = down(x + 1, p); p[0] = r; return r + x; }"
    assert "stack" in str(fails("*p = down(0, p);", ww.mem_alloc(4), head=head))


def test_a_barrier_that_can_never_open_is_reported():
    body = "if (threadIdx.x == 0) __syncwarp(3); else __syncthreads();"
    assert "deadlock" in str(fails(body, None, block=2))


def test_other_work_of_the_stream_still_runs():
    module = ww.SourceModule("""
        __global__ void bad(int *p) { *p = 1; }
        __global__ void good(int *p) { *p = 8; }""")
    cell = ww.mem_alloc(4)
    with ww.Stream() as stream:
        module["bad"](None, grid=1, block=1)
        module["good"](cell, grid=1, block=1)
        with pytest.raises(ww.LaunchError):
            stream.synchronize()
    value = np.zeros(1, np.int32)
    cell.copy_to(value)
    assert value[0] == 8


def test_an_error_is_raised_once():
    module = ww.SourceModule("__global__ void bad(int *p) { *p = 1; }")
    module["bad"](None, grid=1, block=1)
    with pytest.raises(ww.LaunchError):
        ww.Device().synchronize()
    ww.Device().synchronize()


# One block of the grid faults, in one thread: compiled for any block, for one block shape that loops
# over blocks by itself, and with services that look up their position.
@pytest.mark.parametrize("options", [[], ["--warpwise-block=128"]], ids=["any", "known"])
@pytest.mark.parametrize("service", ["", 'if (bad == 2) printf("x");'], ids=["plain", "services"])
@pytest.mark.parametrize("fault", ["p[(1ull << 43) + i] = 1;", "__trap();"], ids=["write", "trap"])
def test_the_location_of_a_fault_is_right_in_every_executor(options, service, fault):
    source = f"""
    __global__ void broken(int *p, int bad, int n) {{
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        {service}
        if (i < n) p[i] = i;
        if (blockIdx.x == bad && blockIdx.y == 1 && threadIdx.x == 70) {fault}
    }}"""
    module = ww.SourceModule(source, options=options)
    memory = ww.mem_alloc(4 * 128 * 40)
    with pytest.raises(ww.LaunchError) as caught:
        module["broken"](memory, 33, 128 * 40, grid=(40, 2), block=128)
        ww.Device().synchronize()
    assert caught.value.block == (33, 1, 0)
    place = str(caught.value)
    assert "thread (70, 0, 0)" in place or "(64, 0, 0) to (127, 0, 0)" in place


def test_long_doubles_of_the_host_survive_a_fault_in_a_known_block():
    module = ww.SourceModule(
        "__global__ void k(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 1; }",
        options=["--warpwise-block=64"],
    )
    with pytest.raises(ww.LaunchError):
        module["k"](None, 64, grid=1, block=64)
        ww.Device().synchronize()
    third = np.longdouble(1) / 3  # x87, which must have its registers back
    assert abs(third * 3 - 1) < 1e-18
