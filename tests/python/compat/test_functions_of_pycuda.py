"""pycuda.driver.Function: every form of a call, arguments of every kind, attributes."""

from __future__ import annotations

import gc
import struct
import warnings
import weakref
from typing import Any

import devices
import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray
from pycuda import tools as drv_tools
from pycuda.compiler import SourceModule

import warpwise as ww

SOURCE = """
struct Pair { int count; double weight; };
__constant__ float table[4];
__global__ void scale(float *x, float f, int n) { int i = threadIdx.x; if (i < n) x[i] *= f; }
__global__ void mix(const float *a, float *b) { b[threadIdx.x] += a[threadIdx.x]; }
__global__ void dot4(float *out, float4 v) { *out = v.x + 10 * v.y + 100 * v.z + 1000 * v.w; }
__global__ void weigh(double *out, Pair p) { *out = p.count * p.weight; }
__global__ void bytes(unsigned char *p) { p[threadIdx.x] += 1; }
__global__ void where(int *p) { extern __shared__ int s[]; s[0] = blockIdx.y; *p = s[0]; }
__global__ void first(int *p, long long n) { *p = n; }
"""


@pytest.fixture(scope="module")
def module() -> Any:
    with ww.Device(devices.NAME):
        return SourceModule(SOURCE)


@pytest.fixture
def data() -> np.ndarray:
    return np.arange(8, dtype=np.float32)


ONE = (1, 1, 1)
EIGHT = (8, 1, 1)


def test_every_keyword_of_a_call(module: Any, data: np.ndarray) -> None:
    memory, stream = drv.to_device(data), drv.Stream()
    scale = module.get_function("scale")
    assert isinstance(scale, drv.Function)
    scale(memory, np.float32(2), np.int32(8), block=EIGHT, grid=(1,), stream=stream, shared=64,
          texrefs=[], time_kernel=False)  # fmt: skip
    scale(memory, np.float32(2), np.int32(8), block=list(EIGHT), grid=[1, 1, 1], texrefs=None)
    stream.synchronize()
    np.testing.assert_array_equal(drv.from_device_like(memory, data), 4 * data)
    assert scale(memory, 1, 8, block=EIGHT, time_kernel=True, stream=stream) > 0
    with pytest.raises(ValueError, match="'blocks'"):
        scale(memory, 1, 8, blocks=EIGHT)
    with pytest.raises(drv.LogicError, match="texrefs"):
        scale(memory, 1, 8, block=EIGHT, texrefs=[7])


def test_counts_values_and_freed_memory_are_checked(module: Any, data: np.ndarray) -> None:
    """Section 1.5: PyCUDA checks neither count nor type of arguments against the kernel."""
    scale, memory = module.get_function("scale"), drv.to_device(data)
    with pytest.raises(drv.LogicError, match="3"):
        scale(memory, np.float32(2), block=EIGHT)
    with pytest.raises(drv.LogicError, match="n"):
        scale(memory, np.float32(2), np.float64(2.5), block=EIGHT)
    with pytest.raises(drv.LogicError):
        scale(memory, 2, 2**40, block=EIGHT)
    memory.free()
    with pytest.raises(drv.LogicError, match="freed"):
        scale(memory, 2, 8, block=EIGHT)


def test_an_array_of_another_type_warns_once() -> None:
    """The memory is passed as it is: PyCUDA's pointers have no type."""
    module = SourceModule(SOURCE)
    scale = module.get_function("scale")
    bits = np.arange(8, dtype=np.float32).view(np.int32)
    expected = 2 * bits.view(np.float32)
    with pytest.warns(UserWarning, match="as PyCUDA does"):
        scale(drv.InOut(bits), np.float32(2), np.int32(8), block=EIGHT)
    np.testing.assert_array_equal(bits.view(np.float32), expected)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scale(drv.InOut(bits), np.float32(2), np.int32(8), block=EIGHT)
    np.testing.assert_array_equal(bits.view(np.float32), 2 * expected)
    with pytest.warns(UserWarning, match="int32"):
        module.get_function("mix")(drv.In(bits), drv.to_device(expected), block=EIGHT)


