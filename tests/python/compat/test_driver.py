"""pycuda.driver and pycuda.compiler as PyCUDA users know them."""

from __future__ import annotations

from typing import Any

import devices
import numpy as np
import pycuda
import pycuda.driver as drv
import pytest
from pycuda import compiler, tools
from pycuda.compiler import SourceModule

import warpwise as ww

SOURCE = """
__constant__ float factor;
__global__ void scale(float *x, float f, int n) { int i = threadIdx.x; if (i < n) x[i] *= f; }
__global__ void fixed(float *x) { x[threadIdx.x] *= factor; }
__global__ void wild(int *p) { *(volatile int *)8 = 1; }
"""


@pytest.fixture(scope="module")
def module() -> Any:
    with ww.Device(devices.NAME):
        return SourceModule(SOURCE)


@pytest.fixture
def data() -> np.ndarray:
    return np.arange(8, dtype=np.float32)


def test_pycuda_is_that_of_warpwise() -> None:
    assert drv.__name__ == "warpwise.compat.pycuda.driver"
    assert pycuda.VERSION_TEXT.startswith("20")


def test_allocations_copy_and_free(data: np.ndarray) -> None:
    memory = drv.mem_alloc(data.nbytes)
    drv.memcpy_htod(memory, data)
    result = np.empty_like(data)
    drv.memcpy_dtoh(result, memory)
    np.testing.assert_array_equal(result, data)
    memory.free()
    with pytest.raises(drv.LogicError):
        memory.free()


def test_to_device_and_from_device(data: np.ndarray) -> None:
    memory = drv.to_device(data)
    np.testing.assert_array_equal(drv.from_device(memory, (2, 4), np.float32), data.reshape(2, 4))
    np.testing.assert_array_equal(drv.from_device_like(memory, data), data)


def test_integers_are_pointers(data: np.ndarray) -> None:
    memory, other = drv.to_device(data), drv.mem_alloc(16)
    drv.memcpy_dtod(other, int(memory) + 16, 16)
    np.testing.assert_array_equal(drv.from_device(int(other), 4, np.float32), data[4:])


def test_kernels_take_integers_as_pointers(module: Any, data: np.ndarray) -> None:
    memory = drv.to_device(data)
    for address in (int(memory), np.uint64(int(memory)), np.intp(int(memory))):
        module.get_function("scale")(address, np.float32(2), np.int32(8), block=(8, 1, 1))
    np.testing.assert_array_equal(drv.from_device_like(memory, data), 8 * data)


class Holder(drv.PointerHolderBase):
    """Memory behind a pointer that the program computed."""

    def __init__(self, memory: Any) -> None:
        self.memory = memory

    def get_pointer(self) -> int:
        return int(self.memory)


class Array:
    """A GPUArray as a kernel sees it."""

    def __init__(self, memory: Any) -> None:
        self.gpudata = memory


@pytest.mark.parametrize("wrap", [Holder, Array])
def test_kernels_take_what_holds_a_pointer(wrap: Any, module: Any, data: np.ndarray) -> None:
    memory = drv.to_device(data)
    module.get_function("scale")(wrap(memory), np.float32(3), np.int32(8), block=(8, 1, 1))
    np.testing.assert_array_equal(drv.from_device_like(memory, data), 3 * data)


class Counting(drv.ArgumentHandler):
    """Copies in and out by hand and counts its calls."""

    calls = 0

    def pre_call(self, stream: Any) -> None:
        self.calls += 1
        drv.memcpy_htod(self.get_device_alloc(), self.array)

    def post_call(self, stream: Any) -> None:
        self.calls += 1
        drv.memcpy_dtoh(self.array, self.get_device_alloc())


def test_argument_handlers_are_called_around_the_launch(module: Any, data: np.ndarray) -> None:
    expected, argument = 2 * data, Counting(data)
    module.get_function("scale")(argument, np.float32(2), np.int32(8), block=(8, 1, 1))
    np.testing.assert_array_equal(data, expected)
    assert argument.calls == 2


def test_in_and_out(module: Any, data: np.ndarray) -> None:
    expected = 5 * data
    module.get_function("scale")(drv.InOut(data), np.float32(5), np.int32(8), block=(8, 1, 1))
    np.testing.assert_array_equal(data, expected)


def test_python_numbers_convert(module: Any, data: np.ndarray) -> None:
    expected = 5 * data
    module.get_function("scale")(drv.InOut(data), 5, 8, block=(8, 1, 1))
    np.testing.assert_array_equal(data, expected)


