"""Mip levels, sRGB and anisotropy: values against the definitions of docs/reference/textures.md."""

from __future__ import annotations

from typing import Any

import devices
import numpy as np
import pytest
from texture_model import sample

import warpwise as ww

EXECUTORS = ("auto", "reference")
N = 601  # fetches
DIMENSIONS = [(24,), (12, 24), (6, 12, 24)]


def tolerance(values: Any) -> float:
    """A GPU rounds weights of texels and of levels to 8 bits."""
    return 4e-6 if devices.IS_CPU else float(np.ptp(values.astype(np.float64))) / 64


def module(source: str, executor: str) -> ww.SourceModule:
    options = [] if executor == "auto" else [f"--warpwise-executor={executor}"]
    return ww.SourceModule(source, options=options)


def mipmaps(
    rng: np.random.Generator, shape: tuple[int, ...], dtype: str, channels: int = 1, **kw: Any
) -> tuple[ww.MipmappedArray, list[Any]]:
    """Random texels, level by level; each of shape (depth, height, width, channels)."""
    made = ww.MipmappedArray(shape, dtype, channels=channels, **kw)
    levels = []
    for i in range(made.levels):
        level = made.level(i)
        whole = (*level.shape, channels)
        if np.dtype(dtype).kind == "f":
            texels = rng.normal(size=whole).astype(dtype)
        else:
            texels = rng.integers(0, 256, whole, dtype)
        level.copy_from(texels)
        levels.append(texels.reshape((1,) * (4 - len(whole)) + whole))
    return made, levels


def run(texture: ww.Texture, executor: str, call: str, channels: int, *arrays: Any) -> Any:
    """What `call` gives for each element of `arrays`, which it names a, b, c, ..."""
    names = "abcdefghjk"[: len(arrays)]  # no i, the index
    kind = "float" if channels == 1 else f"float{channels}"
    parameters = "".join(f", const float *p_{n}" for n in names)
    values = "".join(f"float {n} = p_{n}[i]; " for n in names)
    kernel = module(
        f"""__global__ void k(cudaTextureObject_t t, {kind} *out, int n{parameters}) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) {{ {values} out[i] = {call.replace("T>", kind + ">")}; }}
        }}""",
        executor,
    )["k"]
    out = np.zeros((arrays[0].size, channels), np.float32)
    kernel.forall(len(out))(
        texture,
        ww.Out(out),
        len(out),
        *[ww.In(np.ascontiguousarray(a, np.float32)) for a in arrays],
    )
    return out


def at_level(
    levels: list[Any], level: Any, coordinates: list[Any], *, blends: bool, **how: Any
) -> Any:
    """The model: `level` for each fetch, brought into the range of levels already."""
    every = np.stack([sample(texels, coordinates, **how) for texels in levels])
    fetches = np.arange(coordinates[0].size)
    if not blends:
        nearest = np.floor(level + 0.5).astype(int)
        return every[nearest, fetches]
    fixed = np.floor(level * 256).astype(int)
    low, fraction = fixed >> 8, (fixed & 255)[:, None] / 256
    high = np.minimum(low + 1, len(levels) - 1)
    return every[low, fetches] * (1 - fraction) + every[high, fetches] * fraction


def places(rng: np.random.Generator, axes: int) -> list[Any]:
    """Normalized, away from the edges between texels of every level, where rounding decides."""
    cells = rng.integers(-32, 64, (axes, N)) + rng.uniform(0.2, 0.8, (axes, N))
    return [np.float32(one / 32) for one in cells]


def some_levels(rng: np.random.Generator, count: int) -> Any:
    """Integers, and fractions other than a half, below the first and beyond the last too."""
    level = rng.integers(-1, count + 1, N) + rng.uniform(-0.45, 0.45, N)
    level[::3] = np.round(level[::3])
    return np.float32(level)


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("blends", [False, True])
@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("shape", DIMENSIONS)
def test_a_level_of_detail_chooses_among_levels(
    rng: np.random.Generator, executor: str, blends: bool, linear: bool, shape: tuple[int, ...]
) -> None:
    array, levels = mipmaps(rng, shape, "float32")
    names = {False: "point", True: "linear"}
    texture = ww.Texture(
        array, filter=names[linear], mip_filter=names[blends], normalized=True, address="wrap"
    )
    at, level = places(rng, len(shape)), some_levels(rng, array.levels)
    call = f"tex{len(shape)}DLod<T>(t, {', '.join('abc'[: len(shape)])}, {'abcd'[len(shape)]})"
    got = run(texture, executor, call, 1, *at, level)
    expected = at_level(
        levels, np.clip(level, 0, array.levels - 1), at,
        blends=blends, modes=["wrap"] * 3, linear=linear, normalized=True,
    )  # fmt: skip
    assert np.allclose(got, expected, rtol=0, atol=tolerance(levels[0]))


