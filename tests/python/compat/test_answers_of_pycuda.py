"""pycuda.driver, compiler and tools: what calls answer, and that each of their arguments counts."""

from __future__ import annotations

import gc
import importlib
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import compiler, gpuarray, tools
from pycuda.compiler import SourceModule

import warpwise as ww

ONE = (1, 1, 1)


def test_numbers_of_the_driver() -> None:
    assert drv.get_version() == (12, 0, 0)
    version = drv.get_driver_version()
    assert version % 10 == 0 and version >= 1000 * drv.get_version()[0]
    assert drv.Device(0).retain_primary_context().get_api_version() == version
    assert drv.TRSF_NORMALIZED_COORDINATES == 2


def test_the_driver_begins_without_flags() -> None:
    assert drv.init(0) is None
    with pytest.raises(drv.LogicError, match="flags of init are 0, not 1"):
        drv.init(1)


def test_what_cuda_defines_no_flags_for_takes_none() -> None:
    context = drv.Device(0).make_context()
    calls: dict[str, Callable[[int], Any]] = {
        "attach": drv.Context.attach,
        "enable_peer_access": lambda flags: drv.Context.enable_peer_access(context, flags),
        "disable_peer_access": lambda flags: drv.Context.disable_peer_access(context, flags),
    }
    for name, call in calls.items():
        with pytest.raises(drv.LogicError, match=f"flags of {name} are 0, not 1"):
            call(1)
    context.detach()


def test_debugging_is_off_until_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drv, "CUDA_DEBUGGING", drv.CUDA_DEBUGGING)  # as it was, at the end
    assert drv.CUDA_DEBUGGING is False
    drv.set_debugging()
    assert drv.CUDA_DEBUGGING is True
    drv.set_debugging(False)
    assert drv.CUDA_DEBUGGING is False


def test_devices_are_those_of_warpwise() -> None:
    device, info = drv.Device(0), ww.Device().info
    assert drv.Device.count() == len([d for d in ww.devices() if d.kind == ww.Device().kind])
    assert device.name() == info.name
    assert device.compute_capability() == info.compute_capability
    assert device.can_access_peer(device) is False


@pytest.mark.parametrize("name", ["autoinit", "autoprimaryctx"])
def test_modules_that_make_a_context_name_its_device(name: str) -> None:
    module = importlib.import_module(f"pycuda.{name}")
    if drv.Context.get_current() is module.context:  # imported here
        drv.Context.pop()
    assert module.device == drv.Device(0)
    assert module.context == drv.Device(0).retain_primary_context()


def test_handles_are_numbers() -> None:
    context = drv.Device(0).retain_primary_context()
    array = drv.matrix_to_array(np.zeros((2, 2), np.float32), "C")
    assert isinstance(context.handle, int) and isinstance(array.handle, int)
    assert array.handle != drv.matrix_to_array(np.zeros((2, 2), np.float32), "C").handle


class Held:
    """A stream whose first kernel ends when the host says so."""

    def __init__(self) -> None:
        self.stream = drv.Stream(1)
        self.go = drv.pagelocked_zeros(1, np.int32, mem_flags=drv.host_alloc_flags.DEVICEMAP)
        self.source, self.host, self.seen = (drv.pagelocked_zeros(16, np.uint8) for _ in range(3))
        self.source[:] = 7
        self.sevens, self.target = drv.to_device(self.source), drv.to_device(self.host)
        self.beside = drv.Stream(1)
        # Loaded and used before: a GPU may not load a module while a kernel runs.
        self.fill = SourceModule(FILL).get_function("fill")
        self.fill(drv.mem_alloc(16), block=(16, 1, 1))
        module = SourceModule("__global__ void hold(volatile int *go) { while (*go == 0) {} }")
        self.hold = module.get_function("hold")
        self.hold(pointer(self.go), block=ONE, stream=self.stream)

    def release(self) -> None:
        self.go[0] = 1
        self.stream.synchronize()

    def in_target(self) -> list[int]:
        """Now, whatever its stream waits for."""
        drv.memcpy_dtoh_async(self.seen, self.target, self.beside)
        until_done(drv.Event().record(self.beside))
        return self.seen.tolist()


