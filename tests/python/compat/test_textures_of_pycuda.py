"""PyCUDA's arrays and texture references, as its scripts use them."""

from __future__ import annotations

from typing import Any

import devices
import numpy as np
import pycuda.driver as drv
import pytest
from pycuda import gpuarray
from pycuda.compiler import SourceModule

import warpwise as ww


@pytest.fixture(autouse=True)
def _on_the_cpu() -> Any:
    with ww.Device(devices.NAME):
        yield


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng()


TRANSPOSE = """
texture<float, 2, cudaReadModeElementType> mtx_tex;
__global__ void copy_texture(float *dest) {
    int row = threadIdx.x, col = threadIdx.y, w = blockDim.y;
    dest[row * w + col] = tex2D(mtx_tex, row, col);
}
"""


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_matrix_is_read_in_its_order(rng: np.random.Generator, order: Any) -> None:
    mod = SourceModule(TRANSPOSE)
    texture = mod.get_texref("mtx_tex")
    a = rng.normal(size=(4, 3) if order == "F" else (3, 4)).astype(np.float32)
    drv.matrix_to_texref(a, texture, order=order)
    dest = np.zeros((4, 3), np.float32)
    mod.get_function("copy_texture")(drv.Out(dest), block=(4, 3, 1), texrefs=[texture])
    np.testing.assert_array_equal(dest, a if order == "F" else a.T)


def test_a_reference_returns_what_was_set(rng: np.random.Generator) -> None:
    texture = SourceModule(TRANSPOSE).get_texref("mtx_tex")
    array = drv.matrix_to_array(rng.normal(size=(3, 4)).astype(np.float32), order="C")
    texture.set_array(array)
    texture.set_address_mode(0, drv.address_mode.WRAP)
    texture.set_filter_mode(drv.filter_mode.LINEAR)
    texture.set_flags(drv.TRSF_NORMALIZED_COORDINATES)
    assert texture.get_array() is array
    assert texture.get_address_mode(0) == drv.address_mode.WRAP
    assert texture.get_address_mode(1) == drv.address_mode.CLAMP
    assert texture.get_filter_mode() == drv.filter_mode.LINEAR
    assert texture.get_flags() == drv.TRSF_NORMALIZED_COORDINATES
    assert texture.get_format() == (drv.array_format.FLOAT, 1)
    descr = array.get_descriptor()
    assert (descr.width, descr.height, descr.num_channels) == (4, 3, 1)


def test_channels_of_an_image(rng: np.random.Generator) -> None:
    mod = SourceModule("""
        texture<float4, 2, cudaReadModeElementType> mtx_tex;
        __global__ void copy_texture(float4 *dest) {
            dest[threadIdx.x * blockDim.y + threadIdx.y] = tex2D(mtx_tex, threadIdx.x, threadIdx.y);
        }""")
    texture = mod.get_texref("mtx_tex")
    a = rng.normal(size=(4, 5, 6)).astype(np.float32)
    drv.bind_array_to_texref(drv.make_multichannel_2d_array(a, order="F"), texture)
    dest = np.zeros((5, 6, 4), np.float32)
    mod.get_function("copy_texture")(drv.Out(dest), block=(5, 6, 1), texrefs=[texture])
    np.testing.assert_array_equal(dest.transpose(2, 0, 1), a)


def test_bytes_are_integers_where_the_flag_says_so() -> None:
    mod = SourceModule("""
        texture<unsigned char, 1, cudaReadModeElementType> t;
        __global__ void k(int *out) { out[threadIdx.x] = tex1Dfetch(t, threadIdx.x); }""")
    texture = mod.get_texref("t")
    values = np.arange(100, 132, dtype=np.uint8)
    memory = drv.to_device(values)
    texture.set_address(memory, values.nbytes)
    texture.set_format(drv.array_format.UNSIGNED_INT8, 1)
    texture.set_flags(drv.TRSF_READ_AS_INTEGER)
    out = np.zeros(32, np.int32)
    mod.get_function("k")(drv.Out(out), block=(32, 1, 1), texrefs=[texture])
    np.testing.assert_array_equal(out, values)
    assert texture.get_address() == int(memory)


