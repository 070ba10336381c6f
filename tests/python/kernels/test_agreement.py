"""The same programs on the CPU device and on a GPU: what they give is compared.

`./dev gpu-test` runs this with WARPWISE_DEVICE=cuda:0; where the device under test is the CPU the
programs run there twice, under two executors, which must agree to the bit.

Bounds are those of docs/reference/textures.md and docs/reference/math_accuracy.md: a linear filter
rounds the weights of texels to 8 bits, so that a result moves by up to 1/512 of the contrast for
each rounded product; a GPU cuts normalized coordinates off at 21 bits, so that points are kept away
from the edges between texels.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import devices
import numpy as np
import pytest

import warpwise as ww

N = 4096
Build = Callable[..., ww.SourceModule]
Program = Callable[[Build], Any]


def compare(program: Program) -> tuple[Any, Any]:
    """What `program` gives on the CPU device, and on the device under test."""

    def build(executor: str | None) -> Build:
        options = [] if executor is None else [f"--warpwise-executor={executor}"]
        return lambda source, **more: ww.SourceModule(source, options=options, **more)

    with ww.Device("cpu"):
        here = program(build(None))
        there = program(build("reference")) if devices.IS_CPU else None
    if there is None:
        there = program(build(None))
    return here, there


def close(pair: tuple[Any, Any], bound: float) -> None:
    bound = 0.0 if devices.IS_CPU else bound
    difference = np.abs(pair[0].astype(np.float64) - pair[1].astype(np.float64))
    assert difference.max() <= bound, f"{difference.max()} apart, {bound} allowed"


def same(pair: tuple[Any, Any]) -> None:
    assert pair[0].tobytes() == pair[1].tobytes()


def away_from_edges(rng: np.random.Generator, axes: int, cells: int) -> Any:
    """Normalized coordinates in the middle half of every cell."""
    whole = rng.integers(-cells, 2 * cells, (axes, N)) + rng.uniform(0.25, 0.75, (axes, N))
    return np.float32(whole / cells)


def fetch(build: Build, texture: ww.Texture, call: str, kind: str, *arrays: Any) -> Any:
    """`call` for each element of `arrays`, named a, b, c, ..."""
    names = "abcdefghjk"[: len(arrays)]  # no i, the index
    parameters = "".join(f", const float *p_{n}" for n in names)
    values = " ".join(f"float {n} = p_{n}[i];" for n in names)
    module = build(
        f"""__global__ void k(cudaTextureObject_t t, {kind} *out, int n{parameters}) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) {{ {values} out[i] = {call}; }}
        }}"""
    )
    channels = int(kind[-1]) if kind[-1].isdigit() else 1
    dtype = np.float32 if kind.startswith("float") else np.uint32
    out = np.zeros((N, channels), dtype)
    module["k"].forall(N)(
        texture, ww.Out(out), N, *[ww.In(np.ascontiguousarray(a, np.float32)) for a in arrays]
    )
    return out


def image(texels: Any, **kw: Any) -> ww.CudaArray:
    channels = texels.shape[-1]
    array = ww.CudaArray(texels.shape[:-1], texels.dtype, channels=channels, **kw)
    array.copy_from(texels)
    return array


SHAPES = [(32,), (16, 32), (8, 16, 32)]


@pytest.mark.parametrize("address", ["clamp", "wrap", "mirror", "border"])
@pytest.mark.parametrize("shape", SHAPES)
def test_point_fetches_are_equal(
    rng: np.random.Generator, shape: tuple[int, ...], address: str
) -> None:
    texels = rng.normal(size=(*shape, 4)).astype(np.float32)
    at = away_from_edges(rng, len(shape), 32)
    call = f"tex{len(shape)}D<float4>(t, {', '.join('abc'[: len(shape)])})"
    same(compare(lambda build: fetch(
        build, ww.Texture(image(texels), address=address, normalized=True, border=(1, 2, 3, 4)),
        call, "float4", *at,
    )))  # fmt: skip


@pytest.mark.parametrize("address", ["clamp", "wrap", "mirror", "border"])
@pytest.mark.parametrize("shape", SHAPES)
def test_linear_fetches_agree(
    rng: np.random.Generator, shape: tuple[int, ...], address: str
) -> None:
    texels = rng.uniform(0, 1, (*shape, 1)).astype(np.float32)
    at = away_from_edges(rng, len(shape), 64)
    call = f"tex{len(shape)}D<float>(t, {', '.join('abc'[: len(shape)])})"
    # 2, 4 or 8 products, and a fraction that may fall to the next 256th.
    bound = (2 ** len(shape) / 512 + len(shape) / 256) * 1.01
    close(compare(lambda build: fetch(
        build, ww.Texture(image(texels), address=address, filter="linear", normalized=True),
        call, "float", *at,
    )), bound)  # fmt: skip


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16"])
def test_ratios_are_equal(rng: np.random.Generator, dtype: str) -> None:
    info = np.iinfo(dtype)
    texels = rng.integers(info.min, info.max, (16, 32, 4), dtype, endpoint=True)
    x, y = (rng.integers(0, n, N) + 0.5 for n in (32, 16))
    same(compare(lambda build: fetch(
        build, ww.Texture(image(texels), read="normalized_float"),
        "tex2D<float4>(t, a, b)", "float4", x, y,
    )))  # fmt: skip


def test_srgb_agrees() -> None:
    texels = np.resize(np.arange(256, dtype=np.uint8), (N, 4))
    # The table of an H200: 8 bits of the value.
    close(compare(lambda build: fetch(
        build, ww.Texture(image(texels), read="normalized_float", srgb=True),
        "tex1D<float4>(t, a)", "float4", np.arange(N) + 0.5,
    )), 1 / 256)  # fmt: skip


def test_layers_and_cubes_are_equal(rng: np.random.Generator) -> None:
    texels = rng.normal(size=(6, 8, 8, 1)).astype(np.float32)
    x, y = away_from_edges(rng, 2, 8)
    layer = rng.integers(-2, 8, N)
    same(compare(lambda build: fetch(
        build, ww.Texture(image(texels, layered=True), normalized=True),
        "tex2DLayered<float>(t, a, b, (int)c)", "float", x, y, layer,
    )))  # fmt: skip
    # Directions to the middles of texels, on every face.
    face = (rng.integers(0, 8, (2, N)) + 0.5) / 4 - 1
    direction = np.stack([face[0], face[1], rng.choice([-1.0, 1.0], N)])
    turned = np.take_along_axis(direction, np.argsort(rng.random((3, N)), axis=0), axis=0)
    same(compare(lambda build: fetch(
        build, ww.Texture(image(texels, cubemap=True)),
        "texCubemap<float>(t, a, b, c)", "float", *turned,
    )))  # fmt: skip


def test_gathers_are_equal(rng: np.random.Generator) -> None:
    texels = rng.integers(0, 2**32, (16, 32, 4), np.uint32)
    x, y = (rng.integers(0, n, N) + rng.uniform(0.1, 0.4, N) for n in (32, 16))
    same(compare(lambda build: fetch(
        build, ww.Texture(image(texels)), "tex2Dgather<uint4>(t, a, b, 2)", "uint4", x, y,
    )))  # fmt: skip


def mipmapped(rng: np.random.Generator, shape: tuple[int, ...]) -> tuple[Any, Callable[[], Any]]:
    """The texels of level 0, and a function that creates the array on the current device."""
    probe = ww.MipmappedArray(shape, np.float32)
    texels = [rng.uniform(0, 1, probe.level(i).shape).astype(np.float32)
              for i in range(probe.levels)]  # fmt: skip

    def make() -> ww.MipmappedArray:
        array = ww.MipmappedArray(shape, np.float32)
        for i, level in enumerate(texels):
            array.level(i).copy_from(level)
        return array

    return probe.levels, make


@pytest.mark.parametrize("mip_filter", ["point", "linear"])
@pytest.mark.parametrize("shape", SHAPES)
def test_levels_of_detail_agree(
    rng: np.random.Generator, shape: tuple[int, ...], mip_filter: str
) -> None:
    levels, make = mipmapped(rng, shape)
    at = away_from_edges(rng, len(shape), 32)
    level = rng.integers(-1, levels + 1, N) + rng.uniform(-0.45, 0.45, N)
    call = f"tex{len(shape)}DLod<float>(t, {', '.join('abcd'[: len(shape) + 1])})"
    # The fraction between levels has 8 bits, and its product is rounded.
    bound = 0.0 if mip_filter == "point" else 3 / 256
    close(compare(lambda build: fetch(
        build, ww.Texture(make(), mip_filter=mip_filter, normalized=True),
        call, "float", *at, level,
    )), bound)  # fmt: skip


@pytest.mark.parametrize("bias", [0.0, 0.75])
def test_bias_and_range_of_levels_agree(rng: np.random.Generator, bias: float) -> None:
    levels, make = mipmapped(rng, (16, 32))
    at = away_from_edges(rng, 2, 32)
    level = rng.uniform(-1, levels, N)
    for call in ("tex2DLod<float>(t, a, b, c)", "tex2D<float>(t, a, b) + 0 * c"):
        close(compare(lambda build, call=call: fetch(
            build,
            ww.Texture(make(), mip_filter="linear", normalized=True, level_bias=bias,
                       min_level=0.5, max_level=2.25),
            call, "float", *at, level,
        )), 3 / 256)  # fmt: skip


def test_levels_from_derivatives_agree(rng: np.random.Generator) -> None:
    """Of derivatives along the axes: an H200 takes the length of oblique ones otherwise. Its
    logarithm is good to some 256ths of a level: 1/16 of the contrast is allowed."""
    _, make = mipmapped(rng, (32, 32))
    at = away_from_edges(rng, 2, 32)
    dx, dy = rng.normal(size=(2, N)) * 0.1
    close(compare(lambda build: fetch(
        build, ww.Texture(make(), mip_filter="linear", normalized=True),
        "tex2DGrad<float>(t, a, b, make_float2(c, 0), make_float2(0, d))", "float", *at, dx, dy,
    )), 1 / 16)  # fmt: skip


@pytest.mark.parametrize("mode", ["Zero", "Clamp"])
def test_surfaces_are_equal(rng: np.random.Generator, mode: str) -> None:
    texels = rng.integers(0, 256, (16, 32, 4), np.uint8)

    def program(build: Build) -> Any:
        source, target, out = image(texels), image(texels), np.zeros_like(texels)
        build(f"""__global__ void k(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {{
            int x = threadIdx.x, y = blockIdx.x;
            uchar4 v = surf2Dread<uchar4>(from, (x + 3) * 4, y - 2, cudaBoundaryMode{mode});
            v.x += 1;
            if (y % 5 != 4) surf2Dwrite(v, to, x * 4, y);
        }}""")["k"](ww.Surface(source), ww.Surface(target), grid=16, block=32)
        target.copy_to(out)
        return out

    same(compare(program))


STATES = ["XORWOW", "Philox4_32_10", "MRG32k3a"]


@pytest.mark.parametrize("state", STATES)
def test_random_words_are_equal(rng: np.random.Generator, state: str) -> None:
    seed = int(rng.integers(2**63))

    def program(build: Build) -> Any:
        out = np.zeros((N, 8), np.uint32)
        build(f"""#include <curand_kernel.h>
        __global__ void k(unsigned *out, unsigned long long seed) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            curandState{state}_t mine;
            curand_init(seed, i, i % 7, &mine);
            for (int j = 0; j < 8; ++j) out[8 * i + j] = curand(&mine);
        }}""")["k"](ww.Out(out), seed, grid=N // 128, block=128)
        return out

    same(compare(program))


@pytest.mark.parametrize("draw", ["uniform", "normal", "log_normal(&s, 0.5f, 0.25f)"])
def test_random_numbers_agree(rng: np.random.Generator, draw: str) -> None:
    """The words are equal; the numbers computed from them are within the errors of log, __sinf and exp."""
    seed = int(rng.integers(2**63))
    call = draw if "(" in draw else f"{draw}(&s)"

    def program(build: Build) -> Any:
        out = np.zeros((N, 8), np.float32)
        build(f"""#include <curand_kernel.h>
        __global__ void k(float *out, unsigned long long seed) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            curandState s;
            curand_init(seed, i, 0, &s);
            for (int j = 0; j < 8; ++j) out[8 * i + j] = curand_{call};
        }}""")["k"](ww.Out(out), seed, grid=N // 128, block=128)
        return out

    here, there = compare(program)
    assert np.allclose(here, there, rtol=1e-5, atol=1e-5)


def documented() -> list[tuple[str, float, float]]:
    """Function, bound in float and in double: the rows of math_accuracy.md."""
    page = Path(__file__).parents[3] / "docs" / "reference" / "math_accuracy.md"
    rows = re.findall(
        r"^\| `(\w+)` \| [\d.]+ \| ([\d.]+) \| [\d.]+ \| [\d.]+ \| ([\d.]+) \|",
        page.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    return [(name, float(single), float(double)) for name, single, double in rows]


TWO = {"pow", "hypot", "rhypot", "atan2", "fmod", "remainder", "fdim"}
# Their arguments; by default from -3 to 3.
RANGES = {
    **dict.fromkeys(("log", "log2", "log10", "rsqrt", "sqrt"), (1e-3, 1e3)),
    **dict.fromkeys(("rcbrt", "log1p"), (0.01, 100.0)),
    "acosh": (1.0, 50.0),
    "pow": (0.1, 8.0),
    **dict.fromkeys(("atanh", "asin", "acos", "erfinv"), (-0.99, 0.99)),
    "erfcinv": (0.01, 1.99),
    "normcdfinv": (0.01, 0.99),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float", "double"])
def test_mathematics_agrees(rng: np.random.Generator, dtype: Any) -> None:
    """Both are within a bound of the truth, so they are within the sum of both of each other."""
    is_float = dtype is np.float32
    kind, suffix = ("float", "f") if is_float else ("double", "")
    table = documented()
    assert len(table) > 40
    inputs = [
        rng.uniform(*RANGES.get(name, (-3.0, 3.0)), (2, N)).astype(dtype) for name, _, _ in table
    ]
    source = "".join(
        f"""__global__ void do_{name}(const {kind} *x, const {kind} *y, {kind} *out) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            out[i] = {name}{suffix}({"x[i], y[i]" if name in TWO else "x[i]"});
        }}
        """
        for name, _, _ in table
    )

    def program(build: Build) -> Any:
        out = np.zeros((len(table), N), dtype)
        module = build(source)
        for (name, _, _), (x, y), row in zip(table, inputs, out, strict=True):
            module[f"do_{name}"](ww.In(x), ww.In(y), ww.Out(row), grid=N // 128, block=128)
        return out

    here, there = compare(program)
    apart = np.abs(here - there) / np.spacing(np.maximum(np.abs(here), np.abs(there)))
    bounds = [2 * (single if is_float else double) + 1 for _, single, double in table]
    wrong = {
        name: (float(row.max()), bound)
        for (name, _, _), row, bound in zip(table, apart, bounds, strict=True)
        if not row.max() <= bound
    }
    assert not wrong, f"units in the last place apart, and allowed: {wrong}"