class OnDevice:
    """An object like GPUArray."""

    def __init__(self, host: np.ndarray) -> None:
        self.dtype, self.gpudata = host.dtype, drv.to_device(host)


def test_device_arrays_of_another_type_warn_once_too(data: np.ndarray) -> None:
    scale, right, wrong = (
        SourceModule(SOURCE).get_function("scale"),
        OnDevice(data),
        OnDevice(data.view(np.int32)),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scale(right, np.float32(2), np.int32(8), block=EIGHT)
    np.testing.assert_array_equal(drv.from_device_like(right.gpudata, data), 2 * data)
    with pytest.warns(UserWarning, match="int32"):
        scale(wrong, np.float32(2), np.int32(8), block=EIGHT)
    np.testing.assert_array_equal(drv.from_device_like(wrong.gpudata, data), 2 * data)


class Exported:
    """An object of another library, over memory of ours."""

    def __init__(self, memory: Any, dtype: str, shape: tuple[int, ...]) -> None:
        self.memory = memory
        self.__cuda_array_interface__ = {
            "data": (int(memory), False), "typestr": dtype, "shape": shape, "version": 3,
        }  # fmt: skip


def test_foreign_arrays_over_our_memory_are_arguments(module: Any, data: np.ndarray) -> None:
    memory, scale = drv.to_device(data), module.get_function("scale")
    scale(Exported(memory, "<f4", (8,)), np.float32(3), np.int32(8), block=EIGHT)
    np.testing.assert_array_equal(drv.from_device_like(memory, data), 3 * data)


OURS = {
    "GPUArray": gpuarray.to_gpu,
    "array": ww.asarray,
    "page-locked": lambda host: filled(drv.pagelocked_empty(8, np.float32), host),
    "managed": lambda host: filled(drv.managed_empty(8, np.float32), host),
    "registered": lambda host: drv.register_host_memory(host.copy()),
}


def filled(array: np.ndarray, values: np.ndarray) -> np.ndarray:
    array[:] = values
    return array


@pytest.mark.parametrize("kind", OURS)
def test_foreign_classes_over_any_memory_of_ours_are_arguments(
    module: Any, data: np.ndarray, kind: str
) -> None:
    array = OURS[kind](data)
    address = array.ctypes.data if isinstance(array, np.ndarray) else int(array.gpudata)
    stranger = Exported(address, "<f4", (8,))
    for _ in range(2):
        module.get_function("scale")(stranger, np.float32(3), np.int32(8), block=EIGHT)
    drv.Context.synchronize()
    result = array if isinstance(array, np.ndarray) else array.get()
    np.testing.assert_array_equal(result, 9 * data)


def test_managed_and_foreign_arrays_of_another_type_warn(data: np.ndarray) -> None:
    """Once for each kernel, however often its Function is asked for."""
    managed = filled(drv.managed_empty(8, np.float32), data)
    exported = Exported(drv.to_device(data), "<i4", (8,))
    for wrong in (managed.view(np.int32), exported):
        module = SourceModule(SOURCE)
        with pytest.warns(UserWarning, match="int32"):
            module.get_function("scale")(wrong, np.float32(2), np.int32(8), block=EIGHT)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            module.get_function("scale")(wrong, np.float32(2), np.int32(8), block=EIGHT)
    drv.Context.synchronize()
    np.testing.assert_array_equal(managed, 4 * data)
    np.testing.assert_array_equal(drv.from_device_like(exported.memory, data), 4 * data)


@pytest.mark.cpu_only("a GPU's driver knows addresses")
def test_foreign_arrays_over_other_memory_are_refused(module: Any, data: np.ndarray) -> None:
    stranger = Exported(data.ctypes.data, "<f4", (8,))
    with pytest.raises(drv.LogicError):
        module.get_function("scale")(stranger, np.float32(3), np.int32(8), block=EIGHT)


def test_addresses_are_arguments(module: Any, data: np.ndarray) -> None:
    memory, scale = drv.to_device(data), module.get_function("scale")
    for address in (int(memory) + 16, np.intp(int(memory) + 16), np.uintp(int(memory) + 16)):
        scale(address, np.float32(2), np.int32(4), block=EIGHT)
    np.testing.assert_array_equal(drv.from_device_like(memory, data)[4:], 8 * data[4:])
    np.testing.assert_array_equal(drv.from_device_like(memory, data)[:4], data[:4])


VECTOR = np.dtype([(axis, np.float32) for axis in "xyzw"])


@pytest.mark.parametrize(
    "value",
    [
        np.array((1, 2, 3, 4), VECTOR),
        np.array([1, 2, 3, 4], np.float32),
        np.void(np.array([1, 2, 3, 4], np.float32).tobytes()),
        np.array([1, 2, 3, 4], np.float32).tobytes(),
        (1, 2, 3, 4),
    ],
    ids=["record", "array", "void", "bytes", "tuple"],
)
def test_vectors_by_value_arrive_whole(module: Any, value: Any) -> None:
    """Section 4.4, #143 and #484: float4 after a pointer arrives shifted."""
    out = np.zeros(1, np.float32)
    module.get_function("dot4")(drv.Out(out), value, block=ONE)
    assert out[0] == 4321


def test_structs_by_value_arrive_whole(module: Any) -> None:
    """Section 4.4, #143: structs whose alignment is not that of the packed bytes."""
    kind = np.dtype([("count", np.int32), ("weight", np.float64)], align=True)
    out, weigh = np.zeros(1), module.get_function("weigh")
    weigh(drv.Out(out), np.array((3, 0.5), kind), block=ONE)
    assert out[0] == 1.5
    memory = drv.mem_alloc(8)
    weigh.prepare("P16s")
    weigh.prepared_call((1, 1), ONE, memory, np.array((4, 0.5), kind).tobytes())
    assert drv.from_device(memory, 1, np.float64)[0] == 2
    with pytest.raises(drv.LogicError, match="Pair"):
        weigh(drv.Out(out), np.zeros(5, np.uint8), block=ONE)


def test_prepared_fields_fill_a_vector(module: Any) -> None:
    dot4, memory = module.get_function("dot4"), drv.mem_alloc(4)
    # As in PyCUDA, with the padding that the vector's alignment takes.
    dot4.prepare("PQ4f")
    dot4.prepared_call((1, 1), ONE, memory, 0, 1, 2, 3, 4)
    assert drv.from_device(memory, 1, np.float32)[0] == 4321
    with pytest.raises(TypeError, match="integer"):
        dot4.prepared_call((1, 1), ONE, memory, 0.5, 1, 2, 3, 4)
    with pytest.raises(drv.LogicError, match="32 bytes"):
        dot4.prepare("Pff")


@pytest.mark.parametrize("code", ["e", "y", "x"])
def test_unknown_codes_are_struct_errors(module: Any, code: str) -> None:
    with pytest.raises(struct.error, match=code):
        module.get_function("first").prepare(f"P{code}")


def test_prepared_calls_take_addresses_and_streams(module: Any, data: np.ndarray) -> None:
    memory, stream = drv.to_device(data), drv.Stream()
    scale = module.get_function("scale").prepare(arg_types="Pfi", texrefs=[])
    scale.prepared_call(grid := (1, 1), EIGHT, int(memory), 2.0, 8, shared_size=32)
    scale.prepared_async_call(grid, EIGHT, stream, np.intp(int(memory)), 2.0, 8, shared_size=0)
    stream.synchronize()
    assert scale.prepared_timed_call(grid, EIGHT, memory, 2.0, 8, shared_size=0)() > 0
    np.testing.assert_array_equal(drv.from_device_like(memory, data), 8 * data)


def test_many_configurations_are_remembered(module: Any, data: np.ndarray) -> None:
    memory, scale = drv.to_device(data), module.get_function("scale").prepare("Pfi")
    for threads in range(1, 200):
        scale.prepared_call((1, 1), (threads, 1, 1), memory, 1.0, 8)
    np.testing.assert_array_equal(drv.from_device_like(memory, data), data)


def test_the_interface_before_2011(module: Any, data: np.ndarray) -> None:
    """Old idioms: parameters are set, then the grid is launched."""
    memory, scale = drv.to_device(data), module.get_function("scale")
    scale.set_block_shape(8, 1, 1)
    scale.set_shared_size(64)
    scale.param_set(memory, np.float32(2), np.int32(8))
    scale.launch()
    scale.launch_grid(1, 1)
    np.testing.assert_array_equal(drv.from_device_like(memory, data), 4 * data)
    scale.param_setv(0, struct.pack("P", int(memory)))
    scale.param_setf(8, 0.5)
    scale.param_seti(12, 8)
    scale.param_set_size(16)
    stream = drv.Stream()
    scale.launch_grid_async(1, 1, stream)
    stream.synchronize()
    np.testing.assert_array_equal(drv.from_device_like(memory, data), 2 * data)
    with pytest.raises(drv.LogicError, match="not all in the parameters"):
        scale.param_setf(14, 1.0)
    with pytest.raises(drv.LogicError, match="16 bytes"):
        scale.param_set_size(8)
    with pytest.raises(drv.LogicError, match="set_block_shape"):
        module.get_function("scale").launch()


def test_launches_of_a_grid_have_two_axes(module: Any) -> None:
    where, memory = module.get_function("where"), drv.to_device(np.zeros(1, np.int32))
    where.set_block_shape(x=1, y=1, z=1)
    where.set_shared_size(bytes=4)
    where.param_set(memory)
    where.launch_grid(width=1, height=1)
    assert drv.from_device(memory, 1, np.int32)[0] == 0


def test_attributes_by_name_and_by_number(module: Any) -> None:
    scale, known = module.get_function("scale"), drv.function_attribute
    assert scale.const_size_bytes == scale.get_attribute(known.CONST_SIZE_BYTES) >= 0
    assert scale.local_size_bytes == scale.get_attribute(known.LOCAL_SIZE_BYTES) >= 0
    assert scale.binary_version == scale.get_attribute(6) >= 0
    assert scale.cache_mode_ca == scale.get_attribute(known.CACHE_MODE_CA) in (0, 1)
    assert scale.ptx_version == scale.get_attribute(attr=5)
    most = scale.get_attribute(known.MAX_DYNAMIC_SHARED_SIZE_BYTES)
    scale.set_attribute(known.MAX_DYNAMIC_SHARED_SIZE_BYTES, most)
    with pytest.raises(drv.LogicError, match=str(most)):
        scale.set_attribute(known.MAX_DYNAMIC_SHARED_SIZE_BYTES, value=most + 1)
    with pytest.raises(drv.LogicError, match="NUM_REGS"):
        scale.set_attribute(known.NUM_REGS, 8)
    with pytest.raises(drv.LogicError, match="MAX cannot be asked for"):
        scale.get_attribute(known.MAX)


def test_hints_are_checked(module: Any) -> None:
    scale = module.get_function("scale")
    scale.set_cache_config(fc=drv.func_cache.PREFER_SHARED)
    scale.set_shared_config(drv.shared_config.FOUR_BYTE_BANK_SIZE)
    with pytest.raises(ValueError, match="9"):
        scale.set_shared_config(9)
    with pytest.raises(drv.LogicError, match="texrefs"):
        scale.param_set_texref("t")
    with pytest.raises(ValueError, match="9"):
        scale.set_cache_config(9)


class Counting(drv.ArgumentHandler):
    """Copies by hand and counts."""

    calls = 0

    def pre_call(self, stream: Any) -> None:
        self.calls += 1
        drv.memcpy_htod(self.get_device_alloc(), self.array)

    def post_call(self, stream: Any) -> None:
        self.calls += 1
        drv.memcpy_dtoh(self.array, self.get_device_alloc())


def test_handlers_of_users_and_ours_in_one_call(module: Any, data: np.ndarray) -> None:
    handler, stream = Counting(data.copy()), drv.Stream()
    assert isinstance(handler, drv.ArgumentHandler)
    module.get_function("mix")(drv.In(data), handler, block=EIGHT)
    np.testing.assert_array_equal(handler.array, 2 * data)
    assert handler.calls == 2 and handler.get_device_alloc() is handler.dev_alloc
    plain = drv.ArgumentHandler(data)
    assert plain.pre_call(stream) is None and plain.post_call(stream) is None
    copied = drv.InOut(data.copy())
    copied.pre_call(stream)
    copied.array[:] = 0
    copied.post_call(stream)
    stream.synchronize()
    np.testing.assert_array_equal(copied.array, data)
    assert isinstance(copied, drv.In) and isinstance(copied, drv.Out)


def test_transfers_are_ordered_with_the_stream(module: Any) -> None:
    """Section 1.5: In and Out copy synchronously, not ordered with a non-blocking stream."""
    stream, values = drv.Stream(1), np.ones(8, np.float32)
    for _ in range(20):
        module.get_function("scale")(
            drv.InOut(values), np.float32(2), np.int32(8), block=EIGHT, stream=stream
        )
    stream.synchronize()
    assert (values == 2**20).all()


def test_half_precision_is_a_type(module: Any) -> None:
    """Section 4.4: no registry entry and no struct code for half precision."""
    twice = SourceModule("""
        #include <cuda_fp16.h>
        __global__ void twice(__half *x, __half f) { x[threadIdx.x] = x[threadIdx.x] * f; }
    """).get_function("twice")
    values = np.arange(4, dtype=np.float16)
    twice(drv.InOut(values), np.float16(2), block=(4, 1, 1))
    assert values.tolist() == [0, 2, 4, 6]


SCALE = """
__global__ void scale(float *x, float factor) {
    x[blockIdx.x * blockDim.x + threadIdx.x] *= factor;
}
"""


@pytest.fixture
def scale() -> Any:
    return SourceModule(SCALE).get_function("scale").prepare("Pf")


def test_prepared_calls_take_new_grids_blocks_and_memory(scale: Any) -> None:
    for block in (4, 8):
        array = gpuarray.to_gpu(np.ones(8, np.float32))
        scale.prepared_call((1, 1), (block, 1, 1), array.gpudata, 3.0)
        assert array.get().tolist() == [3.0] * block + [1.0] * (8 - block)


def test_prepared_calls_on_streams_follow_each_other(scale: Any) -> None:
    array = gpuarray.to_gpu(np.ones(4, np.float32))
    for stream in (drv.Stream(), drv.Stream()):
        scale.prepared_async_call((1, 1), (4, 1, 1), stream, array.gpudata, 2.0)
        stream.synchronize()
    assert array.get().tolist() == [4.0] * 4


def test_errors_of_prepared_calls_are_pycudas(scale: Any) -> None:
    array = gpuarray.to_gpu(np.ones(4, np.float32))
    with pytest.raises(drv.LogicError, match="x"):
        scale.prepared_call((1, 1), (4, 1, 1), "no memory", 2.0)
    with pytest.raises(drv.LogicError):
        scale.prepared_call((1, 1), (4096, 1, 1), array.gpudata, 2.0)
    scale.prepared_call((1, 1), (4, 1, 1), array.gpudata, 2.0)
    assert array.get().tolist() == [2.0] * 4


def test_a_function_is_prepared_anew(scale: Any) -> None:
    array = gpuarray.to_gpu(np.ones(4, np.float32))
    scale.prepare("Pi")
    scale.prepared_call((1, 1), (4, 1, 1), array.gpudata, 5)
    assert array.get().tolist() == [5.0] * 4


def test_prepared_functions_are_collected() -> None:
    function = SourceModule(SCALE).get_function("scale").prepare("Pf")
    gone = weakref.ref(function)
    del function
    gc.collect()
    assert gone() is None


def test_calls_take_new_grids_blocks_and_memory(scale: Any) -> None:
    for grid, block in (((1, 1), 4), ((1, 1), 8), ((2, 1), 4)):
        array = gpuarray.to_gpu(np.ones(8, np.float32))
        scale(array, np.float32(3), grid=grid, block=(block, 1, 1))
        scaled = grid[0] * block
        assert array.get().tolist() == [3.0] * scaled + [1.0] * (8 - scaled)


def test_a_call_without_a_grid_has_one_block(scale: Any) -> None:
    array = gpuarray.to_gpu(np.ones(4, np.float32))
    scale(array, np.float32(3), block=(4, 1, 1))
    assert array.get().tolist() == [3.0] * 4


def test_a_refused_call_leaves_the_next_one_as_it_is(scale: Any) -> None:
    array = gpuarray.to_gpu(np.ones(4, np.float32))
    with pytest.raises(drv.LogicError, match="factor"):
        scale(array, "three", block=(4, 1, 1))
    scale(array, np.float32(3), block=(4, 1, 1))
    assert array.get().tolist() == [3.0] * 4


def test_an_array_of_an_allocator_is_an_argument_after_operations_on_it(scale: Any) -> None:
    pool = drv_tools.DeviceMemoryPool()
    array = gpuarray.to_gpu(np.ones(4, np.float32), allocator=pool.allocate)
    for factor in (3, 5):
        scale(array, np.float32(factor), block=(4, 1, 1))
        array += 1
    assert array.get().tolist() == [21.0] * 4


def test_a_bound_call_is_the_functions(scale: Any) -> None:
    array, call = gpuarray.to_gpu(np.ones(4, np.float32)), scale.__call__
    call(array, np.float32(3), block=(4, 1, 1))
    assert array.get().tolist() == [3.0] * 4


def test_a_class_derived_from_function_may_have_its_own_call(scale: Any) -> None:
    class Doubled(type(scale)):  # type: ignore[misc]
        def __call__(self, *args: Any, **named: Any) -> Any:
            super().__call__(*args, **named)
            return super().__call__(*args, **named)

    array = gpuarray.to_gpu(np.ones(4, np.float32))
    Doubled(scale._kernel)(array, np.float32(3), block=(4, 1, 1))
    assert array.get().tolist() == [9.0] * 4


GRID = """
#include <cooperative_groups.h>
__global__ void sum(int *out, int *part) {
    part[blockIdx.x] = blockIdx.x + 1;
    cooperative_groups::this_grid().sync();
    if (blockIdx.x == 0) { *out = 0; for (int i = 0; i < gridDim.x; ++i) *out += part[i]; }
}
"""


def test_cooperative_launches_synchronise_the_grid() -> None:
    """Section 4.3, #253, #508: no cooperative launch."""
    total = SourceModule(GRID, no_extern_c=True).get_function("sum")
    out, part, stream = drv.mem_alloc(4), drv.mem_alloc(16), drv.Stream()
    launches = [
        lambda: total(out, part, grid=(4, 1), block=ONE, cooperative=True),
        lambda: total(out, part, grid=(4, 1), block=ONE, cooperative=True, time_kernel=True),
        lambda: total.prepared_call((4, 1), ONE, out, part, cooperative=True),
        lambda: total.prepared_async_call((4, 1), ONE, stream, out, part, cooperative=True),
        lambda: total.prepared_timed_call((4, 1), ONE, out, part, cooperative=True)(),
    ]
    total.prepare("PP")
    for launch in launches:
        drv.memset_d32(out, 0, 1)
        launch()
        drv.Context.synchronize()
        assert drv.from_device(out, 1, np.int32)[0] == 10


DYNAMIC = """
__global__ void twice(int *p) {
    extern __shared__ int words[];
    for (int i = 0; i < 4; ++i) words[i] = *p;
    *p = words[3] * blockDim.x;
}
"""


@pytest.mark.filterwarnings("ignore:pass the block size:DeprecationWarning")
def test_block_and_shared_of_prepare_are_those_of_prepared_calls() -> None:
    """By position as before PyCUDA 2011.1, and by name."""
    twice = SourceModule(DYNAMIC).get_function("twice")
    memory = drv.to_device(np.ones(1, np.int32))
    forms: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        (((2, 1, 1), 16), {}),
        (((2, 1, 1), 16, []), {}),
        (((2, 1, 1),), {"shared": 16, "texrefs": []}),
        (([],), {"block": (2, 1, 1), "shared": 16}),
    ]
    for rest, names in forms:
        twice.prepare("P", *rest, **names)
        twice.prepared_call((1, 1), memory)
        for _ in range(2):
            twice.prepared_call((1, 1), (1, 1, 1), memory)
    twice.prepare("P", (2, 1, 1)).prepared_call((1, 1), memory, shared_size=16)
    assert drv.from_device(memory, 1, np.int32)[0] == 2 ** (len(forms) + 1)
    with pytest.raises(TypeError, match="texrefs"):
        twice.prepare("P", (2, 1, 1), 16, [], 0)


