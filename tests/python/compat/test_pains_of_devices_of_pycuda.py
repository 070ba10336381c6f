"""What PyCUDA's users suffered with devices, contexts, textures and libraries, by section of the
inventory: none of it may happen here. More of it is in test_pains_of_pycuda.py."""

from __future__ import annotations

import importlib
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pycuda
import pycuda.driver as drv
import pytest
from pycuda import compiler, gpuarray
from pycuda.compiler import SourceModule

import warpwise as ww

TWICE = "__global__ void twice(float *x) { x[threadIdx.x] *= 2; }"
FOUR = (4, 1, 1)
OBJECTS = """
__global__ void read(cudaTextureObject_t t, float *out) {
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f);
}
__global__ void write(cudaSurfaceObject_t s) {
    surf2Dwrite<float>(threadIdx.x * 2.0f, s, threadIdx.x * 4, 0);
}
"""


def test_textures_and_surfaces_are_arguments() -> None:
    """Section 4.2, #123 and #174: no texture and surface objects, and references went with
    CUDA 12. Objects are passed as they are, or by their handles."""
    module = SourceModule(OBJECTS, no_extern_c=True)
    read, write = module.get_function("read"), module.get_function("write")
    array = drv.np_to_array(np.arange(8, dtype=np.float32).reshape(2, 4), "C", True)
    texture, surface = ww.Texture(array.native), ww.Surface(array.native)
    out = np.zeros(4, np.float32)
    read(texture, drv.Out(out), block=FOUR)
    assert out.tolist() == [0, 1, 2, 3]
    write(surface, block=FOUR)
    read(np.uint64(texture.handle), drv.Out(out), block=FOUR)
    assert out.tolist() == [0, 2, 4, 6]
    memory = drv.to_device(np.zeros(4, np.float32))
    read.prepare("QP").prepared_call((1, 1), FOUR, texture.handle, memory)
    assert drv.from_device(memory, 4, np.float32).tolist() == [0, 2, 4, 6]


@pytest.mark.cpu_only("a GPU's libraries are files of machine code")
def test_libraries_of_device_code_are_linked(tmp_path: Path) -> None:
    """Section 4.3, #138: device libraries cannot be linked into a module."""
    library = tmp_path / "libscale.cubin"
    source = "__device__ float scaled(float x) { return FACTOR * x; }"
    library.write_bytes(compiler.compile(source, options=["-rdc=true", "-DFACTOR=3"]))
    module = compiler.DynamicModule()
    module.add_source(
        "extern __device__ float scaled(float x);\n"
        "__global__ void scale(float *x) { x[threadIdx.x] = scaled(x[threadIdx.x]); }"
    )
    module.add_file(str(library), drv.jit_input_type.LIBRARY).link()
    x = np.arange(4, dtype=np.float32)
    module.get_function("scale")(drv.InOut(x), block=FOUR)
    assert x.tolist() == [0, 3, 6, 9]


@pytest.fixture
def contexts() -> Iterator[list[drv.Context]]:
    """One of every device, none of them current."""
    yield [drv.Device(i).retain_primary_context() for i in range(drv.Device.count())]
    assert drv.Context.get_current() is None


def test_several_contexts_by_hand(contexts: list[drv.Context]) -> None:
    """Section 4.6, #230: a program of several GPUs pushes and pops a context for each of them.
    Memory and functions stay with the device they were made on."""
    memories, functions = [], []
    for number, context in enumerate(contexts):
        context.push()
        memories.append(drv.to_device(np.full(4, number + 1, np.float32)))
        functions.append(SourceModule(TWICE).get_function("twice"))
        context.pop()
    for context, memory, twice in zip(contexts, memories, functions, strict=True):
        context.push()
        twice(memory, block=FOUR)
        context.pop()
    for number, memory in enumerate(memories):
        assert drv.from_device(memory, 4, np.float32).tolist() == [2 * (number + 1)] * 4


