"""Pools that grow in reserved addresses."""

import os
import subprocess
import sys

import numpy as np
import pytest

import warpwise as ww


@pytest.fixture
def pool():
    device = ww.Device()
    pool = device.pool
    device.synchronize()
    pool.free_held()
    try:
        pool.growth = "reserved"
    except ww.UnsupportedError:
        pytest.skip("the device maps no memory behind reserved addresses")
    yield pool
    pool.limit = None
    device.synchronize()
    pool.free_held()
    pool.growth = "segments"


def test_growth_is_segments_at_first():
    is_reserved = os.environ.get("WARPWISE_POOL") == "reserved"
    assert ww.Device().pool.growth == ("reserved" if is_reserved else "segments")


def test_memory_from_there_is_like_any_other(pool):
    assert pool.growth == "reserved"
    module = ww.SourceModule(
        "__global__ void twice(int *x, int n) {"
        " int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }"
    )
    n = 5 << 20
    values = np.arange(n, dtype=np.int32)
    buffer = ww.mem_alloc(values.nbytes)
    buffer.copy_from(values)
    module["twice"].forall(n)(buffer, n)
    result = np.empty_like(values)
    buffer.copy_to(result)
    assert (result == 2 * values).all()


def test_fragments_serve_a_large_request(pool):
    others = pool.held_bytes  # what tests before this one still hold
    pool.limit = others + (64 << 20)
    parts = [ww.mem_alloc(4 << 20) for _ in range(16)]
    del parts[::2]
    large = ww.mem_alloc(32 << 20)
    assert large.size == 32 << 20
    assert pool.held_bytes == others + (64 << 20)
    with pytest.raises(ww.OutOfMemoryError):
        ww.mem_alloc(4 << 20)


@pytest.mark.parametrize("word", ["", "Reserved", "expandable"])
def test_other_words_are_refused(word):
    with pytest.raises(ww.ArgumentError, match="'segments' or 'reserved', got '" + word):
        ww.Device().pool.growth = word


def test_page_locked_memory_keeps_to_segments():
    with pytest.raises(ww.UnsupportedError, match="page-locked"):
        ww.Device().host_pool.growth = "reserved"


@pytest.mark.parametrize("growth", ["segments", "reserved"])
def test_the_environment_sets_the_growth_of_pools(growth):
    program = (
        "import warpwise as ww\n"
        "buffer = ww.mem_alloc(3 << 20)\n"
        "print(ww.Device().pool.growth, ww.Device().host_pool.growth)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "WARPWISE_POOL": growth},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [growth, "segments"]