def test_textures_begin_at_multiples_of_their_alignment() -> None:
    mod = SourceModule("""
        texture<float, 1, cudaReadModeElementType> t;
        __global__ void k(float *out, int first) {
            out[threadIdx.x] = tex1Dfetch(t, first + threadIdx.x);
        }""")
    texture, values = mod.get_texref("t"), np.arange(64, dtype=np.float32)
    array = gpuarray.to_gpu(values)
    for pointer in (int(array.gpudata) + 12, array[3:].gpudata):
        with pytest.raises(drv.LogicError, match="allow_offset"):
            texture.set_address(pointer, 128)
        offset = texture.set_address(pointer, 128, allow_offset=True)
        assert offset == 12
        out = np.zeros(32, np.float32)
        first = np.int32(offset // 4)
        mod.get_function("k")(drv.Out(out), first, block=(32, 1, 1), texrefs=[texture])
        np.testing.assert_array_equal(out, values[3:35])


def test_doubles_are_read_as_pairs_of_integers(rng: np.random.Generator) -> None:
    mod = SourceModule("""
        #include <pycuda-helpers.hpp>
        texture<fp_tex_double, 1, cudaReadModeElementType> my_tex;
        __global__ void f(double *out) {
            out[threadIdx.x] = 3 * fp_tex1Dfetch(my_tex, threadIdx.x);
        }
        """)
    d = rng.normal(size=128)
    memory = drv.to_device(d)
    texture = mod.get_texref("my_tex")
    texture.set_address(memory, d.nbytes)
    texture.set_format(drv.array_format.SIGNED_INT32, 2)
    texture.set_flags(drv.TRSF_READ_AS_INTEGER)
    out = np.empty(128)
    mod.get_function("f")(drv.Out(out), block=(128, 1, 1), texrefs=[texture])
    np.testing.assert_array_equal(out, 3 * d)


def test_volumes_of_doubles_through_textures_and_surfaces(rng: np.random.Generator) -> None:
    mod = SourceModule("""
        #include <pycuda-helpers.hpp>
        texture<fp_tex_double, 3, cudaReadModeElementType> from;
        surface<void, cudaSurfaceType3D> to;
        __global__ void k() {
            int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
            double v = fp_tex3D(from, x, y, z);
            fp_surf3Dwrite(2 * v, to, x, y, z, cudaBoundaryModeZero);
        }""")
    a = rng.normal(size=(3, 4, 5))
    target = drv.np_to_array(np.zeros_like(a), "C", allowSurfaceBind=True)
    mod.get_texref("from").set_array(drv.np_to_array(a, "C"))
    mod.get_surfref("to").set_array(target)
    mod.get_function("k")(block=(5, 4, 3))
    back = np.zeros_like(a)
    copy = drv.Memcpy3D()
    copy.set_src_array(target)
    copy.set_dst_host(back)
    copy.width_in_bytes = copy.dst_pitch = 40
    copy.height = copy.dst_height = 4
    copy.depth = 3
    copy()
    np.testing.assert_array_equal(back, 2 * a)


def test_rows_of_device_memory_are_bound_with_a_pitch(rng: np.random.Generator) -> None:
    a = rng.normal(size=(3, 4)).astype(np.float32)
    memory, pitch = drv.mem_alloc_pitch(16, 3, 4)
    copy = drv.Memcpy2D()
    copy.set_src_host(a)
    copy.set_dst_device(memory)
    copy.width_in_bytes = copy.src_pitch = 16
    copy.dst_pitch = pitch
    copy.height = 3
    copy(aligned=True)
    mod = SourceModule(TRANSPOSE)
    descr = drv.ArrayDescriptor()
    descr.width, descr.height = 4, 3
    descr.format, descr.num_channels = drv.array_format.FLOAT, 1
    mod.get_texref("mtx_tex").set_address_2d(memory, descr, pitch)
    dest = np.zeros((4, 3), np.float32)
    mod.get_function("copy_texture")(drv.Out(dest), block=(4, 3, 1))
    np.testing.assert_array_equal(dest, a.T)


def test_rows_of_arrays_are_copied_by_index() -> None:
    descr = drv.ArrayDescriptor()
    descr.width, descr.format = 10, drv.array_format.UNSIGNED_INT8
    array, other = drv.Array(descr), drv.Array(descr)
    drv.memcpy_htoa(array, 0, np.arange(10, dtype=np.uint8))
    drv.memcpy_atoa(other, 2, array, 5, 4)
    part = np.zeros(4, np.uint8)
    drv.py_memcpy_atoh(part, other, 2)
    assert part.tolist() == [5, 6, 7, 8]
    memory = drv.mem_alloc(4)
    drv.memset_d8(memory, 0, 4)
    drv.memcpy_atod(memory, array, 1, 4)
    drv.memcpy_dtoa(other, 6, memory, 4)
    drv.memcpy_atoh(part, other, 6)
    assert part.tolist() == [1, 2, 3, 4]


def test_freed_arrays_and_unknown_formats_are_errors() -> None:
    array = drv.matrix_to_array(np.zeros((2, 2), np.float32), "C")
    array.free()
    with pytest.raises(drv.LogicError, match="freed before"):
        SourceModule(TRANSPOSE).get_texref("mtx_tex").set_array(array)
    with pytest.raises(TypeError, match="array format"):
        drv.matrix_to_array(np.zeros((2, 2)), "C")
    with pytest.raises(drv.LogicError, match="either F or C"):
        drv.matrix_to_array(np.zeros((2, 2), np.float32), "K")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "name", "channels"),
    [(np.complex64, "cfloat", 2), (np.complex128, "cdouble", 4)],
)
def test_complex_numbers_are_read_as_integers(
    rng: np.random.Generator, kind: Any, name: str, channels: int
) -> None:
    form = "UNSIGNED_INT32" if name == "cfloat" else "SIGNED_INT32"
    mod = SourceModule(f"""
        #include <pycuda-helpers.hpp>
        texture<fp_tex_{name}, 1, cudaReadModeElementType> numbers;
        __global__ void turn(pycuda::complex<{"float" if channels == 2 else "double"}> *out) {{
            out[threadIdx.x] = conj(fp_tex1Dfetch(numbers, threadIdx.x));
        }}""")
    numbers = (rng.normal(size=32) + 1j * rng.normal(size=32)).astype(kind)
    memory, texture = drv.to_device(numbers), mod.get_texref("numbers")
    texture.set_address(memory, numbers.nbytes)
    texture.set_format(drv.array_format[form], channels)
    texture.set_flags(drv.TRSF_READ_AS_INTEGER)
    out = np.zeros_like(numbers)
    mod.get_function("turn")(drv.Out(out), block=(32, 1, 1), texrefs=[texture])
    np.testing.assert_array_equal(out, numbers.conj())


