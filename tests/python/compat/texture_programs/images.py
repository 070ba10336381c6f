"""Images: rotated, smoothed, scaled, scrolled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pycuda.driver as drv
from texture_programs.registry import FILTER, bilinear, program


@program("""
texture<float, 2> photo;

__global__ void rotate(float *out, int w, int h, float angle)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float dx = x + 0.5f - w / 2.0f, dy = y + 0.5f - h / 2.0f;
    float u = dx * cosf(angle) - dy * sinf(angle) + w / 2.0f;
    float v = dx * sinf(angle) + dy * cosf(angle) + h / 2.0f;
    out[y * w + x] = tex2D(photo, u, v);
}
""")
def a_photo_is_rotated(mod: Any, rng: np.random.Generator) -> None:
    height, width, angle = 45, 70, 0.4
    photo = rng.random((height, width), np.float32)
    texref = mod.get_texref("photo")
    drv.matrix_to_texref(photo, texref, order="C")
    texref.set_filter_mode(drv.filter_mode.LINEAR)
    out = np.empty_like(photo)
    mod.get_function("rotate")(
        drv.Out(out), np.int32(width), np.int32(height), np.float32(angle),
        block=(16, 16, 1), grid=(5, 3), texrefs=[texref],
    )  # fmt: skip
    y, x = np.mgrid[:height, :width] + 0.5
    x, y = x - width / 2, y - height / 2
    u = x * np.cos(angle) - y * np.sin(angle) + width / 2
    v = x * np.sin(angle) + y * np.cos(angle) + height / 2
    np.testing.assert_allclose(out, bilinear(photo, u, v), atol=FILTER)


@program("""
#define R 3
texture<float, cudaTextureType2D, cudaReadModeElementType> noisy;
__constant__ float near[2 * R + 1];

__device__ float weight(float difference, float sigma)
{
    return expf(-difference * difference / (2 * sigma * sigma));
}

__global__ void bilateral(float *smooth, int w, int h, float sigma)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const float centre = tex2D(noisy, x, y);
    float sum = 0, total = 0;
    for (int j = -R; j <= R; ++j)
        for (int i = -R; i <= R; ++i) {
            float value = tex2D(noisy, x + i, y + j);
            float factor = near[i + R] * near[j + R] * weight(value - centre, sigma);
            sum += factor * value;
            total += factor;
        }
    smooth[y * w + x] = sum / total;
}
""")
def noise_is_smoothed_between_edges(mod: Any, rng: np.random.Generator) -> None:
    height, width, radius, sigma = 30, 41, 3, 0.3
    noisy = (np.arange(width) > 20) + rng.normal(0, 0.1, (height, width))
    noisy = noisy.astype(np.float32)
    near = np.exp(-(np.arange(-radius, radius + 1) ** 2) / 4.0).astype(np.float32)
    drv.memcpy_htod(mod.get_global("near")[0], near)
    texref = mod.get_texref("noisy")
    drv.matrix_to_texref(noisy, texref, "C")
    smooth = np.zeros_like(noisy)
    bilateral = mod.get_function("bilateral")
    bilateral(
        drv.Out(smooth), np.int32(width), np.int32(height), np.float32(sigma),
        block=(8, 8, 1), grid=(6, 4), texrefs=[texref],
    )  # fmt: skip
    padded = np.pad(noisy.astype(np.float64), radius, "edge")
    total = np.zeros(noisy.shape)
    norm = np.zeros(noisy.shape)
    for j in range(2 * radius + 1):
        for i in range(2 * radius + 1):
            part = padded[j : j + height, i : i + width]
            factor = near[i] * near[j] * np.exp(-((part - noisy) ** 2) / (2 * sigma**2))
            total += factor * part
            norm += factor
    np.testing.assert_allclose(smooth, total / norm, rtol=1e-4, atol=1e-5)


@program("""
texture<unsigned char, 2, cudaReadModeElementType> grey;

