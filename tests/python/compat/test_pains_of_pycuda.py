"""What PyCUDA's users suffered, by section of the inventory: none of it may happen here.

Others are tested where their subject is: the docstrings of those tests name the section, too.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import devices
import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import tools
from pycuda.compiler import SourceModule

import warpwise as ww

TWICE = "__global__ void twice(float *x) { x[threadIdx.x] *= 2; }"
PROGRAM = f"""
import sys
from warpwise import compat
compat.install()
import numpy as np, pycuda.autoinit, pycuda.driver as drv
from pycuda import tools
from pycuda.compiler import SourceModule
TWICE = "{TWICE}"
def doubled():
    x = np.arange(4, dtype=np.float32)
    SourceModule(TWICE).get_function("twice")(drv.InOut(x), block=(4, 1, 1))
    return x.tolist()
"""


def python(program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM + program],
        capture_output=True, text=True, check=False, timeout=120,
        env=os.environ | {"WARPWISE_DEVICE": devices.NAME} | variables,
    )  # fmt: skip


def test_no_compiler_needs_to_be_installed(tmp_path: Path) -> None:
    """Section 4.1, 4.3, #99, #140, #146: nvcc and a host compiler at run time; headers and a
    matching toolkit."""
    program = """
from pycuda import compiler
print(doubled(), compiler.preprocess_source("#define N 3\\nint n = N;", [], "nvcc"))
print(compiler.compile(TWICE)[:0])
"""
    done = python(program, PATH="/nowhere", WARPWISE_CACHE_DIR=str(tmp_path))
    assert done.stdout == "[0.0, 2.0, 4.0, 6.0] \nint n = 3;\n\nb''\n", done.stderr


def test_no_process_is_started_to_compile(tmp_path: Path) -> None:
    """Section 4.3, #462, #122, #14, 5.2: nvcc is started for each kernel, also with a warm cache,
    whose key is the preprocessed text."""
    watch = """
def refuse(event, arguments):
    if event in ("subprocess.Popen", "os.posix_spawn", "os.fork", "os.system"):
        raise SystemExit(f"{event} {arguments}")
sys.addaudithook(refuse)
print(doubled())
"""
    for _ in range(2):
        done = python(watch, WARPWISE_CACHE_DIR=str(tmp_path))
        assert done.stdout == "[0.0, 2.0, 4.0, 6.0]\n", done.stderr


@pytest.mark.cpu_only("a GPU has its driver")
def test_no_library_of_cuda_is_loaded() -> None:
    """Section 4.1, #136, #204, #206, #426: libcuda and libcurand are wanted at import, and not
    found."""
    program = """
from pycuda import compiler, cumath, curandom, elementwise, gpuarray, reduction, scan, tools
assert doubled() == [0, 2, 4, 6] and 0 <= curandom.rand(3).get().min()
with open("/proc/self/maps") as maps:
    libraries = {line.split()[-1].rpartition("/")[2] for line in maps if ".so" in line}
print(sorted(name for name in libraries if name.startswith(("libcu", "libnv"))))
"""
    done = python(program)
    assert done.stdout == "[]\n", done.stderr


def test_processes_share_a_cache(tmp_path: Path) -> None:
    """Section 5.2: no lock, no rename; concurrent writers expose truncated files, with warnings."""
    running = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", PROGRAM + "print(doubled())"],
            stdout=subprocess.PIPE, text=True,
            env=os.environ | {
                "WARPWISE_DEVICE": devices.NAME, "WARPWISE_CACHE_DIR": str(tmp_path)
            },
        )
        for _ in range(4)
    ]  # fmt: skip
    assert {one.communicate(timeout=120)[0] for one in running} == {"[0.0, 2.0, 4.0, 6.0]\n"}


@pytest.mark.parametrize(
    "ending",
    [
        "drv.Device(0).make_context()",
        "drv.Device(0).make_context(); raise SystemExit(0)",
        "pycuda.autoinit.context.pop()",
        "pycuda.autoinit.context.detach()",
        "pool = tools.DeviceMemoryPool(); kept = pool.allocate(1 << 20)",
        "import atexit; kept = drv.mem_alloc(64); atexit.register(kept.free)",
        "stream = drv.Stream(); event = drv.Event().record(stream)",
        "pages = tools.PageLockedMemoryPool(tools.PageLockedAllocator()).allocate((4,), 'f4')",
    ],
)
def test_processes_end_quietly(ending: str) -> None:
    """Section 4.6, #167, #74, #163: an abort at exit, with the context stack's banner."""
    done = python(ending)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_templates_are_obtained_by_name() -> None:
    """Section 4.3, KernelTuner#116: templates need a generated C wrapper."""
    module = SourceModule(
        "template <class T> __global__ void twice(T *x) { x[threadIdx.x] *= 2; }",
        no_extern_c=True,
    )
    for dtype, name in ((np.float32, "float"), (np.int64, "long long")):
        x = np.arange(4, dtype=dtype)
        module.get_function(f"twice<{name}>")(drv.InOut(x), block=(4, 1, 1))
        assert x.tolist() == [0, 2, 4, 6]