def test_too_much_shared_memory_of_prepare_is_refused_at_the_launch() -> None:
    twice, memory = SourceModule(DYNAMIC).get_function("twice"), drv.mem_alloc(4)
    with pytest.raises(drv.Error) as direct:
        twice(memory, block=ONE, shared=1 << 30)
    twice.prepare("P", shared=1 << 30)
    for _ in range(2):
        with pytest.raises(type(direct.value), match="shared"):
            twice.prepared_call((1, 1), ONE, memory)
    twice.prepared_call((1, 1), ONE, memory, shared_size=16)
    twice(memory, block=ONE, shared=16)


def test_the_carveout_is_the_drivers_choice_until_it_is_set() -> None:
    module = SourceModule(DYNAMIC)
    twice, attribute = module.get_function("twice"), drv.function_attribute
    assert twice.preferred_shared_memory_carveout == -1
    twice.set_attribute(attribute.PREFERRED_SHARED_MEMORY_CARVEOUT, 50)
    assert twice.get_attribute(attribute.PREFERRED_SHARED_MEMORY_CARVEOUT) == 50
    assert module.get_function("twice").preferred_shared_memory_carveout == 50
    with pytest.raises(drv.LogicError):
        twice.set_attribute(attribute.PREFERRED_SHARED_MEMORY_CARVEOUT, 101)
    assert twice.preferred_shared_memory_carveout == 50


