"""pycuda.driver: arguments in the forms that PyCUDA's programs give them."""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pycuda.driver as drv
import pytest
from pycuda.compiler import SourceModule
from pycuda.gpuarray import vec

ONE = (1, 1, 1)
SOURCE = """
struct Box { int n; double length; signed char kind[2]; };
__global__ void of_box(double *out, Box b) { *out = b.n + b.length + b.kind[0] + b.kind[1]; }
__global__ void of_int(int *out, int a) { *out = a; }
__global__ void of_float4(float *out, float4 a) { *out = a.x + 10 * a.y + 100 * a.z + 1000 * a.w; }
__global__ void set(float *out, float a) { *out = a; }
__global__ void upper(char *text) { text[threadIdx.x] -= 32; }
__global__ void copy(char *to, const void *from) {
    to[threadIdx.x] = static_cast<const char *>(from)[threadIdx.x];
}
"""
# As the device lays the struct out, under other names.
RECORD = np.dtype([("f0", "i4"), ("f1", "f8"), ("f2", "i1", 2)], align=True)
BOX = np.array([(1, 2.5, (3, 4))], RECORD)


@pytest.fixture(scope="module")
def module() -> Any:
    return SourceModule(SOURCE)


def result_of(kernel: Any, dtype: str, value: Any) -> Any:
    out = np.zeros(1, dtype)
    kernel(drv.Out(out), value, block=ONE)
    return out[0]


@pytest.mark.parametrize("form", [BOX, BOX[0], BOX.reshape(()), BOX.view("V24").reshape(())])
def test_records_are_known_by_their_layout(module: Any, form: Any) -> None:
    """PyCUDA passes their bytes, whatever the fields are called."""
    assert result_of(module.get_function("of_box"), "f8", form) == 10.5


def test_records_of_other_numbers_are_refused(module: Any) -> None:
    other = np.dtype([("f0", "f4"), ("f1", "f8"), ("f2", "i1", 2)], align=True)
    for form in (BOX.astype(other), BOX.astype(other)[0]):
        with pytest.raises(drv.LogicError, match="parameter 'b' expects Box"):
            result_of(module.get_function("of_box"), "f8", form)


def test_arrays_of_the_parameters_numbers_are_passed_by_value(module: Any) -> None:
    of_float4 = module.get_function("of_float4")
    for form in (np.array([1, 2, 3, 4], "f4"), np.array([1 + 2j, 3 + 4j], "c8")):
        assert result_of(of_float4, "f4", form) == 4321
    assert result_of(module.get_function("of_int"), "i4", np.array([7], "u4")) == 7


MISREAD: dict[str, tuple[str, Any]] = {
    "float for int": ("of_int", np.array([3], "f4")),
    "other byte order": ("of_int", np.array([3], ">i4")),
    "int for float4": ("of_float4", np.array([1, 2, 3, 4], "i4")),
    "double for float4": ("of_float4", np.array([1, 2], "f8")),
    "int4 for float4": ("of_float4", np.array([(1, 2, 3, 4)], vec.int4)),
}


@pytest.mark.parametrize("case", MISREAD.values(), ids=MISREAD)
def test_arrays_that_would_be_misread_are_refused(module: Any, case: Any) -> None:
    """PyCUDA passes their bytes, and the kernel reads other numbers."""
    name, value = case
    with pytest.raises(drv.LogicError, match=r"parameter 'a' (consists of|expects)"):
        result_of(module.get_function(name), "f4", value)


@pytest.mark.parametrize("form", [np.ma.masked, np.ma.array(2.0, mask=True)])
def test_masked_values_are_no_numbers(module: Any, form: Any) -> None:
    """Their elements are masked values again, without end."""
    with pytest.raises(drv.LogicError, match="parameter 'a' expects float"):
        result_of(module.get_function("set"), "f4", form)


OF_NUMPY_ALONE = {
    "bytes": np.array([b"ab", b"cd"]),
    "str": np.array(["ab"]),
    "date": np.array(["2020-01-01"], "M8[D]"),
    "other byte order": np.array([1, 2], ">i4"),
    "struct with text": np.array([(b"a", 1)], [("text", "S4"), ("n", "i4")]),
    "Fortran order": np.asfortranarray(np.array([[1, 2], [3, 4]], ">i2")),
}


@pytest.mark.filterwarnings("ignore:copy. parameter 'to' expects")
@pytest.mark.parametrize("array", OF_NUMPY_ALONE.values(), ids=OF_NUMPY_ALONE)
def test_host_arrays_of_every_dtype_are_copied(module: Any, array: Any) -> None:
    result = np.zeros_like(array)
    module.get_function("copy")(drv.Out(result), drv.In(array), block=(array.nbytes, 1, 1))
    assert result.tobytes("A") == array.tobytes("A")