def test_asynchronous_copies_take_plain_arrays() -> None:
    """Section 4.5, #380: memcpy_dtoh_async(ndarray, allocation, stream) has no such signature."""
    source, stream = np.arange(8, dtype=np.float32), drv.Stream()
    memory, back = drv.mem_alloc(source.nbytes), np.empty_like(source)
    drv.memcpy_htod_async(memory, source, stream)
    drv.memcpy_dtoh_async(back, memory, stream)
    stream.synchronize()
    np.testing.assert_array_equal(back, source)


def test_memory_is_freed_in_any_thread_and_after_pop(recwarn: pytest.WarningsRecorder) -> None:
    """Section 4.6, #305: freeing in another thread or after pop warns and leaks."""
    context = drv.Device(0).make_context()
    pool = ww.Device().pool
    before = pool.active_blocks
    objects: list[Any] = [drv.mem_alloc(1 << 16) for _ in range(8)]
    objects += [drv.Stream(), drv.Event(), SourceModule(TWICE)]
    context.pop()
    thread = threading.Thread(target=objects.clear)
    thread.start()
    thread.join()
    gc.collect()
    drv.Context.synchronize()
    assert pool.active_blocks <= before
    assert not recwarn.list


def test_many_streams_may_be_made() -> None:
    """Section 4.6, #370: streams leak, and cannot be destroyed."""
    handles = set()
    for _ in range(500):
        stream = drv.Stream()
        handles.add(stream.handle)
        assert stream.is_done()
        del stream
    assert handles


def test_a_context_that_fails_leaves_the_stack() -> None:
    """Section 4.6, #335: a failed make_context leaves the stack inconsistent."""
    before = drv.Context.get_current()

    def fail(device: drv.Device) -> drv.Context:
        raise drv.LogicError(f"no context on {device.name()}")

    with pytest.raises(RuntimeError, match=r"on none of \d devices: .*no context on"):
        tools.make_default_context(fail)
    assert drv.Context.get_current() is before


def _in_child(results: Any) -> None:
    x = np.arange(4, dtype=np.float32)
    SourceModule(TWICE).get_function("twice")(drv.InOut(x), block=(4, 1, 1))
    results.put(x.tolist())


@pytest.mark.cpu_only("NVIDIA forbids the use of its driver in a forked child")
def test_forked_children_use_the_device() -> None:
    """Section 4.6, #137: no guard for fork after the driver was initialised."""
    drv.to_device(np.zeros(4, np.float32))
    method = multiprocessing.get_context("fork")
    results = method.Queue()
    child = method.Process(target=_in_child, args=(results,))
    child.start()
    assert results.get(timeout=60) == [0, 2, 4, 6]
    child.join()
    assert child.exitcode == 0


@pytest.mark.cpu_only("a GPU's driver refuses every later call of the process")
def test_a_failed_launch_does_not_poison_the_context() -> None:
    """Section 4.6: a launch failure poisons the context, and the clean-up fails."""
    wild = SourceModule("__global__ void wild() { *(volatile int *)8 = 1; }").get_function("wild")
    wild(block=(1, 1, 1))
    with pytest.raises(drv.LaunchError):
        drv.Context.synchronize()
    memory = drv.to_device(np.ones(4, np.float32))
    SourceModule(TWICE).get_function("twice")(memory, block=(4, 1, 1))
    assert drv.from_device(memory, 4, np.float32).tolist() == [2] * 4


def test_sizes_of_more_than_32_bits() -> None:
    """Section 4.4, #197, #219, #375, #383: sizes beyond 4 GB are cut or hang."""
    size = (4 << 30) + 64
    if drv.mem_get_info()[0] < size + (1 << 30):
        pytest.skip("this device has less free memory than 5 GB")
    memory = drv.mem_alloc(size)
    assert drv.mem_get_address_range(memory)[1] >= size
    drv.memset_d32(int(memory) + size - 8, 7, 2)
    drv.memcpy_dtod(memory, int(memory) + size - 8, 8)
    assert drv.from_device(memory, 2, np.uint32).tolist() == [7, 7]
    memory.free()


def test_one_object_serves_several_contexts() -> None:
    """Section 5.3: a kernel object remembers a module of one context and breaks in others."""
    twice, x = SourceModule(TWICE).get_function("twice"), np.ones(4, np.float32)
    for _ in range(3):
        context = drv.Device(0).make_context()
        twice(drv.InOut(x), block=(4, 1, 1))
        context.pop()
        context.detach()
    assert x.tolist() == [8] * 4


def test_launches_do_not_wait_for_the_interpreter() -> None:
    """Section 5.7: the interpreter's lock is held while modules are compiled and loaded."""
    ticks, stop = [0], threading.Event()

    def count() -> None:
        while not stop.is_set():
            ticks[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = ticks[0]
        body = "".join(f"x[{i} + threadIdx.x] = sinf(x[{i}]);" for i in range(200))
        SourceModule(f"__global__ void k(float *x) {{ {body} }}", cache_dir=False)
        assert ticks[0] > before + 100
    finally:
        stop.set()
        thread.join()
