"""pycuda.tools: pools, contexts, memoisation, types of C, occupancy; pycuda.characterize."""

from __future__ import annotations

import io
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import characterize, tools
from pycuda.compiler import SourceModule


def test_bins_are_pycudas() -> None:
    """Section 5.1: 16 bins per power of two, a request rounded up to the largest of its bin."""
    pool = tools.DeviceMemoryPool()
    host = tools.PageLockedMemoryPool(tools.PageLockedAllocator())
    for size in [*range(1, 300), 1 << 20, (1 << 34) + 12345]:
        number = pool.bin_number(size)
        assert number == host.bin_number(size=size)
        assert pool.alloc_size(number) >= size
        assert pool.bin_number(pool.alloc_size(bin=number)) == number
        assert pool.alloc_size(number) == host.alloc_size(number) <= size + size // 16
    assert pool.bin_number(16) == 64 and pool.alloc_size(64) == 16
    assert pool.bin_number(0) == 0 and pool.alloc_size(0) == 1
    with pytest.raises(ValueError, match="positive"):
        pool.bin_number(-1)


def test_device_pools_count() -> None:
    """Section 4.4, #282: pools beyond 4 GB counted wrongly; section 4.6, #74: stop_holding()."""
    pool = drv.DeviceMemoryPool()
    pool.free_held()
    before = pool.active_blocks
    memory = pool.allocate(size=1 << 20)
    assert isinstance(memory, drv.PooledDeviceAllocation)
    assert tools.PooledDeviceAllocation is drv.PooledDeviceAllocation
    assert len(memory) >= 1 << 20 and memory.__int__() == int(memory)
    assert pool.active_blocks == before + 1
    assert pool.active_bytes >= 1 << 20 and pool.managed_bytes >= pool.active_bytes
    memory.free()
    drv.Context.synchronize()
    assert pool.active_blocks == before
    again = pool.allocate(1 << 20)
    pool.stop_holding()
    again.free()
    assert pool.held_blocks == 0
    with pytest.raises(drv.LogicError, match="freed"):
        again.free()


def test_pooled_host_memory_is_freed_and_counted() -> None:
    pool = drv.PageLockedMemoryPool(allocator=drv.PageLockedAllocator(flags=0))
    made = pool.allocate((2, 3), np.float64, "F")
    assert isinstance(made.base, drv.PooledHostAllocation)
    assert made.flags.f_contiguous and len(made.base) == 48
    assert pool.active_blocks >= 1 and pool.active_bytes >= 48
    assert pool.managed_bytes >= 48 and pool.held_blocks >= 0
    base = made.base
    del made
    base.free()
    pool.free_held()
    pool.stop_holding()
    assert pool.held_blocks == 0
    with pytest.raises(drv.LogicError, match="freed"):
        base.free()


def test_pools_of_host_memory_have_an_allocator_and_give_empty_arrays() -> None:
    pool = tools.PageLockedMemoryPool(tools.PageLockedAllocator())
    assert pool.allocate((0,), np.float32).base.get_flags() == 0
    with pytest.raises(TypeError, match="expected a PageLockedAllocator, got 5"):
        tools.PageLockedMemoryPool(5)


def test_write_combined_memory_comes_from_pools_too() -> None:
    flags = drv.host_alloc_flags.WRITECOMBINED | drv.host_alloc_flags.PORTABLE
    made = tools.PageLockedMemoryPool(tools.PageLockedAllocator(flags)).allocate(4, np.int32)
    assert made.base.get_flags() == flags


def test_debug_pools_report(monkeypatch: pytest.MonkeyPatch) -> None:
    log, asked = io.StringIO(), []
    monkeypatch.setattr("builtins.input", asked.append)
    pool = tools.DebugMemoryPool(interactive=True, logfile=log)
    pool.allocate(1000)
    pool.allocate(1000)
    assert "1000 bytes, number 2" in log.getvalue()
    assert len(asked) == 2
    tools.DebugMemoryPool(interactive=False, logfile=log).allocate(10)
    assert len(asked) == 2


def test_logarithms_are_whole() -> None:
    assert [tools.bitlog2(n) for n in (1, 2, 3, 4, 1023, 1024, 2**40 + 1)] == [
        0,
        1,
        1,
        2,
        9,
        10,
        40,
    ]
    with pytest.raises(ValueError, match="positive"):
        tools.bitlog2(0)


