"""Random functions in the Python of kernels: `function(a, b)` of two whole numbers or reals.

Values stay within what 64-bit integers and sums of floats hold exactly, so that a kernel must give
the same bits: products are reduced at once, floats are halves of small whole numbers.
"""

from __future__ import annotations

import random
import re


class Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.names = ["a", "b"]
        self.count = 0
        self.loops = 0
        self.depth = 1

    def program(self) -> str:
        r = self.random
        self.lines = ["def function(a, b):"]
        if r.random() < 0.5:
            self.helper()
        for _ in range(r.randint(3, 7)):
            self.statement()
        self.line(f"return {self.expression(2)}")
        return "\n".join(self.lines) + "\n"

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def helper(self) -> None:
        self.line(f"def helper(v, w={self.random.randint(1, 5)}):")
        kept, self.names = self.names, ["v", "w", "a"]
        self.depth += 1
        if self.random.random() < 0.5:
            self.line(f"if {self.condition(1)}:")
            self.line(f"    return {self.bounded(1)}")
        self.line(f"return {self.bounded(2)}")
        self.depth -= 1
        self.names = kept
        self.has_helper = True

    has_helper = False

    # --- Expressions.

    def leaf(self) -> str:
        r = self.random
        if r.random() < 0.7:
            return r.choice(self.names)
        return r.choice(["0", "1", "-1", "2", "3", "7", "-4", "13", "100", "True"])

    def expression(self, depth: int) -> str:
        r = self.random
        if depth == 0 or r.random() < 0.15:
            return self.leaf()
        one, other = self.expression(depth - 1), self.expression(depth - 1)
        kind = r.randrange(17)
        if kind < 4:
            return f"({one} {r.choice('+-')} {other})"
        if kind == 4:
            return f"({one} % 97 * ({other} % 89))"
        if kind == 5:
            return f"({one} // {r.choice(['3', '-4', f'({other} % 7 + 1)'])})"
        if kind == 6:
            return f"({one} % {r.choice(['5', '-6', f'({other} % 9 - 11)'])})"
        if kind == 7:
            return f"({one} if {self.condition(depth - 1)} else {other})"
        if kind == 8:
            return f"{r.choice(['min', 'max'])}({one}, {other})"
        if kind == 9:
            return f"abs({one})"
        if kind == 10:
            return f"({one} {r.choice(['and', 'or'])} {other})"
        if kind == 11:
            return f"({one}, {other}, 5)[{r.choice(['0', '1', '-1', f'int({one}) % 3'])}]"
        if kind == 12:
            return f"(int({one}) {r.choice('&|^')} int({other}))"
        if kind == 13:
            return f"(int({one}) {r.choice(['>>', '<<'])} {r.randint(0, 3)})"
        if kind == 14 and self.has_helper:
            return f"helper({one}{r.choice(['', f', {other}', f', w={other}'])})"
        if kind == 15:
            return f"divmod({one}, {r.choice(['3', '-7'])})[{r.randint(0, 1)}]"
        return f"({r.choice(['-', '+', 'not '])}{one})"

    def bounded(self, depth: int) -> str:
        return f"({self.expression(depth)}) % {self.random.choice([1009, 513, 10007])} - 300"

    def condition(self, depth: int) -> str:
        r = self.random
        one, other = self.expression(depth), self.expression(depth)
        kind = r.randrange(6)
        if kind < 3:
            return f"{one} {r.choice(['<', '<=', '==', '!=', '>', '>='])} {other}"
        if kind == 3:
            return f"{self.leaf()} < {one} <= {other}"
        if kind == 4:
            return f"({one} < {other} {r.choice(['and', 'or'])} {self.leaf()} > {other})"
        return f"not {one} > {other}"

    # --- Statements.

    def statement(self) -> None:
        r = self.random
        kind = r.randrange(14)
        if self.depth > 3:
            kind = r.randrange(5)
        if kind < 2:
            value = self.bounded(2)
            name = self.new_name()
            self.line(f"{name} = {value}")
            self.known(name)
        elif kind == 2:
            name = r.choice(self.names)
            self.line(f"{name} {r.choice(['+=', '-='])} {self.bounded(1)}")
            self.line(f"{name} %= 5003")
        elif kind == 3 and len(self.names) > 1:
            one, other = r.sample(self.names, 2)
            self.line(f"{one}, {other} = {other}, {self.bounded(1)}")
        elif kind == 4 and self.loops:
            self.line(f"if {self.condition(1)}:")
            self.line(f"    {r.choice(['break', 'continue'])}")
        elif kind in (5, 6):
            self.branch()
        elif kind in (7, 8):
            self.range_loop()
        elif kind == 9:
            self.while_loop()
        elif kind == 10:
            self.tuple_loop()
        elif kind == 11:
            self.composed_loop()
        elif kind == 12:
            self.match()
        else:
            self.line(f"if {self.condition(2)}:")
            self.line(f"    return {self.expression(1)}")

    def new_name(self) -> str:
        if self.random.random() < 0.4:
            return self.random.choice(self.names)
        self.count += 1
        return f"v{self.count}"

    def known(self, name: str) -> None:
        if name not in self.names:
            self.names.append(name)

    def block(self, count: int, loop: bool = False) -> None:
        kept = list(self.names)
        self.depth += 1
        self.loops += loop
        for _ in range(count):
            self.statement()
        self.loops -= loop
        self.depth -= 1
        self.names = kept

    def branch(self) -> None:
        r = self.random
        self.line(f"if {self.condition(2)}:")
        self.block(r.randint(1, 3))
        if r.random() < 0.3:
            self.line(f"elif {self.condition(1)}:")
            self.block(1)
        if r.random() < 0.5:
            self.line("else:")
            self.block(r.randint(1, 2))

    def range_loop(self) -> None:
        r = self.random
        bounds = r.choice(
            [f"{r.randint(1, 6)}", f"abs(int({self.leaf()})) % 7", f"{r.randint(3, 9)}, -2, -2",
             f"int({self.leaf()}) % 5, 9, {r.randint(1, 3)}"]
        )  # fmt: skip
        self.count += 1
        name = f"i{self.count}"
        self.line(f"for {name} in range({bounds}):")
        kept = list(self.names)
        self.names.append(name)
        self.block(r.randint(1, 3), loop=True)
        self.names = kept
        self.perhaps_else()

    def perhaps_else(self) -> None:
        if self.random.random() < 0.25:
            self.line("else:")
            self.block(1)

    def while_loop(self) -> None:
        self.count += 1
        name = f"n{self.count}"
        self.line(f"{name} = {self.random.randint(1, 6)}")
        self.line(f"while {name} > 0 and {self.condition(1)}:")
        self.line(f"    {name} -= 1")
        self.block(self.random.randint(1, 2), loop=True)
        self.perhaps_else()

    def sequence(self, depth: int) -> tuple[str, str]:
        """A sequence of sequences, and names for its items."""
        r = self.random
        kind = r.randrange(4) if depth else 3
        self.count += 1
        name = f"s{self.count}"
        if kind == 0:
            inner, names = self.sequence(depth - 1)
            start = r.choice(["", f", {r.randint(-2, 4)}", f", start={r.randint(1, 5)}"])
            return f"enumerate({inner}{start})", f"({name}, {names})"
        if kind == 1:
            inner, names = self.sequence(depth - 1)
            other, others = self.sequence(0)
            return f"zip({inner}, {other})", f"({names}, {others})"
        if kind == 2:
            return f"reversed({self.sequence(0)[0]})", name
        bounds = r.choice(
            [f"{r.randint(0, 6)}", f"{r.randint(3, 9)}, -3, {r.randint(-4, -1)}",
             f"int({self.leaf()}) % 6, {r.randint(3, 12)}, {r.randint(1, 3)}"]
        )  # fmt: skip
        return f"range({bounds})", name

    def composed_loop(self) -> None:
        r = self.random
        first, names = self.sequence(1)
        if first.startswith("range"):
            first, names = f"reversed({first})", names
        self.line(f"for {names} in {first}:")
        kept = list(self.names)
        self.names.extend(re.findall(r"s\d+", names))
        self.block(r.randint(1, 2), loop=True)
        self.names = kept
        self.perhaps_else()

    def match(self) -> None:
        r = self.random
        subject = r.choice([f"int({self.leaf()}) % 4", f"(int({self.leaf()}) % 3, {self.leaf()})"])
        is_tuple = subject.startswith("(")
        self.line(f"match {subject}:")
        self.depth += 1
        self.count += 1
        name = f"m{self.count}"
        for number in range(r.randint(1, 3)):
            pattern = f"({number}, {name})" if is_tuple else r.choice([f"{number}", "1 | 2", name])
            guard = f" if {self.condition(1)}" if r.random() < 0.4 or pattern == name else ""
            self.line(f"case {pattern}{guard}:")
            self.block(1)
        if r.random() < 0.6:
            self.line("case _:")
            self.block(1)
        self.depth -= 1

    def tuple_loop(self) -> None:
        self.count += 1
        name = f"t{self.count}"
        self.line(f"for {name} in ({self.leaf()}, {self.expression(1)}, 4):")
        kept = list(self.names)
        self.names.append(name)
        self.block(self.random.randint(1, 2), loop=True)
        self.names = kept


def random_function(seed: int) -> str:
    return Writer(seed).program()
