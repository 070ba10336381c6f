"""Indices that are taken apart by quotients and remainders, `i / width` and `i % width`: gangs whose
lanes lie in one row run a copy of the kernel where the quotient has no lanes. Random kernels must
leave the bits of executor *reference*; WARPWISE_FUZZ=100:500 takes these instead of the first 16."""

from __future__ import annotations

import random

import numpy as np
import pytest
from kernel_forms import expect_the_bits_of_reference, seeds

import warpwise as ww

BLOCKS = ((256, 1), (64, 1), (32, 4), (16, 16), (100, 1), (48, 2))
N = 6000
WIDTHS = (0, 1, -1, -7, 3, 8, 17, 64, 100, 256, 257, 1000, 5000, 2**31 - 1)
TYPES = {"int": np.int32, "unsigned": np.uint32, "long": np.int64, "size_t": np.uint64}


class Writer:
    """Each thread has one element of a tensor, and reads those beside it."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.block = self.choose.choice(BLOCKS)
        self.index = self.choose.choice(tuple(TYPES))
        self.kind = self.choose.choice(("int", "float", "unsigned char"))
        self.width = self.choose.choice(WIDTHS)
        constant = self.choose.random() < 0.3 and self.width > 0
        self.w = f"({self.index}){self.width}" if constant else "w"

    def start(self) -> str:
        if self.block[1] == 1:
            sums = ("blockIdx.x * blockDim.x + threadIdx.x",)
            sums += ("threadIdx.x + blockDim.x * (blockIdx.x + 1) - 70",)
            return self.choose.choice(sums)
        columns = "(blockIdx.x * blockDim.x + threadIdx.x)"
        rows = f"(blockIdx.y * blockDim.y + threadIdx.y) * gridDim.x * {self.block[0]}"
        return f"{rows} + {columns}"

    def safe(self, place: str) -> str:
        return f"in[(unsigned long)({place}) % {N}]"

    def near(self, part: str, limit: str) -> str:
        d = self.choose.choice((-2, -1, 1, 3))
        t = self.index
        return self.choose.choice(
            (
                f"min(max(({t})({part} + {d}), ({t})0), ({t})({limit} - 1))",
                f"max(min(({t})({part} + {d}), ({t})({limit} - 1)), ({t})1)",
                f"{part} + {d}",
                f"({part} > 0 ? {part} - 1 : {limit} - 1)",
            )
        )

    def value(self) -> str:
        y, x = self.near("y", "h"), self.near("x", self.w)
        return self.choose.choice(
            (
                self.safe(f"{y} * {self.w} + {x}"),
                self.safe(f"y * {self.w} + {x}"),
                f"(x > 1 && x < {self.w} - 1 ? {self.safe('i + 1')} : 5)",
                f"(y >= 1 && x + 2 <= {self.w} ? {self.safe(f'i - {self.w}')} : x)",
                self.safe("(y % 3 * h + z) * 5 + x / 2"),
                "y * 3 + x", "x - z", f"(x < {self.w} / 2)",
            )
        )  # fmt: skip

    def source(self) -> str:
        sums = "".join(f"\n            sum += {self.value()};" for _ in range(3))
        parts = self.choose.choice(
            (
                f"x = i % {self.w}, y = i / {self.w}, z = i / ({self.w} * h) % 7",
                f"y = i / {self.w}, x = i - y * {self.w}, z = y % h",
                f"x = (i + 5) % {self.w}, y = (i + 5) / {self.w}, z = i % h",
            )
        )
        return f"""
    __global__ void kernel({self.kind} *out, const {self.kind} *in, {self.index} w, {self.index} h, {self.index} n)
    {{
        {self.index} i = {self.start()};
        if (i < n) {{
            {self.index} {parts};
            {self.kind} sum = in[i % {N}];{sums}
            if ((unsigned long)i < {N}) out[i] = sum;
        }}
    }}"""


def left_by(writer: Writer, source: str, options: list[str], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    kind = {"int": np.int32, "float": np.float32, "unsigned char": np.uint8}[writer.kind]
    numbers = rng.integers(0, 250, N).astype(kind)
    left = np.zeros(N, kind)
    index = TYPES[writer.index]
    scalars = (np.array([writer.width, 11, N - 100]).astype(np.int64)).astype(index)
    kernel = ww.SourceModule(source, options=["--allow-beyond-gpu", *options]).get_function(
        "kernel"
    )
    threads = writer.block[0] * writer.block[1]
    grid = (2, 1 + N // (2 * threads)) if writer.block[1] > 1 else (1 + N // threads,)
    kernel(ww.InOut(left), ww.In(numbers), *scalars, grid=grid, block=writer.block)
    ww.Device().synchronize()
    return left


@pytest.mark.parametrize("seed", seeds(16))
def test_all_forms_leave_the_bits_of_reference(seed: int) -> None:
    expect_the_bits_of_reference(Writer(seed), left_by, seed)