def test_the_default_context_is_on_the_chosen_device(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.setattr(pathlib.Path, "home", lambda: tmp_path)
    monkeypatch.delenv("CUDA_DEVICE", raising=False)
    before = drv.Context.get_current()
    context = tools.make_default_context()
    assert drv.Context.get_current() is context
    context.detach()
    retained = tools.make_default_context(ctx_maker=drv.Device.retain_primary_context)
    assert retained == context and drv.Context.get_current() is before
    with pytest.warns(DeprecationWarning, match="make_default_context"):
        assert tools.get_default_device(default=0) == drv.Device(0)
    (tmp_path / ".cuda_device").write_text("0\n")
    with pytest.warns(DeprecationWarning):
        assert tools.get_default_device(99) == drv.Device(0)
    (tmp_path / ".cuda_device").rename(tmp_path / ".cuda-device")
    with pytest.warns(DeprecationWarning):
        assert tools.get_default_device(99) == drv.Device(0)
    monkeypatch.setenv("CUDA_DEVICE", "first")
    with pytest.raises(drv.LogicError, match=r"CUDA_DEVICE.*'first'"):
        tools.make_default_context()


def test_caches_are_cleared() -> None:
    calls = []

    def sum_of(x: int, *, y: int = 0) -> int:
        calls.append((x, y))
        return x + y

    named = tools.context_dependent_memoize(func=sum_of)
    assert [named(1, y=2), named(1, y=2), named(2)] == [3, 3, 2]
    assert calls == [(1, 2), (2, 0)]
    assert tools.clear_context_caches() is None
    named(2)
    assert calls == [(1, 2), (2, 0), (2, 0)]


def test_tests_of_users_get_a_context() -> None:
    seen: list[Any] = []

    def body(value: int) -> None:
        seen.append((value, drv.Context.get_current()))

    inner = tools.mark_cuda_test(inner_f=body)
    before = drv.Context.get_current()
    inner(7)
    assert seen[0][0] == 7 and seen[0][1] is not None
    assert drv.Context.get_current() == before
    fixture: Iterator[None] = tools.init_cuda_context_fixture()
    next(fixture)
    assert drv.Context.get_current() is not before
    assert list(fixture) == []
    assert drv.Context.get_current() == before


NAMES = [
    (np.bool_, "bool"), (np.int8, "signed char"), (np.uint8, "unsigned char"), (np.int16, "short"),
    (np.uint16, "unsigned short"), (np.int32, "int"), (np.uint32, "unsigned int"),
    (np.int64, "long"), (np.uint64, "unsigned long"), (np.float32, "float"),
    (np.float64, "double"), (np.complex64, "pycuda::complex<float>"),
    (np.complex128, "pycuda::complex<double>"), (np.float16, "__half"),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "name"), NAMES)
def test_dtypes_have_types_of_c(dtype: Any, name: str) -> None:
    assert tools.dtype_to_ctype(dtype) == name
    assert tools.get_or_register_dtype(name) == np.dtype(dtype)
    if dtype is np.bool_ or np.issubdtype(dtype, np.number):
        preamble = "#include <pycuda-complex.hpp>\n#include <cuda_fp16.h>"
        assert characterize.sizeof(name, preamble=preamble) == np.dtype(dtype).itemsize


def test_texels_have_types_of_their_own() -> None:
    assert tools.dtype_to_ctype(np.float64, with_fp_tex_hack=True) == "fp_tex_double"
    assert tools.dtype_to_ctype(np.complex64, True) == "fp_tex_cfloat"
    assert tools.dtype_to_ctype(np.int32, True) == "int"
    for wrong in (None, np.dtype("U4")):
        with pytest.raises(ValueError, match="dtype"):
            tools.dtype_to_ctype(wrong)


def test_structs_are_registered_by_name() -> None:
    kind = np.dtype([("low", np.int32), ("high", np.int32)])
    tools.register_dtype(kind, ["interval", "Interval"])
    assert tools.dtype_to_ctype(kind) == "interval"
    assert tools.get_or_register_dtype("Interval") == kind
    assert tools.get_or_register_dtype(["interval"], dtype=kind) == kind
    with pytest.raises(ValueError, match="interval"):
        tools.register_dtype(np.int8, name="interval")
    with pytest.raises(ValueError, match="no_such_type"):
        tools.get_or_register_dtype("no_such_type")


def test_layouts_are_those_of_device_code() -> None:
    tools.register_dtype(np.dtype([(a, np.float32) for a in "xyzw"]), "float4")
    fields = np.dtype([
        ("flag", np.int8), ("weight", np.float64), ("spin", np.int16),
        ("place", tools.get_or_register_dtype("float4")), ("row", np.int32, (3,)),
    ])  # fmt: skip
    made, text = tools.match_dtype_to_c_struct(drv.Device(0), "particle", fields)
    assert made.itemsize == characterize.sizeof("particle", text)
    reads = SourceModule(
        text
        + """
        __global__ void k(particle *p, double *out) {
            out[0] = p->flag; out[1] = p->weight; out[2] = p->spin;
            out[3] = p->place.w; out[4] = p->row[2];
        }"""
    )
    values, out = np.zeros(1, made), np.zeros(5)
    values[0] = (1, 2.5, 3, (0, 0, 0, 4), (0, 0, 5))
    memory = drv.to_device(values)
    reads.get_function("k")(memory, drv.Out(out), block=(1, 1, 1))
    assert out.tolist() == [1, 2.5, 3, 4, 5]
    with pytest.raises(ValueError, match="fields"):
        tools.match_dtype_to_c_struct(None, "x", np.float32)


