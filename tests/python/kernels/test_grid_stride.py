"""Grid-stride loops: where iterations share nothing but the index, a run of blocks goes through the
grid round by round. Random kernels must leave the bits of executor *reference*; WARPWISE_FUZZ=100:500
takes these instead of the first 16."""

from __future__ import annotations

import random

import numpy as np
import pytest
from kernel_forms import expect_the_bits_of_reference, seeds

import warpwise as ww

N = 9000
TYPES = {"int": np.int32, "unsigned": np.uint32, "long": np.int64, "size_t": np.uint64}


class Writer:
    """Each thread reads and writes elements of its own, and counts what it does in its own slot."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.block = self.choose.choice((256, 128, 64, 96, 32))
        self.grid = self.choose.choice((1, 3, 8, 16, 40))
        self.index = self.choose.choice(tuple(TYPES))
        self.n = self.choose.choice((0, 1, 100, 1000, N - 1, N))
        self.width = self.choose.choice((1, 3, 28, 100, 1000))

    def value(self) -> str:
        return self.choose.choice(
            (
                "in[i]",
                f"in[({self.index})(i / w * w + (i + 1) % w) % {N}]",
                f"in[i % 3 * 3000 + i / 3 % {N // 3}]",
                "(float)(i % w)",
                "(i % w > 0 && i % w < w - 1 ? in[i - 1] : 2.0f)",
                f"in[(i / w + i % w) % {N}]",
            )
        )

    def source(self) -> str:
        start = self.choose.choice(
            (
                "blockIdx.x * blockDim.x + threadIdx.x",
                f"({self.index})blockIdx.x * blockDim.x + threadIdx.x",
                "threadIdx.x + blockIdx.x * blockDim.x + 1",
            )
        )
        stride = self.choose.choice(
            ("blockDim.x * gridDim.x", "blockDim.x * gridDim.x", "gridDim.x * blockDim.x * 2", "s")
        )
        skip = self.choose.choice(("", "if (i % 5 == 1) continue;", "if (in[i] < 0.2f) continue;"))
        own = "blockIdx.x * blockDim.x + threadIdx.x"
        count = self.choose.choice(("", f"slots[{own}] = slots[{own}] * 3 + i;"))
        inner = self.choose.choice(
            ("", "for (int k = 0; k < i % 4; ++k) sum = sum * 0.5f + in[k];")
        )
        return f"""
    __global__ void kernel(float *out, const float *in, int *slots, {self.index} w, {self.index} s, {self.index} n)
    {{
        for ({self.index} i = {start}; i < n; i += {stride}) {{
            {skip}
            float sum = {self.value()} + {self.value()};
            {inner}
            out[i] = sum;
            {count}
        }}
    }}"""


def left_by(writer: Writer, source: str, options: list[str], seed: int) -> np.ndarray:
    kernel = ww.SourceModule(source, options=options)["kernel"]
    source_values = np.random.default_rng(seed).random(N + 1, np.float32)
    out, slots = np.zeros(N, np.float32), np.zeros(writer.grid * writer.block, np.int32)
    number = TYPES[writer.index]
    kernel(
        ww.InOut(out),
        ww.In(source_values),
        ww.InOut(slots),
        number(writer.width),
        number(writer.grid * writer.block),
        number(writer.n),
        grid=writer.grid,
        block=writer.block,
    )
    ww.Device().synchronize()
    return np.concatenate([out.view(np.uint32), slots.view(np.uint32)])


@pytest.mark.parametrize("seed", seeds(16))
def test_rounds_leave_the_bits_of_reference(seed):
    expect_the_bits_of_reference(Writer(seed), left_by, seed)


def test_rounds_end_where_the_next_index_is_beyond_31_bits():
    source = """
    __global__ void count(int *visits, unsigned stride, unsigned n)
    {
        unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
            visits[first] += 1;
    }"""
    kernel = ww.SourceModule(source, options=["--warpwise-tier=full"])["count"]
    visits = np.zeros(2048, np.int32)
    kernel(ww.InOut(visits), np.uint32(1 << 30), np.uint32((1 << 31) - 1), grid=8, block=256)
    ww.Device().synchronize()
    assert (visits == 2).all()


@pytest.mark.cpu_only("it survives what kernels do wrong, and names the thread")
def test_a_fault_in_a_later_round_names_its_thread():
    source = """
    __global__ void broken(int *p, int n)
    {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            if (i == 5000) *p = 1;
    }"""
    kernel = ww.SourceModule(source, options=["--warpwise-tier=full"])["broken"]
    with pytest.raises(ww.LaunchError) as caught:
        kernel(None, np.int32(9000), grid=8, block=256)
        ww.Device().synchronize()
    assert caught.value.block == (5000 % 2048 // 256, 0, 0)
