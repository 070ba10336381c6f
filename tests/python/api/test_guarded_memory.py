"""`WARPWISE_POOL=guard`: accesses past the end of a buffer, or after its release, raise."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.cpu_only("GPUs have compute-sanitizer")

VECTOR_BYTES = 64  # the largest of a processor

PRELUDE = """
import numpy as np
import warpwise as ww

m = ww.SourceModule('''
__global__ void put(float *values, int at) { if (threadIdx.x == 3) values[at] = 1; }
__global__ void get(float *sink, const float *values, int at) { *sink = values[at]; }
__global__ void fill(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 1e30f;
}
__global__ void keep(float **place, float *values) { *place = values; }
__global__ void later(float **place) { **place = 1; }
''')

def message(call):
    try:
        call()
        ww.Device().synchronize()
    except ww.LaunchError as error:
        return str(error)
    return "no error"
"""


def lines(program: str, **variables: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + program],
        env={**os.environ, "WARPWISE_POOL": "guard", **variables},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_write_past_the_end_names_buffer_and_distance():
    first, second, last = lines(
        "b = ww.mem_alloc(4000)\n"
        "print(message(lambda: m['put'](b, 1000, grid=2, block=8)))\n"
        "print(message(lambda: m['put'](b, 1200, grid=1, block=8)))\n"
        "print(message(lambda: m['put'](b, 999, grid=1, block=8)))\n"
    )
    assert "kernel 'put': write of 0x" in first
    assert "right at the end of the buffer of 4000 bytes at 0x" in first
    assert "(parameter 'values'), in block (0, 0, 0), thread (3, 0, 0)" in first
    assert "800 bytes past the end of the buffer of 4000 bytes" in second
    assert last == "no error"


@pytest.mark.parametrize("executor", ["reference", "gang", "auto"])
def test_the_first_element_of_an_overrun_is_named(executor):
    [error] = lines(
        "x = np.zeros(1000, np.float32)\n"
        "print(message(lambda: m['fill'](ww.InOut(x), 1200, grid=5, block=256)))\n",
        WARPWISE_EXECUTOR=executor,
    )
    # Of a vector that crosses into the guard, processors report different bytes.
    place = re.search(r"(right at|(\d+) bytes past) the end of the buffer of 4000 bytes", error)
    assert place and int(place[2] or 0) < (4 if executor == "reference" else VECTOR_BYTES), error
    assert "(parameter 'x'), in block (3, 0, 0)" in error


def test_reads_and_accesses_before_the_begin():
    read, before = lines(
        "b, s = ww.mem_alloc(4096), ww.mem_alloc(4)\n"
        "print(message(lambda: m['get'](s, b, 1024, block=1)))\n"
        "print(message(lambda: m['put'](b, -1, block=4)))\n"
    )
    assert "kernel 'get': read of 0x" in read and "right at the end" in read
    assert "4 bytes before the begin of the buffer of 4096 bytes" in before


def test_a_write_that_no_guard_covers_is_found_when_the_kernel_has_ended():
    """A size that is no multiple of 16 leaves some bytes up to the guard."""
    error, after, last = lines(
        "b = ww.mem_alloc(4004)\n"
        "print(message(lambda: m['put'](b, 1002, block=4)))\n"
        "print(message(lambda: m['put'](b, 1000, block=4)))\n"
        "print(message(lambda: m['put'](b, 1004, block=4)))\n"
    )
    assert "kernel 'put': write past the end of the buffer of 4004 bytes" in error
    assert "(parameter 'values'), found when the kernel had ended: byte 4008" in error
    assert after == "no error"
    assert "12 bytes past the end of the buffer of 4004 bytes" in last


def test_freed_memory():
    [error] = lines(
        "p, b = ww.mem_alloc(8), ww.mem_alloc(4000)\n"
        "m['keep'](p, b[400:], block=1)\n"
        "ww.Device().synchronize()\n"
        "b.free()\n"
        "print(message(lambda: m['later'](p, block=1)))\n"
    )
    assert "kernel 'later': write of 0x" in error
    assert "byte 400 of the buffer of 4000 bytes at 0x" in error
    assert "which was freed, in block (0, 0, 0), thread (0, 0, 0)" in error


def test_page_locked_and_managed_memory():
    texts = lines(
        "for array in (ww.pagelocked_empty(1000, np.float32),\n"
        "              ww.pagelocked_empty(1000, np.float32, pooled=True),\n"
        "              ww.managed_empty(1000, np.float32)):\n"
        "    print(message(lambda: m['put'](ww.mapped_buffer(array), 1000, block=4)))\n"
    )
    assert len(texts) == 3
    for text in texts:
        assert "right at the end of the buffer of 4000 bytes" in text


def test_arrays_and_textures_work_as_before():
    assert lines(
        "x = ww.asarray(np.arange(1001, dtype=np.float32))\n"
        "print(float((x * 2 + 1).sum()))\n"
        "t = ww.to_device(np.arange(100, dtype=np.float32))\n"
        "k = ww.SourceModule('__global__ void k(cudaTextureObject_t t, float *o)'\n"
        "    ' { o[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }')['k']\n"
        "o = np.zeros(128, np.float32)\n"
        "k(ww.Texture(t, np.float32), ww.Out(o), block=128)\n"
        "print(o.sum())\n"
    ) == ["1002001.0", "4950.0"]


def test_pools_that_guard_have_no_other_growth():
    [text] = lines(
        "try: ww.Device().pool.growth = 'reserved'\n"
        "except ww.UnsupportedError as error: print(error)\n"
    )
    assert "WARPWISE_POOL is none or guard" in text


def test_devices_without_guards_refuse_the_setting():
    [text] = lines(
        "try: ww.mem_alloc(4)\nexcept ww.UnsupportedError as error: print(error)\n",
        WARPWISE_DEVICE="null",
    )[-1:]
    assert "WARPWISE_POOL=guard: null does not detect accesses" in text
    assert "WARPWISE_DEVICE=cpu" in text


def test_a_forked_child_has_the_memory():
    assert lines(
        "import os, sys\n"
        "b = ww.mem_alloc(4004)\n"
        "sys.stdout.flush()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    c = ww.mem_alloc(100)\n"
        "    print(message(lambda: m['put'](b, 1002, block=4))[:36], flush=True)\n"
        "    os._exit(0)\n"
        "os.waitpid(child, 0)\n"
        "print(message(lambda: m['put'](b, 1000, block=4)))\n"
    ) == ["kernel 'put': write past the end of ", "no error"]