@pytest.mark.parametrize("types", ["Pfi", ["P", np.float32, np.dtype(np.int32)], "P f i"])
def test_prepared_calls(module: Any, data: np.ndarray, types: Any) -> None:
    memory, scale = drv.to_device(data), module.get_function("scale")
    assert scale.prepare(types) is scale
    scale.prepared_call((1, 1), (8, 1, 1), memory, 2, 8)
    stream = drv.Stream()
    scale.prepared_async_call((1, 1), (8, 1, 1), stream, memory, 2, 8, shared_size=16)
    stream.synchronize()
    seconds = scale.prepared_timed_call((1, 1), (8, 1, 1), memory, 2, 8)
    assert seconds() >= 0
    np.testing.assert_array_equal(drv.from_device_like(memory, data), 8 * data)


def test_the_old_prepared_call_still_works(module: Any, data: np.ndarray) -> None:
    memory, scale = drv.to_device(data), module.get_function("scale")
    scale.prepare("Pfi", block=(8, 1, 1))
    with pytest.warns(DeprecationWarning, match="block"):
        scale.prepared_call((1, 1), memory, 2, 8)
    stream = drv.Stream()
    with pytest.warns(DeprecationWarning, match="block"):
        scale.prepared_async_call((1, 1), stream, memory, 2, 8)
    stream.synchronize()
    np.testing.assert_array_equal(drv.from_device_like(memory, data), 4 * data)


def test_prepared_calls_count_their_arguments(module: Any) -> None:
    scale = module.get_function("scale").prepare("Pfi")
    with pytest.raises(drv.LogicError, match="3 arguments"):
        scale.prepared_call((1, 1), (8, 1, 1), 0)


def test_unprepared_kernels_say_so(module: Any) -> None:
    with pytest.raises(drv.LogicError, match="prepare"):
        module.get_function("fixed").prepared_call((1, 1), (8, 1, 1), 0)


def test_a_block_must_be_given(module: Any, data: np.ndarray) -> None:
    with pytest.raises(ValueError, match="block"):
        module.get_function("fixed")(drv.InOut(data))


def test_time_kernel_gives_seconds(module: Any, data: np.ndarray) -> None:
    kernel = module.get_function("fixed")
    assert kernel(drv.InOut(data), block=(8, 1, 1), time_kernel=True) > 0


def test_constants_are_set_through_get_global(module: Any, data: np.ndarray) -> None:
    pointer, size = module.get_global("factor")
    assert size == 4
    expected = 3 * data
    drv.memcpy_htod(pointer, np.float32(3))
    module.get_function("fixed")(drv.InOut(data), block=(8, 1, 1))
    np.testing.assert_array_equal(data, expected)


def test_function_attributes(module: Any) -> None:
    scale = module.get_function("scale")
    attribute = drv.function_attribute
    assert scale.num_regs == scale.get_attribute(attribute.NUM_REGS)
    assert (scale.num_regs == 0) == devices.IS_CPU
    assert scale.max_threads_per_block == 1024
    assert scale.shared_size_bytes == 0
    with pytest.raises(AttributeError, match="colour"):
        scale.colour  # noqa: B018


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_memset_counts_elements(bits: int) -> None:
    memory = drv.to_device(np.zeros(4, np.dtype(f"u{bits // 8}")))
    getattr(drv, f"memset_d{bits}")(memory, 7, 3)
    getattr(drv, f"memset_d{bits}_async")(memory, 9, 1, drv.Stream())
    drv.Context.synchronize()
    assert drv.from_device(memory, 4, np.dtype(f"u{bits // 8}")).tolist() == [9, 7, 7, 0]


def test_page_locked_arrays_copy_in_a_stream() -> None:
    host, stream = drv.pagelocked_zeros((4, 4), np.int32), drv.Stream()
    host[:] = 6
    memory = drv.mem_alloc_like(host)
    drv.memcpy_htod_async(memory, host, stream)
    back = drv.pagelocked_empty_like(host)
    drv.memcpy_dtoh_async(back, memory, stream)
    stream.synchronize()
    assert (back == 6).all()


ADD = "__global__ void add(float *x) { x[threadIdx.x] += 1; }"


def test_managed_arrays_go_straight_to_kernels() -> None:
    add = SourceModule(ADD).get_function("add")
    array = drv.managed_zeros(8, np.float32, mem_flags=drv.mem_attach_flags.GLOBAL)
    add(array, block=(8, 1, 1))
    add(array[4:], block=(4, 1, 1))
    add(array.base, block=(1, 1, 1))
    drv.Context.synchronize()
    assert array.tolist() == [2, 1, 1, 1, 2, 2, 2, 2]
    assert array.base.get_device_pointer() == int(array.base)
    array.base.attach(drv.mem_attach_flags.GLOBAL)
    assert drv.managed_empty_like(array.reshape(2, 4, order="F")).flags.f_contiguous


