"""Expressions of random functions: see random_python.py, which writes their statements.

Values stay within what 64-bit integers and sums of floats hold exactly: products are reduced at
once. Calls of `act` change the array, so that the order of evaluation shows in what they give.
"""

from __future__ import annotations

import random

ROWS, COLUMNS = 5, 6  # of the array x


class Expressions:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = ["a", "b"]
        self.indices: list[str] = []  # names of whole numbers from -4 to 4
        self.were_indices: set[str] = set()  # which stay whole: a variable has one type
        self.lists: dict[str, int] = {}  # names of lists, and their lengths
        self.functions: list[str] = []  # of one number
        self.count = 0
        self.loops = 0
        self.has_helper = False
        self.has_act = False
        self.is_free = True  # what is written may name variables and act: no comprehension's

    def fresh(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def targets(self) -> list[str]:
        """Names that may get any number."""
        return [n for n in self.names if n not in self.were_indices and not n.startswith("k")]

    def leaf(self) -> str:
        r = self.random
        if r.random() < 0.7:
            return r.choice(self.names)
        return r.choice(["0", "1", "-1", "2", "3", "7", "-4", "13", "100", "True"])

    def expression(self, depth: int) -> str:
        r = self.random
        if depth == 0 or r.random() < 0.15:
            return self.leaf()
        kind = r.randrange(34)
        if kind < 15:
            return self.arithmetic(kind, depth)
        if kind < 19:
            return self.conditional(kind - 15, depth)
        if kind < 25:
            return self.element()
        if kind < 30:
            return self.called(kind - 25, depth)
        return self.of_items(kind - 30, depth)

    def arithmetic(self, kind: int, depth: int) -> str:
        r = self.random
        one, other = self.expression(depth - 1), self.expression(depth - 1)
        if kind < 4:
            return f"({one} {r.choice('+-')} {other})"
        if kind == 4:
            return f"({one} % 97 * (int({other}) % 89))"
        if kind == 5:
            return f"({one} // {r.choice(['3', '-4', f'({other} % 7 + 1)'])})"
        if kind == 6:
            return f"({one} % {r.choice(['5', '-6', f'({other} % 9 - 11)'])})"
        if kind == 7:
            return f"abs({one})"
        if kind == 8:
            return f"(int({one}) {r.choice('&|^')} int({other}))"
        if kind == 9:
            return f"(int({one}) {r.choice(['>>', '<<'])} {r.choice(['0', '1', '3', '(5 - 3)'])})"
        if kind == 10:
            return f"divmod({one}, {r.choice(['3', '-7'])})[{r.randint(0, 1)}]"
        if kind == 11:
            return f"({r.choice(['-', '+', 'not ', '- -'])}{one})"
        if kind == 12:
            return f"({one} - ({other} - {self.leaf()}))"
        if kind == 13:
            return f"(int({one}) % 50) ** {r.choice(['2', '3', '0', '1'])}"
        return f"(~int({one}) + (int({other}) >> int({one}) % 4))"

    def conditional(self, kind: int, depth: int) -> str:
        r = self.random
        one, other = self.expression(depth - 1), self.expression(depth - 1)
        if kind == 0:
            return f"({one} if {self.condition(depth - 1)} else {other})"
        if kind == 1:
            return f"({one} {r.choice(['and', 'or'])} {other})"
        if kind == 2:
            return (
                f"({one} {r.choice(['and', 'or'])} {self.leaf()} {r.choice(['and', 'or'])} {other})"
            )
        return f"int({self.condition(depth - 1)})"

    def called(self, kind: int, depth: int) -> str:
        r = self.random
        one = self.expression(depth - 1)
        if kind == 0 and self.has_helper:
            other = self.expression(depth - 1)
            return f"helper({one}{r.choice(['', f', {other}', f', w={other}'])})"
        if kind == 1 and self.functions:
            return f"{r.choice(self.functions)}({one})"
        if kind == 2 and self.has_act and self.is_free:
            return f"act({one})"
        if kind == 3 and self.is_free:
            return f"({r.choice(self.targets())} := {self.bounded(depth - 1)})"
        return f"{r.choice(['min', 'max'])}({one}, {self.expression(depth - 1)})"

    def of_items(self, kind: int, depth: int) -> str:
        r = self.random
        if kind == 0:
            items = [self.expression(depth - 1) for _ in range(2)]
            at = r.choice(["0", "1", "-1", "-3", f"int({items[0]}) % 3"])
            return f"({items[0]}, {items[1]}, 5)[{at}]"
        if kind == 1 and self.lists:
            name = r.choice(list(self.lists))
            return f"{name}[{self.index(self.lists[name])}]"
        if kind == 2:
            return r.choice(
                [f"sum(x[{self.index(ROWS)}])", f"x[{self.index(ROWS)}].max()", "len(x)",
                 f"x[:, {self.index(COLUMNS)}].min()", "x.shape[1]",
                 f"x[{self.index(ROWS)}, {self.part()}].sum()"]
            )  # fmt: skip
        return self.comprehension(depth)

    def comprehension(self, depth: int) -> str:
        r = self.random
        item = self.fresh("c")
        goes_over = r.choice(
            ["range(4)", "range(3, -2, -2)", f"(1, {self.leaf()}, 5)", f"x[{self.index(ROWS)}]"]
        )
        kept, was_free = list(self.names), self.is_free
        self.names.append(item)
        self.is_free = False
        value = self.expression(depth - 1)
        test = f" if {item} {r.choice(['<', '!='])} {self.leaf()}" if r.random() < 0.5 else ""
        asked = self.condition(0)
        self.names, self.is_free = kept, was_free
        start = r.choice(["", f", {r.randint(1, 9)}"])
        return r.choice(
            [
                f"sum(({value} for {item} in {goes_over}{test}){start})",
                f"max(({value} for {item} in {goes_over}{test}), default={self.leaf()})",
                f"int({r.choice(['any', 'all'])}({asked} for {item} in {goes_over}{test}))",
                f"[{value} for {item} in range(3)][{r.choice(['0', '-1', '2'])}]",
            ]
        )

    # --- Places in the array and in lists.

    def index(self, extent: int) -> str:
        """From -extent to extent - 1, for an extent of at least 5."""
        r = self.random
        kind = r.randrange(8)
        if kind < 2 or (kind > 4 and not self.indices):
            return str(r.randrange(-extent, extent))
        if kind == 2:
            return f"int({r.choice(self.names)}) % {extent}"
        if kind == 3:
            return f"int({r.choice(self.names)}) % {extent} - {r.randint(1, extent)}"
        if kind == 4:
            return f"int({r.choice(self.names)}) % {2 * extent} - {extent}"
        name = r.choice(self.indices)
        lengths = ["", "", " - 1"] + [" + 1", " - 2"] * (extent > 5)
        return name + r.choice(lengths)

    def element(self) -> str:
        return f"x[{self.index(ROWS)}, {self.index(COLUMNS)}]"

    def part(self) -> str:
        """A slice along columns, which has at least one."""
        return self.random.choice(
            ["1:4", "::2", "::-1", "-3:", ":-2", "4:0:-1", "2:", "-2:0:-2", ":"]
        )

    # --- Conditions.

    def bounded(self, depth: int) -> str:
        return f"({self.expression(depth)}) % {self.random.choice([1009, 513, 10007])} - 300"

    def condition(self, depth: int) -> str:
        r = self.random
        one, other = self.expression(depth), self.expression(depth)
        kind = r.randrange(10)
        if kind < 3:
            return f"{one} {r.choice(['<', '<=', '==', '!=', '>', '>='])} {other}"
        if kind == 3:
            return f"{self.leaf()} < {one} <= {other}"
        if kind == 4:
            return f"({one} < {other} {r.choice(['and', 'or'])} {self.leaf()} > {other})"
        if kind == 5:
            return f"{one} {r.choice(['in', 'not in'])} ({other}, 0, {self.leaf()})"
        if kind == 6:
            return f"int({one}) in range({r.randint(-5, 3)}, 9, {r.randint(1, 3)})"
        if kind == 7:
            return f"({one}, {self.leaf()}) {r.choice(['<', '<=', '==', '>='])} ({other}, 1)"
        if kind == 8 and self.is_free and self.has_act:
            return f"{one} {r.choice(['<', '>='])} act({other}) {r.choice(['<', '!='])} {one}"
        return f"not {one} > {other}"
