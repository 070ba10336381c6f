"""Arrays of other libraries, by `__cuda_array_interface__`, as arguments of kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import warpwise as ww


class Foreign:
    def __init__(self, **description: Any) -> None:
        plain = {"shape": (4,), "typestr": "<f4", "data": (4096, False), "version": 3}
        self.__cuda_array_interface__ = {**plain, **description}


def refusal(add: ww.Kernel, value: Any) -> str:
    out = np.zeros(4, np.float32)
    with pytest.raises(ww.ArgumentError) as caught:
        add(value, ww.In(out), ww.Out(out), 4, block=4)
    return str(caught.value)


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ({"data": None}, "has no 'data'"),
        ({"data": 4096}, "not (address, read-only)"),
        ({"data": ("here", False)}, "'here', which is not such a number"),
        ({"typestr": "<q9"}, "typestr '<q9', which is not a NumPy type"),
        ({"shape": 4}, "'shape' that is not a tuple"),
        ({"shape": (-1,)}, "negative extent"),
        ({"strides": (4, 4)}, "as many strides as axes"),
        ({"mask": object()}, "pass a filled copy"),
        ({"stream": 0}, "1 is the default"),
    ],
)
def test_descriptions_that_make_no_sense_are_refused(
    add: ww.Kernel, description: dict[str, Any], words: str
) -> None:
    assert words in refusal(add, Foreign(**description))


def test_what_gives_no_description_is_refused(add: ww.Kernel) -> None:
    class Wrong:
        __cuda_array_interface__ = 3

    assert "is no dict" in refusal(add, Wrong())


def test_memory_of_ours_that_was_freed_is_refused(add: ww.Kernel) -> None:
    memory = ww.mem_alloc(1 << 20)
    address = memory.address
    memory.free()
    ww.Device().synchronize()
    assert "its memory was freed; allocate a new one" in refusal(
        add, Foreign(data=(address, False))
    )


@pytest.mark.cpu_only("which has no memory of GPUs")
def test_memory_of_a_gpu_is_refused_on_the_cpu(add: ww.Kernel) -> None:
    for stream in (None, 1, 2, 77):
        assert "which cpu cannot reach" in refusal(add, Foreign(stream=stream))


SETUP = """
import numpy as np
class Foreign:
    def __init__(self, buffer, **description):
        plain = {"shape": (4,), "typestr": "<f4", "data": (buffer.address, False), "version": 3}
        self.buffer, self.__cuda_array_interface__ = buffer, {**plain, **description}
k = ww.SourceModule("__global__ void k(float *x, const float *y) { *x = *y; }")["k"]
vector = ww.SourceModule("__global__ void v(float4 *x) { x->x = 1; }")["v"]
a, b = ww.mem_alloc(16), ww.mem_alloc(16)
def say(x, y=b, kernel=k):
    print(message(lambda: kernel(*(z for z in (x, y) if z is not None), block=1)))
"""


def test_memory_of_the_gpu_is_taken(on_fake_gpu: Callable[[str], str]) -> None:
    printed = on_fake_gpu(
        SETUP
        + """
say(Foreign(a))
say(Foreign(a), Foreign(b, data=(b.address, True)))
say(Foreign(a, shape=(2, 2), strides=(8, 4)))
say(Foreign(a, shape=(0,), data=(0, False)))
say(Foreign(a, strides=None, descr=[("", "<f4")], stream=None))
pair = ww.SourceModule("struct P { int a; float b; }; __global__ void p(P *x) { x->a = 1; }")["p"]
say(Foreign(a, shape=(2,), typestr="|V8", descr=[("a", "<i4"), ("b", "<f4")]), None, pair)
say(Foreign(a, shape=(1, 4)), None, vector)
say(Foreign(a, stream=1))
for stream in (ww.Stream(), ww.Stream(priority=-1)):
    say(Foreign(a, stream=stream.handle))
with ww.Stream().capture() as graph:
    say(Foreign(a, stream=1))
graph.launch()
"""
    )
    assert set(printed.splitlines()) == {"nothing was raised"}


def test_a_launch_waits_for_the_stream_that_produces_the_array(
    on_fake_gpu: Callable[[str], str],
) -> None:
    printed = on_fake_gpu(
        SETUP
        + """
import threading
made, gate = ww.Stream(non_blocking=True), threading.Event()
own = ww.Stream(non_blocking=True)
made.call_host(gate.wait)
k[1, 1, own](Foreign(a, stream=made.handle), b)
print(own.is_done())
gate.set()
own.synchronize()
print(made.is_done())
"""
    )
    assert printed.split() == ["False", "True"]


def test_what_does_not_fit_is_refused(on_fake_gpu: Callable[[str], str]) -> None:
    printed = on_fake_gpu(
        SETUP
        + """
say(Foreign(a, typestr="<f8", shape=(2,)))
say(Foreign(a, data=(a.address, True)))
say(Foreign(a, shape=(2,), strides=(8,)))
say(Foreign(a, shape=(4, 1)), None, vector)
say(Foreign(a, data=(4096, False)))
with ww.Device("cuda:1"):
    other = ww.mem_alloc(16)
say(Foreign(other))
say(Foreign(a, stream=2))
"""
    ).splitlines()
    assert "float64" in printed[0]
    assert "read-only" in printed[1]
    assert "not contiguous" in printed[2]
    assert "'x'" in printed[3]
    assert "which cuda:0 cannot reach" in printed[4]
    assert "memory of cuda:1, but the kernel was loaded on cuda:0" in printed[5]
    assert "per-thread" in printed[6]


def test_buffers_of_the_gpu_describe_themselves(on_fake_gpu: Callable[[str], str]) -> None:
    printed = on_fake_gpu(
        SETUP
        + """
with ww.Stream() as stream:
    found = a.__cuda_array_interface__
print(found == {"shape": (16,), "typestr": "|u1", "data": (a.address, False), "version": 3,
                "stream": stream.handle}, b.__cuda_array_interface__["stream"])
"""
    )
    assert printed == "True 1\n"


@pytest.mark.cpu_only("whose memory is no GPU's")
def test_buffers_of_the_cpu_do_not() -> None:
    assert not hasattr(ww.mem_alloc(16), "__cuda_array_interface__")


def test_arrays_of_cupy_are_arguments() -> None:
    cupy = pytest.importorskip("cupy")
    if not ww.Device().name.startswith("cuda"):
        pytest.skip("takes a GPU")
    kernel = ww.SourceModule(
        "__global__ void k(float *x, const float *y, int n)"
        "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += y[i]; }"
    )["k"]
    with cupy.cuda.Stream(non_blocking=True) as made:
        x, y = cupy.arange(100_000, dtype=cupy.float32), cupy.ones(100_000, cupy.float32)
        kernel(x, y, 100_000, grid=400, block=256)
    ww.Device().synchronize()
    made.synchronize()
    np.testing.assert_array_equal(cupy.asnumpy(x), np.arange(1, 100_001, dtype=np.float32))
