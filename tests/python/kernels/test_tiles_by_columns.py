"""Tiles of threads that access memory by columns, `out[x * height + y]`: a run of elements for each column.
Random kernels must leave the bits of executor *reference*; WARPWISE_FUZZ=100:500 takes these instead of
the first 16."""

from __future__ import annotations

import random

import numpy as np
import pytest
from kernel_forms import expect_the_bits_of_reference, seeds

import warpwise as ww

PITCH = 192  # of results, more than a grid has rows
TYPES = {"int": np.int32, "unsigned": np.uint32, "long": np.int64, "size_t": np.uint64}
KINDS = {"unsigned char": np.uint8, "short": np.int16, "float": np.float32, "double": np.float64}


class Writer:
    """No two threads store to one place, unless they store one value."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.block = self.choose.choice(((16, 16), (32, 8), (32, 32), (16, 4), (48, 12), (20, 8)))
        self.index = self.choose.choice(tuple(TYPES))
        self.kind = self.choose.choice(tuple(KINDS))
        self.width = self.choose.choice((17, 32, 48, 64))
        self.height = self.choose.choice((7, 32, 33, 64))
        self.step = self.choose.choice((0, 1, 5, 8, 16, 33, 64, 200))

    def place(self) -> str:
        return self.choose.choice(
            (
                "x * s + y",
                "x * s + y + 3",
                "x * 64 + y",
                "x * 5 + y",
                "(w - 1 - x) * s + y",
                "x * s + (h - 1 - y)",
                "y * s + x",
                "(x / 2) * s + y",
                "((x * s + y) ^ 1)",
            )
        )

    def store(self) -> str:
        shared = self.place()
        return self.choose.choice(
            (
                f"out[x * p + y] = in[{self.place()}];",
                f"out[x * p + y + 5] = in[{self.place()}] + in[{self.place()}];",
                f"out[(w - 1 - x) * p + y] = in[{self.place()}];",
                f"out[x * p + (h - 1 - y)] = in[{self.place()}];",
                f"if (x % 3 != 1 || y > 4) out[x * p + y] = in[{self.place()}];",
                f"out[{shared}] = ({self.kind})(3 * ({shared}));",
            )
        )

    def source(self) -> str:
        x = f"{self.index} x = blockIdx.x * blockDim.x + threadIdx.x"
        y = f"{self.index} y = blockIdx.y * blockDim.y + threadIdx.y"
        store = self.store()
        body = self.choose.choice(
            (
                f"{x}; {y}; if (x < w && y < h) {{ {store} }}",
                f"{x}; {y}; if (x >= w) return; if (y >= h) return; {store}",
                f"for ({y}; y < h; y += blockDim.y) for ({x}; x < w; x += blockDim.x) {{ {store} }}",
            )
        )
        return f"""
    __global__ void kernel({self.kind} *out, const {self.kind} *in, {self.index} w, {self.index} h,
                           {self.index} s, {self.index} p)
    {{
        {body}
    }}"""


def left_by(writer: Writer, source: str, options: list[str], seed: int) -> np.ndarray:
    kernel = ww.SourceModule(source, options=options)["kernel"]
    kind, number = KINDS[writer.kind], TYPES[writer.index]
    values = np.random.default_rng(seed).integers(0, 100, 100 * PITCH).astype(kind)
    out = np.zeros(100 * PITCH, kind)
    width, height = writer.block
    grid = (-(-writer.width // width), -(-writer.height // height))
    if "for (" in source:
        grid = (1, 1)
    kernel(
        ww.InOut(out),
        ww.In(values),
        *(number(n) for n in (writer.width, writer.height, writer.step, PITCH)),
        grid=grid,
        block=writer.block,
    )
    ww.Device().synchronize()
    return out.view(np.uint8)


@pytest.mark.cpu_only("executors of the CPU device")
@pytest.mark.parametrize("seed", seeds(16))
def test_tiles_accessed_by_columns_leave_the_bits_of_reference(seed):
    expect_the_bits_of_reference(Writer(seed), left_by, seed)
