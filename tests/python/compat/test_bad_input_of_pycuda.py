"""pycuda.driver, compiler, tools: bad input raises PyCUDA's exceptions, with the value at fault."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import compiler, tools
from pycuda.compiler import SourceModule

import warpwise as ww

ONE = (1, 1, 1)
KERNEL = "__global__ void set(int *p, int n) { for (int i = 0; i < n; ++i) p[i] = 3; }"


@pytest.fixture(scope="module")
def kernel() -> Any:
    return SourceModule(KERNEL).get_function("set")


class Holder(drv.PointerHolderBase):
    def __init__(self, address: int) -> None:
        super().__init__()
        self.address = address

    def get_pointer(self) -> int:
        return self.address


ADDRESSES: dict[str, Callable[[int], Any]] = {
    "int": int,
    "intp": np.intp,
    "uint64": np.uint64,
    "holder": Holder,
    "inside": lambda address: address + 8,
}


@pytest.mark.parametrize("form", ADDRESSES.values(), ids=ADDRESSES)
def test_addresses_of_freed_memory_are_no_arguments(kernel: Any, form: Any) -> None:
    """The pool keeps the memory, and a kernel would write into what it is given to next."""
    memory = drv.mem_alloc(64)
    pointer = form(int(memory))
    kernel(pointer, 4, block=ONE)
    kernel.prepare("Pi").prepared_call((1, 1), ONE, pointer, 4)
    drv.Context.synchronize()
    memory.free()
    with pytest.raises(drv.LogicError, match="parameter 'p' lies in memory that was freed"):
        kernel(pointer, 4, block=ONE)
    with pytest.raises(drv.LogicError, match="memory that was freed"):
        kernel.prepare("Pi").prepared_call((1, 1), ONE, pointer, 4)


def test_the_end_of_an_allocation_is_an_argument(kernel: Any) -> None:
    """Of a kernel that finds nothing to do there, also where what follows was freed."""
    memories = [drv.mem_alloc(512) for _ in range(8)]
    addresses = [int(memory) for memory in memories]
    for memory in memories[1::2]:
        memory.free()
    ends = [address + 512 for address in addresses[::2]]
    for end in [*ends, 0, np.intp(0)]:
        assert kernel(end, 0, block=ONE) is None
    drv.Context.synchronize()


SIZES: dict[str, Callable[[], Any]] = {
    "mem_alloc": lambda: drv.mem_alloc(16.5),
    "mem_alloc of a whole float": lambda: drv.mem_alloc(16.0),
    "mem_alloc_pitch": lambda: drv.mem_alloc_pitch(16.5, 1, 4),
    "pool": lambda: tools.DeviceMemoryPool().allocate(16.5),
    "memset": lambda: drv.memset_d8(drv.mem_alloc(4), 1, 2.5),
    "memcpy_dtod": lambda: drv.memcpy_dtod(drv.mem_alloc(4), drv.mem_alloc(4), 2.5),
    "as_buffer": lambda: drv.mem_alloc(4).as_buffer(2.5),
    "pagelocked_empty": lambda: drv.pagelocked_empty(2.5, np.float32),
    "Device": lambda: drv.Device(0.5),
    "Stream": lambda: drv.Stream(0.5),
    "set_limit": lambda: drv.Context.set_limit(drv.limit.STACK_SIZE, 1000.5),
}


@pytest.mark.parametrize("call", SIZES.values(), ids=SIZES)
def test_numbers_are_whole(call: Any) -> None:
    """As in PyCUDA; nothing is cut off."""
    with pytest.raises((TypeError, drv.LogicError), match=r"float|got \d+\.\d"):
        call()


OF_OBJECTS: dict[str, Callable[[], Any]] = {
    "pagelocked_empty": lambda: drv.pagelocked_empty(2, object),
    "managed_zeros": lambda: drv.managed_zeros(2, np.dtype([("a", "i4"), ("b", object)])),
    "aligned_empty": lambda: drv.aligned_empty(2, object),
    "pool": lambda: tools.PageLockedMemoryPool(tools.PageLockedAllocator()).allocate(2, object),
    "to_device": lambda: drv.to_device(np.array([1, "a"], object)),
    "from_device": lambda: drv.from_device(drv.mem_alloc(16), 2, object),
}


@pytest.mark.parametrize("call", OF_OBJECTS.values(), ids=OF_OBJECTS)
def test_elements_are_no_objects_of_python(call: Any) -> None:
    """PyCUDA makes arrays whose elements are wild references."""
    with pytest.raises(drv.LogicError, match="Python objects"):
        call()


def test_sizes_of_launches_are_tuples(kernel: Any) -> None:
    with pytest.raises(TypeError, match="block is a tuple of 1 to 3 ints, got 8"):
        kernel(0, 0, block=8)
    with pytest.raises(TypeError, match="grid is a tuple of 1 to 3 ints, got 2"):
        kernel(0, 0, block=ONE, grid=2)
    with pytest.raises(drv.LogicError, match="block expects 1 to 3 ints, got 4"):
        kernel(0, 0, block=(1, 1, 1, 1))


def test_sources_and_options_have_their_types() -> None:
    with pytest.raises(drv.LogicError, match="a source is a str, not bytes"):
        SourceModule(KERNEL.encode())
    with pytest.raises(drv.LogicError, match="a source is a str, not object"):
        SourceModule(object())
    for call in (SourceModule, compiler.compile):
        with pytest.raises(drv.LogicError, match="options are a list of strings, got '-O3'"):
            call(KERNEL, options="-O3")
        with pytest.raises(drv.LogicError, match="include_dirs expects a list of strings"):
            call(KERNEL, include_dirs="/tmp")


def test_options_are_strings() -> None:
    for options in (["-O3", None], [5]):
        with pytest.raises(drv.LogicError, match=r"got (None|5) among them"):
            SourceModule(KERNEL, options=options)


def test_sizes_are_not_negative(kernel: Any) -> None:
    memory = drv.mem_alloc(64)
    for fill in (drv.memset_d2d8, drv.memset_d2d16_async):
        for width, height in ((-2, 4), (2, -4)):
            with pytest.raises(drv.LogicError, match=f"a width of {width} and a height"):
                fill(memory, 8, 3, width, height)
    with pytest.raises(drv.LogicError, match="-5 bytes of dynamic shared memory; 0 to"):
        kernel.set_attribute(drv.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, -5)


def test_peers_are_devices() -> None:
    with pytest.raises(TypeError, match=r"expected a pycuda.driver.Device, got 0"):
        drv.Device(0).can_access_peer(0)


MAKERS: dict[str, Callable[..., Any]] = {
    "SourceModule": lambda **given: SourceModule(KERNEL, **given),
    "compile": lambda **given: compiler.compile(KERNEL, target="ptx", **given),
    "DynamicModule": compiler.DynamicModule,
    "DynamicSourceModule": lambda **given: compiler.DynamicSourceModule(KERNEL, **given),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_architectures_and_codes_are_checked(make: Any) -> None:
    for arch, code in (("sm_75", None), ("compute_75", "sm_75"), (None, "[compute_75,sm_75]")):
        make(arch=arch, code=code)
    with pytest.raises(drv.LogicError, match=r"arch is a GPU's architecture, .* not 'sm_7'"):
        make(arch="sm_7")
    with pytest.raises(drv.LogicError, match=r"code is a GPU's architecture, .* not 'ptx'"):
        make(code="ptx")


@pytest.mark.cpu_only("a GPU loads machine code")
def test_images_that_do_not_load() -> None:
    """As CUDA's INVALID_IMAGE and NO_BINARY_FOR_GPU."""
    for image in (b"", b"garbage", b"WARPWISE"):
        with pytest.raises(drv.LogicError, match=f"{len(image)} bytes are neither PTX"):
            drv.module_from_buffer(image)
    ptx = compiler.compile(KERNEL, target="ptx")
    for image in (ptx, b"\x7fELF"):
        with pytest.raises(drv.RuntimeError, match="machine code for GPUs") as caught:
            drv.module_from_buffer(image)
        assert isinstance(caught.value, ww.UnsupportedError)