@pytest.mark.parametrize("executor", EXECUTORS)
def test_bias_and_range_are_applied_to_levels(rng: np.random.Generator, executor: str) -> None:
    array, levels = mipmaps(rng, (16, 32), "float32", channels=4)
    texture = ww.Texture(
        array, mip_filter="linear", normalized=True, level_bias=0.5, min_level=1.25, max_level=3
    )
    at, level = places(rng, 2), some_levels(rng, array.levels)
    got = run(texture, executor, "tex2DLod<T>(t, a, b, c)", 4, *at, level)
    how = {"modes": ["clamp"] * 2, "linear": False, "normalized": True, "blends": True}
    expected = at_level(levels, np.clip(level + np.float32(0.5), 1.25, 3), at, **how)
    assert np.allclose(got, expected, rtol=0, atol=tolerance(levels[0]))
    # Functions without a level read level 0, brought into the range.
    got = run(texture, executor, "tex2D<T>(t, a, b)", 4, *at)
    expected = at_level(levels, np.full(N, 1.25), at, **how)
    assert np.allclose(got, expected, rtol=0, atol=tolerance(levels[0]))


@pytest.mark.parametrize("executor", EXECUTORS)
def test_functions_without_a_level_read_the_first(rng: np.random.Generator, executor: str) -> None:
    array, levels = mipmaps(rng, (12, 20), "float32")
    texture = ww.Texture(array, normalized=True)
    at = places(rng, 2)
    expected = sample(levels[0], at, ["clamp"] * 2, linear=False, normalized=True)
    assert np.array_equal(run(texture, executor, "tex2D<T>(t, a, b)", 1, *at), expected)


@pytest.mark.cpu_only("how a GPU measures derivatives is its own choice")
@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("shape", DIMENSIONS)
def test_derivatives_choose_a_level(
    rng: np.random.Generator, executor: str, shape: tuple[int, ...]
) -> None:
    """The longer of two derivatives, in texels, is 2 to the power of the level."""
    axes = len(shape)
    array, levels = mipmaps(rng, shape, "float32")
    texture = ww.Texture(array, mip_filter="linear", normalized=True)
    at = places(rng, axes)
    dx, dy = rng.normal(size=(2, axes, N)) * rng.choice([0.02, 0.1, 0.4], (2, 1, N))
    extents = np.array(shape[::-1])[:, None]
    rho = np.maximum(*(np.sqrt(((d * extents) ** 2).sum(axis=0)) for d in (dx, dy)))
    kind = {1: "", 2: "make_float2", 3: "make_float4"}[axes]
    end = ", 0.0f" if axes == 3 else ""
    names = "abcdefghj"
    first, second = (",".join(names[i * axes : (i + 1) * axes]) + end for i in (1, 2))
    call = f"tex{axes}DGrad<T>(t, {', '.join(names[:axes])}, {kind}({first}), {kind}({second}))"
    got = run(texture, executor, call, 1, *at, *dx, *dy)
    level = np.clip(np.log2(rho), 0, array.levels - 1)
    how = {"modes": ["clamp"] * 3, "linear": False, "normalized": True, "blends": True}
    # Rounding of the level to 256ths may go either way; a GPU's logarithm is an approximation.
    bound = float(np.ptp(levels[0])) / (128 if devices.IS_CPU else 16)
    assert np.allclose(got, at_level(levels, level, at, **how), rtol=0, atol=bound)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_layers_have_levels(rng: np.random.Generator, executor: str) -> None:
    array, levels = mipmaps(rng, (3, 8, 16), "float32", layered=True)
    assert [array.level(i).shape for i in range(3)] == [(3, 8, 16), (3, 4, 8), (3, 2, 4)]
    texture = ww.Texture(array, normalized=True)
    at = places(rng, 2)
    layer = rng.integers(0, 3, N)
    level = rng.integers(0, array.levels, N)
    got = run(texture, executor, "tex2DLayeredLod<T>(t, a, b, (int)c, d)", 1, *at, layer, level)
    zero = "make_float2(0, 0)"
    flat = run(
        texture, executor, f"tex2DLayeredGrad<T>(t, a, b, (int)c, {zero}, {zero})", 1, *at, layer
    )
    for i in range(3):
        mine = layer == i
        where = [one[mine] for one in at]
        slices = [one[i][None] for one in levels]
        how = {"modes": ["clamp"] * 2, "linear": False, "normalized": True, "blends": False}
        assert np.array_equal(got[mine], at_level(slices, level[mine], where, **how))
        assert np.array_equal(flat[mine], at_level(slices, 0 * level[mine], where, **how))