def test_integers_of_the_size_of_a_parameter_are_passed_by_their_bits() -> None:
    module = SourceModule("""
        __global__ void bits(long long *p, unsigned u, int i) { p[0] = u; p[1] = i; }
    """)
    out = np.zeros(2, np.int64)
    module.get_function("bits")(drv.Out(out), np.int32(-1), np.uint32(0xFFFFFFFF), block=ONE)
    assert out.tolist() == [0xFFFFFFFF, -1]
    with pytest.raises(drv.LogicError):
        module.get_function("bits")(drv.Out(out), -1, np.int64(1 << 40), block=ONE)


def test_the_dynamic_shared_memory_that_was_allowed_is_answered() -> None:
    module = SourceModule("__global__ void nothing() {}")
    most = drv.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES
    module.get_function("nothing").set_attribute(most, 40_000)
    assert module.get_function("nothing").get_attribute(most) == 40_000


def test_prepared_calls_without_arguments_take_names() -> None:
    module = SourceModule("__device__ int calls; __global__ void count() { ++calls; }")
    function, stream = module.get_function("count").prepare(""), drv.Stream()
    function.prepared_call(grid=(1, 1), block=(1, 1, 1))
    function.prepared_async_call(grid=(1, 1), block=(1, 1, 1), stream=stream)
    function.prepared_async_call((1, 1), (1, 1, 1), stream=None)
    stream.synchronize()
    assert function.prepared_timed_call(grid=(1, 1), block=(1, 1, 1))() >= 0
    calls = drv.from_device(module.get_global("calls")[0], 1, np.int32)
    assert calls[0] == 4
    with pytest.raises(TypeError, match="streams"):
        function.prepared_async_call((1, 1), (1, 1, 1), streams=None)
