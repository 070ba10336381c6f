"""texture<...> and surface<...> variables: declared as in 2008, bound by name."""

from __future__ import annotations

import numpy as np
import pytest
from test_textures import EXECUTORS, check_executor, filter_error, module, texels
from texture_model import sample

import warpwise as ww

FILTER = """
texture<float, 2, cudaReadModeElementType> image;
__global__ void k(float *out, float step, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[y * width + x] = tex2D(image, x * step, y * step);
}
"""


def image(
    rng: np.random.Generator, height: int = 9, width: int = 13
) -> tuple[ww.CudaArray, np.ndarray]:
    values = texels(rng, (height, width), "float32")
    array = ww.CudaArray(values.shape, "float32")
    array.copy_from(values)
    return array, values


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("address", ["clamp", "wrap", "mirror", "border"])
@pytest.mark.parametrize("linear", [False, True])
def test_modes_are_set_by_the_host(
    rng: np.random.Generator, linear: bool, address: str, executor: str
) -> None:
    array, values = image(rng)
    mod = module(FILTER, executor)
    check_executor(mod["k"], executor)
    reference = mod.get_texref("image")
    reference.set_array(array)
    reference.set_address_mode(0, address)
    reference.set_address_mode(1, address)
    reference.set_filter_mode("linear" if linear else "point")
    reference.set_flags(2)
    step = np.float32(0.037)
    out = np.zeros((40, 50), np.float32)
    mod["k"](ww.Out(out), step, 50, 40, grid=(4, 5), block=(16, 8))
    y, x = np.mgrid[:40, :50].astype(np.float32) * step
    wanted = sample(
        values[..., None], [x.ravel(), y.ravel()], [address] * 2, linear=linear, normalized=True
    )
    atol = filter_error(values) if linear else 0
    np.testing.assert_allclose(out.ravel(), wanted[:, 0], rtol=1e-6, atol=atol)


def test_modes_begin_as_declared(rng: np.random.Generator) -> None:
    mod = ww.SourceModule("""
        texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> t(
            1, cudaFilterModeLinear, cudaAddressModeWrap);
        texture<int2> plain;
        __global__ void k(float4 *out, int2 *i) {
            *out = tex2D(t, 0.25f, 0.5f);
            *i = tex1Dfetch(plain, 1);
        }""")
    t, plain = mod.get_texref("t"), mod.get_texref("plain")
    assert (t.filter_mode, t.address_mode(1), t.flags, t.channels) == ("linear", "wrap", 2, 4)
    assert (plain.filter_mode, plain.flags, plain.dtype) == ("point", 1, np.int32)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_declared_ratios_are_ratios(rng: np.random.Generator, executor: str) -> None:
    mod = module(
        """texture<uchar4, 2, cudaReadModeNormalizedFloat> t;
        __global__ void k(float4 *out) { out[threadIdx.x] = tex2D(t, threadIdx.x, threadIdx.y); }
        """,
        executor,
    )
    values = texels(rng, (1, 30, 4), "uint8")
    array = ww.CudaArray((1, 30), "uint8", 4)
    array.copy_from(values)
    mod.get_texref("t").set_array(array)
    out = np.zeros((30, 4), np.float32)
    mod["k"](ww.Out(out), block=30)
    np.testing.assert_array_equal(out, values[0] / np.float32(255))


@pytest.mark.parametrize("executor", EXECUTORS)
def test_bytes_read_as_floats_are_ratios_unless_flagged(
    rng: np.random.Generator, executor: str
) -> None:
    mod = module(
        """texture<float> t;
        __global__ void k(float *out) { out[threadIdx.x] = tex1Dfetch(t, threadIdx.x); }""",
        executor,
    )
    values = texels(rng, (64,), "uint8")
    memory = ww.mem_alloc(64)
    memory.copy_from(values)
    reference = mod.get_texref("t")
    reference.set_format("uint8")
    reference.set_address(memory)
    out = np.zeros(64, np.float32)
    mod["k"](ww.Out(out), block=64)
    np.testing.assert_array_equal(out, values / np.float32(255))
    reference.set_flags(1)
    mod["k"](ww.Out(out), block=64)
    np.testing.assert_array_equal(out.view(np.uint32), values)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_rows_of_memory_are_bound_with_a_pitch(rng: np.random.Generator, executor: str) -> None:
    values = texels(rng, (9, 32), "float32")
    memory = ww.mem_alloc(values.nbytes)
    memory.copy_from(values)
    mod = module(FILTER, executor)
    mod.get_texref("image").set_address_2d(memory, (9, 20), 128)
    out = np.zeros((9, 24), np.float32)
    mod["k"](ww.Out(out), 1.0, 24, 9, grid=(2, 2), block=(16, 8))
    np.testing.assert_array_equal(out, values[:, np.minimum(np.arange(24), 19)])