@pytest.mark.parametrize("executor", EXECUTORS)
def test_cubes_have_levels(rng: np.random.Generator, executor: str) -> None:
    """Face and level are what a texel says; looking along an axis stays on its face."""
    array = ww.MipmappedArray((6, 8, 8), "float32", cubemap=True)
    for i in range(array.levels):
        level = array.level(i)
        faces = np.arange(6, dtype=np.float32)[:, None, None] + np.float32(10 * i)
        level.copy_from(np.ascontiguousarray(np.broadcast_to(faces, level.shape)))
    texture = ww.Texture(array, mip_filter="point")
    directions = np.array(
        [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], np.float32
    )
    at = list(np.repeat(directions, array.levels, axis=0).T)
    level = np.tile(np.arange(array.levels), 6)
    expected = (np.repeat(np.arange(6), array.levels) + 10 * level)[:, None]
    got = run(texture, executor, "texCubemapLod<T>(t, a, b, c, d)", 1, *at, level)
    assert np.array_equal(got, expected)
    # Across a face of 8 texels, 2 wide at distance 1: 2 ** level texels are a quarter of that.
    step = 2.0**level / 4
    call = (
        "texCubemapGrad<T>(t, a, b, c, make_float4(d * (a == 0), d * (b == 0), d * (c == 0), 0), "
        "make_float4(0, 0, 0, 0))"
    )
    got = run(texture, executor, call, 1, *at, step / np.sqrt(2))
    assert np.array_equal(got, expected)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_bytes_of_srgb_are_linear_intensities(executor: str) -> None:
    texels = np.stack([np.arange(256, dtype=np.uint8)] * 4, axis=-1)
    array = ww.CudaArray((256,), np.uint8, channels=4)
    array.copy_from(texels)
    texture = ww.Texture(array, read="normalized_float", srgb=True)
    got = run(texture, executor, "tex1D<T>(t, a)", 4, np.arange(256) + 0.5)
    value = np.arange(256) / 255
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    # A GPU looks them up in a table of its own.
    bound = 1e-7 if devices.IS_CPU else 1 / 256
    assert np.allclose(got[:, :3], linear[:, None], rtol=0, atol=bound)
    assert np.allclose(got[:, 3], value, rtol=0, atol=1e-6)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_srgb_is_linear_before_it_is_filtered(executor: str) -> None:
    array = ww.MipmappedArray((1, 2), np.uint8)
    array.level(0).copy_from(np.array([[0, 255]], np.uint8))
    array.level(1).copy_from(np.array([[188]], np.uint8))
    texture = ww.Texture(
        array, read="normalized_float", srgb=True, filter="linear", normalized=True,
        mip_filter="linear",
    )  # fmt: skip
    got = run(texture, executor, "tex2DLod<T>(t, a, b, c)", 1, *np.full((2, 3), 0.5), [0, 1, 0.5])
    dark = ((188 / 255 + 0.055) / 1.055) ** 2.4
    bound = 1e-6 if devices.IS_CPU else 6e-3
    assert np.allclose(got[:, 0], [0.5, dark, (0.5 + dark) / 2], rtol=0, atol=bound)