def two_lines_on_the_fake_driver(program: str, **settings: str) -> list[str]:
    """What the program prints there."""
    driver = Path(ww.__file__).parents[2] / "lib/libfake_cuda.so"
    if not driver.exists():
        pytest.skip("takes the fake driver of the build")
    chosen = {"WARPWISE_CUDA_DRIVER": str(driver), "WARPWISE_DEVICE": "cuda:0"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | chosen | settings,
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert len(lines) == 2, done.stderr
    return lines


FOR_ANOTHER_GPU = f"""
from warpwise import compat
compat.install()
import pycuda.autoinit, pycuda.driver as drv
from pycuda import compiler
for image in (compiler.compile("{KERNEL}", arch="sm_80"), b"garbage"):
    try:
        drv.module_from_buffer(image)
    except drv.Error as error:
        print(isinstance(error, drv.RuntimeError), isinstance(error, drv.LogicError), error)
"""


def test_images_for_another_gpu() -> None:
    """On the fake driver's, which is an sm_90."""
    lines = two_lines_on_the_fake_driver(FOR_ANOTHER_GPU)
    assert lines[0].startswith("True False 'image' is a cubin for sm_80")
    assert lines[1] == "False True 'image' is neither PTX, a cubin nor a fatbin"


ON_A_BUSY_GPU = """
from warpwise import compat
compat.install()
import pycuda.driver as drv
drv.init()
try:
    drv.Device(0).make_context()
except drv.Error as error:
    print(error)
import pycuda.autoinit
print(pycuda.autoinit.device == drv.Device(1))
"""


def test_a_gpu_that_another_process_has_for_itself() -> None:
    """make_context() raises there, not the first use; autoinit takes the next GPU."""
    lines = two_lines_on_the_fake_driver(ON_A_BUSY_GPU, FAKE_CUDA_BUSY="0")
    assert "cuda:0 cannot be used: its context is not made" in lines[0]
    assert lines[1] == "True"


WITHOUT_A_CONTEXT = """
from warpwise import compat
compat.install()
import pycuda.driver as drv
print(drv.Context.get_device() == drv.Device(1))
print(drv.mem_alloc(4)._buffer.device)
"""


def test_without_a_context_the_device_is_that_of_the_thread() -> None:
    """Where memory is allocated, too."""
    lines = two_lines_on_the_fake_driver(WITHOUT_A_CONTEXT, WARPWISE_DEVICE="cuda:1")
    assert lines[0] == "True" and "cuda:1" in lines[1]


def test_errors_of_compiles_print_all_they_have() -> None:
    error = drv.CompileError("bad", ["nvcc", "-E"], stderr="line 3")
    assert str(error) == "bad\n[command: nvcc -E]\n[stderr:\nline 3]"
    assert str(drv.CompileError("bad", [], "out")) == "bad\n[stdout:\nout]"
    with pytest.raises(drv.CompileError) as caught:
        SourceModule("__global__ void k(int *p) { *p = VALUE; }")
    assert str(caught.value).count("undeclared identifier 'VALUE'") == 1


def test_contexts_wait_in_one_way() -> None:
    with pytest.raises(drv.LogicError, match="one of the SCHED_ ways to wait, got 0x3"):
        drv.Device(0).make_context(drv.ctx_flags.SCHED_SPIN | drv.ctx_flags.SCHED_YIELD)
    drv.Device(0).make_context(drv.ctx_flags.SCHED_SPIN | drv.ctx_flags.MAP_HOST).detach()


def test_pools_check_flags_and_bins() -> None:
    with pytest.raises(drv.LogicError, match="host_alloc_flags, got 0x63"):
        tools.PageLockedAllocator(99)
    with pytest.raises(ValueError, match="bins are numbered from 0, got -1"):
        tools.DeviceMemoryPool().alloc_size(-1)


@pytest.mark.parametrize("shape", [(1, 2, 3, 4), (1, 1, 1, 1, 1)])
def test_arrays_for_textures_have_up_to_three_axes(shape: tuple[int, ...]) -> None:
    with pytest.raises(drv.LogicError, match=f"1 to 3 axes, not {len(shape)}"):
        drv.np_to_array(np.zeros(shape, np.float32), "C")


def test_events_say_which_flags_they_need() -> None:
    untimed = drv.Event(drv.event_flags.DISABLE_TIMING).record().synchronize()
    with pytest.raises(drv.LogicError, match=r"event_flags\.DISABLE_TIMING"):
        untimed.time_since(drv.Event().record().synchronize())
    with pytest.raises(drv.LogicError, match=r"event_flags\.INTERPROCESS"):
        drv.Event().ipc_handle()
