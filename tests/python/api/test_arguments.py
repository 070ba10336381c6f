"""Kernel arguments: what converts, and what is refused before anything runs, by parameter name."""

from __future__ import annotations

from typing import Any

import devices
import numpy as np
import pytest

import warpwise as ww

SOURCE = """
struct Body { float mass; double x; int tag; };
__global__ void number(double *out, TYPE value) { *out = (double)value; }
__global__ void body(double *out, Body b) { out[0] = b.mass; out[1] = b.x; out[2] = b.tag; }
__global__ void bodies(double *out, const Body *b) { *out = b[1].x; }
__global__ void pointer(int *out, const void *p) { *out = p != 0; }
__global__ void quad(float *out, const float4 *p) { *out = p[1].w; }
__global__ void pair(float *out, const float2 *p) { *out = p[1].y; }
"""
BODY = np.dtype([("mass", "f4"), ("x", "f8"), ("tag", "i4")], align=True)


@pytest.fixture(scope="module")
def module() -> ww.SourceModule:
    return ww.SourceModule(
        SOURCE, ["-DTYPE=int"], name="arguments.cu", device=ww.Device(devices.NAME)
    )


def number(type_name: str, value: Any) -> float:
    kernel = ww.SourceModule(SOURCE, [f"-DTYPE={type_name}"], name="arguments.cu")["number"]
    out = np.zeros(1)
    kernel(ww.Out(out), value, block=1)
    return float(out[0])


@pytest.mark.parametrize(
    ("type_name", "value"),
    [
        ("int", 5),
        ("int", -(2**31)),
        ("int", 5.0),
        ("int", True),
        ("unsigned long long", 2**53),
        ("float", 2.5),
        ("float", 2),
        ("double", 0.1),
        ("bool", True),
        ("short", np.int16(-7)),
        ("int", np.uint8(200)),
        ("int", np.int64(12)),
        ("float", np.float32(0.25)),
        ("float", np.float16(0.5)),
        ("double", np.float64(0.1)),
        ("double", np.int32(3)),
        ("int", np.longlong(3)),
    ],
)
def test_numbers_convert_where_their_value_fits(type_name: str, value: Any) -> None:
    assert number(type_name, value) == float(value)


@pytest.mark.parametrize(
    ("type_name", "value"),
    [
        ("int", 2.7),
        ("int", 2**40),
        ("int", -(2**40)),
        ("unsigned int", -1),
        ("unsigned char", 256),
        ("int", np.int64(2**40)),
        ("int", np.float32(0.5)),
        ("unsigned long long", 2**70),
        ("int", float("nan")),
    ],
)
def test_numbers_that_do_not_fit_are_refused(type_name: str, value: Any) -> None:
    with pytest.raises(ww.ArgumentError, match="value"):
        number(type_name, value)


@pytest.mark.parametrize("value", ["5", None, 1j, [5], object(), np.zeros(1, np.int32), b"5"])
def test_what_is_no_number_is_a_type_error(value: Any) -> None:
    with pytest.raises(TypeError, match="value") as caught:
        number("int", value)
    assert isinstance(caught.value, ww.ArgumentError)


def test_bfloat16_scalars_are_numbers() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    assert number("float", ml_dtypes.bfloat16(1.5)) == 1.5


@pytest.mark.parametrize("value", [np.uint16(1), np.int16(1)])
def test_16_bit_integers_for_a_half_may_be_bits_and_are_refused(value: Any) -> None:
    """CuPy and PyCUDA pass their bits."""
    half = ww.SourceModule("#include <cuda_fp16.h>\n__global__ void f(__half value) {}")["f"]
    with pytest.raises(TypeError, match=r"'value' expects __half.*float\(value\).*for its bits"):
        half(value, block=1)


def test_numpy_arrays_are_refused_by_name(add: ww.Kernel) -> None:
    x = np.zeros(4, np.float32)
    with pytest.raises(ww.ArgumentError, match=r"'y'.*float32.*\(4,\).*ww\.InOut"):
        add(ww.In(x), x, ww.Out(x), 4, block=4)


class Foreign:
    """An object whose memory belongs to another library."""

    def __init__(self, **members: Any) -> None:
        self.__dict__.update(members)


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (Foreign(__dlpack__=None), r"ww\.In"),
        (memoryview(bytearray(16)), r"ww\.In"),
        ([1.0, 2.0], "NumPy array"),
        ("text", "str"),
        (3.5, "3.5"),
        (7, "Pointer"),
    ],
)
def test_objects_without_device_memory_are_refused(add: ww.Kernel, value: Any, word: str) -> None:
    out = np.zeros(4, np.float32)
    with pytest.raises(ww.ArgumentError, match=f"'x'.*{word}"):
        add(value, ww.In(out), ww.Out(out), 4, block=4)


