"""Every operation whose result a GPU defines where C++ does not, or rounds exactly once.

One row an operation: its name, the types of its operands and of its result, and the expression over
x, y and z. `tools/record_arithmetic.py` runs the rows on a GPU and keeps the results in
`results.npz`; `test_arithmetic_as_on_gpus.py` of tests/python/kernels compares the CPU device with
them.

Operands are the same everywhere: special values crossed with each other, then random bits from
NumPy's frozen generator. Invariant: a row's operands depend on its types and on its name alone, so
that rows can be added without recording the others again.
"""

from __future__ import annotations

import itertools
import zlib
from typing import NamedTuple

import numpy as np


class Operation(NamedTuple):
    name: str
    operands: tuple[str, ...]
    result: str
    expression: str


class Rows(list[Operation]):
    """A part of the table."""

    def add(self, name: str, operands: tuple[str, ...], result: str, expression: str) -> None:
        self.append(Operation(name, operands, result, expression))


# As stored: 16-bit floats and packed values as bits.
STORED = {
    "i8": np.int8,
    "u8": np.uint8,
    "i16": np.int16,
    "u16": np.uint16,
    "i32": np.int32,
    "u32": np.uint32,
    "i64": np.int64,
    "u64": np.uint64,
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.uint16,
    "bf16": np.uint16,
    "h2": np.uint32,
    "bf2": np.uint32,
    "n": np.int32,
}
CXX = {
    "i8": "signed char",
    "u8": "unsigned char",
    "i16": "short",
    "u16": "unsigned short",
    "i32": "int",
    "u32": "unsigned",
    "i64": "long long",
    "u64": "unsigned long long",
    "f32": "float",
    "f64": "double",
    "f16": "__half",
    "bf16": "__nv_bfloat16",
    "h2": "__half2",
    "bf2": "__nv_bfloat162",
    "n": "int",
}
KEPT = {"f16": "unsigned short", "bf16": "unsigned short", "h2": "unsigned", "bf2": "unsigned"}
INTEGERS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
WIDE = INTEGERS[4:]
FLOATS = ("f32", "f64")
MOST_SPECIAL_PAIRS = 400
RANDOM = 112


def _special_floats(kind: str) -> np.ndarray:
    values = [
        0.0,
        0.25,
        0.5,
        1.0,
        1.5,
        2.5,
        3.0,
        126.5,
        127.5,
        128.0,
        255.5,
        256.0,
        32767.5,
        32768.0,
        65504.0,
        65535.5,
        65536.0,
        2.0**31 - 0.5,
        2.0**31,
        2.0**32 - 0.5,
        2.0**32,
        2.0**53,
        2.0**63,
        2.0**64,
        1e20,
        np.inf,
    ]
    if kind == "f64":
        values += [1e-310, 5e-324, np.finfo(np.float64).tiny, np.finfo(np.float64).max, 1e300]
    else:
        values += [1e-40, 1.401298464e-45, float(np.finfo(np.float32).tiny), 3.4028235e38, 6e-8]
    kept = np.array(values, STORED[kind])
    return np.concatenate([kept, -kept, np.array([np.nan], STORED[kind])])


def _special_halves(kind: str) -> np.ndarray:
    # Zero, subnormals, one and its neighbours, the largest, infinity, quiet NaN; both signs.
    if kind == "f16":
        bits = [
            0,
            1,
            2,
            0x3FF,
            0x400,
            0x3800,
            0x3BFF,
            0x3C00,
            0x3C01,
            0x4000,
            0x4248,
            0x5BFF,
            0x63D0,
            0x7800,
            0x7BFF,
            0x7C00,
        ]
    else:
        bits = [
            0,
            1,
            2,
            0x7F,
            0x80,
            0x3F00,
            0x3F7F,
            0x3F80,
            0x3F81,
            0x4000,
            0x4049,
            0x42FF,
            0x4F00,
            0x5F00,
            0x7F7F,
            0x7F80,
        ]
    both = [*bits, *[b | 0x8000 for b in bits], 0x7E00 if kind == "f16" else 0x7FC0]
    return np.array(both, np.uint16)