@pytest.mark.cpu_only("how a GPU places its fetches is its own choice")
@pytest.mark.parametrize("executor", EXECUTORS)
def test_anisotropy_averages_along_the_longer_derivative(
    rng: np.random.Generator, executor: str
) -> None:
    array, levels = mipmaps(rng, (64, 64), "float32")
    texture = ww.Texture(
        array, filter="linear", mip_filter="linear", normalized=True, address="wrap",
        max_anisotropy=4,
    )  # fmt: skip
    at = places(rng, 2)
    # 8 texels along x, 2 along y: four fetches of level 1.
    call = "tex2DGrad<T>(t, a, b, make_float2(0.125f, 0), make_float2(0, 0.03125f))"
    got = run(texture, executor, call, 1, *at)
    expected = np.zeros((N, 1))
    for i in range(1, 5):
        x = at[0] + np.float32(0.125) * np.float32(i / 5 - 0.5)
        expected += sample(levels[1], [x, at[1]], ["wrap"] * 2, linear=True, normalized=True) / 4
    # A coordinate at the edge between two 256ths may be rounded to either.
    assert np.allclose(got, expected, rtol=0, atol=float(np.ptp(levels[1])) / 128)


def test_kernels_write_levels_as_surfaces() -> None:
    """Each level the mean of four texels of the one before."""
    image = np.arange(64, dtype=np.float32).reshape(8, 8)
    array = ww.MipmappedArray(image.shape, image.dtype)
    array.level(0).copy_from(image)
    halve = ww.SourceModule("""
        __global__ void halve(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
            int x = threadIdx.x, y = threadIdx.y;
            float sum = 0;
            for (int j = 0; j < 2; ++j)
                for (int i = 0; i < 2; ++i)
                    sum += surf2Dread<float>(from, (2 * x + i) * 4, 2 * y + j);
            surf2Dwrite(sum / 4, to, x * 4, y);
        }""")["halve"]
    for i in range(1, array.levels):
        height, width = array.level(i).shape
        halve(ww.Surface(array.level(i - 1)), ww.Surface(array.level(i)), block=(width, height))
    out = np.zeros((2, 2), np.float32)
    array.level(2).copy_to(out)
    assert np.array_equal(out, image.reshape(2, 4, 2, 4).mean(axis=(1, 3)))


def test_arrays_report_their_levels() -> None:
    array = ww.MipmappedArray((6, 20), np.uint8, levels=3, channels=4)
    assert (array.shape, array.levels, array.channels) == ((6, 20), 3, 4)
    assert array.nbytes == 4 * (6 * 20 + 3 * 10 + 1 * 5)
    assert "levels=3" in repr(array)
    texture = ww.Texture(
        array, read="normalized_float", normalized=True, srgb=True, mip_filter="linear",
        level_bias=0.5, min_level=1, max_level=2, max_anisotropy=4,
    )  # fmt: skip
    assert (texture.srgb, texture.mip_filter, texture.level_bias) == (True, "linear", 0.5)
    assert (texture.min_level, texture.max_level, texture.max_anisotropy) == (1, 2, 4)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "normalized coordinates"),
        ({"normalized": True, "mip_filter": "linear"}, "levels of a texture of uint8"),
        ({"normalized": True, "max_anisotropy": 0}, "maximum anisotropy of 1 to 16, not 0"),
        ({"normalized": True, "min_level": 3, "max_level": 2}, "levels from 3 to 2"),
        ({"normalized": True, "level_bias": float("nan")}, "bias of nan"),
        ({"normalized": True, "srgb": True}, "cannot be read as sRGB"),
    ],
)
def test_settings_that_contradict_are_refused(settings: dict[str, Any], words: str) -> None:
    array = ww.MipmappedArray((8, 8), np.uint8)
    with pytest.raises(ww.ArgumentError, match=words):
        ww.Texture(array, **settings)


def test_levels_that_are_not_there_are_refused() -> None:
    with pytest.raises(ww.ArgumentError, match="4 levels at most, not 5"):
        ww.MipmappedArray((8, 8), np.uint8, levels=5)
    with pytest.raises(ww.ArgumentError, match="at least one level"):
        ww.MipmappedArray((8, 8), np.uint8, levels=0)
    with pytest.raises(ww.ArgumentError, match="no level 4"):
        ww.MipmappedArray((8, 8), np.uint8).level(4)