def test_wrong_counts_are_refused(add: ww.Kernel) -> None:
    x = np.zeros(4, np.float32)
    with pytest.raises(ww.ArgumentError, match=r"4.*3"):
        add(ww.In(x), ww.In(x), ww.Out(x), block=4)


def test_wrong_element_types_are_refused(add: ww.Kernel) -> None:
    x, wrong = np.zeros(4, np.float32), np.zeros(4)
    with pytest.raises(ww.ArgumentError, match=r"'y'.*float64"):
        add(ww.In(x), ww.In(wrong), ww.Out(x), 4, block=4)


def test_results_cannot_go_through_a_const_pointer(add: ww.Kernel) -> None:
    x = np.zeros(4, np.float32)
    with pytest.raises(ww.ArgumentError, match=r"'x'.*const"):
        add(ww.Out(x), ww.In(x), ww.Out(x.copy()), 4, block=4)


@pytest.mark.parametrize("role", [ww.In, ww.Out, ww.InOut])
def test_strided_arrays_are_refused(role: Any) -> None:
    with pytest.raises(ValueError, match="contiguous"):
        role(np.zeros((4, 4), np.float32)[:, ::2])


@pytest.mark.parametrize("role", [ww.Out, ww.InOut])
def test_read_only_arrays_take_no_results(role: Any) -> None:
    array = np.zeros(4, np.float32)
    array.flags.writeable = False
    ww.In(array)
    with pytest.raises(ValueError, match="read-only"):
        role(array)


@pytest.mark.parametrize("dtype", ["M8[s]", "U4", "S4", object, ">f4", np.longdouble])
def test_dtypes_without_a_cuda_type_are_refused(dtype: Any) -> None:
    with pytest.raises(TypeError, match=r"dtype|memory"):
        ww.In(np.zeros(3, dtype))


def test_fortran_order_is_contiguous(add: ww.Kernel) -> None:
    x = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    z = np.zeros_like(x)
    add(ww.In(x), ww.In(x), ww.Out(z), 6, block=6)
    np.testing.assert_array_equal(z, 2 * x)


def test_host_arguments_keep_their_array() -> None:
    x = np.zeros(3, np.float32)
    assert ww.In(x).array is x


def test_records_are_structs_by_value(module: ww.SourceModule) -> None:
    out, record = np.zeros(3), np.array((1.5, 2.5, 7), BODY)[()]
    module["body"](ww.Out(out), record, block=1)
    np.testing.assert_array_equal(out, [1.5, 2.5, 7])


def test_an_array_without_axes_is_the_value_it_holds(module: ww.SourceModule) -> None:
    out = np.zeros(3)
    module["body"](ww.Out(out), np.array((1.5, 2.5, 7), BODY), block=1)
    np.testing.assert_array_equal(out, [1.5, 2.5, 7])


def test_a_number_in_an_array_without_axes_is_a_number(add: ww.Kernel) -> None:
    x, z = np.ones(6, np.float32), np.zeros(6, np.float32)
    add(ww.In(x), ww.In(x), ww.Out(z), np.array(6), block=6)
    np.testing.assert_array_equal(z, 2 * x)


def test_an_array_without_axes_is_no_pointer(add: ww.Kernel) -> None:
    x = np.ones(6, np.float32)
    with pytest.raises(ww.ArgumentError, match=r"'.' expects const float \*, got 1 \(float32\)"):
        add(np.array(1, np.float32), ww.In(x), ww.Out(x), 6, block=6)


@pytest.mark.parametrize("value", [[1.0, 2.0, 3], {"mass": 1.0}])
def test_python_lists_for_a_struct_are_answered_with_records(
    module: ww.SourceModule, value: object
) -> None:
    with pytest.raises(ww.ArgumentError, match=r"expects Body, got a \w+; pass .*a NumPy record"):
        module["body"](ww.Out(np.zeros(3)), value, block=1)


def test_records_are_vectors_by_value() -> None:
    kernel = ww.SourceModule("__global__ void k(float *out, float2 p) { *out = p.x + p.y; }")["k"]
    out = np.zeros(1, np.float32)
    with pytest.raises(ww.ArgumentError, match="got a list; pass a tuple of 2 numbers"):
        kernel(ww.Out(out), [1.0, 2.0], block=1)
    kernel(ww.Out(out), np.array((1, 2), "float32, float32"), block=1)
    assert out[0] == 3