def pointer(array: np.ndarray) -> np.intp:
    return np.intp(array.base.get_device_pointer())


@pytest.fixture
def held() -> Iterator[Held]:
    # Nothing is collected meanwhile: a GPU frees page-locked memory when its kernels have ended.
    gc.collect()
    gc.disable()
    try:
        made = Held()
        yield made
        made.release()
        made.stream._stream.synchronize()
    finally:
        gc.enable()


def until_done(event: drv.Event) -> None:
    """Without the help that synchronize() gives to kernels, one of which may be the held one."""
    while not event.query():
        time.sleep(1e-4)


FILL = """__global__ void fill(unsigned char *p) { p[threadIdx.x] = 7; }
__global__ void unused() {}"""
CALLS: dict[str, Callable[[Any, Held, Any], None]] = {
    "memset_d8_async": lambda to, _, s: drv.memset_d8_async(to, 7, 16, s),
    "memset_d16_async": lambda to, _, s: drv.memset_d16_async(to, 0x707, 8, s),
    "memset_d32_async": lambda to, _, s: drv.memset_d32_async(to, 0x7070707, 4, s),
    "memset_d2d8_async": lambda to, _, s: drv.memset_d2d8_async(to, 8, 7, 8, 2, s),
    "memset_d2d16_async": lambda to, _, s: drv.memset_d2d16_async(to, 8, 0x707, 4, 2, s),
    "memset_d2d32_async": lambda to, _, s: drv.memset_d2d32_async(to, 8, 0x7070707, 2, 2, s),
    "memcpy_htod_async": lambda to, held, s: drv.memcpy_htod_async(to, held.source, s),
    "memcpy_dtod_async": lambda to, held, s: drv.memcpy_dtod_async(to, held.sevens, 16, s),
    "memcpy_peer_async": lambda to, held, s: drv.memcpy_peer_async(
        to, held.sevens, 16, stream=s
    ),
    "call": lambda to, held, s: held.fill(to, block=(16, 1, 1), stream=s),
    "prepared_async_call": lambda to, held, s: held.fill.prepare("P")
        .prepared_async_call((1, 1), (16, 1, 1), s, to),
    "launch_grid_async": lambda to, held, s: old_launch(held.fill, to, s),
}  # fmt: skip


def old_launch(fill: Any, to: Any, stream: Any) -> None:
    fill.set_block_shape(16, 1, 1)
    fill.param_set(to)
    fill.launch_grid_async(1, 1, stream)


@pytest.mark.parametrize("name", CALLS)
def test_calls_wait_for_what_is_in_their_stream(held: Held, name: str) -> None:
    CALLS[name](held.target, held, held.stream)
    until_done(drv.Event().record())  # what would be in the default stream
    assert not held.stream.is_done()
    assert held.in_target() == [0] * 16
    held.release()
    assert held.stream.is_done()
    assert held.in_target() == [7] * 16


def test_synchronizing_a_context_waits_for_its_streams(held: Held) -> None:
    later = threading.Timer(0.2, held.go.__setitem__, (0, 1))
    later.start()
    drv.Context.synchronize()
    assert held.stream.is_done()
    later.join()


def test_copies_to_the_host_wait_for_what_is_in_their_stream(held: Held) -> None:
    drv.memcpy_dtoh_async(held.host, held.sevens, held.stream)
    until_done(drv.Event().record())
    assert held.host.tolist() == [0] * 16
    held.release()
    assert held.host.tolist() == [7] * 16


