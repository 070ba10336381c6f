"""Random expressions over bytes and short integers, which C++ promotes to int: the vectors of the
CPU device compute them in 8 and 16 bits, executor reference in 32.

The shapes of blocks are those whose gangs differ: rows of 256, 32 and 16 threads, and one that no
vector of bytes fits. WARPWISE_FUZZ=long makes it a long run.
"""

from __future__ import annotations

import os
import random

import numpy as np
import pytest

import warpwise as ww

CASES = 400 if os.environ.get("WARPWISE_FUZZ") == "long" else 12
BLOCKS = ((256,), (32, 8), (16, 16), (48, 2))
WIDTH, HEIGHT = 768, 16

LEAVES = ("p[0]", "p[1]", "p[W]", "q[0]", "q[1]", "s[0]", "u[0]", "(signed char)p[2]", "t")
# Overflow of int is not defined in C++.
BINARY = tuple(f"(int)((unsigned){{}} {operation} (unsigned){{}})" for operation in "+-*&|^")
COMPARISONS = ("<", "<=", "==", "!=")
CASTS = ("unsigned char", "signed char", "short", "unsigned short", "int", "unsigned")


class Expressions:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def number(self) -> str:
        return str(self._random.choice((0, 1, 3, 16, 127, 128, 255, 256, -1, -77, 32767, 65535)))

    def make(self, depth: int) -> str:
        pick = self._random.random()
        if depth == 0:
            return self.number() if pick < 0.25 else self._random.choice(LEAVES)
        left, right = self.make(depth - 1), self.make(depth - 1)
        if pick < 0.35:
            return self._random.choice(BINARY).format(left, right)
        if pick < 0.5:
            return f"{self._random.choice(('min', 'max'))}((int){left}, (int){right})"
        if pick < 0.6:
            return f"abs((short){left} - (short){right})"
        if pick < 0.7:
            return f"((int){left} {self._random.choice(('<<', '>>'))} {self._random.randrange(10)})"
        if pick < 0.76:
            by = self._random.choice((3, 9, 255, -7))
            return f"((int){left} {self._random.choice('/%')} {by})"
        if pick < 0.88:
            compare = self._random.choice(COMPARISONS)
            return f"({left} {compare} {right} ? {self.make(depth - 1)} : {right})"
        return f"({self._random.choice(CASTS)})({left})"

    def source(self) -> str:
        first, second, third = (self.make(4) for _ in range(3))
        return f"""
#define W {WIDTH}
__global__ void k(const unsigned char *in, const short *shorts, unsigned char *out, short *wide,
                  int *words, int t)
{{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int i = y * W + x;
    const unsigned char *p = in + i, *q = in + i + 3 * W;
    const short *s = shorts + i;
    const unsigned short *u = (const unsigned short *)shorts + i + 5;
    int total = {first};
    unsigned char last = p[0];
    for (int k = 0; k < (t & 3); ++k) {{
        total = (int)((unsigned)total + (unsigned)({second}));
        last = last * 31 ^ q[k];
        if (total > 100 && last == p[k]) break;
    }}
    out[i] = total + last;
    wide[i] = {third};
    words[i] = total;
}}
"""


def results(
    module: ww.SourceModule, block: tuple[int, ...], fully: bool, seed: int
) -> list[np.ndarray]:
    generator = np.random.default_rng(seed)
    size = WIDTH * HEIGHT
    data = generator.integers(0, 256, size + 8 * WIDTH, dtype=np.uint8)
    shorts = generator.integers(-32768, 32768, size + WIDTH, dtype=np.int16)
    made = [np.zeros(size, kind) for kind in (np.uint8, np.int16, np.int32)]
    kernel = module.get_function("k")
    if fully:
        kernel.compile_fully(block)
    grid = (WIDTH // block[0], HEIGHT // (block[1] if len(block) > 1 else 1))
    outs = [ww.Out(array) for array in made]
    kernel(ww.In(data), ww.In(shorts), *outs, np.int32(seed), grid=grid, block=block)
    return made


@pytest.mark.parametrize("seed", range(CASES))
def test_bytes_have_the_same_bits_in_narrow_lanes(seed: int) -> None:
    source = Expressions(seed).source()
    block = BLOCKS[seed % len(BLOCKS)]
    with ww.Device("cpu"):
        reference = ww.SourceModule(source, options=["--warpwise-executor=reference"])
        expected = results(reference, block, fully=False, seed=seed)
        vectors = ww.SourceModule(source)
        for fully in (False, True):
            for got, right in zip(results(vectors, block, fully, seed), expected, strict=True):
                np.testing.assert_array_equal(got, right, source)