TUPLES = """
struct Inner { short s; float2 v; };
struct Outer { char c; Inner inner[2]; double d; };
__global__ void vector(double *out, TYPE p) { out[0] = p.x; out[1] = p.y; out[2] = p.z; }
__global__ void outer(double *out, Outer p) {
    out[0] = p.c; out[1] = p.inner[0].s; out[2] = p.inner[0].v.x; out[3] = p.inner[0].v.y;
    out[4] = p.inner[1].s; out[5] = p.inner[1].v.x; out[6] = p.inner[1].v.y; out[7] = p.d;
}
union Either { float f; int i; };
__global__ void either(Either e) {}
__global__ void pointer(float *p) {}
"""


def of_tuples(name: str, type_name: str = "float3") -> ww.Kernel:
    return ww.SourceModule(TUPLES, [f"-DTYPE={type_name}"])[name]


@pytest.mark.parametrize("type_name", ["float3", "int3", "uchar3", "double3", "longlong3"])
def test_tuples_of_numbers_are_vectors(type_name: str) -> None:
    out = np.zeros(3)
    of_tuples("vector", type_name)(ww.Out(out), (1, np.float32(2), 3.0), block=1)
    assert out.tolist() == [1, 2, 3]


@pytest.mark.parametrize("extents", [(5,), (5, 6), (5, 6, 7)])
def test_tuples_are_dim3_with_ones_at_the_end(extents: tuple[int, ...]) -> None:
    out = np.zeros(3)
    of_tuples("vector", "dim3")(ww.Out(out), extents, block=1)
    assert out.tolist() == [*extents, 1, 1][:3]


def test_tuples_are_structs_of_numbers_in_the_order_of_fields() -> None:
    out, values = np.zeros(8), (1, 2, 3, 4, 5, 6, 7, 8.5)
    of_tuples("outer")(ww.Out(out), values, block=1)
    assert tuple(out) == values


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("vector", (1, -2), "'p' expects dim3, got a tuple; its number 2 does not fit uint32"),
        ("vector", (1, 2, 3, 4), "takes 1 to 3 numbers, not 4"),
        ("vector", (), "takes 1 to 3 numbers, not 0"),
        ("vector", ("a", 2), "its number 1 does not fit uint32"),
        ("vector", ((1, 2), 3), "its number 1 does not fit uint32"),
        ("outer", (1, 2), "'p' expects Outer, got a tuple; it takes 8 numbers, not 2"),
        ("either", (1,), "'e' expects Either, got a tuple; pass one value of 4 bytes"),
        ("pointer", (1.0, 2.0), "got a tuple; make it a NumPy array and pass ww.In"),
    ],
)
def test_tuples_that_do_not_fit_are_refused(name: str, value: object, message: str) -> None:
    kernel = of_tuples(name, "dim3")
    arguments = [value] if name in ("either", "pointer") else [ww.Out(np.zeros(8)), value]
    with pytest.raises(ww.ArgumentError, match=message):
        kernel(*arguments, block=1)


def test_what_looks_like_a_texture_is_answered_with_textures() -> None:
    kernel = ww.SourceModule("__global__ void k(cudaTextureObject_t t) {}")["k"]
    with pytest.raises(ww.ArgumentError, match="pass a Texture or Surface of it"):
        kernel(np.zeros(4, np.float32), block=1)


def test_arrays_of_records_are_arrays_of_structs(module: ww.SourceModule) -> None:
    out, records = np.zeros(1), np.zeros(2, BODY)
    records["x"][1] = 4.5
    module["bodies"](ww.Out(out), ww.In(records), block=1)
    assert out[0] == 4.5


def test_another_struct_layout_is_refused_by_field(module: ww.SourceModule) -> None:
    packed = np.dtype([("mass", "f4"), ("x", "f8"), ("tag", "i4")])
    with pytest.raises(ww.ArgumentError, match=r"'b'.*x"):
        module["body"](ww.Out(np.zeros(3)), np.zeros(1, packed)[0], block=1)


def test_vector_pointers_take_a_last_axis_of_their_width(module: ww.SourceModule) -> None:
    out, quads = np.zeros(1, np.float32), np.arange(8, dtype=np.float32).reshape(2, 4)
    module["quad"](ww.Out(out), ww.In(quads), block=1)
    assert out[0] == 7


def test_float2_pointers_take_complex64(module: ww.SourceModule) -> None:
    out, values = np.zeros(1, np.float32), np.array([1 + 2j, 3 + 4j], np.complex64)
    module["pair"](ww.Out(out), ww.In(values), block=1)
    assert out[0] == 4