@pytest.mark.parametrize(
    ("text", "expected", "code"),
    [
        ("const float *x", tools.VectorArg(np.float32, "x"), "P"),
        ("float *__restrict__ x", tools.VectorArg(np.float32, "x"), "P"),
        ("unsigned long long n", tools.ScalarArg(np.uint64, "n"), "L"),
        ("int n", tools.ScalarArg(np.int32, "n"), "i"),
        ("double v[3]", tools.VectorArg(np.float64, "v"), "P"),
        ("pycuda::complex<float> z", tools.ScalarArg(np.complex64, "z"), "F"),
        ("unsigned  char*p", tools.VectorArg(np.uint8, "p"), "P"),
        ("size_t n", tools.ScalarArg(np.uint64, "n"), "L"),
    ],
)
def test_parameters_of_c_are_read(text: str, expected: Any, code: str) -> None:
    assert tools.parse_c_arg(text) == expected
    assert tools.get_arg_type(text) == expected.struct_char == code
    assert tools.parse_c_arg(c_arg=expected.declarator()) == expected


@pytest.mark.parametrize("text", ["", "float", "float **x", "no_such_type x", "int (*f)(int)"])
def test_what_is_no_parameter_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"parameter|type"):
        tools.parse_c_arg(text)


def test_arguments_say_what_they_are() -> None:
    vector, scalar = tools.VectorArg(np.float32, "x"), tools.ScalarArg(np.int16, name="n")
    assert isinstance(vector, tools.Argument) and isinstance(scalar, tools.Argument)
    assert vector.declarator() == "float *x" and scalar.declarator() == "short n"
    assert tools.ScalarArg(np.dtype([("a", np.int32)]), "s").struct_char == "4s"
    assert tools.Argument(np.float32, "x").name == "x"
    assert len({vector, scalar, tools.VectorArg(dtype=np.float32, name="x")}) == 2
    assert repr(scalar) == "ScalarArg('n', int16)"


def test_occupancy_is_that_of_the_device() -> None:
    """Section 1.14: tables that stop at Kepler (64 warps, 8 blocks per multiprocessor)."""
    data = tools.DeviceData(dev=drv.Device(0))
    assert vars(data) == vars(tools.DeviceData())
    assert data.max_threads == 1024 and data.warp_size == 32
    assert data.warps_per_mp >= 32 and data.thread_blocks_per_mp >= 16
    assert data.registers >= 65536 and data.shared_memory >= 65536
    full = tools.OccupancyRecord(data, 256)
    assert full.occupancy == 1 and full.limited_by == "warps"
    assert full.warps_per_mp == data.warps_per_mp == full.tb_per_mp * 8
    small = tools.OccupancyRecord(data, threads=32)
    assert small.limited_by == "device" and small.tb_per_mp == data.thread_blocks_per_mp
    crowded = tools.OccupancyRecord(data, 256, registers=128)
    assert crowded.limited_by == "regs" and crowded.tb_per_mp == 2
    wide = tools.OccupancyRecord(data, 256, shared_mem=data.shared_memory // 2 - 2048)
    assert wide.limited_by == "smem" and wide.tb_per_mp == 2
    assert {name for _, name in wide.tb_per_mp_limits} == {"device", "warps", "smem"}
    with pytest.raises(ValueError, match="2048"):
        tools.OccupancyRecord(data, 2048)
    with pytest.raises(ValueError, match="does not fit"):
        tools.OccupancyRecord(data, 32, shared_mem=1 << 20)


def test_accesses_are_aligned() -> None:
    data = tools.DeviceData()
    assert data.align_bytes(4) == 64 and data.align_bytes(word_size=16) == 128
    assert data.align(65) == 128 and data.align(bytes=1, word_size=8) == 128
    assert data.align_words(word_size=4) == 16
    assert data.align_dtype(elements=17, dtype_size=4) == 32
    assert data.coalesce(thread_count=17) == 32
    assert [data.make_valid_tex_channel_count(size) for size in (1, 2, 3, 4)] == [1, 2, 4, 4]
    with pytest.raises(ValueError, match="4 channels"):
        tools.DeviceData.make_valid_tex_channel_count(size=5)
    with pytest.raises(ValueError, match="got 3"):
        data.align_bytes(3)
    assert data.smem_granularity == 32 and data.smem_alloc_granularity == 128
    assert data.register_allocation_unit == "warp"


def test_devices_are_characterised() -> None:
    assert characterize.platform_bits() == 64
    assert characterize.has_stack() and characterize.has_double_support()
    assert characterize.sizeof("float3") == 12
    assert characterize.sizeof(type_name="thing", preamble="struct thing { char a; int b; };") == 8