def test_waiting_is_for_all_that_was_queued() -> None:
    spin = SourceModule("""__global__ void spin(float *x, int n) {
        for (int i = 0; i < n; i++) *x = sinf(*x) + 1;
    }""").get_function("spin")
    memory, stream = drv.to_device(np.ones(1, np.float32)), drv.Stream(1)
    drv.Context.synchronize()
    for where, wait in ((stream, stream.synchronize), (None, drv.Context.synchronize)):
        spin(memory, np.int32(5_000_000), block=ONE, stream=where)
        event = drv.Event().record(where)
        assert not event.query()
        wait()
        assert event.query()
        assert stream.is_done()


def test_memory_of_one_stream_is_attached_in_it() -> None:
    managed = drv.managed_zeros(4, np.float32)
    with pytest.raises(TypeError, match=r"expected a pycuda\.driver\.Stream or None, got 3"):
        managed.base.attach(drv.mem_attach_flags.SINGLE, 3)


def test_host_arrays_have_the_order_and_flags_that_are_asked_for() -> None:
    like, far = np.asfortranarray(np.ones((3, 4), np.int16)), 1 << 24
    portable = drv.host_alloc_flags.PORTABLE
    assert drv.pagelocked_zeros((3, 4), np.int8, order="F").flags.f_contiguous
    assert drv.pagelocked_empty_like(like, portable).base.get_flags() == portable
    assert drv.aligned_zeros((3, 4), np.int8, order="F").flags.f_contiguous
    assert drv.managed_zeros((3, 4), np.int8, order="F").flags.f_contiguous
    for made in (
        drv.aligned_empty((3, 4), np.int8, alignment=far),
        drv.aligned_zeros((3, 4), np.int8, alignment=far),
        drv.aligned_empty_like(like, alignment=far),
        drv.aligned_zeros_like(like, alignment=far),
    ):
        assert made.ctypes.data % far == 0
        assert isinstance(made.base, drv.AlignedHostAllocation)
    assert isinstance(drv.managed_empty_like(like).base, drv.ManagedAllocation)
    for make in (drv.managed_empty, drv.managed_zeros):
        with pytest.raises(drv.LogicError, match=r"mem_flags are .*, not 77"):
            make((3, 4), np.int8, mem_flags=77)
    for make_like in (drv.managed_empty_like, drv.managed_zeros_like):
        with pytest.raises(drv.LogicError, match=r"mem_flags are .*, not 77"):
            make_like(like, mem_flags=77)


def test_surfaces_and_doubles_are_asked_for() -> None:
    host = np.arange(6, dtype=np.float32).reshape(2, 3)
    made = drv.gpuarray_to_array(gpuarray.to_gpu(host), "C", allowSurfaceBind=True)
    assert made.get_descriptor_3d().flags == drv.array3d_flags.SURFACE_LDST
    assert drv.gpuarray_to_array(gpuarray.to_gpu(host), "C").get_descriptor_3d().flags == 0
    doubles = drv.matrix_to_array(host.astype(np.float64), "C", allow_double_hack=True)
    assert doubles.get_descriptor().num_channels == 2
    with pytest.raises(TypeError, match="float64"):
        drv.matrix_to_array(host.astype(np.float64), "C")


def test_surfaces_take_no_flags() -> None:
    module = SourceModule("surface<void, 2> place; __global__ void k() {}", no_extern_c=True)
    with pytest.raises(drv.LogicError, match="flags of a surface are 0, not 1"):
        module.get_surfref("place").set_array(drv.matrix_to_array(np.eye(2, dtype="f4"), "C"), 1)


def test_descriptors_begin_with_nothing() -> None:
    descr = drv.ArrayDescriptor3D()
    assert (descr.width, descr.height, descr.depth, descr.flags) == (0, 0, 0, 0)
    assert isinstance(descr, drv.ArrayDescriptor3D)


def test_levels_of_detail_are_refused_at_both_ends() -> None:
    for name in ("src_lod", "dst_lod"):
        copy, host = drv.Memcpy3D(), np.zeros(4, np.uint8)
        copy.set_src_host(host)
        copy.set_dst_device(drv.mem_alloc(4))
        copy.width_in_bytes = copy.height = copy.depth = 1
        setattr(copy, name, 1)
        assert getattr(copy, name) == 1
        with pytest.raises(drv.LogicError, match=f"level 0 only, got .*{name}=1"):
            copy()