HALVES = """#include <cuda_fp16.h>
__global__ void k(float *o, const half2 *p) { *o = p[1].y; }"""


def test_vector_pointers_take_a_row_of_whole_vectors(module: ww.SourceModule) -> None:
    out = np.zeros(1, np.float32)
    module["quad"](ww.Out(out), ww.In(np.arange(8, dtype=np.float32)), block=1)
    assert out[0] == 7
    halves = ww.SourceModule(HALVES)["k"]
    halves(ww.Out(out), ww.In(np.arange(4, dtype=np.float16)), block=1)
    assert out[0] == 3


def test_pointers_to_structs_of_one_type_take_a_last_axis_of_their_width() -> None:
    source = """struct P { float x, y; float zw[2]; };
        struct Q { float x; int y; };
        __global__ void k(float *o, const P *p) { *o = p[1].zw[1]; }
        __global__ void q(float *o, const Q *p) { *o = p->x; }"""
    mod, out = ww.SourceModule(source), np.zeros(1, np.float32)
    values = np.arange(8, dtype=np.float32)
    for shape in ((2, 4), (8,)):
        mod["k"](ww.Out(out), ww.In(values.reshape(shape)), block=1)
        assert out[0] == 7
    with pytest.raises(ww.ArgumentError, match="with 2 to the last axis, which must be 4"):
        mod["k"](ww.Out(out), ww.In(values.reshape(4, 2)), block=1)
    with pytest.raises(ww.ArgumentError, match="'p' expects const Q"):
        mod["q"](ww.Out(out), ww.In(values.reshape(4, 2)), block=1)


@pytest.mark.parametrize("dtype", ["S1", np.uint8, np.int8])
def test_pointers_to_char_take_bytes(dtype: object) -> None:
    kernel = ww.SourceModule("__global__ void k(char *text) { text[threadIdx.x] ^= 32; }")["k"]
    text = np.frombuffer(b"aBcD", dtype).copy()  # type: ignore[call-overload]
    kernel(ww.InOut(text), block=4)
    assert text.tobytes() == b"AbCd"


def test_pointers_to_signed_char_take_no_unsigned_bytes() -> None:
    kernel = ww.SourceModule("__global__ void k(signed char *text) {}")["k"]
    with pytest.raises(ww.ArgumentError, match="its elements are not int8"):
        kernel(ww.In(np.zeros(4, np.uint8)), block=1)


@pytest.mark.parametrize("shape", [(7,), (4, 2), (2, 6), (2, 8)])
def test_a_last_axis_of_another_width_is_refused(
    module: ww.SourceModule, shape: tuple[int, ...]
) -> None:
    quads, out = np.zeros(shape, np.float32), np.zeros(1, np.float32)
    with pytest.raises(ww.ArgumentError, match=r"'p'.*last axis, which must be 4"):
        module["quad"](ww.Out(out), ww.In(quads), block=1)


@pytest.mark.parametrize(("value", "expected"), [(None, 0), (ww.Pointer(64), 1)])
def test_void_pointers_take_none_and_addresses(
    module: ww.SourceModule, value: Any, expected: int
) -> None:
    out = np.zeros(1, np.int32)
    module["pointer"](ww.Out(out), value, block=1)
    assert out[0] == expected


def test_buffers_fit_any_pointer(add: ww.Kernel) -> None:
    x = np.arange(4, dtype=np.float32)
    buffer = ww.mem_alloc(x.nbytes)
    buffer.copy_from(x)
    add(buffer, buffer, buffer, 4, block=4)
    result = np.empty_like(x)
    buffer.copy_to(result)
    np.testing.assert_array_equal(result, 2 * x)


def test_freed_buffers_are_refused(add: ww.Kernel) -> None:
    x, buffer = np.zeros(4, np.float32), ww.mem_alloc(16)
    buffer.free()
    with pytest.raises(ww.ArgumentError, match=r"'x'.*freed"):
        add(buffer, ww.In(x), ww.Out(x), 4, block=4)


def test_buffers_of_another_device_are_refused(add: ww.Kernel) -> None:
    x = np.zeros(4, np.float32)
    with ww.Device("null"):
        foreign = ww.mem_alloc(16)
    with pytest.raises(ww.ArgumentError, match=r"'x'.*null"):
        add(foreign, ww.In(x), ww.Out(x), 4, block=4)


def test_pointers_print_as_addresses() -> None:
    assert repr(ww.Pointer(255)) == "Pointer(0xff)"