def test_a_thread_for_each_device(contexts: list[drv.Context]) -> None:
    """Section 4.6, #230, #306: a worker for each device, with its context."""
    results: dict[int, list[float]] = {}

    def work(number: int, context: drv.Context) -> None:
        context.push()
        assert drv.Context.get_device() == drv.Device(number)
        x = np.full(4, number + 1, np.float32)
        SourceModule(TWICE).get_function("twice")(drv.InOut(x), block=FOUR)
        results[number] = x.tolist()
        context.pop()

    threads = [threading.Thread(target=work, args=one) for one in enumerate(contexts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {n: [2 * (n + 1)] * 4 for n in range(len(contexts))}


def test_other_libraries_may_change_the_current_device() -> None:
    """Section 4.6, #102, #103, #285: a library of CUDA's run time, such as torch, replaces the
    current context, and PyCUDA's is reported destroyed. There is one context for each device, which
    nobody needs to make current."""
    context = drv.Device(0).make_context()
    memory, twice = drv.to_device(np.ones(4, np.float32)), SourceModule(TWICE).get_function("twice")
    for device in ww.devices():
        with device:  # as a library does, which leaves another one current
            assert float(ww.ones(8).sum()) == 8
    twice(memory, block=FOUR)
    context.pop()
    assert drv.Context.get_current() is None
    twice(memory, block=FOUR)
    shared = gpuarray.GPUArray((4,), np.float32, gpudata=memory)
    assert float(ww.asarray(shared).sum()) == 16
    context.push()
    assert drv.from_device(memory, 4, np.float32).tolist() == [4] * 4
    context.detach()
    memory.free()


def test_peer_access_is_asked_of_two_devices() -> None:
    """Section 4.6, #71: enable_peer_access is static and acts on whatever context is current. The
    refusal names both ends."""
    context = drv.Device(0).make_context()
    with pytest.raises(drv.LogicError, match=r"no peer of itself"):
        drv.Context.enable_peer_access(context)
    with pytest.raises(TypeError, match=r"expected a pycuda\.driver\.Context, got <pycuda Device"):
        drv.Context.enable_peer_access(drv.Device(0))
    context.detach()
    assert not drv.Device(0).can_access_peer(drv.Device(0))


def test_copies_between_devices_keep_the_order_of_a_stream() -> None:
    """Section 4.6, #68: memcpy_peer_async was disabled without a known reason. It runs in its
    stream, after what is queued there and before what follows."""
    stream, context = drv.Stream(), drv.Device(0).retain_primary_context()
    first, second = drv.to_device(np.ones(4, np.float32)), drv.mem_alloc(16)
    twice = SourceModule(TWICE).get_function("twice")
    for _ in range(10):
        twice(first, block=FOUR, stream=stream)
        drv.memcpy_peer_async(second, first, 16, context, context, stream)
        twice(second, block=FOUR, stream=stream)
        drv.memcpy_peer_async(first, second, 16, context, context, stream)
    stream.synchronize()
    assert drv.from_device(first, 4, np.float32).tolist() == [4.0**10] * 4


def test_opengl_is_refused_with_a_reason() -> None:
    """Section 4.1, #470, #212, #283: pycuda.gl is missing from default builds, without a word."""
    assert not drv.have_gl_ext()
    with pytest.raises(ImportError, match=r"pycuda\.gl.*OpenGL"):
        importlib.import_module("pycuda.gl")
    with pytest.raises(ImportError, match=r"pycuda\.gl.*OpenGL"):
        from pycuda import gl  # noqa: F401
    with pytest.raises(ww.UnsupportedError, match="OpenGL"):
        pycuda.gl  # noqa: B018


def test_the_sources_are_whole() -> None:
    """Section 4.1, #418, #470: archives of the repository lack its submodules and do not build."""
    root = Path(__file__).resolve().parents[3]
    listed = subprocess.run(
        ["git", "ls-files", "--stage"], cwd=root, capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("these are the files of an archive, outside of a repository")
    modes = {line.split()[0] for line in listed.stdout.splitlines()}
    assert "160000" not in modes  # a submodule's
    assert not (root / ".gitmodules").exists()
