"""Random kernels of integers: loops, branches and operators, with bounds of every kind."""

from __future__ import annotations

import linecache
import operator
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from warpwise import cuda

COUNT = 16
KINDS = {kind.__name__: kind for kind in (np.uint8, np.int8, np.int32, np.uint32)}
EDGES = [0, 1, 2, 3, 7, 31, 100, 255, 65535, -1, -2, -100]
EDGES += [2**30 - 1, 2**30, 2**31 - 1, 2**31, 2**32 - 1, -(2**31), -(2**31) - 1]
ATOMS = ["a[i]", "b[i]", "c[i]", "d[i]", "e[i]", "a[(i + 1) % n]", "i", "n", "p", "q", "x.size"]
ATOMS += ["cuda.threadIdx.x", "cuda.blockIdx.x * cuda.blockDim.x"]
RANGES = ["5", "n", "p % 7", "a[i] % 9", "x.size", "-3, 6", "1, n, 2", "i, i + 4, 3"]
RANGES += ["b[i] % 5, 6", "9, -2, -1", "n, 0, -2", "i + 3, i - 1, -1"]


class Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = 0
        self.lines = ["def kernel(x, a, b, c, d, e, n, p, q):", "    i = cuda.grid(1)"]
        self.lines += ["    if i < a.size:", "        v0 = a[i]", "        v2 = 1"]
        self.lines.append(f"        v1 = {self.one('0', 'i', 'b[i]')}")
        self.block(["i", "v0", "v1", "v2"], 2, 3)
        last = self.value(["v0", "v1", "i"], 2)
        self.lines += ["        x[3 * i] = v0", "        x[3 * i + 1] = v1"]
        self.lines.append(f"        x[3 * i + 2] = v2 + {last}")

    def one(self, *choices: str) -> str:
        return self.random.choice(choices)

    def atom(self, names: list[str]) -> str:
        kind = self.random.random()
        if kind < 0.5:
            return self.one(*names)
        return self.one(*ATOMS) if kind < 0.75 else str(self.random.choice(EDGES))

    def value(self, names: list[str], depth: int) -> str:
        if depth == 0 or self.random.random() < 0.15:
            return self.atom(names)
        a, b = (self.value(names, depth - 1) for _ in range(2))
        number = self.one("1", "2", "3", "7", "10", "256", "-3", "(2**31 - 1)")
        forms = 4 * [f"({a} + {b})", f"({a} - {b})"] + 2 * [f"({a} * {b})"]
        forms += [f"({a} {self.one('&', '|', '^')} {b})", f"{self.one('min', 'max')}({a}, {b})"]
        forms += [f"({a} {self.one('<<', '>>')} {self.one('0', '1', '3', '8', '16', '31')})"]
        forms += [f"({a} {op} {number})" for op in ("//", "%")]
        forms += [f"({a} {self.one('//', '%')} (({b} & 15) + 1))", f"abs({a})", f"(-{a})"]
        forms += [f"(~{a})", f"{self.one(*KINDS)}({a})", f"({a} if {self.test(names, 0)} else {b})"]
        return self.one(*forms)

    def test(self, names: list[str], depth: int) -> str:
        a, b = (self.value(names, depth) for _ in range(2))
        text = f"{a} {self.one('<', '<=', '>', '>=', '==', '!=')} {b}"
        kind = self.random.random()
        if kind < 0.3:
            return f"({text} {self.one('and', 'or')} {self.test(names, 0)})"
        return f"not ({text})" if kind < 0.35 else text

    def block(self, names: list[str], indent: int, depth: int) -> None:
        for _ in range(self.random.randint(1, 3)):
            self.statement(names, indent, depth)

    def statement(self, names: list[str], indent: int, depth: int) -> None:
        space = "    " * indent
        kind = self.random.random() if depth > 0 else 0
        v = self.one("v0", "v1", "v2")
        if kind < 0.35:
            if self.random.random() < 0.4:
                self.lines.append(f"{space}{v} {self.one('+=', '-=')} {self.value(names, 1)}")
            else:
                self.lines.append(f"{space}{v} = {self.value(names, 2)}")
            return
        if kind < 0.55:
            self.lines.append(f"{space}if {self.test(names, 1)}:")
            self.block(names, indent + 1, depth - 1)
            self.lines.append(f"{space}else:")
            self.block(names, indent + 1, depth - 1)
        elif kind < 0.95:
            self.loop(names, indent, depth, kind < 0.85)
        else:
            self.lines.append(f"{space}if ({v} := {self.value(names, 1)}) < {self.atom(names)}:")
            self.block(names, indent + 1, depth - 1)

    def loop(self, names: list[str], indent: int, depth: int, is_for: bool) -> None:
        space = "    " * indent
        self.names += 1
        name = f"k{self.names}"
        if is_for:
            self.lines.append(f"{space}for {name} in range({self.one(*RANGES)}):")
        else:
            self.lines.append(f"{space}{name} = 0")
            self.lines.append(f"{space}while {name} < n and {self.test(names, 0)}:")
            self.lines.append(f"{space}    {name} += {self.one('1', '2')}")
        inner = [*names, name]
        self.block(inner, indent + 1, depth - 1)
        if self.random.random() < 0.3:
            leave = self.one("break", "continue")
            self.lines.append(f"{space}    if {self.test(inner, 0)}: {leave}")
            self.block(inner, indent + 1, 0)
        if self.random.random() < 0.2:
            self.lines.append(f"{space}else:")
            self.block(names, indent + 1, 0)


