"""Tables: looked up by index, interpolated, several in a module."""

from __future__ import annotations

from typing import Any

import numpy as np
import pycuda.driver as drv
from texture_programs.registry import FILTER, program


def row_array(values: Any) -> drv.Array:
    """A one-dimensional array with these values."""
    descr = drv.ArrayDescriptor()
    descr.width, descr.height = values.size, 0
    descr.format, descr.num_channels = drv.dtype_to_array_format(values.dtype), 1
    array = drv.Array(descr)
    drv.memcpy_htoa(array, 0, values)
    return array


@program("""
texture<float> gamma_table;
__global__ void correct(const unsigned char *in, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = tex1Dfetch(gamma_table, in[i]);
}
""")
def bytes_are_corrected_by_a_table(mod: Any, rng: np.random.Generator) -> None:
    table = ((np.arange(256) / 255.0) ** 2.2).astype(np.float32)
    pixels = rng.integers(0, 256, 5000, np.uint8)
    device_table = drv.to_device(table)
    texref = mod.get_texref("gamma_table")
    texref.set_address(device_table, table.nbytes)
    texref.set_format(drv.array_format.FLOAT, 1)
    out = np.zeros(pixels.size, np.float32)
    correct = mod.get_function("correct")
    correct(drv.In(pixels), drv.Out(out), np.int32(pixels.size), block=(128, 1, 1), grid=(4, 1))
    np.testing.assert_array_equal(out, table[pixels])


@program("""
texture<float, 1, cudaReadModeElementType> samples;
__global__ void resample(const float *at, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex1D(samples, at[i]);
}
""")
def a_function_is_interpolated_between_samples(mod: Any, rng: np.random.Generator) -> None:
    grid = np.linspace(0, 2 * np.pi, 64)
    samples = np.sin(grid).astype(np.float32)
    texref = mod.get_texref("samples")
    texref.set_array(row_array(samples))
    texref.set_filter_mode(drv.filter_mode.LINEAR)
    texref.set_flags(drv.TRSF_NORMALIZED_COORDINATES)
    t = rng.random(512).astype(np.float32)
    # From the centre of the first sample to that of the last.
    at = ((t * 63 + 0.5) / 64).astype(np.float32)
    out = np.zeros_like(at)
    mod.get_function("resample")(drv.In(at), drv.Out(out), block=(128, 1, 1), grid=(4, 1))
    wanted = np.interp(t * 2 * np.pi, grid, samples)
    np.testing.assert_allclose(out, wanted, atol=FILTER * 0.2)


@program("""
#include <pycuda-helpers.hpp>
texture<fp_tex_double, 1, cudaReadModeElementType> x_vector;

__global__ void spmv(const int *starts, const int *columns, const double *values, double *y, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    double sum = 0;
    for (int k = starts[row]; k < starts[row + 1]; ++k)
        sum += values[k] * fp_tex1Dfetch(x_vector, columns[k]);
    y[row] = sum;
}
""")
def a_sparse_matrix_meets_doubles(mod: Any, rng: np.random.Generator) -> None:
    dense = rng.normal(size=(70, 70)) * (rng.random((70, 70)) < 0.1)
    x = rng.normal(size=70)
    rows, columns = np.nonzero(dense)
    starts = np.searchsorted(rows, np.arange(71)).astype(np.int32)
    device_x = drv.to_device(x)
    texref = mod.get_texref("x_vector")
    texref.set_address(device_x, x.nbytes)
    texref.set_format(drv.array_format.SIGNED_INT32, 2)
    texref.set_flags(drv.TRSF_READ_AS_INTEGER)
    y = np.zeros(70)
    mod.get_function("spmv")(
        drv.In(starts), drv.In(columns.astype(np.int32)), drv.In(dense[rows, columns]), drv.Out(y),
        np.int32(70), block=(32, 1, 1), grid=(3, 1), texrefs=[texref],
    )  # fmt: skip
    np.testing.assert_allclose(y, dense @ x, rtol=1e-12, atol=1e-12)


