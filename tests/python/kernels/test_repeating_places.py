"""Accesses whose places repeat every few lanes, `in[i % 3 * plane + i / 3]`: one run of elements for each
lane of a period. Random kernels must leave the bits of executor *reference*; WARPWISE_FUZZ=100:500
takes these instead of the first 24."""

from __future__ import annotations

import random

import numpy as np
import pytest
from kernel_forms import expect_the_bits_of_reference, seeds

import warpwise as ww

N = 6144
TYPES = {"int": np.int32, "unsigned": np.uint32, "long": np.int64, "size_t": np.uint64}
KINDS = {"unsigned char": np.uint8, "short": np.int16, "float": np.float32, "double": np.float64}


class Writer:
    """Each thread moves an element; several may be moved to one place, where the last one stays."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.block = self.choose.choice(((256, 1), (64, 1), (32, 8), (16, 4), (96, 1)))
        self.index = self.choose.choice(tuple(TYPES))
        self.kind = self.choose.choice(tuple(KINDS))
        self.period = self.choose.choice((2, 3, 3, 4, 5, 6, 7, 8))
        self.plane = self.choose.choice((0, 1, 5, N // self.period))

    def place(self) -> str:
        d = self.period
        return self.choose.choice(
            (
                f"(i % {d} * plane + i / {d})",
                f"(i % {d} * plane + i / {d})",
                f"(i / {d})",
                f"(i % {d})",
                f"(i / {d} * {d + 1} + i % {d}) / 2",
                f"((i + 1) / {d} + (i + 1) % {d} * plane)",
                f"(i / {d} % 16 + plane)",
                f"({d} + plane - i % {d} + i / {d})",
            )
        )

    def source(self) -> str:
        rows, to = "", self.choose.choice(("i", self.place()))
        if self.block[1] > 1:  # their threads have an order that no form need keep
            rows, to = f" + threadIdx.y * {self.choose.choice((32, 64, 100))}", "own"
        return f"""
    __global__ void kernel({self.kind} *out, const {self.kind} *in, {self.index} plane, {self.index} n)
    {{
        {self.index} i = blockIdx.x * blockDim.x + threadIdx.x{rows};
        unsigned own = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
        if (i >= n) return;
        {self.index} from = {self.place()}, to = {to};
        out[own] = in[{self.place()}] + in[{self.place()}];
        out += {8 * N} + blockIdx.x * {2 * N};
        if ((unsigned long)from < {2 * N} && (unsigned long)to < {2 * N}) out[to] = in[from];
    }}"""


def left_by(writer: Writer, source: str, options: list[str], seed: int) -> np.ndarray:
    kernel = ww.SourceModule(source, options=options)["kernel"]
    kind = KINDS[writer.kind]
    values = np.random.default_rng(seed).integers(0, 100, 4 * N).astype(kind)
    threads, number = writer.block[0], TYPES[writer.index]
    grid = N // 2 // threads
    out = np.zeros((8 + 2 * grid) * N, kind)
    kernel(
        ww.InOut(out),
        ww.In(values),
        number(writer.plane),
        number(N - 7),
        grid=grid,
        block=writer.block,
    )
    ww.Device().synchronize()
    return out.view(np.uint8)


@pytest.mark.cpu_only("the last thread's store to a place stays")
@pytest.mark.parametrize("seed", seeds(24))
def test_places_that_repeat_leave_the_bits_of_reference(seed):
    expect_the_bits_of_reference(Writer(seed), left_by, seed)
