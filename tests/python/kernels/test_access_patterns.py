"""Random kernels of the accesses that have forms of their own: levels of trees, strides known and
unknown, permutations, rows of warps, repeating and consecutive quotients, local arrays, structs and
bytes. All forms must leave the bits that executor *reference* leaves. WARPWISE_FUZZ=100:500 takes
these kernels instead of the first 24."""

from __future__ import annotations

import random

import numpy as np
import pytest
from kernel_forms import seeds

import warpwise as ww

SIZE = 1024  # elements of each shared array
BLOCKS = ((32, 1), (64, 1), (96, 1), (128, 1), (256, 1), (16, 16), (32, 8), (8, 8), (512, 1))
TYPES = ("int", "unsigned", "float", "double", "unsigned char", "short", "Pair", "Triple", "Quad")
STRUCTS = """
struct Pair { float a, b; };
struct Triple { float a, b, c; };
struct Quad { float a, b, c, d; };
__device__ Pair operator+(Pair p, Pair q) { return {p.a + q.a, p.b - q.b}; }
__device__ Triple operator+(Triple p, Triple q) { return {p.a + q.a, p.b - q.c, p.c + q.b}; }
__device__ Quad operator+(Quad p, Quad q) { return {p.a + q.b, p.b - q.c, p.c + q.d, p.d + q.a}; }
template <class T> __device__ T made(int v) { return (T)(v % 100); }
template <> __device__ Pair made<Pair>(int v) { return {v % 7 + 0.5f, v % 5 - 1.0f}; }
template <> __device__ Triple made<Triple>(int v) { return {v % 7 + 0.5f, v % 3 * 1.0f, 2.0f}; }
template <> __device__ Quad made<Quad>(int v) { return {v % 7 * 1.0f, 3.0f, v % 3 * 0.5f, 1.0f}; }
"""


