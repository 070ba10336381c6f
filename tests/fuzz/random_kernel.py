"""Random kernels and what they compute. A program is a list of statements over four 32-bit unsigned
variables of each thread; it can be written as CUDA C++, and run in Python, thread by thread in lock
step.

Statements: assignments of random expressions, if/else and counted loops around further statements,
and, where all threads of the block are together, exchanges through shared memory and shuffles.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

MASK = 0xFFFFFFFF
NAMES = ("a", "b", "c", "d")
State = dict[str, int]
Compute = Callable[[State], int]

# Spelling, and meaning on 32-bit unsigned values. Division by zero is the one thing a GPU and
# Python's rules disagree on, so divisors are odd.
BINARY: dict[str, Callable[[int, int], int]] = {
    "({} + {})": lambda x, y: (x + y) & MASK,
    "({} - {})": lambda x, y: (x - y) & MASK,
    "({} * {})": lambda x, y: (x * y) & MASK,
    "({} & {})": lambda x, y: x & y,
    "({} | {})": lambda x, y: x | y,
    "({} ^ {})": lambda x, y: x ^ y,
    "({} << ({} & 31u))": lambda x, y: (x << (y & 31)) & MASK,
    "({} >> ({} & 31u))": lambda x, y: x >> (y & 31),
    "({} / ({} | 1u))": lambda x, y: x // (y | 1),
    "({} % ({} | 1u))": lambda x, y: x % (y | 1),
    "min({}, {})": min,
    "max({}, {})": max,
    "__umulhi({}, {})": lambda x, y: (x * y) >> 32,
    "({} < {} ? 1u : 0u)": lambda x, y: int(x < y),
}
UNARY: dict[str, Callable[[int], int]] = {
    "(~{})": lambda x: ~x & MASK,
    "__popc({})": lambda x: x.bit_count(),
    "__clz({})": lambda x: 32 - x.bit_length(),
    "__brev({})": lambda x: int(f"{x:032b}"[::-1], 2),
}


@dataclass
class Kernel:
    """The body as lines, and the same as a step over the states of a whole block."""

    lines: list[str] = field(default_factory=list)
    steps: list[Callable[[Sequence[State]], None]] = field(default_factory=list)

    def run(self, block: Sequence[State]) -> None:
        for step in self.steps:
            step(block)


class Generator:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._loops = 0

    def expression(self, depth: int) -> tuple[str, Compute]:
        pick = self._random.random()
        if depth == 0 or pick < 0.15:
            if self._random.random() < 0.4:
                value = self._random.choice(
                    (0, 1, 7, 255, 1 << 31, MASK, self._random.getrandbits(32))
                )
                return f"{value}u", lambda state: value
            name = self._random.choice(NAMES)
            return name, lambda state: state[name]
        if pick < 0.3:
            text, unary = self._random.choice(list(UNARY.items()))
            inner, compute = self.expression(depth - 1)
            return f"(unsigned){text.format(inner)}", lambda state: unary(compute(state))
        text, binary = self._random.choice(list(BINARY.items()))
        left, left_value = self.expression(depth - 1)
        right, right_value = self.expression(depth - 1)
        return text.format(left, right), lambda s: binary(left_value(s), right_value(s))

    def assignment(self) -> tuple[list[str], Callable[[State], None]]:
        name = self._random.choice(NAMES)
        text, compute = self.expression(3)

        def step(state: State) -> None:
            state[name] = compute(state)

        return [f"{name} = {text};"], step

    def statements(self, count: int, depth: int) -> tuple[list[str], Callable[[State], None]]:
        """Statements that a thread runs by itself: divergence is allowed inside."""
        made = [self.statement(depth) for _ in range(count)]

        def step(state: State) -> None:
            for _, inner in made:
                inner(state)

        return [line for lines, _ in made for line in lines], step

    def statement(self, depth: int) -> tuple[list[str], Callable[[State], None]]:
        pick = self._random.random()
        if depth == 0 or pick < 0.5:
            return self.assignment()
        if pick < 0.8:
            return self.branch(depth)
        return self.loop(depth)

    def branch(self, depth: int) -> tuple[list[str], Callable[[State], None]]:
        condition, compute = self.expression(2)
        then_lines, then_step = self.statements(2, depth - 1)
        else_lines, else_step = self.statements(1, depth - 1)

        def step(state: State) -> None:
            (then_step if compute(state) & 1 else else_step)(state)

        return [f"if ({condition} & 1u) {{", *then_lines, "} else {", *else_lines, "}"], step

    def loop(self, depth: int) -> tuple[list[str], Callable[[State], None]]:
        bound, compute = self.expression(1)
        lines, inner = self.statements(2, depth - 1)
        self._loops += 1
        i, n = f"i{self._loops}", f"n{self._loops}"

        def step(state: State) -> None:
            for _ in range(compute(state) % 5):
                inner(state)

        head = f"for (unsigned {i} = 0, {n} = {bound} % 5u; {i} < {n}; ++{i}) {{"
        return [head, *lines, "}"], step

    def synchronised(self, size: int) -> tuple[list[str], Callable[[Sequence[State]], None]]:
        """All threads exchange a variable: through shared memory, or by a shuffle in each warp."""
        name = self._random.choice(NAMES)
        shift = self._random.randrange(1, 32)
        shuffled = self._random.random() < 0.5

        def step(block: Sequence[State]) -> None:
            before = [state[name] for state in block]
            for t, state in enumerate(block):
                other = (t ^ shift) if shuffled else (t + shift) % size
                state[name] = before[other]

        if shuffled:
            return [f"{name} = __shfl_xor_sync(~0u, {name}, {shift});"], step
        store = f"box[threadIdx.x] = {name};"
        load = f"{name} = box[(threadIdx.x + {shift}) % {size}u];"
        return ["__syncthreads();", store, "__syncthreads();", load], step

    def kernel(self, size: int) -> Kernel:
        """A whole body for blocks of `size` threads, a multiple of 32."""
        made = Kernel()
        for _ in range(self._random.randrange(2, 5)):
            lines, step = self.statements(self._random.randrange(1, 5), 3)
            made.lines += lines

            def apart(block: Sequence[State], step: Callable[[State], None] = step) -> None:
                for state in block:
                    step(state)

            together_lines, together = self.synchronised(size)
            made.lines += together_lines
            made.steps += [apart, together]
        return made