def special(kind: str) -> np.ndarray:
    """The values of a type that its operations treat unlike others."""
    if kind == "n":  # counts of shifts
        return np.array(
            [0, 1, 5, 7, 8, 15, 16, 31, 32, 33, 40, 63, 64, 65, 255, 256, -1, -32], "i4"
        )
    if kind in FLOATS:
        return _special_floats(kind)
    if kind in ("f16", "bf16"):
        return _special_halves(kind)
    if kind in ("h2", "bf2"):
        ones = _special_halves("f16" if kind == "h2" else "bf16").astype(np.uint32)
        return ones | np.roll(ones, 7) << np.uint32(16)
    limits = np.iinfo(STORED[kind])
    near = [0, 1, 2, 3, 5, 7, 10, limits.max, limits.max - 1, limits.max // 2, limits.max // 2 + 1]
    if limits.min < 0:
        near += [-1, -2, -3, -7, limits.min, limits.min + 1, limits.min // 2]
    else:
        near += [1 << (limits.bits - 1), 0xFF >> 1, 0x80]
    return np.array(near, STORED[kind])


def _random(kind: str, state: np.random.RandomState, count: int) -> np.ndarray:
    if kind == "n":
        return state.randint(0, 70, count).astype(np.int32)
    kept = np.dtype(STORED[kind])
    return np.frombuffer(state.bytes(count * kept.itemsize), kept).copy()


def operands(operation: Operation) -> list[np.ndarray]:
    """Values for each operand, all of one length."""
    state = np.random.RandomState(zlib.crc32(operation.name.encode()))
    sets = [special(kind) for kind in operation.operands]
    if len(sets) == 1:
        chosen = [sets[0]]
    else:
        pairs = list(itertools.product(*[range(len(s)) for s in sets[:2]]))
        if len(pairs) > MOST_SPECIAL_PAIRS:
            pairs = [pairs[i] for i in state.permutation(len(pairs))[:MOST_SPECIAL_PAIRS]]
        index = np.array(pairs)
        chosen = [sets[0][index[:, 0]], sets[1][index[:, 1]]]
        chosen += [s[state.randint(0, len(s), len(index))] for s in sets[2:]]
    columns = []
    for kind, column in zip(operation.operands, chosen, strict=True):
        columns.append(np.concatenate([column, _random(kind, state, RANDOM)]))
    return columns


def _conversions() -> Rows:
    rows = Rows()
    kinds = (*INTEGERS, *FLOATS)
    for source, result in itertools.product(kinds, kinds):
        if source != result:
            rows.add(f"{source}_to_{result}", (source,), result, f"({CXX[result]})x")
    whole = {"int": "i32", "uint": "u32", "ll": "i64", "ull": "u64"}
    modes = ("rn", "rz", "ru", "rd")
    for name, kind in whole.items():
        for mode in modes:
            for word, real in (("float", "f32"), ("double", "f64")):
                rows.add(f"{word}2{name}_{mode}", (real,), kind, f"__{word}2{name}_{mode}(x)")
                if (word, name) not in (("double", "int"), ("double", "uint")):
                    rows.add(f"{name}2{word}_{mode}", (kind,), real, f"__{name}2{word}_{mode}(x)")
    for mode in modes:
        rows.add(f"double2float_{mode}", ("f64",), "f32", f"__double2float_{mode}(x)")
    small = {**whole, "short": "i16", "ushort": "u16"}
    for half, kind in (("half", "f16"), ("bfloat16", "bf16")):
        for name, other in small.items():
            for mode in modes:
                rows.add(f"{half}2{name}_{mode}", (kind,), other, f"__{half}2{name}_{mode}(x)")
                rows.add(f"{name}2{half}_{mode}", (other,), kind, f"__{name}2{half}_{mode}(x)")
        for mode in modes:
            rows.add(f"float2{half}_{mode}", ("f32",), kind, f"__float2{half}_{mode}(x)")
        rows.add(f"double2{half}", ("f64",), kind, f"__double2{half}(x)")
        rows.add(f"{half}2float", (kind,), "f32", f"__{half}2float(x)")
    for name, result in (
        ("rintf", "f32"),
        ("roundf", "f32"),
        ("truncf", "f32"),
        ("ceilf", "f32"),
        ("floorf", "f32"),
        ("nearbyintf", "f32"),
        ("lrintf", "i64"),
        ("lroundf", "i64"),
        ("llrintf", "i64"),
        ("llroundf", "i64"),
        ("__saturatef", "f32"),
        ("ilogbf", "i32"),
        ("logbf", "f32"),
    ):
        rows.add(name, ("f32",), result, f"{name}(x)")
    for name, result in (
        ("rint", "f64"),
        ("round", "f64"),
        ("trunc", "f64"),
        ("ceil", "f64"),
        ("floor", "f64"),
        ("nearbyint", "f64"),
        ("lrint", "i64"),
        ("lround", "i64"),
        ("llrint", "i64"),
        ("llround", "i64"),
        ("ilogb", "i32"),
        ("logb", "f64"),
        ("__double2hiint", "i32"),
        ("__double2loint", "i32"),
    ):
        rows.add(name, ("f64",), result, f"{name}(x)")
    return rows


def _integers() -> Rows:
    rows = Rows()
    for kind in INTEGERS:
        for name, sign in (("shl", "<<"), ("shr", ">>")):
            rows.add(f"{name}_{kind}", (kind, "n"), kind, f"({CXX[kind]})(x {sign} y)")
            rows.add(f"{name}_{kind}_by_64", (kind, "i64"), kind, f"({CXX[kind]})(x {sign} y)")
        for name, sign in (("div", "/"), ("rem", "%")):
            rows.add(f"{name}_{kind}", (kind, kind), kind, f"({CXX[kind]})(x {sign} y)")
        rows.add(f"neg_{kind}", (kind,), kind, f"({CXX[kind]})-x")
        for name in ("min", "max"):
            wide = kind if kind in WIDE else "i32"
            rows.add(
                f"{name}_{kind}", (kind, kind), wide, f"{name}(({CXX[wide]})x, ({CXX[wide]})y)"
            )
    unary = (
        ("abs", "i32", "i32"),
        ("llabs", "i64", "i64"),
        ("__brev", "u32", "u32"),
        ("__brevll", "u64", "u64"),
        ("__clz", "i32", "i32"),
        ("__clzll", "i64", "i32"),
        ("__ffs", "i32", "i32"),
        ("__ffsll", "i64", "i32"),
        ("__popc", "u32", "i32"),
        ("__popcll", "u64", "i32"),
    )
    rows += [Operation(name, (kind,), result, f"{name}(x)") for name, kind, result in unary]
    binary = (
        ("__mulhi", "i32"),
        ("__umulhi", "u32"),
        ("__mul64hi", "i64"),
        ("__umul64hi", "u64"),
        ("__mul24", "i32"),
        ("__umul24", "u32"),
        ("__hadd", "i32"),
        ("__rhadd", "i32"),
        ("__uhadd", "u32"),
        ("__urhadd", "u32"),
    )
    rows += [Operation(name, (kind, kind), kind, f"{name}(x, y)") for name, kind in binary]
    rows += [
        Operation(
            f"__funnelshift_{way}", ("u32", "u32", "n"), "u32", f"__funnelshift_{way}(x, y, z)"
        )
        for way in ("l", "r", "lc", "rc")
    ]
    rows.add("__byte_perm", ("u32", "u32", "u32"), "u32", "__byte_perm(x, y, z)")
    rows.add("__sad", ("i32", "i32", "u32"), "u32", "__sad(x, y, z)")
    rows.add("__usad", ("u32", "u32", "u32"), "u32", "__usad(x, y, z)")
    for kind in ("s32", "u32", "s64", "u64"):
        mine, letter = kind.replace("s", "i"), "r" if kind.endswith("32") else "l"
        rows.add(f"bfe_{kind}", (mine, "n", "n"), mine, _asm(f"bfe.{kind}", mine, letter, "rr"))
        rows.add(f"asm_shr_{kind}", (mine, "n"), mine, _asm(f"shr.{kind}", mine, letter, "r"))
        rows.add(f"asm_bfind_{kind}", (mine,), "u32", _asm(f"bfind.{kind}", "u32", "r", "", letter))
        for op in ("abs", "neg") if kind.startswith("s") else ():
            rows.add(f"asm_{op}_{kind}", (mine,), mine, _asm(f"{op}.{kind}", mine, letter, ""))
    for bits, kind, letter in (("b32", "u32", "r"), ("b64", "u64", "l")):
        rows.add(f"asm_shl_{bits}", (kind, "n"), kind, _asm(f"shl.{bits}", kind, letter, "r"))
    for bits, kind, letter in (("b32", "u32", "r"), ("b64", "u64", "l")):
        rows.add(
            f"bfi_{bits}",
            (kind, kind, "n"),
            kind,
            _asm(f"bfi.{bits}", kind, letter, letter + "rr", literal=", 9"),
        )
    return rows


def _asm(text: str, result: str, out: str, rest: str, first: str = "", literal: str = "") -> str:
    """A lambda around one instruction: result, x, then y and z as far as `rest` goes."""
    names = "xyz"[: 1 + len(rest) - (1 if literal else 0)]
    letters = (first or out) + rest
    places = ", ".join(f"%{i + 1}" for i in range(len(names))) + literal
    inputs = ", ".join(f'"{letter}"({name})' for letter, name in zip(letters, names, strict=False))
    statement = f'asm("{text} %0, {places};" : "={out}"(t) : {inputs});'
    return f"[&] {{ {CXX[result]} t; {statement} return t; }}()"


def _floats() -> Rows:
    rows = Rows()
    for kind, letter, suffix in (("f32", "f", "f"), ("f64", "d", "")):
        for name, sign in (("add", "+"), ("sub", "-"), ("mul", "*"), ("div", "/")):
            rows.add(f"{name}_{kind}", (kind, kind), kind, f"x {sign} y")
        for name, sign in (
            ("lt", "<"),
            ("le", "<="),
            ("gt", ">"),
            ("ge", ">="),
            ("eq", "=="),
            ("ne", "!="),
        ):
            rows.add(f"{name}_{kind}", (kind, kind), "i32", f"x {sign} y")
        for name in ("fmin", "fmax", "fdim", "copysign", "fmod", "remainder", "nextafter"):
            rows.add(f"{name}{suffix}", (kind, kind), kind, f"{name}{suffix}(x, y)")
        for name in ("min", "max"):
            rows.add(f"{name}_{kind}", (kind, kind), kind, f"{name}(x, y)")
        rows.add(f"sqrt{suffix}", (kind,), kind, f"sqrt{suffix}(x)")
        rows.add(f"fabs{suffix}", (kind,), kind, f"fabs{suffix}(x)")
        rows.add(f"ldexp{suffix}", (kind, "i32"), kind, f"ldexp{suffix}(x, y)")
        rows.add(f"fma{suffix}", (kind,) * 3, kind, f"fma{suffix}(x, y, z)")
        for name in ("isnan", "isinf", "isfinite", "signbit"):
            rows.add(f"{name}_{kind}", (kind,), "i32", f"{name}(x) ? 1 : 0")
        for mode in ("rn", "rz", "ru", "rd"):
            for name in ("add", "mul", "div", "sub"):
                rows.add(
                    f"__{letter}{name}_{mode}", (kind, kind), kind, f"__{letter}{name}_{mode}(x, y)"
                )
            for name in ("sqrt", "rcp"):
                rows.add(f"__{letter}{name}_{mode}", (kind,), kind, f"__{letter}{name}_{mode}(x)")
            fma = "__fmaf_" if kind == "f32" else "__fma_"
            rows.add(f"{fma}{mode}", (kind,) * 3, kind, f"{fma}{mode}(x, y, z)")
    for op in ("min", "max"):
        for form in (".NaN", ".xorsign.abs"):
            rows.add(
                f"asm_{op}{form}", ("f32", "f32"), "f32", _asm(f"{op}{form}.f32", "f32", "f", "f")
            )
    return rows


def _halves() -> Rows:
    rows = Rows()
    for kind in ("f16", "bf16", "h2", "bf2"):
        two = "2" if kind in ("h2", "bf2") else ""
        for name in (
            "add",
            "sub",
            "mul",
            "div",
            "min",
            "max",
            "add_sat",
            "sub_sat",
            "mul_sat",
            "min_nan",
            "max_nan",
        ):
            base, _, end = name.partition("_")
            if base == "div" and two:
                call = "__h2div(x, y)"
            else:
                call = f"__h{base}{two}{'_' + end if end else ''}(x, y)"
            rows.add(f"{kind}_{name}", (kind, kind), kind, call)
        for name in ("fma", "fma_sat", "fma_relu"):
            base, _, end = name.partition("_")
            rows.add(
                f"{kind}_{name}",
                (kind,) * 3,
                kind,
                f"__h{base}{two}{'_' + end if end else ''}(x, y, z)",
            )
        for name in ("neg", "abs"):
            rows.add(f"{kind}_{name}", (kind,), kind, f"__h{name}{two}(x)")
        for name in ("rint", "ceil", "floor", "trunc", "sqrt"):
            prefix = "h2" if two else "h"
            rows.add(f"{kind}_{name}", (kind,), kind, f"{prefix}{name}(x)")
        if not two:
            for name in ("lt", "le", "gt", "ge", "eq", "ne", "ltu", "equ", "neu"):
                rows.add(f"{kind}_{name}", (kind, kind), "i32", f"__h{name}(x, y) ? 1 : 0")
    return rows


OPERATIONS: tuple[Operation, ...] = (*_conversions(), *_integers(), *_floats(), *_halves())

PRELUDE = """#include <cuda_fp16.h>
#include <cuda_bf16.h>
#ifndef ELEMENT
#define ELEMENT (blockIdx.x * blockDim.x + threadIdx.x)
#endif
template <class T, class S> __device__ T as(S value) {
    static_assert(sizeof(T) == sizeof(S), "the same bits");
    T result;
    memcpy(&result, &value, sizeof result);
    return result;
}
"""


def _load(kind: str, name: str) -> str:
    kept = KEPT.get(kind)
    return f"as<{CXX[kind]}>({name}[i])" if kept else f"{name}[i]"


def kernel(operation: Operation, number: int) -> str:
    """CUDA C++ of `k<number>(a, b, c, r, n)`: element ELEMENT; absent operands are left out."""
    names = "abc"[: len(operation.operands)]
    parameters = [
        f"const {KEPT.get(kind, CXX[kind])} *{name}"
        for kind, name in zip(operation.operands, names, strict=True)
    ]
    parameters += [f"{KEPT.get(operation.result, CXX[operation.result])} *r", "int n"]
    loads = " ".join(
        f"{CXX[kind]} {variable} = {_load(kind, name)};"
        for kind, variable, name in zip(operation.operands, "xyz", names, strict=False)
    )
    result = f"{CXX[operation.result]} t = {operation.expression};"
    kept = KEPT.get(operation.result)
    store = f"r[i] = as<{kept}>(t);" if kept else "r[i] = t;"
    return (
        f'extern "C" __global__ void k{number}({", ".join(parameters)}) {{\n'
        "    int i = ELEMENT;\n"
        f"    if (i >= n) return;\n    {loads} {result} {store}\n}}\n"
    )
