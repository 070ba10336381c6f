"""What is bound, and when: rows with a pitch, streams, surfaces that become textures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pycuda.driver as drv
from texture_programs.registry import program


@program("""
texture<float, 2, cudaReadModeElementType> rows;

__global__ void transpose(float *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[x * h + y] = tex2D(rows, x, y);
}
""")
def rows_with_a_pitch_are_a_texture(mod: Any, rng: np.random.Generator) -> None:
    height, width = 21, 50
    matrix = rng.normal(size=(height, width)).astype(np.float32)
    memory, pitch = drv.mem_alloc_pitch(4 * width, height, 4)
    copy = drv.Memcpy2D()
    copy.set_src_host(matrix)
    copy.set_dst_device(memory)
    copy.width_in_bytes = copy.src_pitch = 4 * width
    copy.dst_pitch, copy.height = pitch, height
    copy(aligned=True)
    descr = drv.ArrayDescriptor()
    descr.width, descr.height = width, height
    descr.format, descr.num_channels = drv.array_format.FLOAT, 1
    texref = mod.get_texref("rows")
    texref.set_address_2d(memory, descr, pitch)
    out = np.zeros((width, height), np.float32)
    mod.get_function("transpose")(
        drv.Out(out), np.int32(width), np.int32(height), block=(16, 8, 1), grid=(4, 3),
        texrefs=[texref],
    )  # fmt: skip
    np.testing.assert_array_equal(out, matrix.T)


@program("""
texture<float, 2> heat_in;
surface<void, 2> heat_out;

__global__ void spread(int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float c = tex2D(heat_in, x, y);
    float around = tex2D(heat_in, x - 1, y) + tex2D(heat_in, x + 1, y) +
                   tex2D(heat_in, x, y - 1) + tex2D(heat_in, x, y + 1);
    surf2Dwrite(c + 0.2f * (around - 4.0f * c), heat_out, x * sizeof(float), y);
}
""")
def heat_goes_from_a_texture_to_a_surface_and_back(mod: Any, rng: np.random.Generator) -> None:
    height, width = 32, 48
    heat = rng.random((height, width), np.float32)
    descr = drv.ArrayDescriptor3D()
    descr.width, descr.height = width, height
    descr.format, descr.num_channels = drv.array_format.FLOAT, 1
    descr.flags = drv.array3d_flags.SURFACE_LDST
    plates = [drv.Array(descr), drv.Array(descr)]
    copy = drv.Memcpy2D()
    copy.set_src_host(heat)
    copy.set_dst_array(plates[0])
    copy.width_in_bytes = copy.src_pitch = 4 * width
    copy.height = height
    copy(aligned=True)
    texref, surfref = mod.get_texref("heat_in"), mod.get_surfref("heat_out")
    spread = mod.get_function("spread")
    wanted = heat.astype(np.float64)
    for step in range(10):
        texref.set_array(plates[step % 2])
        surfref.set_array(plates[1 - step % 2])
        spread(np.int32(width), np.int32(height), block=(16, 16, 1), grid=(3, 2))
        p = np.pad(wanted, 1, "edge")
        around = p[1:-1, :-2] + p[1:-1, 2:] + p[:-2, 1:-1] + p[2:, 1:-1]
        wanted = wanted + 0.2 * (around - 4 * wanted)
    out = np.zeros_like(heat)
    back = drv.Memcpy2D()
    back.set_src_array(plates[0])
    back.set_dst_host(out)
    back.width_in_bytes = back.dst_pitch = 4 * width
    back.height = height
    back(aligned=True)
    np.testing.assert_allclose(out, wanted, atol=1e-5)


@program("""
texture<int> numbers;
__global__ void add_up(int *out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; ++i) sum += tex1Dfetch(numbers, i);
    *out = sum;
}
""")
def each_stream_reads_what_was_bound_for_it(mod: Any, rng: np.random.Generator) -> None:
    n, rounds = 300, 12
    numbers = rng.integers(-1000, 1000, (rounds, n), np.int32)
    inputs = [drv.to_device(row) for row in numbers]
    outputs = [drv.mem_alloc(4) for _ in inputs]
    streams = [drv.Stream() for _ in range(3)]
    texref, add_up = mod.get_texref("numbers"), mod.get_function("add_up")
    for i, (source, target) in enumerate(zip(inputs, outputs, strict=True)):
        texref.set_address(source, 4 * n)
        add_up(target, np.int32(n), block=(1, 1, 1), stream=streams[i % 3], texrefs=[texref])
    sums = np.zeros(rounds, np.int32)
    for i, (stream, target) in enumerate(zip(streams * (rounds // 3), outputs, strict=True)):
        stream.synchronize()
        drv.memcpy_dtoh(sums[i : i + 1], target)
    np.testing.assert_array_equal(sums, numbers.sum(axis=1))


@program("""
surface<void, cudaSurfaceType2D> screen;