@pytest.mark.parametrize("call", ["memcpy_peer", "memcpy_peer_async"])
@pytest.mark.parametrize("end", ["dest_context", "src_context"])
def test_copies_between_devices_take_contexts(call: str, end: str) -> None:
    memory = drv.mem_alloc(16)
    with pytest.raises(TypeError, match=r"expected a pycuda\.driver\.Context, got 3"):
        getattr(drv, call)(memory, memory, 16, **{end: 3})


@pytest.mark.cpu_only("a GPU's driver knows addresses")
@pytest.mark.parametrize("call", ["memcpy_peer", "memcpy_peer_async"])
def test_addresses_of_copies_between_devices_are_checked(call: str) -> None:
    memory, context = drv.mem_alloc(16), drv.Device(0).retain_primary_context()
    for address in (12345, np.zeros(16, np.uint8).ctypes.data):
        with pytest.raises(drv.LogicError, match=f"16 bytes at {address:#x}.* no memory there"):
            getattr(drv, call)(memory, address, 16, context, context)
        with pytest.raises(drv.LogicError, match=f"16 bytes at {address:#x}.* no memory there"):
            getattr(drv, call)(address, memory, 16, context, context)


def test_boxes_are_copied_between_contexts() -> None:
    context, back = drv.Device(0).retain_primary_context(), np.zeros(8, np.uint8)
    memory = drv.to_device(np.arange(8, dtype=np.uint8))
    copy = drv.Memcpy3DPeer()
    for set_context in (copy.set_src_context, copy.set_dst_context):
        with pytest.raises(TypeError, match=r"expected a pycuda\.driver\.Context, got None"):
            set_context(None)
        set_context(context)
    copy.set_src_device(int(memory))
    copy.set_dst_host(back)
    copy.width_in_bytes, copy.height, copy.depth = 8, 1, 1
    copy()
    assert back.tolist() == list(range(8))


def test_handles_of_memory_have_flags() -> None:
    """Section 4.6, #312: memory of another process and of a peer works by the lazy flag, which is
    the default; CUDA has no other."""
    assert drv.ipc_mem_flags.LAZY_ENABLE_PEER_ACCESS == 1
    with pytest.raises(drv.LogicError, match="ipc_mem_flags, got 0x2"):
        drv.IPCMemoryHandle(bytearray(64), flags=2)


GRID = """__global__ void where(int *p) { p[blockIdx.x] = gridDim.x; }
__global__ void shared(int *p) { extern __shared__ int s[]; s[0] = 7; *p = s[0]; }"""


def test_launches_have_a_grid_shared_memory_and_textures() -> None:
    module = SourceModule(GRID)
    where, memory = module.get_function("where"), drv.to_device(np.zeros(3, np.int32))
    where(memory, block=ONE, grid=(3, 1))
    assert drv.from_device(memory, 3, np.int32).tolist() == [3, 3, 3]
    with pytest.raises(drv.LogicError, match="texrefs wants TextureReferences, got int"):
        where(memory, block=ONE, texrefs=[7])
    with pytest.raises(drv.LogicError, match="texrefs wants TextureReferences, got int"):
        where.prepare("P", texrefs=[7])
    began = time.perf_counter()
    seconds = where(memory, block=ONE, grid=(3, 1), time_kernel=True)
    assert 0 < seconds <= time.perf_counter() - began


def test_too_much_shared_memory_is_refused_by_every_launch() -> None:
    shared, memory = SourceModule(GRID).get_function("shared"), drv.mem_alloc(4)
    shared.prepare("P")
    too_much = 1 << 30
    launches: list[Callable[[], Any]] = [
        lambda: shared(memory, block=ONE, shared=too_much),
        lambda: shared.prepared_call((1, 1), ONE, memory, shared_size=too_much),
        lambda: shared.prepared_timed_call((1, 1), ONE, memory, shared_size=too_much),
        lambda: shared.prepared_async_call((1, 1), ONE, drv.Stream(), memory, shared_size=too_much),
    ]
    shared.set_block_shape(1, 1, 1)
    shared.set_shared_size(too_much)
    shared.param_set(memory)
    for launch in [*launches, shared.launch]:
        with pytest.raises(drv.LogicError, match="shared memory"):
            launch()


