"""pycuda.driver: arguments in the forms that PyCUDA's programs give them."""

from __future__ import annotations

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