__global__ void sobel(short *gradient, int pitch)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= pitch) return;
    int ul = tex2D(grey, x - 1, y - 1), um = tex2D(grey, x, y - 1), ur = tex2D(grey, x + 1, y - 1);
    int ml = tex2D(grey, x - 1, y), mr = tex2D(grey, x + 1, y);
    int ll = tex2D(grey, x - 1, y + 1), lm = tex2D(grey, x, y + 1), lr = tex2D(grey, x + 1, y + 1);
    int across = ur + 2 * mr + lr - ul - 2 * ml - ll;
    int down = ul + 2 * um + ur - ll - 2 * lm - lr;
    gradient[y * pitch + x] = abs(across) + abs(down);
}
""")
def edges_are_found_in_bytes(mod: Any, rng: np.random.Generator) -> None:
    grey = rng.integers(0, 256, (23, 90), np.uint8)
    texref = mod.get_texref("grey")
    texref.set_flags(drv.TRSF_READ_AS_INTEGER)
    texref.set_array(drv.matrix_to_array(grey, "C"))
    gradient = np.zeros(grey.shape, np.int16)
    mod.get_function("sobel")(drv.Out(gradient), np.int32(90), block=(32, 1, 1), grid=(3, 23))
    p = np.pad(grey.astype(int), 1, "edge")
    across = p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:] - p[:-2, :-2] - 2 * p[1:-1, :-2] - p[2:, :-2]
    down = p[:-2, :-2] + 2 * p[:-2, 1:-1] + p[:-2, 2:] - p[2:, :-2] - 2 * p[2:, 1:-1] - p[2:, 2:]
    np.testing.assert_array_equal(gradient, np.abs(across) + np.abs(down))


@program("""
texture<uchar4, 2, cudaReadModeNormalizedFloat> colours;

__global__ void luminance(float *out)
{
    float4 c = tex2D(colours, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
    out[blockIdx.x * blockDim.x + threadIdx.x] = (0.299f * c.x + 0.587f * c.y + 0.114f * c.z) * c.w;
}
""")
def colours_come_as_ratios(mod: Any, rng: np.random.Generator) -> None:
    colours = rng.integers(0, 256, (20, 33, 4), np.uint8)
    texref = mod.get_texref("colours")
    drv.bind_array_to_texref(drv.make_multichannel_2d_array(colours, order="C"), texref)
    out = np.zeros((20, 33), np.float32)
    mod.get_function("luminance")(drv.Out(out), block=(33, 1, 1), grid=(20, 1))
    c = colours / 255.0
    wanted = (c[..., :3] @ [0.299, 0.587, 0.114]) * c[..., 3]
    np.testing.assert_allclose(out, wanted, rtol=1e-5)


@program("""
texture<float, 2> fine;

__global__ void halve(float *coarse, int w)
{
    int x = threadIdx.x, y = blockIdx.x;
    // Where four pixels meet, each counts a quarter.
    coarse[y * w + x] = tex2D(fine, 2 * x + 1.0f, 2 * y + 1.0f);
}
""")
def an_image_is_halved_by_one_fetch_a_pixel(mod: Any, rng: np.random.Generator) -> None:
    fine = rng.normal(size=(24, 40)).astype(np.float32)
    texref = mod.get_texref("fine")
    drv.matrix_to_texref(fine, texref, order="C")
    texref.set_filter_mode(drv.filter_mode.LINEAR)
    coarse = np.zeros((12, 20), np.float32)
    halve = mod.get_function("halve")
    halve(drv.Out(coarse), np.int32(20), block=(20, 1, 1), grid=(12, 1), texrefs=[texref])
    wanted = fine.reshape(12, 2, 20, 2).mean(axis=(1, 3))
    np.testing.assert_allclose(coarse, wanted, rtol=1e-5, atol=1e-5)


TILES = """
texture<int, 2, cudaReadModeElementType> tile(1, cudaFilterModePoint, cudaAddressModeWrap);

__global__ void pave(int *floor_, int width, float sx, float sy)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    floor_[y * width + x] = tex2D(tile, (x + 0.5f) * sx - 1, (y + 0.5f) * sy - 1);
}
"""


@program(TILES)
def a_tile_repeats_as_declared(mod: Any, rng: np.random.Generator) -> None:
    tile = rng.integers(-1000, 1000, (8, 16), np.int32)
    mod.get_texref("tile").set_array(drv.matrix_to_array(tile, "C"))
    paved = np.zeros((24, 48), np.int32)
    pave = mod.get_function("pave")
    pave(drv.Out(paved), np.int32(48), np.float32(1 / 16), np.float32(1 / 8),
         block=(16, 8, 1), grid=(3, 3))  # fmt: skip
    np.testing.assert_array_equal(paved, np.tile(tile, (3, 3)))


@program(TILES)
def a_tile_is_mirrored_when_the_host_says_so(mod: Any, rng: np.random.Generator) -> None:
    tile = rng.integers(-1000, 1000, (8, 16), np.int32)
    texref = mod.get_texref("tile")
    texref.set_array(drv.matrix_to_array(tile, "C"))
    for axis in (0, 1):
        texref.set_address_mode(axis, drv.address_mode.MIRROR)
    paved = np.zeros((24, 48), np.int32)
    pave = mod.get_function("pave")
    pave(drv.Out(paved), np.int32(48), np.float32(1 / 16), np.float32(1 / 8),
         block=(16, 8, 1), grid=(3, 3))  # fmt: skip
    row = np.hstack([tile[:, ::-1], tile, tile[:, ::-1]])
    np.testing.assert_array_equal(paved, np.vstack([row[::-1], row, row[::-1]]))
