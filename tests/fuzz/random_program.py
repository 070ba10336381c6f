"""Random kernels that use most of the language, race-free and with defined behaviour, so that every
executor must compute the same bits.

A program keeps integers of 8 to 64 bits, a float, a double, a pair of halves, a local array and an
array of structs for each thread, each where its statements use it; half of the programs are without
the arrays, and half without the halves. What is left of them at the end goes to memory word by
word, or folded into two. What threads exchange goes through shared memory between barriers, or
through warp functions, and only where all threads of the block (or warp) are together; atomics on
common places are order-free and none reads their results before the end; those on a thread's own
place may be read.
`Generator.used` counts the constructs, for constructs.md.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

BLOCKS = (
    *((32, 1, 1), (64, 1, 1), (128, 1, 1), (256, 1, 1), (7, 1, 1), (33, 1, 1), (100, 1, 1)),
    *((16, 16, 1), (8, 8, 1), (24, 5, 1), (1, 7, 1), (32, 4, 1), (5, 3, 1), (17, 4, 1)),
    *((4, 4, 4), (2, 3, 5), (16, 2, 3), (3, 1, 9), (1, 1, 40)),
)
INTS = ("a", "b", "c", "d")
OTHERS = {"e": "int", "f": "unsigned long long", "g": "short", "h": "unsigned char"}
REALS = ("x", "y")

HEAD = """
struct Item { unsigned p; float q; short r; unsigned long long s; };
struct Pair { unsigned first; int second; };
__device__ unsigned mix(unsigned v) { v ^= v >> 15; v *= 0x2c1b3c6du; return v ^ (v >> 12); }
__device__ Pair split(unsigned v) {
    Pair r; r.first = v >> 7; r.second = (int)(v & 127u) - 64; return r; }
__device__ __noinline__ unsigned far(unsigned v, unsigned *p) {
    *p += v & 15u; return mix(v) + threadIdx.x; }
__device__ unsigned count_down(unsigned v) { return v == 0 ? 0 : 1 + count_down(v - 1); }
__device__ unsigned through(Item *item, unsigned v) {
    item->p += v; item->r ^= (short)v; return item->p + (unsigned)item->r; }
"""
# Beyond 2^14 a pair begins anew, so that no operation makes infinities and NaNs of it.
HALVES = """#include <cuda_fp16.h>
__device__ unsigned half_bits(__half2 v) { unsigned r; memcpy(&r, &v, sizeof r); return r; }
__device__ __half2 bounded(__half2 v) {
    return __hble2(__habs2(v), __float2half2_rn(16384.0f)) ? v : __floats2half2_rn(1.5f, -0.25f); }
"""


@dataclass(frozen=True)
class Part:
    """Of a thread's state: how it begins, and the words that it leaves."""

    name: str
    start: str
    words: tuple[str, ...]


STATE = (
    Part("a", "unsigned a = input[id & 1023u];", ("a",)),
    Part("b", "unsigned b = input[(id * 7u + 3u) & 1023u];", ("b",)),
    Part("c", "unsigned c = t;", ("c",)),
    Part("d", "unsigned d = id;", ("d",)),
    Part("e", "int e = (int)b;", ("(unsigned)e",)),
    Part(
        "f",
        "unsigned long long f = ((unsigned long long)a << 32) | b;",
        ("(unsigned)f", "(unsigned)(f >> 32)"),
    ),
    Part("g", "short g = (short)a;", ("(unsigned)(int)g",)),
    Part("h", "unsigned char h = (unsigned char)b;", ("(unsigned)h",)),
    Part("x", "float x = (float)(a & 1023u) * 0.25f;", ("__float_as_uint(x)",)),
    Part("y", "double y = (double)(b & 4095u);", ("(unsigned)(long long)y",)),
    Part(
        "pair",
        "__half2 pair = __floats2half2_rn((float)(a & 63u) * 0.5f, -(float)(b & 15u));",
        ("half_bits(pair)",),
    ),
    Part(
        "local",
        "unsigned local[8]; for (int k = 0; k < 8; ++k) local[k] = a + k;",
        tuple(f"local[{k}]" for k in range(8)),
    ),
    Part(
        "item",
        """Item item[4];
    for (int k = 0; k < 4; ++k) {
        item[k].p = b + k; item[k].q = (float)a; item[k].r = (short)k; item[k].s = a * 5u + k;
    }""",
        tuple(f"(item[{k}].p + (unsigned)item[{k}].r + (unsigned)item[{k}].s)" for k in range(4)),
    ),
)
WORDS = sum(len(part.words) for part in STATE)


class Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.block = self.pick(BLOCKS)
        self.grid = (self.pick((1, 2, 3)), self.pick((1, 1, 2)), 1)
        self.used: Counter[str] = Counter()
        self._names = 0
        self._returns = self.random.random() < 0.4
        self._warps = self.random.random() < 0.5
        self._has_local = self.random.random() < 0.5
        self._has_items = self.random.random() < 0.5
        self._has_halves = self.random.random() < 0.5

    @property
    def threads(self) -> int:
        return self.block[0] * self.block[1] * self.block[2]

    def pick(self, *options: Any) -> Any:
        if len(options) == 1:
            (options,) = options
        return self.random.choice(options)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def name(self, stem: str) -> str:
        self._names += 1
        return f"{stem}{self._names}"

    # --- expressions

    def word(self, depth: int = 2) -> str:
        """An unsigned 32-bit expression."""
        pick = self.random.randrange(16) if depth else self.random.randrange(4)
        inner: Callable[[], str] = lambda: self.word(depth - 1)  # noqa: E731
        if pick < 3:
            return self.pick(INTS)
        if pick == 3:
            return self.pick(
                (
                    "t",
                    "lane",
                    "threadIdx.x",
                    "threadIdx.y",
                    "blockIdx.x",
                    "n",
                    "1u",
                    "7u",
                    "0x9e3779b9u",
                    "(threadIdx.x + 40u * threadIdx.y)",
                )
            )
        if pick < 8:
            op = self.pick(("+", "-", "*", "&", "|", "^"))
            return f"({inner()} {op} {inner()})"
        if pick == 8:
            op = self.pick(("<<", ">>"))
            if self.chance(0.5):  # 0 or the sign from the width on
                self.used["shift beyond the width"] += 1
                value = self.pick("(unsigned)((int){0} {1} ({2} & 63u))", "({0} {1} ({2} & 127u))",
                                  "(unsigned)(f {1} ({2} & 127u))")  # fmt: skip
                return value.format(inner(), op, inner())
            return f"({inner()} {op} ({inner()} & 31u))"
        if pick == 9:
            self.used["division"] += 1
            return f"({inner()} {self.pick('/%')} {inner()})"
        if pick == 10:
            return self.pick(
                (
                    "__popc({0})",
                    "__clz({0})",
                    "__brev({0})",
                    "min({0}, {1})",
                    "max({0}, {1})",
                    "__umulhi({0}, {1})",
                    "mix({0})",
                )
            ).format(inner(), inner())
        if pick == 11:
            return f"({self.condition(depth - 1)} ? {inner()} : {inner()})"
        if pick == 12 and self.chance(0.4):
            return self.converted()
        if pick == 12:
            self.used["narrow types"] += 1
            return self.pick(
                (
                    "(unsigned)e",
                    "(unsigned)f",
                    "(unsigned)(f >> 32)",
                    "(unsigned)(int)g",
                    "(unsigned)h",
                    "(unsigned)(e >> 3)",
                )
            )
        if pick == 13:
            self.used["gather"] += 1
            if self.chance(0.3):  # the same in all rows of a block
                return f"input[(threadIdx.x * {self.pick(3, 5, 17)}u) & {self.pick(15, 1023)}u]"
            return f"input[({inner()}) & 1023u]"
        if pick == 14 and self._has_local:
            self.used["local array"] += 1
            return f"local[({inner()}) & 7u]"
        self.used["struct"] += 1
        if not self._has_items:
            return self.pick(("split({0}).first", "(unsigned)split({0}).second")).format(inner())
        return self.pick(
            (
                "item[{0} & 3u].p",
                "(unsigned)(int)item[{0} & 3u].r",
                "split({0}).first",
                "(unsigned)item[{0} & 3u].s",
                "(unsigned)split({0}).second",
            )
        ).format(inner())

    def converted(self) -> str:
        """A real number as an integer, which saturates."""
        self.used["saturating cast"] += 1
        if self._has_halves and self.chance(0.3):
            return self.pick("(unsigned)__half2int_rz(__low2half(pair))",
                             "(unsigned)(unsigned char)__high2float(pair)")  # fmt: skip
        scale = self.pick("1.0f", "1e4f", "-3e5f", "1e14f")
        kind = self.pick("(unsigned)(int)", "(unsigned)", "(unsigned)(short)",
                         "(unsigned)(unsigned char)", "(unsigned)(long long)",
                         "(unsigned)(unsigned long long)")  # fmt: skip
        return f"({kind}({self.pick('x', '(float)y', 'y')} * {scale}))"

    def condition(self, depth: int = 1) -> str:
        pick = self.random.randrange(6)
        if pick < 2:
            return f"(({self.word(depth)} >> {self.random.randrange(8)}) & 1u)"
        if pick == 2:
            relation = self.pick("<", ">", "<=", "==")
            return f"({self.word(depth)} {relation} {self.word(depth)})"
        if pick == 3:
            relation = self.pick("<", ">", "!=")
            return f"(t {relation} {self.random.randrange(self.threads + 1)}u)"
        if pick == 4:
            return f"({self.pick(REALS)} < {self.pick('0.5f', '10.0f', '(float)(a & 63u)')})"
        return f"((int){self.word(depth)} < e)"

    def uniform(self) -> str:
        """A condition all threads of the block agree on."""
        return self.pick(
            (
                "(blockIdx.x & 1u)",
                "(n & 2u)",
                "(n > 5u)",
                "(input[blockIdx.x] & 1u)",
                "(blockDim.x > 20u)",
            )
        )

    def real(self, depth: int = 2) -> str:
        pick = self.random.randrange(9) if depth else 0
        if pick < 2:
            if self._has_halves and self.chance(0.25):
                return self.pick("__low2float(pair)", "__high2float(pair)")
            return self.pick(("x", "(float)y", "1.5f", "(float)(a & 255u)", "(float)e"))
        left, right = self.real(depth - 1), self.real(depth - 1) if depth else "x"
        if pick < 6:
            return f"({left} {self.pick('+-*')} {right})"
        if pick == 6:
            self.used["math"] += 1
            return self.pick(
                (
                    "sqrtf(fabsf({0}))",
                    "floorf({0})",
                    "fmaf({0}, {1}, 0.5f)",
                    "sinf({0})",
                    "fminf({0}, {1})",
                    "expf(-fabsf({0}))",
                    "logf(fabsf({0}) + 1.0f)",
                    "copysignf({0}, {1})",
                    "fabsf({0})",
                )
            ).format(left, right)
        if pick == 7:
            return f"({left} / ({right} * {right} + 1.0f))"
        return f"({self.condition()} ? {left} : {right})"

    # --- statements of one thread

    def assignment(self) -> list[str]:
        pick = self.random.randrange(12)
        if pick < 5:
            return [f"{self.pick(INTS)} {self.pick('=', '+=', '^=')} {self.word(3)};"]
        if pick == 5:
            name, kind = self.pick(list(OTHERS.items()))
            return [f"{name} = ({kind})({self.word()} {self.pick('+^')} f);"]
        if pick == 6:
            if self.chance(0.5):
                return self.wide_index()
            return [f"x = {self.real()}; if (!(fabsf(x) < 1e6f)) x = 1.0f;"]
        if pick == 7:
            if self._has_halves and self.chance(0.7):
                return self.halves()
            return [f"y = y * 0.5 + (double){self.real()}; if (!(fabs(y) < 1e9)) y = 2.0;"]
        if pick == 8 and self._has_local:
            return [f"local[({self.word()}) & 7u] {self.pick(('=', '+='))} {self.word()};"]
        if pick == 9 and self._has_items:
            field = self.pick(("p", "q", "r", "s"))
            value = {
                "p": self.word(),
                "q": "x",
                "r": f"(short){self.word()}",
                "s": f"f * {self.word()}",
            }
            return [f"item[({self.word(1)}) & 3u].{field} = {value[field]};"]
        if pick == 10:
            self.used["calls"] += 1
            return [
                self.pick(
                    (
                        f"a += far({self.word()}, &b);",
                        f"d ^= far({self.pick(1, 3)}u * threadIdx.x + 40u * threadIdx.y, &c);",
                        f"c ^= count_down({self.word()} & 7u);",
                        self.through(),
                    )
                )
            ]
        return self.memory()

    def halves(self) -> list[str]:
        self.used["half"] += 1
        other = self.pick("__float2half2_rn((float)(b & 31u) * 0.125f)", "__low2half2(pair)",
                          "__floats2half2_rn((float)(t & 7u), 0.75f)", "__lowhigh2highlow(pair)",
                          "__halves2half2(__high2half(pair), __int2half_rn((int)b))")  # fmt: skip
        value = self.pick("__hadd2(pair, {0})", "__hsub2(pair, {0})", "__hmul2(pair, {0})",
                          "__hfma2(pair, {0}, {0})", "__hmin2(pair, {0})", "__hmax2(pair, {0})",
                          "h2sqrt(__habs2(pair))", "h2floor(pair)", "__hneg2(pair)")  # fmt: skip
        return [f"pair = bounded({value.format(other)});"]

    def wide_index(self) -> list[str]:
        """32-bit indices widened to 64: at the launch's own, beside it, and where they wrap."""
        launch = "blockIdx.x * blockDim.x + threadIdx.x"
        name = self.name("w")
        if self.chance(0.3):
            self.used["wrapped index"] += 1
            k = self.pick(1, 3, 20)
            return [f"f += (unsigned long long)(unsigned)((int)threadIdx.x - {k});",
                    f"if (t > {k}u) b += input[t - {k}u];"]  # fmt: skip
        if self.chance(0.4):
            self.used["wrapped index"] += 1
            start = self.pick(0xFFFFFF00, 0xFFFFFFE0, 0xFFFFFFF5, 0x7FFFFF80, 0x7FFFFFF5)
            kind = self.pick("(unsigned long long)", "(long long)(int)")
            return [f"unsigned {name} = {launch} + {start}u;", f"f += {kind}{name};"]
        self.used["unsigned index"] += 1
        kind = self.pick("unsigned", "size_t")
        if self.chance(0.5):
            step = self.pick("blockDim.x", "blockDim.x * gridDim.x", "17u")
            return [f"for ({kind} {name} = {launch}; {name} < {self.pick(300, 1000)}u;"
                    f" {name} += {step}) {self.pick('ac')} ^= input[{name}];"]  # fmt: skip
        beside = self.pick("0u", "1u", "blockDim.x", "24u")
        return [f"{kind} {name} = {launch} + {beside};",
                f"if ({name} < 1024u) {self.pick('bd')} += input[{name}];"]  # fmt: skip

    def through(self) -> str:
        if not self._has_items:
            return f"d += far({self.word(1)}, &a);"
        return f"d += through(&item[{self.word(1)} & 3u], {self.word(1)});"

    def memory(self) -> list[str]:
        pick = self.random.randrange(5)
        if pick == 0:
            self.used["store"] += 1
            return [f"mine[({self.word(1)}) & 7u] = {self.word()};"]
        if pick == 1:
            self.used["byte store"] += 1
            return [
                f"((unsigned char *)mine)[({self.word(1)}) & 31u] = (unsigned char){self.word()};"
            ]
        if pick == 2:
            self.used["common atomic"] += 1
            op, cell = self.pick(
                (("Add", 0), ("Min", 1), ("Max", 2), ("Or", 3), ("Xor", 4), ("And", 5))
            )
            place = self.pick(
                (f"common[{cell}]", f"common[8 + 8 * ({self.word(1)} & 3u) + {cell}]")
            )
            return [f"atomic{op}(&{place}, {self.word(1)});"]
        if pick == 3:
            self.used["shared atomic"] += 1
            return [f"atomicAdd(&tally[{self.word(1)} & 15u], {self.word(1)});"]
        self.used["own atomic"] += 1
        return [
            self.pick(
                (
                    f"a ^= atomicAdd(&mine[{self.word(1)} & 7u], {self.word(1)});",
                    f"b += atomicCAS(&mine[2], {self.word(1)} & 3u, {self.word(1)});",
                    f"c += atomicExch(&mine[3], {self.word(1)});",
                    "d ^= atomicInc(&mine[4], 9u);",
                )
            )
        ]

    def statements(self, count: int, depth: int, loop: str) -> list[str]:
        return [line for _ in range(count) for line in self.statement(depth, loop)]

    def statement(self, depth: int, loop: str) -> list[str]:
        """`loop` is the counter of the loop around it, or nothing."""
        pick = self.random.random()
        if depth == 0 or pick < 0.45:
            return self.assignment()
        if pick < 0.65:
            self.used["if"] += 1
            lines = [f"if ({self.condition()}) {{", *self.statements(2, depth - 1, loop)]
            if self.chance(0.5):
                lines += ["} else {", *self.statements(2, depth - 1, loop)]
            return [*lines, "}"]
        if pick < 0.82:
            return self.loop(depth)
        if pick < 0.89:
            return self.switch(depth, loop)
        if loop and pick < 0.97:
            way = self.pick(("break", "continue"))
            if self.chance(0.6):
                self.used["uniform exit among few lanes"] += 1
                lines = [f"if ({self.condition()}) {{", *self.statements(1, depth - 1, loop)]
                # A loop-invariant condition is tested before the loop, in two copies of the loop.
                all_agree = self.pick(self.uniform(), f"({loop} & 1)", f"({loop} == 1)")
                return [*lines, f"if ({all_agree}) {way};", "}"]
            self.used["break"] += 1
            return [f"if ({self.condition()}) {way};"]
        if self._returns and pick > 0.97:
            self.used["return"] += 1
            first = self.random.randrange(self.threads)
            return [f"if ({self.condition(2)} && t > {first}u) {{ FINISH return; }}"]
        return self.assignment()

    def stack(self, depth: int) -> list[str]:
        """Work taken from a stack in local memory, by as many turns as each thread needs."""
        self.used["stack"] += 1
        s = self.name("s")
        return [
            f"unsigned {s}[8]; int top{s} = 0, left{s} = 12; {s}[top{s}++] = {self.word(1)} & 15u;",
            f"while (top{s} > 0 && left{s}-- > 0) {{",
            f"unsigned v{s} = {s}[--top{s}];",
            f"if (v{s} < {self.random.randrange(1, 6)}u) {{",
            *self.statements(1, depth - 1, f"left{s}"),
            "continue; }",
            *self.statements(1, depth - 1, f"left{s}"),
            f"if (top{s} < 6) {{ {s}[top{s}++] = v{s} >> 1; {s}[top{s}++] = v{s} - 2u; }}",
            "}",
        ]

    def loop(self, depth: int) -> list[str]:
        if self.chance(0.15):
            return self.stack(depth)
        i = self.name("i")
        bound = self.pick((f"({self.word(1)} % 6u)", "n", "(n % 4u)", "(t % 5u)"))
        body = self.statements(2, depth - 1, i)
        pick = self.random.randrange(3)
        if pick == 0:
            self.used["for"] += 1
            return [
                f"for (unsigned {i} = 0, e{i} = {bound}; {i} < e{i}; ++{i}) {{",
                *body,
                f"a += {i};",
                "}",
            ]
        if pick == 1:
            self.used["while"] += 1
            return [f"int {i} = (int)({bound} & 7u);", f"while ({i}-- > 0) {{", *body, "}"]
        self.used["do"] += 1
        return [
            f"unsigned {i} = {bound} & 7u;",
            "do {",
            *body,
            f"}} while ({i}-- > 1u && {i} < 8u);",
        ]

    def switch(self, depth: int, loop: bool) -> list[str]:
        self.used["switch"] += 1
        lines = [f"switch ({self.word(1)} % 5u) {{"]
        for case in range(self.random.randrange(2, 5)):
            lines += [f"case {case}: {{", *self.statements(1, depth - 1, ""), "}"]
            if self.chance(0.7):
                lines.append("break;")
        return [*lines, "default: {", *self.statements(1, depth - 1, ""), "}", "}"]

    # --- statements of the whole block

    def exchange(self) -> list[str]:
        self.used["shared exchange"] += 1
        name = self.pick(INTS)
        shift = self.random.randrange(1, max(2, self.threads))
        n = self.threads
        return [
            "__syncthreads();",
            f"box[t] = {name};",
            "__syncthreads();",
            f"{name} {self.pick(('=', '+='))} box[(t + {shift}u) % {n}u];",
        ]

    def warp(self) -> list[str]:
        return [line for _ in range(3) for line in self.warp_operation()]

    def warp_operation(self) -> list[str]:
        name, other = self.pick(INTS), self.pick(INTS)
        pick = self.random.randrange(10)
        if pick == 0:
            self.used["shuffle up"] += 1
            delta, width = self.pick(1, 2, 5, 16), self.pick(8, 16, 32)
            return [f"{name} = __shfl_up_sync(~0u, {other}, {delta}, {width});"]
        if pick == 1:
            self.used["shuffle down"] += 1
            return [
                f"{name} += __shfl_down_sync(~0u, {other}, {self.pick('1', '3', '(n & 15u)')});"
            ]
        if pick == 2:
            self.used["shuffle xor"] += 1
            lane, width = self.pick(1, 2, 16, 31), self.pick(4, 32)
            return [f"{name} ^= __shfl_xor_sync(~0u, {other}, {lane}, {width});"]
        if pick == 3:
            self.used["shuffle index"] += 1
            lane = self.pick(f"(int)({self.word(1)} & 31u)", "3", "(int)n")
            return [f"{name} += __shfl_sync(~0u, {other}, {lane});"]
        if pick == 4:
            self.used["ballot"] += 1
            return [f"{name} ^= __ballot_sync(~0u, {self.condition()});"]
        if pick == 5:
            self.used["vote"] += 1
            return [f"if (__{self.pick('any', 'all')}_sync(~0u, {self.condition()})) {name} += 3u;"]
        if pick == 6:
            self.used["warp reduce"] += 1
            kind = self.pick("add", "min", "max", "xor")
            return [f"{name} += __reduce_{kind}_sync(~0u, {other});"]
        if pick == 7:
            self.used["match"] += 1
            return [f"{name} += __match_any_sync(~0u, {other} & 3u);"]
        if pick == 8:
            self.used["shuffle of 64 bits"] += 1
            return [
                f"f += __shfl_xor_sync(~0u, f, {self.pick(1, 8)});",
                "x = __shfl_down_sync(~0u, x, 2);",
            ]
        self.used["masked shuffle"] += 1
        mask = self.name("m")
        return [
            f"int c{mask} = {self.condition()} != 0;",
            f"unsigned {mask} = __ballot_sync(~0u, c{mask});",
            f"if (c{mask}) {{",
            f"{name} += __shfl_sync({mask}, {other}, {self.random.randrange(32)});",
            f"{other} ^= __popc(__activemask()); __syncwarp({mask});",
            "}",
        ]

    def synchronised(self, depth: int) -> list[str]:
        pick = self.random.random()
        if self._warps and pick < 0.4:
            return self.warp()
        if pick < 0.65:
            return self.exchange()
        if pick < 0.72:
            self.used["barrier reduce"] += 1
            kind = self.pick(("count", "and", "or"))
            return [f"{self.pick(INTS)} += __syncthreads_{kind}({self.condition()});"]
        if depth and pick < 0.86:
            self.used["barrier in uniform if"] += 1
            return [
                f"if ({self.uniform()}) {{",
                *self.statements(1, 1, ""),
                *self.synchronised(depth - 1),
                "} else {",
                *self.statements(1, 1, ""),
                "}",
            ]
        if depth:
            self.used["barrier in uniform loop"] += 1
            i = self.name("u")
            return [
                f"for (unsigned {i} = 0; {i} < n % 4u; ++{i}) {{",
                *self.statements(1, 2, ""),
                *self.synchronised(depth - 1),
                "}",
            ]
        return ["__syncthreads();"]

    def source(self) -> str:
        lines: list[str] = []
        for _ in range(self.pick(1, 2, 2, 3, 4)):
            lines += self.statements(self.random.randrange(1, 4), self.pick(1, 2, 3), "")
            if self.chance(0.75):
                lines += self.synchronised(2)
        body = "\n    ".join(lines)
        used = set(re.findall(r"\b[a-z]+\b", body))
        state = [part for part in STATE if part.name in used or part.name in INTS]
        words = [word for part in state for word in part.words]
        self._folds = self.chance(0.75)
        self.used["results folded" if self._folds else "results word by word"] += 1
        if self._folds:
            finish = " ".join(f"FOLD({word})" for word in words)
            finish = f"unsigned z = 0, w = 1; {finish} out[0] = z; out[1] = w;"
        else:
            finish = " ".join(f"out[{place}] = {word};" for place, word in enumerate(words))
        n = self.threads
        start = "\n    ".join(part.start for part in state)
        halves = HALVES if "pair" in used else ""
        return f"""{halves}{HEAD}
#define FOLD(v) {{ z = (z ^ (v)) * 0x01000193u; w += z; }}
#define FINISH {{ {finish} }}
__global__ void program(const unsigned *input, unsigned *results, unsigned *slots,
                        unsigned *common, unsigned n)
{{
    __shared__ unsigned box[{n}];
    __shared__ unsigned tally[16];
    unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    unsigned lane = t & 31u;
    unsigned id = t + {n}u * (blockIdx.x + gridDim.x * blockIdx.y);
    unsigned *out = results + {WORDS}u * id, *mine = slots + 8 * id;
    {start}
    box[t] = t; if (t < 16u) tally[t] = 0;
    if (t == 0u) for (unsigned k = 0; k < 16u; ++k) tally[k] = 0;
    __syncthreads();
    {body}
    __syncthreads();
    if (t == 0u) for (int k = 0; k < 16; ++k) atomicAdd(&common[40 + k], tally[k]);
    FINISH
}}
"""
