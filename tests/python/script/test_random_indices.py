"""Random functions of loops, branches and assignments that read at indices of either sign: what a
kernel knows of its variables must not change the element that x[i] is."""

from __future__ import annotations

import linecache
import random

import numpy as np
import pytest
from random_runs import compared

from warpwise._script import Function

ELEMENTS = 128  # more than any index is large
ARGUMENTS = [(0, 0), (3, -2), (-4, 5), (6, 6), (-3, -7)]
MOST_LOOPS = 3  # in each other


class Writer:
    """Writes a function of x, out, p and q."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self._names = ["p", "q", "t", "d"]
        self._lines = ["def kernel(x, out, p, q):", "    t = p", "    d = q"]
        self._block("    ", 0)
        ends = [self._draw.randint(-4, 4) for _ in range(4)]
        self._lines.append(f"    for a in range({min(ends[:2])}, {max(ends[:2]) + 2}):")
        self._lines.append(f"        for b in range({min(ends[2:])}, {max(ends[2:]) + 2}):")
        self._names += ["a", "b"]
        self._compared(" " * 12)
        self._block(" " * 12, MOST_LOOPS - 1)
        del self._names[-2:]
        self._block("    ", 0)
        self._lines.append("    out[1] = t * 100 + d")

    def text(self) -> str:
        return "\n".join([*self._lines, ""])

    def _name(self) -> str:
        return self._draw.choice(self._names)

    def _number(self) -> str:
        few = self._draw.randint(-4, 4)
        forms = [
            self._name(),
            f"{self._name()} + {few}",
            f"{self._name()} - {few}",
            f"{few} + {self._name()}",
            f"{self._name()} - {self._name()}",
            f"{self._name()} + {self._name()}",
            f"{self._name()} - {self._name()} - {few}",
            f"{self._name()} - ({self._name()} + {self._name()}) // 2",
            f"{self._name()} + ({self._name()} - {self._name()}) // 2",
            f"{self._draw.choice(['min', 'max'])}({self._name()}, {few}) - {self._name()}",
            f"2 * {self._name()} - {self._name()}",
            self._assigned_behind_its_use(),
        ]
        return self._draw.choice(forms)

    def _assigned_behind_its_use(self) -> str:
        name, other = self._draw.choice("td"), self._name()
        value = f"max(-8, min(8, {other} + {self._draw.randint(-4, 4)}))"
        return f"{other} - {name} + ({name} := {value})"

    def _condition(self) -> str:
        order = self._draw.choice(["<", "<=", ">", ">=", "==", "!="])
        least = self._draw.choice([self._number(), str(self._draw.randint(-3, 3))])
        plain = f"{self._number()} {order} {least}"
        if self._draw.random() < 0.7:
            return plain
        joint = self._draw.choice(["and", "or"])
        return f"{plain} {joint} not ({self._number()} < {self._number()})"

    def _range(self) -> str:
        if self._draw.random() < 0.5:
            return f"range({self._draw.randint(-3, 2)}, {self._draw.randint(0, 4)})"
        step = self._draw.choice([1, -1, 2, -2])
        ends = (f"max(-9, min(9, {self._number()}))" for _ in range(2))
        return f"range({', '.join(ends)}, {step})"

    def _block(self, space: str, depth: int) -> None:
        for _ in range(self._draw.randint(1, 3)):
            kind = self._draw.choices(
                ["read", "range", "if", "tuple", "assign", "halves"], [8, 3, 4, 2, 3, 2], k=1
            )[0]
            if kind == "read" or (depth == MOST_LOOPS and kind != "assign"):
                self._lines.append(f"{space}out[0] = out[0] * 3 % 1000003 + x[{self._number()}]")
            elif kind == "assign":
                value = self._draw.choice(["({}) % 9 - 4", "max(-8, min(8, {}))"])
                name = self._draw.choice("td")
                self._lines.append(f"{space}{name} = {value.format(self._number())}")
            elif kind == "halves":
                self._halves(space)
            else:
                self._nested(kind, space, depth)

    def _halves(self, space: str) -> None:
        """A search by halves, whose bounds depend on other variables, and elements between them."""
        end = self._name()
        first = self._draw.choice(["0", f"max(0, {self._name()})", self._name()])
        last = self._draw.choice([end, f"min({end}, 6)", f"{end} + 1"])
        middle = self._draw.choice(["(t + d) // 2", "t + (d - t) // 2", "t + (d - t + 1) // 3"])
        place = self._draw.choice(["{end} - m", "{end} - m - 1", "d - m - 1", "m - t", "m"])
        self._lines += [
            f"{space}t, d = max(-8, min(8, {first})), max(-8, min(8, {last}))",
            f"{space}while t < d:",
            f"{space}    m = {middle}",
            f"{space}    out[0] = out[0] * 3 % 1000003 + x[{place.format(end=end)}]",
            f"{space}    if x[m] % 2 == 0:",
            f"{space}        t = m + 1",
            f"{space}    else:",
            f"{space}        d = m",
            f"{space}out[1] += x[{end} - t]",
        ]

    def _compared(self, space: str) -> None:
        """A comparison of two variables, and elements their difference apart."""
        less, more = self._draw.sample(self._names[-3:], 2)
        order = self._draw.choice([">", ">="])
        self._lines.append(f"{space}if {more} {order} {less}:")
        for few in self._draw.sample(range(4), 2):
            self._lines.append(f"{space}    out[0] += x[{more} - {less} - {few}]")

    def _nested(self, kind: str, space: str, depth: int) -> None:
        if kind == "if":
            if self._draw.random() < 0.5:
                self._compared(space)
            else:
                self._lines.append(f"{space}if {self._condition()}:")
            self._block(f"{space}    ", depth + 1)
            if self._draw.random() < 0.4:
                self._lines.append(f"{space}else:")
                self._block(f"{space}    ", depth + 1)
            return
        items = f"({self._draw.randint(-3, 3)}, {self._draw.randint(-3, 3)}, 2)"
        name = f"i{len(self._names)}"
        over = self._range() if kind == "range" else items
        self._lines.append(f"{space}for {name} in {over}:")
        self._names.append(name)
        self._block(f"{space}    ", depth + 1)
        self._names.pop()


@pytest.mark.parametrize("turn", range(60))
def test_an_index_is_pythons(turn: int) -> None:
    seed = int(np.random.SeedSequence().generate_state(1)[0])
    text = Writer(seed).text()
    print(f"seed {seed}\n{text}")  # shown where the test fails
    name = f"<random indices {seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace: dict[str, object] = {}
    exec(compile(text, name, "exec"), namespace)
    python = namespace["kernel"]
    kernel = Function(python)
    x = np.arange(1, ELEMENTS + 1) * 7 % 101
    for p, q in ARGUMENTS:
        expected, out = np.zeros(2, np.int64), np.zeros(2, np.int64)
        python(x, expected, p, q)
        kernel[1, 1](x, out, p, q)
        np.testing.assert_array_equal(out, expected)


def test_loops_that_end_in_one_block() -> None:
    """The vectoriser took the count that both loops leave for two, and crashed."""
    for run in compared(9400458):
        np.testing.assert_array_equal(run.got, run.expected, err_msg=run.text)