class Writer:
    """One kernel. Between two barriers threads read one array and write the other, each a place of
    its own, so that the order of threads does not matter."""

    def __init__(self, seed: int) -> None:
        self.choose = random.Random(seed)
        self.block = self.choose.choice(BLOCKS)
        self.kind = self.choose.choice(TYPES)

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1]

    def place(self) -> str:
        """Of a read."""
        t, c, d = "t", self.choose.randrange(1, 9), self.choose.choice(("d", "p", "q"))
        places = (
            t, f"t + {c}", f"{c} * t", f"{c} * t + {self.choose.randrange(5)}", f"t ^ {d}",
            f"t ^ {c}", "t / 32", "t >> 5", "t / 16 * 8 + t % 16", "t & 31", "t % 32 + p",
            f"t / {c}", f"t % {c}", f"t % {d}", f"t / {d}", f"{d} * t", f"{d} * (2 * t + 1) - 1",
            f"2 * t - (t & ({d} - 1))", f"{SIZE - 1} - t", "threadIdx.y", "threadIdx.x", "7", d,
            "threadIdx.x * 17 + threadIdx.y", "(t / 32) * 32 + (t + 1) % 32", f"t + {d}",
            "(int)in[t]", "2 * t - (t & 3) + 4", "(t & ~15) + (5 * t & 15)", "t / 2 * 2 + 1 - t % 2",
            "(t + p) / 4", "t * 2 % 32", "(t + 3) & 15", "in[t / q]", "in[t / 20]", "(t + p) % 23",
            "in[t / q] + t % q", "t / 20 * 24 + t % 20", "min((int)((t + p) % 50), 40)",
        )  # fmt: skip
        return f"(unsigned)({self.choose.choice(places)}) % {SIZE}"

    def own_place(self) -> str:
        """Another for each thread."""
        places = ["t", f"{SIZE - 1} - t", "t ^ 1", "t ^ 5"]
        places += [f"{k} * t" for k in (2, 3, 4, 8) if k * self.threads <= SIZE]
        places += [f"2 * t + {k}" for k in (0, 1) if 2 * self.threads <= SIZE]
        places += ["t + 100"] if self.threads + 100 <= SIZE else []
        places += ["t ^ 8", "(t & ~15) | (5 * t & 15)", "(t & ~31) + (t + 1) % 32"]
        if 2 * self.threads <= SIZE:
            places += [f"2 * t - (t & {k - 1}) + {k}" for k in (1, 2, 4, 8, 16, 32)]
        return self.choose.choice(places)

    def guard(self) -> str:
        guards = (
            "true", "t < d", "t >= d", "t % (2 * d) == 0", "(t & (d - 1)) == 0", "2 * t + 1 < d",
            "in[t] & 1", "t == 0", "t < n", "threadIdx.y > d", "threadIdx.x == d && t > 3",
        )  # fmt: skip
        return self.choose.choice(guards)

    def level(self, reads: str, writes: str) -> str:
        place, seen = self.own_place(), f"{reads}[{self.place()}]"
        if self.choose.random() < 0.5:
            seen += f" + {reads}[{self.place()}]"
        return f"if ({self.guard()}) {writes}[{place}] = {writes}[{place}] + {seen};"

    def local(self) -> str:
        count, turn = (
            self.choose.choice((4, 8, 16)),
            self.choose.choice(("k", "(k + t)", "(n + k)")),
        )
        if self.kind in ("Pair", "Triple", "Quad"):
            return ""
        return f"""
        {{
            {self.kind} local[{count}];
            for (int k = 0; k < {count}; ++k) local[k] = a[({turn} * 3) % {SIZE}];
            for (int k = 0; k < {self.choose.choice((str(count), "n % 50"))}; ++k)
                local[{turn} % {count}] = local[(k + 1) % {count}] + local[k % {count}];
            __syncthreads();
            b[t] = local[{self.choose.choice(("0", "t % 4", "n % 4"))}];
        }}"""

    def loop(self) -> str:
        n = self.threads
        loops = (
            f"for (int d = {n // 2}; d > 0; d >>= 1)",
            f"for (int d = 1; d < {n}; d *= 2)",
            "for (int d = 0; d < 7; ++d)",
            "for (int d = p; d > 0; d /= 2)",
        )
        return self.choose.choice(loops)

    def source(self) -> str:
        body = ""
        for _ in range(self.choose.randrange(1, 4)):
            body += f"""
        {self.loop()} {{
            __syncthreads();
            {self.level("a", "b")}
            __syncthreads();
            {self.level("b", "a")}
        }}
        __syncthreads();"""
            if self.choose.random() < 0.4:
                body += self.local() + "\n        __syncthreads();"
        return f"""{STRUCTS}
    __global__ void kernel(unsigned char *bytes, const int *in, int n, int p, unsigned q)
    {{
        auto *out = ({self.kind} *)bytes;
        __shared__ {self.kind} a[{SIZE}], b[{SIZE}];
        int t = threadIdx.y * blockDim.x + threadIdx.x;
        in += blockIdx.x * {self.threads};
        for (int k = t; k < {SIZE}; k += {self.threads}) {{
            a[k] = made<{self.kind}>(k + in[t]);
            b[k] = made<{self.kind}>(3 * k + (int)blockIdx.x);
        }}
        __syncthreads();{body}
        for (int k = t; k < {SIZE}; k += {self.threads}) {{
            out[(2 * blockIdx.x) * {SIZE} + k] = a[k];
            out[(2 * blockIdx.x + 1) * {SIZE} + k] = b[k];
        }}
    }}"""


def left_by(writer: Writer, options: list[str], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    grid = 3
    inputs = rng.integers(0, 1000, grid * writer.threads).astype(np.int32)
    left = np.zeros(2 * grid * SIZE * 16, np.uint8)
    kernel = ww.SourceModule(writer.source(), options=options).get_function("kernel")
    p, n = 1 << int(rng.integers(0, 8)), int(rng.integers(1, writer.threads + 1))
    arguments = (ww.Out(left), ww.In(inputs), n, p, np.uint32(rng.integers(1, 40)))
    kernel(*arguments, grid=grid, block=writer.block)
    ww.Device().synchronize()
    return left


def forms(writer: Writer) -> dict[str, list[str]]:
    shape = f"--warpwise-block={writer.block[0]},{writer.block[1]},1"
    return {
        "any block": ["--warpwise-tier=full"],
        "known block": [shape, "--warpwise-tier=full"],
        "quick": ["--warpwise-tier=quick"],
        "gang": ["--warpwise-executor=gang", shape],
    }


@pytest.mark.parametrize("seed", seeds(24))
def test_all_forms_leave_the_bits_of_reference(seed: int) -> None:
    expected = left_by(Writer(seed), ["--warpwise-executor=reference"], seed)
    for name, options in forms(Writer(seed)).items():
        found = left_by(Writer(seed), options, seed)
        assert np.array_equal(found, expected), f"{name} of seed {seed}"
