"""Indices taken apart by `i % width` and `i / width` in blocks of one row: gangs end where a row ends.
Widths from the shortest that is split to those of several gangs, constants and parameters, in blocks
of several sizes; what the kernels leave must be the bits of executor *reference*."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.cpu_only("its processor levels")

PROGRAM = r'''
import itertools
import numpy as np
import warpwise as ww

N = 5000
PARTS = "T x = i % W, y = i / W, z = i / (W * (T)5), r = y % (T)5;"
BODIES = {
    "pool": "out[i] = max(at(y * 2 * W * 2 + x * 2), at((y * 2 + 1) * W * 2 + x * 2 + 1));",
    "bias": "out[i] = at(i) + at(z) * at(r);",
    "edges": "out[i] = x > 0 && x < W - 1 ? at(i - 1) + at(i + 1) : at(y);",
    "checked": "out[i] = x > 0 && i + 1 < n ? in[i - 1] + in[i + 1] : in[i];",
    "wraps": "out[i] = at(y * W + (x + 1) % W) * 3 + at((i + 1) % W);",
    "turns": "E sum = 0; for (T k = 0; k < x % 5 + r; ++k) sum += at(i + k * W); out[i] = sum;",
    "leaves": "if (x == 3 || r == 2) return; out[(N - 1) - i] = at(x * 7 + y);",
    "local": "E own[8]; for (int k = 0; k < 8; ++k) own[k] = at(i + k); out[i] = own[(x + r) & 7];",
    "counts": "atomicAdd(&count[r], 1 + (int)(x & 3)); out[i] = at(x);",
    "stride": "out[i] = at(x * 11 + r);",
}
HEAD = """
#define N 5000
typedef {index} T; typedef {element} E;
#define at(place) in[(unsigned long)(place) % N]
#define W {width}
extern "C" __global__ void kernel(E* out, const E* in, int* count, T w, T n) {{
    {loop} {{ {parts} {body} }}
}}"""
ONCE = "T i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n)"
ROUNDS = "for (T i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)"
TYPES = {"int": np.int32, "unsigned": np.uint32, "size_t": np.uint64}
ELEMENTS = {"float": np.float32, "unsigned char": np.uint8, "double": np.float64}


def left_by(source, options, block, index, element, width, n, is_round):
    kernel = ww.SourceModule(source, options=options).get_function("kernel")
    numbers = np.random.default_rng(width).integers(0, 99, N).astype(ELEMENTS[element])
    out, count = np.zeros(N, ELEMENTS[element]), np.zeros(5, np.int32)
    grid = 3 if is_round else -(-n // block)
    scalars = [TYPES[index](width), TYPES[index](n)]
    kernel(ww.InOut(out), ww.In(numbers), ww.InOut(count), *scalars, grid=grid, block=block)
    return out.tobytes() + count.tobytes()


cases = itertools.product(BODIES, ("float", "unsigned char", "double"), (False, True))
for number, (body, element, is_round) in enumerate(cases):
    index = list(TYPES)[number % 3]
    block = (64, 256, 512, 128)[number % 4]
    for k in (number, number + 3)[: 1 + number % 2]:
        width = (5, 14, 23, 31, 49, 56, 100, 200)[k % 8]
        n = (N, N - 3, 4000, 17)[(number + k) % 4]
        source = HEAD.format(
            index=index, element=element, width="w" if k % 3 else f"((T){width})",
            loop=ROUNDS if is_round else ONCE, parts=PARTS,
            body=BODIES[body] if not is_round else BODIES[body].replace("return", "continue"),
        )
        case = block, index, element, width, n, is_round
        expected = left_by(source, ["--warpwise-executor=reference"], *case)
        full = ["--warpwise-tier=full", f"--warpwise-block={block},1,1"]
        assert left_by(source, full, *case) == expected, (body, *case)
'''


def test_leave_the_bits_of_reference(at_each_level: Callable[[str], None]) -> None:
    at_each_level(PROGRAM)
