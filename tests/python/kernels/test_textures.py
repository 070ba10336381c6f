"""Texture objects: values against the programming guide's formulas, on every executor."""

from __future__ import annotations

from typing import Any

import devices
import numpy as np
import pytest
from texture_model import sample

import warpwise as ww

EXECUTORS = ("auto", "reference")
MODES = ("clamp", "border", "wrap", "mirror")
FORMATS = ("uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "float32")
CUDA_NAMES = {
    "uint8": "uchar",
    "int8": "char",
    "uint16": "ushort",
    "int16": "short",
    "uint32": "uint",
    "int32": "int",
    "float16": "float",
    "float32": "float",
}
N = 999  # fetches


def filter_error(values: Any) -> float:
    """How far a linear filter may be off: a GPU rounds products of weights to 8 bits."""
    return 2e-6 if devices.IS_CPU else float(np.ptp(values.astype(np.float64))) / 128


def cuda_type(dtype: str, channels: int, *, as_float: bool = False) -> str:
    base = "float" if as_float else CUDA_NAMES[dtype]
    if channels > 1:
        return f"{base}{channels}"
    return {"uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned int"}.get(
        base, base
    )


def texels(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    if np.dtype(dtype).kind == "f":
        return rng.normal(size=shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


def as_ratios(values: Any) -> Any:
    return np.maximum(values / np.float64(np.iinfo(values.dtype).max), -1)


def module(source: str, executor: str) -> ww.SourceModule:
    options = [] if executor == "auto" else [f"--warpwise-executor={executor}"]
    return ww.SourceModule(source, options=options)


def check_executor(kernel: ww.Kernel, executor: str) -> None:
    if devices.IS_CPU:
        assert executor == "reference" or kernel.executor == "gang"


def fetch(
    texture: ww.Texture, coordinates: list[Any], result: str, channels: int, executor: str
) -> Any:
    """What tex1D, tex2D or tex3D gives as `result`, by channel."""
    axes = len(coordinates)
    names = [f"c{axis}" for axis in range(axes)]
    dtype = {
        "float": np.float32,
        "unsigned char": np.uint8,
        "uchar": np.uint8,
        "char": np.int8,
        "unsigned short": np.uint16,
        "ushort": np.uint16,
        "short": np.int16,
        "unsigned int": np.uint32,
        "uint": np.uint32,
        "int": np.int32,
    }[result.rstrip("124")]
    kernel = module(
        f"""__global__ void k(cudaTextureObject_t t, {result} *out, int n, {
            ", ".join(f"const float *{name}" for name in names)
        }) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = tex{axes}D<{result}>(t, {", ".join(f"{m}[i]" for m in names)});
        }}""",
        executor,
    )["k"]
    check_executor(kernel, executor)
    out = np.zeros((coordinates[0].size, channels), dtype)
    kernel.forall(out.shape[0])(
        texture, ww.Out(out), out.shape[0], *[ww.In(np.float32(c)) for c in coordinates]
    )
    return out


def coordinates(
    rng: np.random.Generator, extents: tuple[int, ...], *, normalized: bool
) -> list[Any]:
    """Inside and outside, on the edges of texels and in their centres."""
    result = []
    for extent in extents[::-1]:
        x = rng.uniform(-1.7, 2.9, N) * extent
        x[::5] = np.round(x[::5] * 2) / 2
        if normalized and not devices.IS_CPU:
            # A GPU cuts them off at 21 bits: not so near the edges, where that decides.
            x = np.floor(x) + np.clip(x - np.floor(x), 0.01, 0.99)
        x = x.astype(np.float32)
        result.append(x / np.float32(extent) if normalized else x)
    return result


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("shape", [(13,), (9, 13), (5, 9, 13)])
def test_modes_and_filters_follow_the_guide(
    rng: np.random.Generator,
    shape: tuple[int, ...],
    normalized: bool,
    linear: bool,
    mode: str,
    executor: str,
) -> None:
    values = texels(rng, shape, "float32")
    array = ww.CudaArray(shape, "float32")
    array.copy_from(values)
    texture = ww.Texture(
        array,
        address=mode,
        filter="linear" if linear else "point",
        normalized=normalized,
        border=(0.75, 0, 0, 0),
    )
    at = coordinates(rng, shape, normalized=normalized)
    got = fetch(texture, at, "float", 1, executor)
    wanted = sample(
        values[..., None],
        at,
        [mode] * len(shape),
        linear=linear,
        normalized=normalized,
        border=(0.75,),
    )
    atol = filter_error(values) if linear else 0
    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=atol)


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("channels", [1, 2, 4])
@pytest.mark.parametrize("dtype", FORMATS)
def test_every_format_is_read_as_it_is(
    rng: np.random.Generator, dtype: str, channels: int, executor: str
) -> None:
    values = texels(rng, (7, 11, channels), dtype)
    array = ww.CudaArray((7, 11), dtype, channels)
    array.copy_from(values)
    at = coordinates(rng, (7, 11), normalized=False)
    result = cuda_type(dtype, channels, as_float=dtype == "float16")
    got = fetch(ww.Texture(array, address="border"), at, result, channels, executor)
    wanted = sample(values, at, ["border"] * 2, linear=False, normalized=False)
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("channels", [1, 2, 4])
@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16"])
def test_integers_are_read_as_ratios(
    rng: np.random.Generator, dtype: str, channels: int, linear: bool, executor: str
) -> None:
    values = texels(rng, (7, 11, channels), dtype)
    array = ww.CudaArray((7, 11), dtype, channels)
    array.copy_from(values)
    texture = ww.Texture(
        array, address="wrap", normalized=True, read="normalized_float",
        filter="linear" if linear else "point",
    )  # fmt: skip
    at = coordinates(rng, (7, 11), normalized=True)
    got = fetch(texture, at, cuda_type(dtype, channels, as_float=True), channels, executor)
    wanted = sample(as_ratios(values), at, ["wrap"] * 2, linear=linear, normalized=True)
    atol = filter_error(as_ratios(values)) if linear else 0
    np.testing.assert_allclose(got, wanted, rtol=3e-7, atol=atol)


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("channels", [1, 2, 4])
def test_halves_are_filtered_as_floats(
    rng: np.random.Generator, channels: int, executor: str
) -> None:
    values = texels(rng, (7, 11, channels), "float16")
    array = ww.CudaArray((7, 11), "float16", channels)
    array.copy_from(values)
    at = coordinates(rng, (7, 11), normalized=False)
    texture = ww.Texture(array, filter="linear")
    got = fetch(texture, at, cuda_type("float32", channels), channels, executor)
    wanted = sample(values, at, ["clamp"] * 2, linear=True, normalized=False)
    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=filter_error(values))


@pytest.mark.parametrize("executor", EXECUTORS)
def test_channels_the_format_lacks_are_zero(rng: np.random.Generator, executor: str) -> None:
    values = texels(rng, (11, 2), "float32")
    array = ww.CudaArray((11,), "float32", 2)
    array.copy_from(values)
    at = [np.arange(11) + 0.5]
    got = fetch(ww.Texture(array), at, "float4", 4, executor)
    np.testing.assert_array_equal(got, np.c_[values, np.zeros((11, 2))])


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("channels", [1, 2, 4])
@pytest.mark.parametrize("dtype", FORMATS)
def test_linear_memory_is_fetched_by_index(
    rng: np.random.Generator, dtype: str, channels: int, executor: str
) -> None:
    values = texels(rng, (101, channels), dtype)
    memory = ww.mem_alloc(values.nbytes)
    memory.copy_from(values)
    result = cuda_type(dtype, channels, as_float=dtype == "float16")
    kernel = module(
        f"""__global__ void k(cudaTextureObject_t t, const int *at, {result} *out, int n) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = tex1Dfetch<{result}>(t, at[i]);
        }}""",
        executor,
    )["k"]
    at = rng.integers(-5, 110, N, np.int32)
    out = np.zeros((N, channels), np.float32 if dtype == "float16" else dtype)
    kernel.forall(N)(ww.Texture(memory, dtype, channels), ww.In(at), ww.Out(out), N)
    inside = (at >= 0) & (at < 101)
    np.testing.assert_array_equal(out, np.where(inside[:, None], values[np.clip(at, 0, 100)], 0))


@pytest.mark.parametrize("executor", EXECUTORS)
def test_rows_of_linear_memory_have_a_pitch(rng: np.random.Generator, executor: str) -> None:
    rows = texels(rng, (6, 16), "float32")
    memory = ww.mem_alloc(rows.nbytes)
    memory.copy_from(rows)
    texture = ww.Texture(memory, "float32", shape=(6, 13), pitch=64, filter="linear")
    at = coordinates(rng, (6, 13), normalized=False)
    wanted = sample(rows[:, :13, None], at, ["clamp"] * 2, linear=True, normalized=False)
    got = fetch(texture, at, "float", 1, executor)
    np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=filter_error(rows))


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("shape", [(4, 11), (4, 7, 11)])
def test_layers_are_chosen_by_number(
    rng: np.random.Generator, shape: tuple[int, ...], executor: str
) -> None:
    values = texels(rng, shape, "float32")
    array = ww.CudaArray(shape, "float32", layered=True)
    array.copy_from(values)
    names = ["x", "y"][: len(shape) - 1]
    kernel = module(
        f"""__global__ void k(cudaTextureObject_t t, const float *x, const float *y,
                              const int *layer, float *out, int n) {{
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = tex{len(names)}DLayered<float>(t, {
            ", ".join(f"{name}[i]" for name in names)
        }, layer[i]);
        }}""",
        executor,
    )["k"]
    x, y = (rng.uniform(0, extent, N).astype(np.float32) for extent in (11, 7))
    layer = rng.integers(0, 6, N, np.int32)
    out = np.zeros(N, np.float32)
    kernel.forall(N)(ww.Texture(array), *map(ww.In, (x, y, layer)), ww.Out(out), N)
    index = [layer.clip(0, 3), y.astype(int), x.astype(int)]
    if len(names) == 1:
        del index[1]
    np.testing.assert_array_equal(out, values[tuple(index)])


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_gather_gives_the_four_texels_of_a_filter(
    rng: np.random.Generator, executor: str
) -> None:
    values = texels(rng, (7, 11, 4), "uint8")
    array = ww.CudaArray((7, 11), "uint8", 4)
    array.copy_from(values)
    kernel = module(
        """__global__ void k(cudaTextureObject_t t, uchar4 *out) {
            int x = threadIdx.x, y = threadIdx.y;
            out[y * 10 + x] = tex2Dgather<uchar4>(t, x + 1.0f, y + 1.0f, 2);
        }""",
        executor,
    )["k"]
    out = np.zeros((6, 10, 4), np.uint8)
    kernel(ww.Texture(array), ww.Out(out), block=(10, 6))
    v = values[..., 2]
    wanted = np.stack([v[1:, :-1], v[1:, 1:], v[:-1, 1:], v[:-1, :-1]], axis=-1)
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_cubemap_is_read_by_direction(executor: str) -> None:
    array = ww.CudaArray((6, 8, 8), "int32", cubemap=True)
    array.copy_from(np.arange(6 * 64, dtype=np.int32))
    kernel = module(
        """__global__ void k(cudaTextureObject_t t, const float3 *d, int *out) {
            float3 v = d[threadIdx.x];
            out[threadIdx.x] = texCubemap<int>(t, v.x, v.y, v.z);
        }""",
        executor,
    )["k"]
    # As an H200 answers.
    directions = {
        (1, 1, 1): 263, (-1, 1, 1): 256, (1, -1, 1): 319, (1, 1, -1): 320, (-1, -1, -1): 383,
        (1, 1, 0): 167, (0, 1, 1): 260, (1, 0, 1): 295,
    }  # fmt: skip
    out = np.zeros(len(directions), np.int32)
    kernel(
        ww.Texture(array, normalized=True),
        ww.In(np.array(list(directions), np.float32)),
        ww.Out(out),
        block=len(directions),
    )
    assert out.tolist() == list(directions.values())