OPENED = 'extern "C++" {}\n} template <int N> struct Size {}; extern "C" {\n'
KERNEL = "__global__ void set(int *p) { *p = 3; }"


def test_sources_may_be_taken_without_a_block_around_them() -> None:
    assert compiler.compile(OPENED + KERNEL)
    assert compiler.DynamicModule().add_source(OPENED + KERNEL).link().get_function("set")
    assert compiler.DynamicSourceModule(OPENED + KERNEL).get_function("set")
    assert SourceModule(OPENED + KERNEL).get_function("set")
    with pytest.raises(drv.CompileError):
        SourceModule(OPENED + KERNEL, no_extern_c=True)
    with pytest.raises(drv.CompileError):
        compiler.compile(OPENED + KERNEL, no_extern_c=True)
    with pytest.raises(drv.CompileError):
        compiler.DynamicModule(no_extern_c=True).add_source(OPENED + KERNEL).link()
    with pytest.raises(drv.CompileError):
        compiler.DynamicSourceModule(OPENED + KERNEL, no_extern_c=True)


def test_architectures_have_names() -> None:
    assert SourceModule(KERNEL, arch="sm_75").get_function("set")
    with pytest.raises(drv.LogicError, match=r"arch is a GPU's architecture, .* not 'sm80'"):
        SourceModule(KERNEL, arch="sm80")


def test_dynamic_sources_include_from_folders(tmp_path: Path) -> None:
    (tmp_path / "beside.h").write_text(KERNEL)
    module = compiler.DynamicSourceModule('#include "beside.h"\n', include_dirs=[str(tmp_path)])
    memory = drv.mem_alloc(4)
    module.get_function("set")(memory, block=ONE)
    assert drv.from_device(memory, 1, np.int32)[0] == 3


@pytest.mark.cpu_only("images contain sources there")
def test_verbose_linkers_tell_of_each_part() -> None:
    logs: list[Any] = []
    image = compiler.compile(KERNEL)
    for is_verbose in (True, False):
        linker = drv.Linker(lambda *words: logs.append(words), log_verbose=is_verbose)
        linker.add_data(image, drv.jit_input_type.CUBIN, name="setter")
        assert linker.link_module().get_function("set")
    module = compiler.DynamicModule(
        message_handler=lambda *words: logs.append(words), log_verbose=True
    )
    module.add_data(image, drv.jit_input_type.CUBIN, name="first")
    module.add_source("__global__ void other() {}", name="second.ptx").link()
    assert [log for _, log, _ in logs] == [
        f"linked setter, {len(image)} bytes\n",
        "",
        f"linked first, {len(image)} bytes\nlinked second.ptx, 26 bytes\n",
    ]


def test_types_of_images_are_those_of_cuda() -> None:
    with pytest.raises(ValueError, match="77"):
        drv.Linker().add_data(KERNEL, 77)


def test_images_and_linked_modules_are_kept_in_a_folder(tmp_path: Path) -> None:
    def kept(name: str) -> bool:
        return any((tmp_path / name).glob("??/*"))

    source = f"// {uuid.uuid4()}\n{KERNEL}"
    compiler.compile(source, cache_dir=str(tmp_path / "compile"))
    compiler.compile_plain(source, ["-DA"], False, "nvcc", str(tmp_path / "plain"))
    compiler.DynamicModule(cache_dir=str(tmp_path / "linked")).add_source(source).link()
    compiler.DynamicSourceModule(source, cache_dir=str(tmp_path / "source"))
    assert kept("compile") and kept("plain") and kept("linked") and kept("source")


