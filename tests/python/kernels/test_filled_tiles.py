"""Tiles with a border that the threads of a block fill in turns: the turns are unrolled (pass
`unroll-turns`). Random kernels must leave the bits of executor *reference*; WARPWISE_FUZZ=100:500
takes these instead of the first 12."""

from __future__ import annotations

import random

import numpy as np
import pytest
from kernel_forms import expect_the_bits_of_reference, seeds

import warpwise as ww

BLOCKS = ((16, 16), (32, 8), (64, 1), (8, 8), (256, 1), (20, 3), (16, 4), (33, 2), (128, 1))
WIDTH, HEIGHT = 75, 50
KINDS = {
    "int": np.int32, "float": np.float32, "double": np.float64,
    "short": np.int16, "unsigned char": np.uint8,
}  # fmt: skip


class Writer:
    """A tile is the block's part of an image, or a strip of it, and a border."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.block = self.choose.choice(BLOCKS)
        self.kind = self.choose.choice(tuple(KINDS))
        self.index = self.choose.choice(("int", "unsigned", "long", "size_t"))
        self.border = self.choose.choice((0, 1, 2, 5))
        self.width = self.choose.choice((self.block[0], 16, 7)) + 2 * self.border
        self.height = self.choose.choice((self.block[1], 4, 9)) + 2 * self.border

    def place(self, row: str, column: str) -> str:
        """Where the element of a tile is in the image, and whether it is there."""
        y = f"y0 + (int)({row}) - {self.border}"
        x = f"x0 + (int)({column}) - {self.border}"
        if self.choose.random() < 0.4:
            y, x = f"min(max({y}, 0), h - 1)", f"max(min({x}, w - 1), 0)"
            return self.choose.choice(
                (f"in[({y}) * w + {x}]", f"in[({self.index})({y}) * w + {x}]")
            )
        if self.choose.random() < 0.2:
            return f"in[abs({y}) % h * w + abs({x}) % w]"
        inside = self.choose.choice(
            (
                f"({y}) >= 0 && ({y}) < h && ({x}) >= 0 && ({x}) < w",
                f"(unsigned)({y}) < (unsigned)h && (unsigned)({x}) < (unsigned)w",
            )
        )
        return f"{inside} ? in[({self.index})({y}) * w + ({x})] : ({self.kind})({row})"

    def fill(self) -> str:
        w, h, threads = self.width, self.height, self.block[0] * self.block[1]
        if self.choose.random() < 0.3:
            return f"""
        for ({self.index} r = threadIdx.y; r < {h}; r += blockDim.y)
            for ({self.index} c = threadIdx.x; c < {w}; c += blockDim.x)
                tile[r][c] = {self.place("r", "c")};"""
        step = self.choose.choice((str(threads), "blockDim.x * blockDim.y"))
        store = self.choose.choice((f"tile[k / {w}][k % {w}]", "(&tile[0][0])[k]", "tile[r][c]"))
        guard = self.choose.choice(("", "", f"if (k % 3 != 1 && {self.border} < n) "))
        return f"""
        for ({self.index} k = t; k < {w * h}; k += {step}) {{
            {self.index} r = k / {w}, c = k % {w};
            {guard}{store} = {self.place("r", "c")};
        }}"""

    def source(self) -> str:
        return f"""
    __global__ void kernel(unsigned char *bytes, const {self.kind} *in, int w, int h, int n)
    {{
        __shared__ {self.kind} tile[{self.height}][{self.width}];
        auto out = ({self.kind} *)bytes;
        int t = threadIdx.y * blockDim.x + threadIdx.x;
        int x0 = blockIdx.x * {self.width - 2 * self.border};
        int y0 = blockIdx.y * {self.height - 2 * self.border};
        for (int k = t; k < {self.width * self.height}; k += {self.block[0] * self.block[1]})
            (&tile[0][0])[k] = k;
        __syncthreads();{self.fill()}
        __syncthreads();
        int first = (blockIdx.y * gridDim.x + blockIdx.x) * {self.width * self.height};
        for (int k = t; k < {self.width * self.height}; k += {self.block[0] * self.block[1]})
            out[first + k] = tile[k / {self.width}][k % {self.width}];
    }}"""


def left_by(writer: Writer, source: str, options: list[str], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    image = rng.integers(0, 255, HEIGHT * WIDTH).astype(KINDS[writer.kind])
    grid = (1 + WIDTH // (writer.width - 2 * writer.border), 4)
    left = np.zeros(grid[0] * grid[1] * writer.width * writer.height * 8, np.uint8)
    options = ["--allow-beyond-gpu", *options]
    kernel = ww.SourceModule(source, options=options).get_function("kernel")
    kernel(ww.Out(left), ww.In(image), WIDTH, HEIGHT, 3, grid=grid, block=writer.block)
    ww.Device().synchronize()
    return left


@pytest.mark.parametrize("seed", seeds(12))
def test_all_forms_leave_the_bits_of_reference(seed: int) -> None:
    expect_the_bits_of_reference(Writer(seed), left_by, seed)