@program("""
texture<unsigned char, 2> indices;
texture<float4, 1> palette;

__global__ void colour(float4 *out)
{
    unsigned char index = tex2D(indices, threadIdx.x, threadIdx.y);
    out[threadIdx.y * blockDim.x + threadIdx.x] = tex1Dfetch(palette, index);
}
""")
def a_palette_gives_colours_to_indices(mod: Any, rng: np.random.Generator) -> None:
    indices = rng.integers(0, 16, (11, 19), np.uint8)
    palette = rng.random((16, 4), np.float32)
    images, colours = mod.get_texref("indices"), mod.get_texref("palette")
    drv.matrix_to_texref(indices, images, order="C")
    images.set_flags(drv.TRSF_READ_AS_INTEGER)
    memory = drv.to_device(palette)
    colours.set_address(memory, palette.nbytes)
    colours.set_format(drv.array_format.FLOAT, 4)
    out = np.zeros((11, 19, 4), np.float32)
    mod.get_function("colour")(drv.Out(out), block=(19, 11, 1), texrefs=[images, colours])
    np.testing.assert_array_equal(out, palette[indices])


@program("""
texture<float, 2, cudaReadModeElementType> halves;
__global__ void widen(float *out, int width)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[y * width + x] = 2 * tex2D(halves, x + .5f, y + .5f);
}
""")
def halves_are_read_as_floats(mod: Any, rng: np.random.Generator) -> None:
    halves = rng.normal(size=(6, 30)).astype(np.float16)
    mod.get_texref("halves").set_array(drv.matrix_to_array(halves, "C"))
    out = np.zeros(halves.shape, np.float32)
    mod.get_function("widen")(drv.Out(out), np.int32(30), block=(30, 6, 1))
    np.testing.assert_array_equal(out, 2 * halves.astype(np.float32))


@program("""
texture<char4, 1, cudaReadModeNormalizedFloat> normals;
__global__ void shade(float *out, float3 light)
{
    float4 n = tex1Dfetch(normals, threadIdx.x);
    out[threadIdx.x] = fmaxf(0.0f, n.x * light.x + n.y * light.y + n.z * light.z);
}
""")
def packed_normals_are_shaded(mod: Any, rng: np.random.Generator) -> None:
    normals = rng.integers(-127, 128, (100, 4), np.int8)
    light = np.array([0.5, -0.25, 0.75], np.float32)
    memory = drv.to_device(normals)
    texref = mod.get_texref("normals")
    texref.set_address(memory, normals.nbytes)
    texref.set_format(drv.array_format.SIGNED_INT8, 4)
    out = np.zeros(100, np.float32)
    float3 = np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4")])
    mod.get_function("shade")(drv.Out(out), light.view(float3)[0], block=(100, 1, 1))
    wanted = np.maximum(0, normals[:, :3] / 127.0 @ light)
    np.testing.assert_allclose(out, wanted, rtol=1e-5, atol=1e-6)


@program("""
texture<float2> twiddles;

__global__ void transform(const float2 *in, float2 *out, int n)
{
    int k = threadIdx.x;
    float2 sum = make_float2(0.0f, 0.0f);
    for (int j = 0; j < n; ++j) {
        float2 w = tex1Dfetch(twiddles, j * k % n);
        sum.x += in[j].x * w.x - in[j].y * w.y;
        sum.y += in[j].x * w.y + in[j].y * w.x;
    }
    out[k] = sum;
}
""")
def roots_of_unity_come_from_a_table(mod: Any, rng: np.random.Generator) -> None:
    n = 60
    signal = (rng.normal(size=n) + 1j * rng.normal(size=n)).astype(np.complex64)
    twiddles = np.exp(-2j * np.pi * np.arange(n) / n).astype(np.complex64)
    memory = drv.to_device(twiddles)
    texref = mod.get_texref("twiddles")
    texref.set_format(drv.array_format.FLOAT, 2)
    texref.set_address(memory, twiddles.nbytes)
    out = np.zeros(n, np.complex64)
    transform = mod.get_function("transform")
    transform(drv.In(signal), drv.Out(out), np.int32(n), block=(n, 1, 1), texrefs=[texref])
    np.testing.assert_allclose(out, np.fft.fft(signal), rtol=1e-3, atol=1e-4)