def test_page_locked_memory_is_mapped() -> None:
    add = SourceModule(ADD).get_function("add")
    flags = drv.host_alloc_flags.DEVICEMAP
    array = drv.pagelocked_zeros(4, np.float32, mem_flags=flags)
    assert isinstance(array.base, drv.PagelockedHostAllocation)
    assert array.base.get_flags() == flags
    add(np.intp(array.base.get_device_pointer()), block=(4, 1, 1))
    drv.Context.synchronize()
    assert array.tolist() == [1] * 4


def test_registered_memory_is_that_of_the_array() -> None:
    array = np.zeros(8, np.float32)
    registered = drv.register_host_memory(array, drv.mem_host_register_flags.DEVICEMAP)
    registered[:] = 3
    assert array.tolist() == [3] * 8
    assert registered.base.get_device_pointer() == array.ctypes.data
    registered.base.unregister()
    with pytest.raises(drv.LogicError, match="freed before"):
        registered.base.unregister()


def test_aligned_arrays_begin_at_multiples() -> None:
    array = drv.aligned_zeros((3, 5), np.int16, alignment=1 << 14)
    assert array.ctypes.data % (1 << 14) == 0
    assert drv.aligned_empty_like(array, 64).shape == (3, 5)
    array.base.free()
    with pytest.raises(drv.LogicError, match="power of two"):
        drv.aligned_empty(3, np.int8, alignment=100)


def test_page_locked_pools_keep_their_memory() -> None:
    pool = tools.PageLockedMemoryPool(tools.PageLockedAllocator())
    array = pool.allocate((3, 4), np.float64)
    assert array.shape == (3, 4) and isinstance(array.base, drv.PooledHostAllocation)
    assert pool.active_blocks == 1
    assert pool.managed_bytes >= pool.active_bytes == 96
    del array
    assert pool.active_blocks == pool.active_bytes == 0
    assert pool.held_blocks >= 1
    pool.free_held()
    assert pool.held_blocks == 0


def test_pitched_rows_start_at_multiples() -> None:
    memory, pitch = drv.mem_alloc_pitch(100, 3, 4)
    assert pitch % 256 == 0
    drv.memset_d8(memory, 0, pitch * 3)


def test_streams_wait_for_events() -> None:
    one, two = drv.Stream(), drv.Stream()
    event = drv.Event().record(one)
    two.wait_for_event(event)
    two.synchronize()
    assert event.query()
    assert event.time_till(drv.Event().record(two).synchronize()) >= 0


def test_streams_wait_for_nothing_but_events() -> None:
    event = drv.Event().record()
    for call in (drv.Stream().wait_for_event, event.time_since, event.time_till):
        with pytest.raises(TypeError, match=r"expected a pycuda\.driver\.Event, got 3"):
            call(3)


@pytest.mark.parametrize(("kind", "flags"), [(drv.Stream, 2), (drv.Stream, -1), (drv.Event, 8)])
def test_flags_that_do_not_exist_are_refused(kind: type, flags: int) -> None:
    with pytest.raises(drv.LogicError, match=f"flags of an? {kind.__name__} are .*, not {flags}"):
        kind(flags)
    with pytest.raises(TypeError, match="'str' object cannot be interpreted as an integer"):
        kind("default")


def test_events_without_timing_refuse_to_measure() -> None:
    event = drv.Event(drv.event_flags.DISABLE_TIMING).record().synchronize()
    with pytest.raises(drv.Error):
        event.time_till(drv.Event().record().synchronize())


def test_events_that_are_not_done_are_no_wrong_arguments() -> None:
    """What CUDA calls NOT_READY is RuntimeError; an event never recorded is LogicError."""
    spin = SourceModule("""__global__ void spin(float *x, int n) {
        for (int i = 0; i < n; i++) *x = sinf(*x) + 1;
    }""").get_function("spin")
    memory, stream = drv.to_device(np.ones(1, np.float32)), drv.Stream()
    start = drv.Event().record(stream)
    spin(memory, np.int32(10_000_000), block=(1, 1, 1), stream=stream)
    end = drv.Event().record(stream)
    for measure in (lambda: end.time_since(start), lambda: start.time_till(end)):
        with pytest.raises(drv.RuntimeError, match="not done yet") as caught:
            measure()
        assert not isinstance(caught.value, drv.LogicError)
    with pytest.raises(drv.LogicError, match="never recorded"):
        end.synchronize().time_since(drv.Event())


def test_devices_tell_their_attributes() -> None:
    device = drv.Device(0)
    assert device.get_attribute(drv.device_attribute.WARP_SIZE) == device.warp_size == 32
    assert device.compute_capability() >= (8, 0)
    assert device.total_memory() > 0
    assert device.name()
    assert drv.Device.count() > 0


def test_unknown_devices_are_refused() -> None:
    with pytest.raises(drv.LogicError, match="99"):
        drv.Device(99)