def arguments(seed: int) -> list[np.ndarray]:
    """Arrays a to e: small numbers, all numbers, and the ends of their type."""
    chance = np.random.default_rng(seed)

    def mixed(kind: Any) -> np.ndarray:
        ends = np.iinfo(kind)
        all_numbers = chance.integers(ends.min, ends.max, COUNT, dtype=kind, endpoint=True)
        small = chance.integers(0, 100, COUNT).astype(kind)
        edges = chance.choice(np.array([ends.min, ends.max, 0, 1], kind), COUNT)
        return np.choose(chance.integers(0, 3, COUNT), [all_numbers, small, edges])

    return [mixed(kind) for kind in (*KINDS.values(), np.int64)]


def function_of(seed: int) -> tuple[Callable[..., None], tuple[int, ...]]:
    """A kernel, and its arguments n, p and q."""
    writer = Writer(seed)
    text = "\n".join(writer.lines) + "\n"
    file = f"<random integers {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = {"cuda": cuda, **KINDS}
    exec(compile(text, file, "exec"), scope)
    integers = (5, writer.random.choice([0, 3, 2**31 - 1]), writer.random.choice([1, 2**31 - 1]))
    if writer.random.random() < 0.3:
        integers = (5, -writer.random.choice([1, 2**31, 2**40]), 7)
    return scope["kernel"], integers


class PastBits(Exception):
    """A number of Python's that 64 bits do not hold, where C++ has no result."""


class Number:
    """An integer of 64 bits with a sign."""

    def __init__(self, value: Any) -> None:
        self.value = int(value)
        if not -(2**63) <= self.value < 2**63:
            raise PastBits

    def __index__(self) -> int:
        return self.value

    __int__ = __index__

    def __bool__(self) -> bool:
        return self.value != 0

    def __neg__(self) -> Number:
        return Number(-self.value)

    def __invert__(self) -> Number:
        return Number(~self.value)

    def __abs__(self) -> Number:
        return Number(abs(self.value))


def _add_operators() -> None:
    for name in ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift"):
        compute = getattr(operator, f"__{name}__")
        setattr(Number, f"__{name}__", lambda a, b, f=compute: Number(f(int(a), int(b))))
        setattr(Number, f"__r{name}__", lambda a, b, f=compute: Number(f(int(b), int(a))))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        compute = getattr(operator, f"__{name}__")
        setattr(Number, f"__{name}__", lambda a, b, f=compute: f(int(a), int(b)))


_add_operators()


class _Items:
    def __init__(self, items: np.ndarray) -> None:
        self.items = items
        self.size = Number(len(items))

    def __getitem__(self, index: Any) -> Number:
        return Number(self.items[int(index)])

    def __setitem__(self, index: Any, value: Any) -> None:
        Number(value)


class _Place:
    def __init__(self, x: int) -> None:
        self.x = Number(x)


class _Cuda:
    def __init__(self, thread: int) -> None:
        self.thread = thread
        self.threadIdx, self.blockIdx = _Place(thread % 8), _Place(thread // 8)
        self.blockDim = _Place(8)

    def grid(self, _axes: int) -> Number:
        return Number(self.thread)


def is_defined(
    function: Callable[..., None], arrays: list[np.ndarray], integers: tuple[int, ...]
) -> bool:
    """Whether it is a kernel whose numbers all have 64 bits."""

    def conversion(kind: Any) -> Callable[[Any], Number]:
        return lambda value: Number(np.array(int(value) % 2**64, np.uint64).astype(kind))

    scope: dict[str, Any] = {name: conversion(kind) for name, kind in KINDS.items()}
    scope["range"] = lambda *bounds: map(Number, range(*map(int, bounds)))
    run = type(function)(function.__code__, scope)  # type: ignore[call-arg]
    given = [_Items(np.zeros(3 * COUNT, np.int64)), *map(_Items, arrays), *map(Number, integers)]
    try:
        for thread in range(COUNT):
            scope["cuda"] = _Cuda(thread)
            run(*given)
    except (PastBits, UnboundLocalError):
        return False
    return True