def test_text_is_of_char(module: Any, recwarn: Any) -> None:
    text = np.array([b"abcd"])
    module.get_function("upper")(drv.InOut(text), block=(4, 1, 1))
    assert (text[0], len(recwarn)) == (b"ABCD", 0)


class Counting(drv.InOut):
    """As programs derive from the handlers."""

    def __init__(self, array: Any) -> None:
        super().__init__(array)
        self.calls: list[str] = []

    def pre_call(self, stream: Any) -> None:
        self.calls.append("pre")
        super().pre_call(stream)

    def post_call(self, stream: Any) -> None:
        super().post_call(stream)
        self.calls.append(f"post {self.array[0]}")


@pytest.mark.parametrize("stream", [None, "own"])
def test_work_of_derived_handlers_is_done(module: Any, stream: Any) -> None:
    handler = Counting(np.zeros(1, "f4"))
    on = None if stream is None else drv.Stream()
    module.get_function("set")(handler, np.float32(2), block=ONE, stream=on)
    if on is not None:
        on.synchronize()
    assert handler.calls[0] == "pre" and handler.array[0] == 2
    assert len(handler.calls) == 2


@pytest.mark.parametrize("when", ["before", "after"])
def test_memory_of_handlers_is_what_the_kernel_wrote(module: Any, when: str) -> None:
    """For a second kernel that goes on with it."""
    handler = drv.InOut(np.zeros(1, "f4"))
    if when == "before":
        handler.get_device_alloc()
    module.get_function("set")(handler, np.float32(3), block=ONE)
    assert drv.from_device(handler.get_device_alloc(), 1, "f4")[0] == 3
    assert handler.array[0] == 3


def test_another_array_for_a_handler(module: Any) -> None:
    first, second = np.zeros(1, "f4"), np.zeros(1, "f4")
    handler = drv.Out(first)
    handler.array = second
    module.get_function("set")(handler, np.float32(4), block=ONE)
    assert (first[0], second[0]) == (0, 4)


FAILING: dict[str, Callable[[], Any]] = {
    "LogicError": lambda: drv.mem_alloc(-1),
    "MemoryError": lambda: drv.mem_alloc(1 << 60),
    "CompileError": lambda: SourceModule("no source"),
    "CompileError of an option": lambda: SourceModule("", options=["--fmd=false"], arch="x"),
    "RuntimeError of a file": lambda: drv.module_from_file("/no/such/file"),
    "LaunchError": lambda: SourceModule(SOURCE).get_function("set")(0, 1, block=(4096, 1, 1)),
}


@pytest.mark.parametrize("call", FAILING.values(), ids=FAILING)
def test_errors_are_the_same_in_another_process(call: Callable[[], Any]) -> None:
    """Pools of processes pickle them."""
    with pytest.raises(drv.Error) as caught:
        call()
    for other in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):
        assert type(other) is caught.type
        assert (str(other), vars(other)) == (str(caught.value), vars(caught.value))


def test_errors_of_programs_are_pickled() -> None:
    error = drv.CompileError("bad", ["nvcc"], "out", stderr="err")
    other = pickle.loads(pickle.dumps(error))
    assert vars(other) == vars(error) and str(other) == str(error)


HALVES = """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void of_half(float *out, __half a) { *out = __half2float(a); }
__global__ void of_bfloat16(float *out, __nv_bfloat16 a) { *out = __bfloat162float(a); }
"""
ONE_POINT_FIVE = {"of_half": 0x3E00, "of_bfloat16": 0x3FC0}


@pytest.mark.parametrize("name", ONE_POINT_FIVE)
@pytest.mark.parametrize("dtype", [np.uint16, np.int16])
def test_an_integer_of_16_bits_is_the_bits_of_a_half(name: str, dtype: Any) -> None:
    bits = np.uint16(ONE_POINT_FIVE[name]).view(dtype)
    assert result_of(SourceModule(HALVES).get_function(name), "f4", bits) == 1.5


@pytest.mark.parametrize("name", ONE_POINT_FIVE)
def test_a_half_is_prepared_as_the_integer_of_its_bits(name: str) -> None:
    out = drv.mem_alloc(4)
    kernel = SourceModule(HALVES).get_function(name).prepare("PH")
    kernel.prepared_call((1, 1), ONE, out, ONE_POINT_FIVE[name])
    assert drv.from_device(out, (1,), np.float32) == [1.5]


def test_bits_of_bfloat16_need_no_other_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    kernel = SourceModule(HALVES).get_function("of_bfloat16")
    assert result_of(kernel, "f4", np.uint16(0x3FC0)) == 1.5


def test_python_numbers_for_a_half_are_numbers() -> None:
    assert result_of(SourceModule(HALVES).get_function("of_half"), "f4", 3) == 3