SOURCES = {
    "in extern C": 'extern "C" { texture<float, 1, cudaReadModeElementType> t;\n%s }',
    "static": "static texture<float, 1, cudaReadModeElementType> t;\n%s",
    "in a namespace": "namespace ns { texture<float> t; } using ns::t;\n%s",
    "by a typedef": "typedef texture<float, cudaTextureType1D> linear; linear t;\n%s",
    "by a macro": "#define TEXTURE(name) texture<float> name\nTEXTURE(t);\n%s",
    "with host code": """
        texture<float, 1, cudaReadModeElementType> t;
        %s
        #include <stdio.h>
        int main() {
            t.addressMode[0] = cudaAddressModeWrap; t.filterMode = cudaFilterModePoint;
            t.normalized = false; cudaBindTexture(0, t, pointer, 100);
            k<<<1, 32>>>(0);
        }""",
    "through functions": """
        texture<float> t;
        template <class T> __device__ T get(texture<T, 1, cudaReadModeElementType> from, int i) {
            return tex1Dfetch(from, i);
        }
        #define tex1Dfetch get
        %s""",
}


@pytest.mark.parametrize("name", SOURCES)
def test_references_are_found_wherever_they_are_declared(
    rng: np.random.Generator, name: str
) -> None:
    kernel = "__global__ void k(float *out) { out[threadIdx.x] = tex1Dfetch(t, threadIdx.x); }"
    mod = ww.SourceModule(SOURCES[name].replace("%s", kernel))
    values = texels(rng, (32,), "float32")
    memory = ww.mem_alloc(values.nbytes)
    memory.copy_from(values)
    mod.get_texref("t").set_address(memory)
    out = np.zeros(32, np.float32)
    mod["k"](ww.Out(out), block=32)
    np.testing.assert_array_equal(out, values)


@pytest.mark.cpu_only("a GPU does not find that nothing is bound: its launches are refused")
@pytest.mark.parametrize("when", ["before the first launch", "after it"])
def test_freed_memory_is_bound_to_nothing(when: str) -> None:
    """Kernels that do not read the texture go on."""
    mod = ww.SourceModule("""
        texture<float> t;
        __global__ void read(float *out) { *out = tex1Dfetch(t, 0); }
        __global__ void set(float *out) { *out = 5; }""")
    memory, out = ww.mem_alloc(64), np.zeros(1, np.float32)
    memory.copy_from(np.full(16, 3, np.float32))
    mod.get_texref("t").set_address(memory)
    if when == "after it":
        mod["read"](ww.Out(out), block=1)
        assert out[0] == 3
    memory.free()
    mod["set"](ww.Out(out), block=1)
    assert out[0] == 5
    with pytest.raises(ww.LaunchError, match="a texture or surface reference is used"):
        mod["read"](ww.Out(out), block=1)
    again = ww.mem_alloc(64)
    again.copy_from(np.full(16, 7, np.float32))
    mod.get_texref("t").set_address(again)
    mod["read"](ww.Out(out), block=1)
    assert out[0] == 7


def test_a_launch_sees_what_was_bound_before_it(rng: np.random.Generator) -> None:
    mod = ww.SourceModule("""
        texture<float> t;
        __global__ void k(float *out, int n) {
            for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = tex1Dfetch(t, i);
        }""")
    reference = mod.get_texref("t")
    n, rounds = 50_000, 20
    values = texels(rng, (rounds, n), "float32")
    streams = [ww.Stream(), ww.Stream()]
    results = []
    for i in range(rounds):
        memory = ww.mem_alloc(4 * n)
        memory.copy_from(values[i])
        reference.set_address(memory)
        out = ww.mem_alloc(4 * n)
        mod["k"](out, n, block=32, stream=streams[i % 2])
        results.append(out)
    ww.Device().synchronize()
    got = np.zeros(n, np.float32)
    for out, wanted in zip(results, values, strict=True):
        out.copy_to(got)
        np.testing.assert_array_equal(got, wanted)


