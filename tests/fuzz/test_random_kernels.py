"""Random kernels against a Python interpreter of the same program.

A short run is part of every test run; WARPWISE_FUZZ=long makes it a long one. Seeds are the numbers
of the cases, so that a failure can be run again by name.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

import warpwise as ww
from random_kernel import NAMES, Generator

CASES = 1000 if os.environ.get("WARPWISE_FUZZ") == "long" else 25
BLOCKS, SIZE = 2, 64


def source_of(lines: list[str]) -> str:
    body = "\n    ".join(lines)
    return f"""
__global__ void random_kernel(unsigned *data)
{{
    __shared__ unsigned box[{SIZE}];
    unsigned *mine = data + 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    unsigned a = mine[0], b = mine[1], c = mine[2], d = mine[3];
    {body}
    mine[0] = a; mine[1] = b; mine[2] = c; mine[3] = d;
}}
"""


@pytest.mark.parametrize("seed", range(CASES))
def test_a_random_kernel_computes_what_python_does(seed: int) -> None:
    kernel = Generator(seed).kernel(SIZE)
    data = np.random.default_rng(seed).integers(0, 2**32, (BLOCKS, SIZE, 4), dtype=np.uint32)
    expected = np.empty_like(data)
    for index, values in enumerate(data):
        block = [dict(zip(NAMES, map(int, row), strict=True)) for row in values]
        kernel.run(block)
        expected[index] = [[state[name] for name in NAMES] for state in block]

    source = source_of(kernel.lines)
    with ww.Device("cpu"):
        module = ww.SourceModule(source, name=f"random_{seed}.cu")
        module["random_kernel"](ww.InOut(data), grid=BLOCKS, block=SIZE)
    assert (data == expected).all(), source