def test_results_go_through_a_pointer_too(rng: np.random.Generator) -> None:
    values = texels(rng, (32,), "float32")
    array = ww.CudaArray((32,), "float32")
    array.copy_from(values)
    kernel = module(
        """__global__ void k(cudaTextureObject_t t, float *out) {
            float v;
            tex1D(&v, t, threadIdx.x + 0.5f);
            out[threadIdx.x] = v + tex1DLod<float>(t, threadIdx.x + 0.5f, 3.0f);
        }""",
        "auto",
    )["k"]
    out = np.zeros(32, np.float32)
    kernel(ww.Texture(array), ww.Out(out), block=32)
    np.testing.assert_array_equal(out, 2 * values)


READ = "__global__ void k(cudaTextureObject_t t, float *out) { *out = tex1D<float>(t, 0.5f); }"


@pytest.mark.cpu_only("it knows its objects")
@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_destroyed_texture_is_an_error(executor: str) -> None:
    kernel = module(READ, executor)["k"]
    array = ww.CudaArray((4,), "float32")
    handle = ww.Texture(array).handle
    out = np.zeros(1, np.float32)
    with pytest.raises(ww.LaunchError, match="is no texture object: it was destroyed"):
        kernel(np.uint64(handle), ww.Out(out), block=1)
    with pytest.raises(ww.LaunchError, match="the texture object is 0"):
        kernel(np.uint64(0), ww.Out(out), block=1)
    with pytest.raises(ww.LaunchError, match="is no texture object"):
        kernel(np.uint64(ww.Surface(array).handle), ww.Out(out), block=1)