def test_a_captured_launch_reads_what_was_bound_at_its_capture(rng: np.random.Generator) -> None:
    mod = ww.SourceModule("""
        texture<float> t;
        __global__ void k(float *out) { out[threadIdx.x] = tex1Dfetch(t, threadIdx.x); }""")
    values = texels(rng, (2, 32), "float32")
    memories = [ww.mem_alloc(128) for _ in values]
    for memory, part in zip(memories, values, strict=True):
        memory.copy_from(part)
    reference = mod.get_texref("t")
    stream, out = ww.Stream(), ww.mem_alloc(128)
    reference.set_address(memories[0])
    with stream.capture() as graph:
        mod["k"](out, block=32, stream=stream)
    reference.set_address(memories[1])
    got = np.zeros(32, np.float32)
    for bound in (1, 0, 1):
        if bound == 0:
            graph.launch(stream)
        else:
            mod["k"](out, block=32, stream=stream)
        stream.synchronize()
        out.copy_to(got)
        np.testing.assert_array_equal(got, values[bound])


def test_bindings_in_branches_of_a_graph_are_read_in_their_order() -> None:
    """A binding is written into a variable: a launch of another branch must not see it."""
    mod = ww.SourceModule("""
        texture<float, 1> t;
        __global__ void k(float *out) { *out = tex1D(t, 0.5f); }""")
    reference = mod.get_texref("t")
    arrays = []
    for value in (1, 2, 3):
        arrays.append(ww.CudaArray((4,), "float32"))
        arrays[-1].copy_from(np.full(4, value, np.float32))
    out = [ww.mem_alloc(256) for _ in arrays]
    streams = [ww.Stream() for _ in arrays]
    with streams[0].capture() as graph:
        fork = streams[0].record()
        for stream in streams[1:]:
            stream.wait(fork)
        for array, stream, buffer in zip(arrays, streams, out, strict=True):
            reference.set_array(array)
            mod["k"][1, 1, stream](buffer)
        for stream in streams[1:]:
            streams[0].wait(stream.record())
    for _ in range(2):
        graph.launch(streams[0])
        streams[0].synchronize()
        for value, buffer in enumerate(out, 1):
            got = np.zeros(64, np.float32)
            buffer.copy_to(got)
            assert got[0] == value


def test_flags_make_bytes_linear_intensities() -> None:
    mod = ww.SourceModule("""
        texture<uchar4, 1, cudaReadModeNormalizedFloat> t;
        __global__ void k(float4 *out) { *out = tex1D(t, 0.5f); }""")
    array = ww.CudaArray((1,), "uint8", channels=4)
    array.copy_from(np.full(4, 128, np.uint8))
    reference = mod.get_texref("t")
    reference.set_array(array)
    reference.set_flags(16)
    out = np.zeros(4, np.float32)
    mod["k"](ww.Out(out), block=1)
    assert np.allclose(out, [0.215861] * 3 + [128 / 255], rtol=0, atol=2e-3)


@pytest.mark.cpu_only("it survives what kernels do wrong")
@pytest.mark.parametrize("executor", EXECUTORS)
def test_an_unbound_reference_is_an_error(executor: str) -> None:
    mod = module(FILTER, executor)
    out = np.zeros(1, np.float32)
    with pytest.raises(ww.LaunchError, match="reference is used that nothing is bound to"):
        mod["k"](ww.Out(out), 1.0, 1, 1, block=1)


def test_a_name_that_is_no_reference_is_an_error() -> None:
    mod = ww.SourceModule(FILTER + "__device__ int number;")
    with pytest.raises(ww.ArgumentError, match=r"no texture reference .number.; .*image"):
        mod.get_texref("number")
    with pytest.raises(ww.ArgumentError, match="no surface reference"):
        mod.get_surfref("image")


def test_what_cannot_be_bound_is_an_error_naming_the_reference(rng: np.random.Generator) -> None:
    mod = ww.SourceModule("""
        texture<int, 1, cudaReadModeElementType> t;
        __global__ void k(int *out) { *out = tex1D(t, 0.5f); }""")
    reference = mod.get_texref("t")
    reference.set_array(ww.CudaArray((4,), "int32"))
    reference.set_filter_mode("linear")
    out = np.zeros(1, np.int32)
    with pytest.raises(ww.ArgumentError, match=r"reference .t.: .* cannot be filtered linearly"):
        mod["k"](ww.Out(out), block=1)
