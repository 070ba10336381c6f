"""Shared arrays that threads access by columns are stored by columns (pass `transpose-shared`).
Random kernels must leave the bits of executor *reference*; WARPWISE_FUZZ=100:500 takes these
instead of the first 10."""

from __future__ import annotations

import random

import numpy as np
import pytest
from kernel_forms import expect_the_bits_of_reference, seeds

import warpwise as ww

BLOCKS = ((16, 8), (128, 1), (100, 1), (32, 4), (40, 3), (64, 1), (16, 4), (7, 5))
ROWS = 128


class Writer:
    """Each thread reads and writes one row between two barriers, or a place of a diagonal."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.block = self.choose.choice(BLOCKS)
        self.kind = self.choose.choice(("int", "float", "double", "short", "unsigned char"))
        self.columns = self.choose.choice((5, 17, 33, 40, 64, 65))
        self.guard = self.choose.choice(("true", "t >= 3", "t < n", "t % 3 != 1", "t > j", "j < n"))

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1]

    def index(self, part: str) -> str:
        return self.choose.choice(("int", "unsigned", "size_t", "long")) + f" {part}"

    def row(self) -> str:
        """A loop over the places of a thread's own row."""
        c = self.columns
        j = self.choose.choice(("j", f"{c - 1} - j", f"(j + 1) % {c}", f"(j + n) % {c}"))
        other = self.choose.choice((j, "j", "0", f"j / 2 + {c // 3}", f"n % {c}"))
        return f"""
        for ({self.index("j")} = 0; j < {c}; ++j)
            if ({self.guard}) s[t][{j}] = s[t][{j}] + s[t][{other}] + seen;"""

    def diagonal(self) -> str:
        """Of an array that is as wide as it is high, and skewed."""
        c = self.columns
        return f"""
        for (int d = 0; d < {c} + {self.threads}; ++d) {{
            int j = d - t;
            if (j >= 1 && j < {c} && t >= 1)
                s[t][j] = s[t - 1][j] + s[t][j - 1] + s[t - 1][j - 1] + seen;
            __syncthreads();
        }}"""

    def once(self) -> str:
        """Other accesses, which would not pay in a loop."""
        c = self.columns
        return self.choose.choice(
            (
                "", "s[0][t] = 3;", f"seen = s[n % {ROWS}][n % {c}];", "seen = s[t][t % 5];",
                f"seen = (&s[0][0])[(t * t + n) % {ROWS * c}];", f"seen = s[{ROWS - 1} - t][1];",
                f"if (t > 0) seen = (&s[t][0])[-{self.choose.randrange(1, 5)}];",
            )
        )  # fmt: skip

    def source(self) -> str:
        c, size = self.columns, ROWS * self.columns + self.choose.choice((0, 1, 7))
        body = "".join(
            f"\n        {self.once()}\n        __syncthreads();"
            f"{self.choose.choice((self.row, self.row, self.diagonal))()}\n        __syncthreads();"
            for _ in range(self.choose.randrange(1, 4))
        )
        return f"""
    __global__ void kernel(unsigned char *bytes, const int *in, int n)
    {{
        auto out = ({self.kind} *)bytes;
        __shared__ {self.kind} all[{size}], beside[64];
        auto s = ({self.kind}(*)[{c}])all;
        int t = threadIdx.y * blockDim.x + threadIdx.x;
        {self.kind} seen = in[t];
        if (t < 64) beside[t] = t;
        for (int r = t; r < {ROWS}; r += {self.threads})
            for (int j = 0; j < {c}; ++j) s[r][j] = in[(t + 3 * j) % {self.threads}] + r;
        __syncthreads();{body}
        for (int j = 0; j < {c}; ++j) out[(blockIdx.x * {ROWS} + t) * {c} + j] = s[t][j];
        if (t < 64) out[(blockIdx.x * {ROWS} + t) * {c}] += beside[t];
    }}"""


def left_by(writer: Writer, source: str, options: list[str], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    inputs = rng.integers(0, 50, writer.threads).astype(np.int32)
    n = int(rng.integers(1, writer.threads + 1))
    left = np.zeros(2 * ROWS * writer.columns * 8, np.uint8)
    options = ["--allow-beyond-gpu", *options]
    kernel = ww.SourceModule(source, options=options).get_function("kernel")
    kernel(ww.Out(left), ww.In(inputs), n, grid=2, block=writer.block)
    ww.Device().synchronize()
    return left


@pytest.mark.cpu_only("more shared memory than GPUs have")
@pytest.mark.parametrize("seed", seeds(10))
def test_all_forms_leave_the_bits_of_reference(seed: int) -> None:
    expect_the_bits_of_reference(Writer(seed), left_by, seed)


TILE = """
__global__ void kernel(const float *in, float *out)
{
    __shared__ float s[32][33];
    int t = threadIdx.x;
    for (int j = 0; j < 32; ++j) s[t][j] = in[j * 32 + t];
    __syncthreads();
    for (int j = 1; j < 32; ++j) out[j * 32 + t] = s[t][j] - s[t][j - 1];
}"""


@pytest.mark.cpu_only("what its compiler reports")
def test_columns_are_vectors():
    module = ww.SourceModule(TILE, options=["--warpwise-tier=full", "--warpwise-block=32,1,1"])
    report = str(module.get_function("kernel").report())
    assert "all 5 accesses of memory by several threads are vectors" in report, report