@pytest.mark.parametrize(
    ("kind", "name"),
    [(np.float64, "double"), (np.complex64, "pycuda::complex<float>"),
     (np.complex128, "pycuda::complex<double>")],
)  # fmt: skip
def test_surfaces_hold_doubles_and_complex_numbers(
    rng: np.random.Generator, kind: Any, name: str
) -> None:
    mod = SourceModule(f"""
        #include <pycuda-helpers.hpp>
        typedef {name} number;
        surface<void, cudaSurfaceType3D> volume;
        __global__ void triple() {{
            int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
            number v;
            fp_surf3Dread(&v, volume, x, y, z, cudaBoundaryModeTrap);
            fp_surf3Dwrite(3 * v, volume, x, y, z, cudaBoundaryModeTrap);
        }}""")
    a = rng.normal(size=(2, 3, 4)).astype(kind)
    array = drv.np_to_array(a, "C", allowSurfaceBind=True)
    mod.get_surfref("volume").set_array(array)
    mod.get_function("triple")(block=(4, 3, 2))
    back, copy = np.zeros_like(a), drv.Memcpy3D()
    copy.set_src_array(array)
    copy.set_dst_host(back)
    copy.width_in_bytes = copy.dst_pitch = 4 * a.itemsize
    copy.height = copy.dst_height = 3
    copy.depth = 2
    copy()
    np.testing.assert_array_equal(back, 3 * a)