def test_contexts_are_a_stack() -> None:
    context = drv.Device(0).make_context()
    assert drv.Context.get_current() == context
    assert drv.Context.get_device() == drv.Device(0)
    context.push()
    drv.Context.pop()
    context.detach()
    with pytest.raises(drv.LogicError, match="pop"):
        drv.Context.pop()


def test_compile_errors_contain_the_compilers_message() -> None:
    with pytest.raises(drv.CompileError) as caught:
        SourceModule("__global__ void broken() { nonsense; }")
    assert "nonsense" in caught.value.msg
    assert "nonsense" in caught.value.stderr
    assert isinstance(caught.value, ww.CompileError)


def test_too_much_memory_is_a_memory_error() -> None:
    with pytest.raises(drv.MemoryError) as caught:
        drv.mem_alloc(1 << 60)
    assert isinstance(caught.value, MemoryError)


@pytest.mark.cpu_only("it survives what kernels do wrong")
def test_faults_are_launch_errors_and_logic_errors(module: Any) -> None:
    module.get_function("wild")(drv.mem_alloc(4), block=(1, 1, 1))
    with pytest.raises(drv.LaunchError) as caught:
        drv.Context.synchronize()
    assert isinstance(caught.value, drv.LogicError)
    assert isinstance(caught.value, ww.LaunchError)
    assert caught.value.kernel == "wild"


def test_messages_speak_of_the_names_that_the_user_imported(module: Any) -> None:
    with pytest.raises(drv.LogicError, match=r"drv\.In, drv\.Out or drv\.InOut") as caught:
        module.get_function("fixed")(np.zeros(4, dtype=np.float32), block=(4, 1, 1))
    assert "ww." not in str(caught.value)


def test_unknown_kernels_are_errors(module: Any) -> None:
    with pytest.raises(drv.Error, match="no_such"):
        module.get_function("no_such")


@pytest.mark.parametrize(
    "statement",
    ["import pycuda.gl", "import pycuda; pycuda.gl"],
)
def test_what_is_not_there_names_itself(statement: str) -> None:
    with pytest.raises(ww.UnsupportedError, match="gl"):
        exec(statement)


@pytest.mark.parametrize("statement", ["import pycuda.gl", "from pycuda import gl"])
def test_importing_what_later_versions_have_is_an_import_error(statement: str) -> None:
    with pytest.raises(ImportError, match="gl"):
        exec(statement)


def test_hasattr_is_false_for_names_of_later_versions() -> None:
    assert not hasattr(pycuda, "gl")
    assert not hasattr(drv, "no_such_name")


def test_what_pycuda_does_not_have_is_not_there() -> None:
    with pytest.raises(ImportError):
        import pycuda.no_such_module  # noqa: F401


def test_memory_pools_allocate() -> None:
    pool = tools.DeviceMemoryPool()
    memory = pool.allocate(1 << 16)
    assert pool.active_bytes >= 1 << 16
    assert int(memory) != 0
    memory.free()
    pool.stop_holding()


def test_memoised_functions_run_once_per_arguments() -> None:
    calls: list[int] = []

    @tools.context_dependent_memoize
    def square(x: int) -> int:
        calls.append(x)
        return x * x

    assert [square(3), square(3), square(4)] == [9, 9, 16]
    assert calls == [3, 4]
    tools.clear_context_caches()
    assert square(3) == 9
    assert calls == [3, 4, 3]


def test_dynamic_modules_link_sources() -> None:
    module = compiler.DynamicModule()
    module.add_source("__device__ int twice(int x) { return 2 * x; }")
    module.add_source(
        "extern __device__ int twice(int x);\n__global__ void k(int *p) { *p = twice(*p); }"
    )
    module.add_stdlib("cudadevrt").link()
    value = np.array([21], np.int32)
    module.get_function("k")(drv.InOut(value), block=(1, 1, 1))
    assert value[0] == 42


def test_kernels_of_dynamic_modules_launch_kernels() -> None:
    module = compiler.DynamicSourceModule("""
__global__ void child(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void parent(int *p) { child<<<1, 4>>>(p); }
""")
    values = np.zeros(4, np.int32)
    module.get_function("parent")(drv.InOut(values), block=(1, 1, 1))
    assert values.tolist() == [0, 1, 2, 3]


@pytest.mark.cpu_only("what it has not")
def test_machine_code_takes_a_gpu() -> None:
    with pytest.raises(ww.UnsupportedError, match="machine code for GPUs"):
        drv.module_from_buffer(b"\x7fELF")


def test_functions_take_hints() -> None:
    function = compiler.SourceModule("__global__ void k() {}").get_function("k")
    function.set_cache_config(drv.func_cache.PREFER_L1)
    function.set_attribute(drv.function_attribute.PREFERRED_SHARED_MEMORY_CARVEOUT, 50)
    ptx_version = function.get_attribute(drv.function_attribute.PTX_VERSION)
    assert (ptx_version == 0) == devices.IS_CPU