def test_a_launch_keeps_its_texture(rng: np.random.Generator) -> None:
    values = texels(rng, (4,), "float32")
    array = ww.CudaArray((4,), "float32")
    array.copy_from(values)
    out = ww.mem_alloc(4)
    stream = ww.Stream()
    gate = ww.mem_alloc(1 << 24)
    gate.fill(1, stream=stream)
    module(READ, "auto")["k"](ww.Texture(array), out, block=1, stream=stream)
    del array
    stream.synchronize()
    got = np.zeros(1, np.float32)
    out.copy_to(got)
    assert got[0] == values[0]


@pytest.mark.cpu_only("its code")
def test_fetches_of_neighbours_are_vector_loads() -> None:
    kernel = "__global__ void k(cudaTextureObject_t t, float *out) {{ {} }}"
    index = "int i = blockIdx.x * blockDim.x + threadIdx.x; "
    row = ww.compile(
        kernel.format(index + "out[i] = tex1Dfetch<float>(t, i);"), "x86-64-v4", "llvm"
    )
    assert isinstance(row, str)
    assert "llvm.masked.load.v16f32" in row or "llvm.masked.load.v16i32" in row
    plane = ww.compile(
        kernel.format(index + "out[i] = tex2D<float>(t, i, 0.5f);"), "x86-64-v4", "llvm"
    )
    assert isinstance(plane, str)
    assert "llvm.masked.gather.v16" in plane


def test_code_for_gpus_has_no_textures_yet() -> None:
    source = "__global__ void k(cudaTextureObject_t t, float *o) { *o = tex1D<float>(t, 0.5f); }"
    with pytest.raises(ww.UnsupportedError, match="textures are not part of this version"):
        ww.compile(source, target="sm_80", format="ptx")
