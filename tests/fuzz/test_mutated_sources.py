"""Sources and options with mistakes in them: whatever is passed to the compiler, its user gets a
program or an error that says what is wrong, never a crash, and the next compile goes on as before.

Random programs and pieces of CUDA code, damaged a few times: tokens left out, repeated, exchanged
or put in, whole spans moved. A short run is part of every test run; WARPWISE_FUZZ=long
makes it a long one. Seeds are the numbers of the cases.
"""

from __future__ import annotations

import os
import random
import re

import pytest

import warpwise as ww
from random_program import Generator

CASES = 20_000 if os.environ.get("WARPWISE_FUZZ") == "long" else 100
AT_ONCE = 20

# What the random programs do not have: templates, host code, launches, directives, textures, ...
PIECES = (
    "template <class T, int N> __global__ void scale(T *x, T f) { x[threadIdx.x] *= f + N; }",
    "template <class T> struct Box { T v; __device__ T get() const { return v; } };",
    "__constant__ float table[16]; __device__ int counter;",
    "extern __shared__ float dynamic[]; __global__ void s() { dynamic[threadIdx.x] = 1; }",
    "#include <curand_kernel.h>\n__global__ void r(float *x) { curandState s; "
    "curand_init(1, 2, 3, &s); x[0] = curand_uniform(&s); }",
    "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups; __global__ void g(int *x) "
    "{ auto tile = cg::tiled_partition<16>(cg::this_thread_block()); x[0] = tile.shfl(x[1], 3); }",
    "int main() { float *d; cudaMalloc(&d, 4); k<<<1, 32>>>(d); return cudaDeviceSynchronize(); }",
    "__global__ void __launch_bounds__(128, 2) b(const float4 *__restrict__ x, float *y)"
    " { y[0] = x[threadIdx.x].w; }",
    "texture<float, 2> image; __global__ void t(float *y) { y[0] = tex2D(image, 0.5f, 0.5f); }",
    "#define F(x, ...) x ## __VA_ARGS__\n#if N >= 10 && defined(F)\n#error no\n#endif",
    "enum class E : char { A = 'x', B }; union U { int i; float f; }; __device__ U u = {1};",
)
LINES = (
    'asm volatile("mad.lo.u32 %0, %1, %2, %3;" : "=r"(a) : "r"(b), "r"(c), "r"(d));',
    "auto f = [=] __device__ (int v) { return v ? a : 1; }; b = f(c);",
    'printf("%d %s %*f\\n", a, "b", 3, x);',
    "#pragma unroll 4\nfor (;;) { __syncthreads(); if (a) break; }",
    "a = __shfl_xor_sync(~0u, a, 1); b = __ballot_sync(a, b); x = __int_as_float(a);",
    "static __shared__ int tile[32][33]; tile[a & 31][b & 31] = c; __syncthreads();",
    "int *p = (int *)malloc(a); p[b] = c; free(p); atomicAdd(&tile_[a], *p);",
    "switch (a) { case 1: b = 2; case 2: goto out; default: return; } out: c = b / d % a;",
    "struct { int u : 3; long long v; } s = {a, b}; a = s.u; volatile int w = a; while (w) w--;",
)
OPTIONS = (
    *("-DN=4", "-UN", "-std=c++20", "-std=c++98", "--use_fast_math", "-fmad=false", "-I/nowhere"),
    *(
        "-include=missing.h",
        "--warpwise-block=8,8",
        "--warpwise-executor=gang",
        "-O3",
        "-arch=sm_90",
    ),
    *("-w", "-Wall", "--maxrregcount=32", "-Xptxas", "-G", "--extra-device-vectorization", "-D"),
)


def damaged(text: str, rng: random.Random) -> str:
    tokens = re.findall(r"\s+|\w+|.", text)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 4))):
        place, other = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        way = rng.randrange(10)
        if way == 0:
            del tokens[place]
        elif way == 1:
            tokens.insert(place, tokens[other])
        elif way == 2:
            tokens[place], tokens[other] = tokens[other], tokens[place]
        elif way == 3:
            tokens[place:place] = tokens[other : other + rng.randrange(20)]
        elif way == 4:
            tokens[place] = rng.choice(("<", ">", "{", "(", "*", "&&", "0x", '"', "//", "/*", "::"))
        elif way == 5:
            tokens.insert(place, chr(rng.choice((0, 7, 92, 128, 255, 0x2028, 0x1F600))))
        elif way == 6:
            tokens.insert(place, " " + rng.choice(PIECES + LINES) + " ")
        else:  # a word for a word, which the parser is more likely to take
            words = [at for at, token in enumerate(tokens) if re.fullmatch(r"\w+", token)]
            if words:
                tokens[rng.choice(words)] = tokens[rng.choice(words)]
        tokens = tokens or [" "]
    return "".join(tokens)


def case(seed: int) -> tuple[str, list[str]]:
    rng = random.Random(seed)
    text = Generator(seed).source() if rng.random() < 0.4 else ""
    for piece in rng.sample(PIECES, rng.randrange(1, 3)):
        text += piece + "\n"
    lines = " ".join(rng.sample(LINES, rng.randrange(3))).replace("#", "\n#")
    text += "__device__ int tile_[64]; __global__ void k(int a, int b, int c, int d, float x) {"
    text += lines + "tile_[threadIdx.x & 63] = a + b + c + d; }\n"
    options = rng.sample(OPTIONS, rng.choice((0, 0, 1, 2)))
    if options and rng.random() < 0.3:
        options[0] = damaged(options[0], rng)
    return damaged(text, rng), options


def said_of(source: str, options: list[str]) -> str:
    """What the user reads: nothing when the source is right after all."""
    try:
        with ww.Device("cpu"):
            ww.SourceModule(source, options=options, name="damaged.cu")
    except ww.Error as error:
        return str(error)
    except ValueError as error:  # of the text itself: a null byte, say
        return str(error)
    return ""


@pytest.mark.timeout(0)
@pytest.mark.parametrize("first", range(0, CASES, AT_ONCE))
def test_a_damaged_source_gets_an_error(first: int) -> None:
    for seed in range(first, first + AT_ONCE):
        source, options = case(seed)
        said = said_of(source, options)
        assert "crash" not in said and "internal error" not in said, (seed, said, options, source)
    assert said_of("__global__ void k() {}", []) == ""
