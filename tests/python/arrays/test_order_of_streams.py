"""Arrays that several streams use: writes of one come after what the others read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import warpwise as ww

SLOW = """
__global__ void slow(float *x, int n)
{
    float a = *x;
    for (int i = 0; i < n; ++i) a = a * 0.999f + 1;
    *x = a;
}"""


def refused(x: ww.Array) -> None:
    kernel = ww.SourceModule("__global__ void f(float* x, int n) {}")["f"]
    with pytest.raises(ww.Error):
        kernel(x, "not an int", block=1)


def over_its_buffer(x: ww.Array) -> ww.Array:
    return ww.from_buffer(x.gpudata, x.shape, x.dtype)


@pytest.mark.parametrize("what", [over_its_buffer, refused, lambda x: x.gpudata])
def test_a_write_waits_for_reads_before_the_default_stream_asked_for_the_memory(
    what: Callable[[ww.Array], object],
) -> None:
    """The default stream was given no work, for which the writing stream could wait."""
    x = ww.zeros(4, np.float32)
    reads, writes, other = ww.Stream(), ww.Stream(), ww.mem_alloc(4)
    slow = ww.SourceModule(SLOW)["slow"]
    with ww.lazy(False):
        ww.evaluate(x, x + 0.5)  # compiled here: the streams do not wait for that
        slow(other, 20_000_000, grid=1, block=1, stream=reads)
        with reads:
            y = x + 0.5
        made = what(x)
        with writes:
            (made if isinstance(made, ww.Array) else x).fill(6)
    writes.synchronize()
    reads.synchronize()
    assert y.get().tolist() == [0.5] * 4
