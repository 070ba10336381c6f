"""Volumes: slices, projections, stacks of images."""

from __future__ import annotations

from typing import Any

import numpy as np
import pycuda.driver as drv
from texture_programs.registry import FILTER, program


@program("""
texture<float, 3, cudaReadModeElementType> volume;

__global__ void slice(float *out, int w, int h, float4 origin, float4 right, float4 down)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= w || j >= h) return;
    float x = origin.x + i * right.x + j * down.x;
    float y = origin.y + i * right.y + j * down.y;
    float z = origin.z + i * right.z + j * down.z;
    out[j * w + i] = tex3D(volume, x, y, z);
}
""")
def a_volume_is_cut_at_a_slant(mod: Any, rng: np.random.Generator) -> None:
    z, y, x = np.mgrid[:12, :16, :20] + 0.5
    volume = (0.3 * x - 0.2 * y + 0.5 * z + 1).astype(np.float32)
    texref = mod.get_texref("volume")
    texref.set_array(drv.np_to_array(volume, "C"))
    texref.set_filter_mode(drv.filter_mode.LINEAR)
    float4 = np.dtype([(c, "f4") for c in "xyzw"])
    origin, right, down = (
        np.array([v], float4)[0]
        for v in [(2.25, 3.5, 1.75, 0), (0.75, 0.25, 0.375, 0), (-0.0625, 0.5, 0.25, 0)]
    )
    out = np.zeros((13, 18), np.float32)
    mod.get_function("slice")(
        drv.Out(out), np.int32(18), np.int32(13), origin, right, down,
        block=(8, 8, 1), grid=(3, 2), texrefs=[texref],
    )  # fmt: skip
    j, i = np.mgrid[:13, :18]
    at = [origin[c] + i * right[c] + j * down[c] for c in "xyz"]
    wanted = 0.3 * at[0] - 0.2 * at[1] + 0.5 * at[2] + 1  # linear, so that filters keep it
    np.testing.assert_allclose(out, wanted, atol=FILTER)


@program("""
texture<unsigned short, 3, cudaReadModeElementType> scan;

__global__ void project(unsigned short *image, int depth)
{
    int x = threadIdx.x, y = blockIdx.x;
    unsigned short brightest = 0;
    for (int z = 0; z < depth; ++z) brightest = max(brightest, tex3D(scan, x, y, z));
    image[y * blockDim.x + x] = brightest;
}
""")
def the_brightest_voxel_of_each_ray_is_found(mod: Any, rng: np.random.Generator) -> None:
    scan = rng.integers(0, 65536, (9, 14, 32), np.uint16)
    texref = mod.get_texref("scan")
    texref.set_flags(drv.TRSF_READ_AS_INTEGER)
    texref.set_array(drv.np_to_array(scan, "C"))
    image = np.zeros((14, 32), np.uint16)
    mod.get_function("project")(drv.Out(image), np.int32(9), block=(32, 1, 1), grid=(14, 1))
    np.testing.assert_array_equal(image, scan.max(axis=0))


@program("""
texture<float, cudaTextureType2DLayered, cudaReadModeElementType> frames;

__global__ void mean_of_frames(float *out, int count)
{
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int f = 0; f < count; ++f) sum += tex2DLayered(frames, x + 0.5f, y + 0.5f, f);
    out[y * blockDim.x + x] = sum / count;
}
""")
def frames_of_a_film_are_layers(mod: Any, rng: np.random.Generator) -> None:
    frames = rng.random((7, 10, 24), np.float32)
    descr = drv.ArrayDescriptor3D()
    descr.width, descr.height, descr.depth = 24, 10, 7
    descr.format, descr.num_channels = drv.array_format.FLOAT, 1
    descr.flags = drv.array3d_flags.ARRAY3D_LAYERED
    array = drv.Array(descr)
    copy = drv.Memcpy3D()
    copy.set_src_host(frames)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = 24 * 4
    copy.height = copy.src_height = 10
    copy.depth = 7
    copy()
    mod.get_texref("frames").set_array(array)
    out = np.zeros((10, 24), np.float32)
    mod.get_function("mean_of_frames")(drv.Out(out), np.int32(7), block=(24, 10, 1))
    np.testing.assert_allclose(out, frames.mean(axis=0), rtol=1e-5)


@program("""
surface<void, cudaSurfaceType3D> cells;

__global__ void age(int w, int h, int d)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    if (x >= w || y >= h || z >= d) return;
    int value;
    surf3Dread(&value, cells, x * 4, y, z);
    surf3Dwrite(value + z, cells, x * 4, y, z);
}
""")
def a_volume_is_changed_in_place(mod: Any, rng: np.random.Generator) -> None:
    cells = rng.integers(0, 100, (5, 6, 7), np.int32)
    array = drv.np_to_array(cells, "C", allowSurfaceBind=True)
    mod.get_surfref("cells").set_array(array)
    mod.get_function("age")(np.int32(7), np.int32(6), np.int32(5), block=(8, 8, 1), grid=(5, 1))
    back = np.zeros_like(cells)
    copy = drv.Memcpy3D()
    copy.set_src_array(array)
    copy.set_dst_host(back)
    copy.width_in_bytes = copy.dst_pitch = 28
    copy.height = copy.dst_height = 6
    copy.depth = 5
    copy()
    np.testing.assert_array_equal(back, cells + np.arange(5)[:, None, None])


@program("""
#include <pycuda-helpers.hpp>
texture<fp_tex_double, 3, cudaReadModeElementType> before;
surface<void, cudaSurfaceType3D> after;

__global__ void relax(int n, double rate)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    double here = fp_tex3D(before, x, y, z);
    double around = fp_tex3D(before, x - 1, y, z) + fp_tex3D(before, x + 1, y, z) +
                    fp_tex3D(before, x, y - 1, z) + fp_tex3D(before, x, y + 1, z) +
                    fp_tex3D(before, x, y, z - 1) + fp_tex3D(before, x, y, z + 1);
    fp_surf3Dwrite(here + rate * (around - 6 * here), after, x, y, z, cudaBoundaryModeZero);
}
""")
def doubles_go_through_textures_and_surfaces(mod: Any, rng: np.random.Generator) -> None:
    n = 8
    before = rng.normal(size=(n, n, n))
    after = drv.np_to_array(np.zeros_like(before), "C", allowSurfaceBind=True)
    mod.get_texref("before").set_array(drv.np_to_array(before, "C"))
    mod.get_surfref("after").set_array(after)
    mod.get_function("relax")(np.int32(n), np.float64(0.125), block=(n, n, 1), grid=(n, 1))
    back = np.zeros_like(before)
    copy = drv.Memcpy3D()
    copy.set_src_array(after)
    copy.set_dst_host(back)
    copy.width_in_bytes = copy.dst_pitch = 8 * n
    copy.height = copy.dst_height = n
    copy.depth = n
    copy()
    p = np.pad(before, 1, "edge")
    around = p[1:-1, 1:-1, :-2] + p[1:-1, 1:-1, 2:] + p[1:-1, :-2, 1:-1] + p[1:-1, 2:, 1:-1]
    around += p[:-2, 1:-1, 1:-1] + p[2:, 1:-1, 1:-1]
    np.testing.assert_allclose(back, before + 0.125 * (around - 6 * before), rtol=1e-12, atol=1e-12)