def test_options_of_the_drivers_linker_are_warned_of() -> None:
    for link in (drv.Linker, compiler.DynamicModule):
        with pytest.warns(UserWarning, match="options of the driver's linker have no effect"):
            link(None, [(drv.jit_option.MAX_REGISTERS, 32)])


def test_flags_of_compiles_are_a_list() -> None:
    assert compiler.DEFAULT_NVCC_FLAGS == []


def test_what_compiles_says_so() -> None:
    assert compiler.get_nvcc_version("/no/such/nvcc").startswith(f"Warpwise {ww.version()} ")


def test_pools_count_what_they_have() -> None:
    pool = tools.DeviceMemoryPool()
    assert (pool.active_blocks, pool.active_bytes) == (0, 0)
    memory = pool.allocate(1000)
    assert len(memory) == 1000 and int(memory) == drv.mem_get_address_range(memory)[0]
    assert (pool.active_blocks, pool.active_bytes) == (1, 1000)
    assert pool.managed_bytes == ww.Device().pool.held_bytes
    memory.free()
    drv.Context.synchronize()
    assert pool.held_blocks > 0


def test_pools_give_back_what_they_hold() -> None:
    pool = tools.DeviceMemoryPool()
    memory = pool.allocate(_ALONE)
    del memory
    before = pool.managed_bytes
    pool.free_held()
    assert pool.managed_bytes <= before - _ALONE


def test_host_pools_count_what_they_have() -> None:
    pool = tools.PageLockedMemoryPool(tools.PageLockedAllocator())
    other = tools.PageLockedMemoryPool(tools.PageLockedAllocator())
    made = pool.allocate(1000, np.int8)
    assert (pool.active_blocks, pool.active_bytes) == (1, 1000)
    assert (other.active_blocks, other.active_bytes) == (0, 0)
    assert pool.managed_bytes == ww.Device().host_pool.held_bytes
    made.base.free()
    assert pool.active_blocks == pool.active_bytes == 0
    del made
    assert pool.held_blocks > 0
    pool.free_held()
    assert pool.held_blocks == 0


# Bytes that share no piece of the device's memory with other allocations.
_ALONE = 64 << 20


@pytest.mark.parametrize("is_freed", [False, True], ids=["destroyed", "freed"])
@pytest.mark.parametrize("is_host", [False, True], ids=["device", "host"])
def test_pools_that_hold_nothing_return_memory(is_host: bool, is_freed: bool) -> None:
    if is_host:
        pool: Any = tools.PageLockedMemoryPool(tools.PageLockedAllocator())
        first, second = pool.allocate((_ALONE,), np.int8), pool.allocate((_ALONE,), np.int8)
    else:
        pool = tools.DeviceMemoryPool()
        first, second = pool.allocate(_ALONE), pool.allocate(_ALONE)
    both = pool.managed_bytes
    del first
    pool.stop_holding()
    assert pool.managed_bytes <= both - _ALONE
    if is_freed:
        (second.base if is_host else second).free()
    del second
    assert pool.managed_bytes <= both - 2 * _ALONE
    assert pool.active_blocks == 0


def test_the_default_device_is_the_callers_where_none_is_chosen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.delenv("CUDA_DEVICE", raising=False)
    with pytest.warns(DeprecationWarning), pytest.raises(drv.LogicError, match="no device 99"):
        tools.get_default_device(default=99)


def test_tables_of_occupancy_are_of_a_device() -> None:
    data, device = tools.DeviceData(), drv.Device(0)
    assert data.registers == device.max_registers_per_multiprocessor
    assert data.shared_memory == device.max_shared_memory_per_multiprocessor
    with pytest.raises(AttributeError, match="'int' object"):
        tools.DeviceData(3)


def test_new_types_are_registered_where_a_dtype_is_given() -> None:
    kind = np.dtype([("first", np.int8), ("second", np.int16)])
    name = f"pair_{uuid.uuid4().hex}"
    assert tools.get_or_register_dtype(name, dtype=kind) == kind
    assert tools.get_or_register_dtype(name) == kind
