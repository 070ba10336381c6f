"""Bytes that some lanes of a gang read, up to a page that nothing may read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.cpu_only("memory of the host")

# Places without room for the pattern do not begin; others leave the loop one by one. Where the text
# begins somewhere in a page, vectors lie over the ends of pages.
PROGRAM = '''
import ctypes
import mmap

import numpy as np

import warpwise as ww

FIND = """
__global__ void kernel(const char *text, int length, const char *pattern, int size, char *found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + size > length) return;
    int k = 0;
    while (k < size && text[i + k] == pattern[k]) ++k;
    found[i] = k;
}"""
LENGTH = 2 * mmap.PAGESIZE

pages = mmap.mmap(-1, LENGTH + mmap.PAGESIZE)
array = np.frombuffer(pages, np.uint8)
text = array[:LENGTH]
text[:] = np.random.default_rng(7).integers(97, 99, LENGTH)
protect = ctypes.CDLL(None).mprotect
assert protect(ctypes.c_void_p(array.ctypes.data + LENGTH), mmap.PAGESIZE, 0) == 0

pattern = np.frombuffer(b"abaabbab", np.uint8)
kernels = [
    ww.SourceModule(FIND, options=options)["kernel"]
    for options in (["--warpwise-block=256"], ["--warpwise-block=96"], [])
]
for cut in (0, 1, 31, 32, 33, 64, 100, 127, 200):
    part = text[cut:]
    memory = ww.wrap_memory(part.ctypes.data, part.nbytes, owner=part)
    windows = np.lib.stride_tricks.sliding_window_view(part, pattern.size)
    want = np.cumprod(windows == pattern, axis=1).sum(axis=1)
    for kernel, block in zip(kernels, (256, 96, 256), strict=True):
        found = np.zeros(LENGTH, np.uint8)
        arguments = memory, part.size, ww.In(pattern), pattern.size, ww.InOut(found)
        kernel(*arguments, grid=-(-LENGTH // block), block=block)
        np.testing.assert_array_equal(found[: want.size], want)
        assert not found[want.size :].any()
'''


def test_a_search_ends_with_its_text(at_each_level: Callable[[str], None]) -> None:
    at_each_level(PROGRAM)
