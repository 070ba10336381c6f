"""Lanes that lie far apart are loaded and stored one by one where their gathers are slow, and nearer ones
by vectors that several accesses have in common. Random trees and steps in shared memory must leave
the bits of executor *reference*; WARPWISE_FUZZ=100:500 takes these instead of the first 12."""

from __future__ import annotations

import random

import numpy as np
import pytest
from kernel_forms import expect_the_bits_of_reference, seeds

import warpwise as ww

BLOCKS = (32, 64, 100, 128, 256)
SIZE = 2048
KINDS = ("int", "float", "double", "short", "unsigned char")


class Writer:
    """Levels of a tree up or down, or accesses in one wide step, between barriers."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.block = self.choose.choice(BLOCKS)
        self.kind = self.choose.choice(KINDS)

    def update(self, a: str, b: str) -> str:
        """`a` and `b` are other places for each thread, of the same thread possibly one."""
        choose = self.choose.choice
        twice = choose(("+", "-", "*"))
        return choose(
            (
                f"s[{b}] += s[{a}];",
                f"T v = s[{a}]; s[{a}] = s[{b}]; s[{b}] += v;",
                f"T p = s[{a}], q = s[{b}]; s[{a}] = p + q; s[{b}] = p - q;",
                f"s[{b}] = s[{a}] {twice} s[{b}] * own;",
                f"s[{b}] = own; s[{a}] = s[{b}] + s[{a}];",
                f"s[{a}] += s[{b}]; s[{b}] += s[{a}];",
                f"T p = s[{a}]; s[{b}] = p * p + s[{a}]; own += p;",
            )
        )

    def tree(self) -> str:
        half = self.block
        a = self.choose.choice(("d * (2 * t + 1) - 1", "2 * d * t", "2 * d * t + d - 1"))
        b = f"{a} + d" if a != "d * (2 * t + 1) - 1" else "d * (2 * t + 2) - 1"
        levels = self.choose.choice(
            (f"int d = 1; d <= {half}; d *= 2", "int d = 128; d > 0; d /= 2")
        )
        guard = self.choose.choice((f"2 * d * (t + 1) <= {2 * half}", f"t < {half} / d"))
        return f"""
        for ({levels}) {{
            __syncthreads();
            if ({guard}) {{ {self.update(a, b)} }}
        }}"""

    def steps(self) -> str:
        step = self.choose.choice((5, 6, 7))
        first = self.choose.choice((0, 1, 3))
        guard = self.choose.choice(("true", "t % 3 != 1", "t < 40", "t >= 5", "t < n"))
        code = self.update(f"t * {step} + {first}", f"t * {step} + {step - 1}")
        return f"\n        if ({guard}) {{ {code} }}"

    def source(self) -> str:
        parts = [
            f"\n        __syncthreads();{self.choose.choice((self.tree, self.tree, self.steps))()}"
            for _ in range(self.choose.randrange(1, 4))
        ]
        return f"""
    typedef {self.kind} T;
    __global__ void kernel(T *out, const T *in, int n)
    {{
        __shared__ T s[{SIZE}];
        int t = threadIdx.x;
        T own = in[t];
        for (int i = t; i < {SIZE}; i += blockDim.x)
            s[i] = in[i];{"".join(parts)}
        __syncthreads();
        for (int i = t; i < {SIZE}; i += blockDim.x)
            out[blockIdx.x * {SIZE} + i] = s[i] + (i == t ? own : T(0));
    }}"""


def left_by(writer: Writer, source: str, options: list[str], seed: int) -> np.ndarray:
    dtype = {"int": "i4", "float": "f4", "double": "f8", "short": "i2"}.get(writer.kind, "u1")
    inputs = (np.random.default_rng(seed).random(SIZE) * 100).astype(dtype)
    left = np.zeros(2 * SIZE, dtype)
    kernel = ww.SourceModule(source, options=options).get_function("kernel")
    kernel(ww.Out(left), ww.In(inputs), 57, grid=2, block=writer.block)
    ww.Device().synchronize()
    return left.view("u1")


@pytest.mark.parametrize("seed", seeds(12))
def test_all_forms_leave_the_bits_of_reference(seed: int) -> None:
    expect_the_bits_of_reference(Writer(seed), left_by, seed)
