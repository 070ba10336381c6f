"""Surface objects and references: bytes of arrays, read and written by coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from test_textures import EXECUTORS, check_executor, module, texels

import warpwise as ww

COPY = """
__global__ void k(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    T value;
    surf2Dread(&value, from, x * (int)sizeof(T), y);
    surf2Dwrite(value, to, (width - 1 - x) * (int)sizeof(T), y);
}
"""


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize(
    ("name", "dtype", "channels"),
    [
        ("unsigned char", "uint8", 1),
        ("uchar4", "uint8", 4),
        ("short2", "int16", 2),
        ("float", "float32", 1),
        ("float2", "float32", 2),
        ("float4", "float32", 4),
    ],
)
def test_elements_of_every_size_are_moved(
    rng: np.random.Generator, name: str, dtype: str, channels: int, executor: str
) -> None:
    values = texels(rng, (9, 21, channels), dtype)
    source, target = (ww.CudaArray((9, 21), dtype, channels) for _ in range(2))
    source.copy_from(values)
    kernel = module(COPY.replace("T", name), executor)["k"]
    check_executor(kernel, executor)
    kernel(ww.Surface(source), ww.Surface(target), 21, 9, grid=(2, 2), block=(16, 8))
    got = np.zeros_like(values)
    target.copy_to(got)
    np.testing.assert_array_equal(got, values[:, ::-1])


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("shape", [(17,), (5, 17), (4, 5, 17)])
@pytest.mark.parametrize("layered", [False, True])
def test_every_shape_is_written(shape: tuple[int, ...], layered: bool, executor: str) -> None:
    if layered and len(shape) == 1:
        pytest.skip("layers need a second axis")
    axes = len(shape) - layered
    names = ["x", "y", "z"][:axes] + ["layer"] * layered
    index = ["4 * x", *names[1:]]
    kernel = module(
        f"""__global__ void k(cudaSurfaceObject_t s, int w, int h, int n) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            int x = i % w, y = i / w % h, z = i / w / h;
            int layer = {"y" if axes == 1 else "z"};
            surf{axes}D{"Layered" if layered else ""}write(i + 1, s, {", ".join(index)});
        }}""",
        executor,
    )["k"]
    array = ww.CudaArray(shape, "int32", layered=layered)
    height = shape[-2] if len(shape) > 1 else 1
    kernel.forall(int(np.prod(shape)))(ww.Surface(array), shape[-1], height, int(np.prod(shape)))
    got = np.zeros(shape, np.int32)
    array.copy_to(got)
    np.testing.assert_array_equal(got.ravel(), 1 + np.arange(got.size))


@pytest.mark.parametrize("executor", EXECUTORS)
def test_boundary_modes(executor: str) -> None:
    array = ww.CudaArray((4, 8), "uint32")
    array.copy_from(np.arange(1, 33, dtype=np.uint32))
    kernel = module(
        """__global__ void k(cudaSurfaceObject_t s, unsigned *zero, unsigned *clamp) {
            int i = threadIdx.x, x = 4 * i - 16;
            zero[i] = surf2Dread<unsigned>(s, x, 1, cudaBoundaryModeZero);
            clamp[i] = surf2Dread<unsigned>(s, x, i - 4, cudaBoundaryModeClamp);
            surf2Dwrite(100u + i, s, x, 2, cudaBoundaryModeZero);
        }""",
        executor,
    )["k"]
    zero, clamp = np.zeros((2, 16), np.uint32)
    kernel(ww.Surface(array), ww.Out(zero), ww.Out(clamp), block=16)
    table = np.arange(1, 33).reshape(4, 8)
    x = np.arange(16) - 4
    np.testing.assert_array_equal(zero, np.where((x >= 0) & (x < 8), table[1, x.clip(0, 7)], 0))
    np.testing.assert_array_equal(clamp, table[x.clip(0, 3), x.clip(0, 7)])
    got = np.zeros((4, 8), np.uint32)
    array.copy_to(got)
    np.testing.assert_array_equal(got[2], 104 + np.arange(8))


@pytest.mark.cpu_only("it survives what kernels do wrong")
@pytest.mark.parametrize("executor", EXECUTORS)
def test_an_access_outside_stops_the_kernel(executor: str) -> None:
    source = "__global__ void k(cudaSurfaceObject_t s, int x) { surf1Dwrite(1, s, x); }"
    kernel = module(source, executor)["k"]
    surface = ww.Surface(ww.CudaArray((8,), "int32"))
    for x in (-4, 32):
        with pytest.raises(ww.LaunchError, match=f"outside the surface: byte {x} of row 0"):
            kernel(surface, x, block=1)
            ww.Device().synchronize()
    with pytest.raises(ww.LaunchError, match="misaligned surface access: byte 6"):
        kernel(surface, 6, block=1)
        ww.Device().synchronize()


def test_a_texture_is_no_surface() -> None:
    array = ww.CudaArray((8,), "int32")
    kernel = ww.SourceModule("__global__ void k(cudaSurfaceObject_t s) {}")["k"]
    with pytest.raises(ww.ArgumentError, match=r"got a texture; .*cudaTextureObject_t"):
        kernel(ww.Texture(array), block=1)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_surface_reference_is_bound_by_name(executor: str) -> None:
    mod = module(
        """surface<void, cudaSurfaceType2D> target;
        __global__ void k() {
            int x = threadIdx.x, y = threadIdx.y;
            surf2Dwrite(10 * y + x, target, 4 * x, y);
            int back;
            surf2Dread(&back, target, 4 * x, y);
            surf2Dwrite<int>(back + 1, target, 4 * x, y, cudaBoundaryModeTrap);
        }""",
        executor,
    )
    array = ww.CudaArray((3, 5), "int32")
    mod.get_surfref("target").set_array(array)
    mod["k"](block=(5, 3))
    got = np.zeros((3, 5), np.int32)
    array.copy_to(got)
    np.testing.assert_array_equal(got, 10 * np.arange(3)[:, None] + np.arange(5) + 1)