__global__ void gradient(int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    uchar4 colour = make_uchar4(4 * x, 4 * y, x ^ y, 255);
    // What lies outside is not written.
    surf2Dwrite(colour, screen, x * 4 - 16, y, cudaBoundaryModeZero);
}
""")
def a_screen_is_painted(mod: Any, rng: np.random.Generator) -> None:
    screen = np.zeros((20, 28, 4), np.uint8)
    descr = drv.ArrayDescriptor3D()
    descr.width, descr.height = 28, 20
    descr.format, descr.num_channels = drv.array_format.UNSIGNED_INT8, 4
    descr.flags = drv.array3d_flags.SURFACE_LDST
    array = drv.Array(descr)
    copy = drv.Memcpy2D()
    copy.set_src_host(screen)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = 4 * 28
    copy.height = 20
    copy(aligned=True)
    mod.get_surfref("screen").set_array(array)
    mod.get_function("gradient")(np.int32(28), np.int32(20), block=(32, 8, 1), grid=(1, 3))
    copy = drv.Memcpy2D()
    copy.set_src_array(array)
    copy.set_dst_host(screen)
    copy.width_in_bytes = copy.dst_pitch = 28 * 4
    copy.height = 20
    copy(aligned=True)
    y, x = np.mgrid[:20, 4:32]
    wanted = np.stack([4 * x, 4 * y, x ^ y, 255 + 0 * x], axis=-1).astype(np.uint8)
    np.testing.assert_array_equal(screen, wanted)


@program("""
texture<float> left;
texture<float> right;

__global__ void dot(float *out, int n)
{
    __shared__ float parts[128];
    float sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += tex1Dfetch(left, i) * tex1Dfetch(right, i);
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = parts[0];
}
""")
def two_references_may_have_one_memory(mod: Any, rng: np.random.Generator) -> None:
    values = rng.normal(size=1000).astype(np.float32)
    memory = drv.to_device(values)
    for name in ("left", "right"):
        mod.get_texref(name).set_address(memory, values.nbytes)
    out = np.zeros(1, np.float32)
    mod.get_function("dot")(drv.Out(out), np.int32(1000), block=(128, 1, 1))
    np.testing.assert_allclose(out[0], np.sum(values.astype(np.float64) ** 2), rtol=1e-4)


@program(
    """
texture<float, 2> field;

template <int Radius>
__global__ void blur(float *out, int w)
{
    int x = threadIdx.x, y = blockIdx.x;
    float sum = 0;
    for (int i = -Radius; i <= Radius; ++i) sum += tex2D(field, x + i, y);
    out[y * w + x] = sum / (2 * Radius + 1);
}
template __global__ void blur<1>(float *, int);
template __global__ void blur<2>(float *, int);
""",
    no_extern_c=True,
)
def instances_of_a_template_share_a_reference(mod: Any, rng: np.random.Generator) -> None:
    field = rng.random((8, 30), np.float32)
    drv.matrix_to_texref(field, mod.get_texref("field"), order="C")
    for radius in (1, 2):
        out = np.zeros_like(field)
        mod.get_function(f"blur<{radius}>")(
            drv.Out(out), np.int32(30), block=(30, 1, 1), grid=(8, 1)
        )
        p = np.pad(field.astype(np.float64), ((0, 0), (radius, radius)), "edge")
        wanted = sum(p[:, i : i + 30] for i in range(2 * radius + 1)) / (2 * radius + 1)
        np.testing.assert_allclose(out, wanted, rtol=1e-5)
