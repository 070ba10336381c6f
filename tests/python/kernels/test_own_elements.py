"""Threads store to some of the elements of a vector, which they have read or not: those of the
others stay, also behind the last thread, and bits are those of executor *reference*."""

from __future__ import annotations

from collections.abc import Callable

import pytest

PROGRAM = """
import numpy as np
import warpwise as ww

SOURCE = '''
extern "C" __global__ void k(T* x, const unsigned char* mask, int n) {{
    {loop} {{
        {body}
    }}
}}'''
rng = np.random.default_rng(4)
N = 5000
mask = rng.integers(0, 4, N).astype(np.uint8)
mask[1000:1400] = 0
mask[2000:2400] = 1
for name, kind in {{"unsigned char": "u1", "short": "i2", "int": "i4", "float": "f4",
                    "long long": "i8", "double": "f8"}}.items():
    before = rng.integers(0, 100, N).astype(kind)
    options = ["-DT=" + name]
    reference = ww.SourceModule(SOURCE, options=[*options, "--warpwise-executor=reference"])["k"]
    kernel = ww.SourceModule(SOURCE, options=options)["k"]
    for n in (N, N - 1, 4000, 3333, 70, 1):
        expected, got = ww.asarray(before), ww.asarray(before)
        reference[{grid}, 128](expected, ww.asarray(mask), n)
        if n < N: kernel.compile_fully((128,))
        kernel[{grid}, 128](got, ww.asarray(mask), n)
        assert got.get().tobytes() == expected.get().tobytes(), (name, n)
        assert (got.get()[n:] == before[n:]).all(), (name, n)
"""


@pytest.mark.parametrize(
    "body",
    [
        "T v = x[i]; if (v > (T)3 && (mask[i] & 1)) x[i] = v - 3; else if (mask[i] & 2) x[i] = v + 1;",
        "if (mask[i] * 0.5f > 1.2f) x[i] = (T)7; else if (mask[i] * 0.5f > 0.7f) x[i] = (T)i;",
    ],
    ids=["read", "unread"],
)
@pytest.mark.parametrize(
    ("loop", "grid"),
    [
        ("int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n)", "40"),
        (
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;"
            " i += gridDim.x * blockDim.x)",
            "3",
        ),
    ],
    ids=["once", "strided"],
)
def test_the_elements_of_others_stay(
    body: str, loop: str, grid: str, at_each_level: Callable[[str], None]
) -> None:
    at_each_level(PROGRAM.format(body=body, loop=loop, grid=grid))
