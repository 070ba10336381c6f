"""Random functions in the Python of kernels: `function(a, b, x)` of two numbers and an array.

`a` and `b` are small whole numbers or multiples of them; x has the shape SHAPE. The functions
return a number and change x. One in seven may read variables that some path leaves unset
(`may_lack_values`), which kernels refuse. What random_expressions.py says of values holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from random_expressions import COLUMNS, ROWS, Expressions

SHAPE = (ROWS, COLUMNS)


@dataclass(frozen=True)
class RandomFunction:
    text: str
    may_lack_values: bool


class Writer(Expressions):
    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.lines: list[str] = []
        self.depth = 1
        self.keeps_names = self.random.random() < 0.15  # of what some blocks assign, behind them

    def program(self) -> RandomFunction:
        r = self.random
        self.lines = ["def function(a, b, x):"]
        if r.random() < 0.5:
            self.helper()
        if r.random() < 0.4:
            self.act()
        for _ in range(r.randint(3, 7)):
            self.statement()
        self.line(f"return {self.expression(2)}")
        return RandomFunction("\n".join(self.lines) + "\n", self.keeps_names)

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    # --- Functions in it.

    def helper(self) -> None:
        self.line(f"def helper(v, w={self.random.randint(1, 5)}):")
        kept, self.names, self.is_free = self.names, ["v", "w", "a"], False
        self.depth += 1
        if self.random.random() < 0.5:
            self.line(f"if {self.condition(1)}:")
            self.line(f"    return {self.bounded(1)}")
        self.line(f"return {self.bounded(2)}")
        self.depth -= 1
        self.names, self.is_free = kept, True
        self.has_helper = True

    def act(self) -> None:
        place = self.element()
        self.line("def act(v):")
        self.line(f"    {place} = ({place} + v) % 1013")
        self.line(f"    return {place} - 500")
        self.has_act = True

    def function_value(self) -> None:
        """A lambda, whose variables are read when it is called, and its defaults before."""
        name = self.fresh("f")
        default = self.random.choice(["", f", q={self.leaf()}"])
        kept, self.names = self.names, [*self.names, "p"] + ["q"] * bool(default)
        was_free, self.is_free = self.is_free, False
        value = self.bounded(1) + " + q" * bool(default)
        self.names, self.is_free = kept, was_free
        self.line(f"{name} = lambda p{default}: {value}")
        if self.depth == 1:
            self.functions.append(name)
        else:
            self.line(f"a = {name}({self.leaf()})")

    # --- Statements.

    def statement(self) -> None:
        r = self.random
        kind = r.randrange(24)
        if self.depth > 3:
            kind = r.choice([*range(5), *range(14, 20)])
        if kind < 2:
            value = self.bounded(2)
            name = self.new_name()
            self.line(f"{name} = {value}")
            self.known(name)
        elif kind == 2:
            name = r.choice(self.targets())
            self.line(f"{name} {r.choice(['+=', '-='])} {self.bounded(1)}")
            self.line(f"{name} %= 5003")
        elif kind == 3 and len(self.targets()) > 1:
            self.unpacked()
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
        elif kind == 13:
            self.row_loop()
        elif kind < 17:
            self.stored()
        elif kind == 17:
            self.stored_part()
        elif kind == 18:
            self.small_index()
        elif kind == 19:
            self.changed_list()
        elif kind == 20:
            self.guarded()
        elif kind == 21:
            self.function_value()
        else:
            self.line(f"if {self.condition(2)}:")
            self.line(f"    return {self.expression(1)}")

    def unpacked(self) -> None:
        r = self.random
        one, other = r.sample(self.targets(), 2)
        kind = r.randrange(4)
        if kind < 2:
            self.line(f"{one}, {other} = {other}, {self.bounded(1)}")
        elif kind == 2:
            self.line(f"{one}, ({other}, *_) = {other}, ({one}, {self.bounded(1)}, 3)")
        else:
            place = self.element()
            self.line(f"{one}, {place} = {place}, {self.bounded(1)}")

    def stored(self) -> None:
        r = self.random
        place = self.element()
        kind = r.randrange(4)
        if kind == 0:
            self.line(f"{place} = {self.bounded(2)}")
        elif kind == 1:
            op = r.choice(["+= {}", "-= {}", "//= ({}) % 9 - 13", "%= ({}) % 7 + 8"])
            self.line(f"{place} {op.format(self.bounded(1))}")
            self.line("x %= 5003")
        elif kind == 2:
            other = self.element()
            self.line(f"{place}, {other} = {other}, {place}")
        else:
            self.line(f"{place} = {r.choice(self.targets())} = {self.bounded(1)}")

    def stored_part(self) -> None:
        r = self.random
        row = self.index(ROWS)
        kind = r.randrange(5)
        if kind == 0:
            self.line(f"x[{row}, {self.part()}] = {self.bounded(1)}")
        elif kind == 1:
            self.line(f"x[{row}, {self.part()}] {r.choice(['+', '-'])}= {self.bounded(1)}")
            self.line(f"x[{row}] %= 4001")
        elif kind == 2:
            self.line(f"x[{row}, 1:4] = {self.bounded(1)}, {self.leaf()}, {self.element()}")
        elif kind == 3:
            view = self.fresh("y")
            self.line(f"{view} = x[{row}, {r.choice(['::-1', '::2', '1:', '-3:'])}]")
            self.line(f"{view}[{r.choice(['-1', '0', '-2'])}] = {self.bounded(1)}")
        else:
            view = self.fresh("y")
            self.line(f"{view} = x[::-1, 1:]")
            self.line(f"{view}[{row}, {self.index(ROWS)}] -= {self.leaf()} % 11")

    def small_index(self) -> None:
        name = self.fresh("k")
        self.line(f"{name} = int({self.leaf()}) % 9 - 4")
        self.known(name)
        self.indices.append(name)

    def guarded(self) -> None:
        """Elements behind a comparison of their index, which kernels conclude its sign from."""
        r = self.random
        if not self.indices:
            self.small_index()
        name = r.choice(self.indices)
        least = r.randint(-3, 1)
        self.line(
            r.choice(
                [f"if {name} >= {least}:", f"if {name} > {least} and {self.condition(0)}:",
                 f"if not {name} < {least}:", f"if {least} <= {name} <= 3:",
                 f"if {name} < {least}:", f"if {name} > {least} or {self.condition(0)}:"]
            )
        )  # fmt: skip
        self.line(f"    x[{name}, 2] += x[{name} - 1, {name} + 1] % 17")
        if r.random() < 0.5:
            self.line("else:")
            self.line(f"    x[{name}, 1] = x[{name} - 1, {name} - 2] % 3001")

    def changed_list(self) -> None:
        r = self.random
        if not self.lists or (self.loops == 0 and r.random() < 0.4):
            name, length = self.fresh("l"), r.randint(5, 6)
            first = r.choice([f"[{self.leaf()}] * {length}", f"list(range({length}))"])
            self.line(f"{name} = {first}")
            if self.depth == 1:
                self.lists[name] = length
        else:
            name = r.choice(list(self.lists))
            length = self.lists[name]
        place = f"{name}[{self.index(length)}]"
        kind = r.randrange(3)
        if kind == 0:
            self.line(f"{place} = {self.bounded(1)}")
        elif kind == 1:
            self.line(f"{place} = ({place} + {self.bounded(1)}) % 3001")
        else:
            other = f"{name}[{self.index(length)}]"
            self.line(f"{place}, {other} = {other}, {place}")
        if r.random() < 0.4:
            self.line(f"{r.choice(self.targets())} = {place}")

    def new_name(self) -> str:
        if self.random.random() < 0.4:
            return self.random.choice(self.targets())
        return self.fresh("v")

    def known(self, name: str) -> None:
        if name not in self.names:
            self.names.append(name)

    def block(self, count: int, loop: bool = False) -> None:
        kept, indices = list(self.names), list(self.indices)
        self.depth += 1
        self.loops += loop
        for _ in range(count):
            self.statement()
        self.loops -= loop
        self.depth -= 1
        self.restore(kept)
        self.indices = indices

    def restore(self, names: list[str]) -> None:
        """Behind a block: what it has assigned may have no value there."""
        if not self.keeps_names or self.random.random() < 0.7:
            self.names = names

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

    # --- Loops.

    def range_loop(self) -> None:
        r = self.random
        step = f"(1 if {self.condition(0)} else -2)"
        bounds = r.choice(
            [f"{r.randint(1, 6)}", f"abs(int({self.leaf()})) % 7", f"{r.randint(3, 9)}, -2, -2",
             f"int({self.leaf()}) % 5, 9, {r.randint(1, 3)}", f"2, 2 + 3 * {step}, {step}",
             "-4, 5", "4, -5, -1", f"int({self.leaf()}) % 5, -4, -1"]
        )  # fmt: skip
        name = self.fresh("i")
        self.line(f"for {name} in range({bounds}):")
        kept, indices = list(self.names), list(self.indices)
        self.names.append(name)
        if bounds.startswith(("-4,", "4,", "int")) and bounds[-1] not in "123":
            self.indices.append(name)
            self.were_indices.add(name)
        self.block(r.randint(1, 3), loop=True)
        self.restore(kept)
        self.indices = indices
        self.perhaps_else()
        if r.random() < 0.3 and bounds.startswith(("-4,", "4,")):
            self.line(f"a = {name}")  # what the last turn left

    def perhaps_else(self) -> None:
        if self.random.random() < 0.25:
            self.line("else:")
            self.block(1)

    def while_loop(self) -> None:
        name = self.fresh("n")
        self.line(f"{name} = {self.random.randint(1, 6)}")
        self.line(f"while {name} > 0 and {self.condition(1)}:")
        self.line(f"    {name} -= 1")
        self.block(self.random.randint(1, 2), loop=True)
        self.perhaps_else()

    def sequence(self, depth: int) -> tuple[str, str]:
        """A sequence of sequences, and names for its items."""
        r = self.random
        kind = r.randrange(4) if depth else 3
        name = self.fresh("s")
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

    def loop_over(self, items: str, sequence: str, names: list[str]) -> None:
        self.line(f"for {items} in {sequence}:")
        kept = list(self.names)
        self.names.extend(names)
        self.block(self.random.randint(1, 2), loop=True)
        self.restore(kept)

    def composed_loop(self) -> None:
        first, names = self.sequence(1)
        if first.startswith("range"):
            first = f"reversed({first})"
        self.loop_over(names, first, re.findall(r"s\d+", names))
        self.perhaps_else()

    def row_loop(self) -> None:
        """Over a row of the array, which the body may change."""
        row, item, number = self.index(ROWS), self.fresh("e"), self.fresh("j")
        if self.random.random() < 0.5:
            self.loop_over(item, f"x[{row}]", [item])
        else:
            self.loop_over(f"{number}, {item}", f"enumerate(x[{row}, ::-1])", [number, item])

    def tuple_loop(self) -> None:
        name = self.fresh("t")
        self.loop_over(name, f"({self.leaf()}, {self.expression(1)}, 4)", [name])

    def match(self) -> None:
        r = self.random
        subject = r.choice([f"int({self.leaf()}) % 4", f"(int({self.leaf()}) % 3, {self.leaf()})"])
        is_tuple = subject.startswith("(")
        self.line(f"match {subject}:")
        self.depth += 1
        name = self.fresh("m")
        for number in range(r.randint(1, 3)):
            pattern = f"({number}, {name})" if is_tuple else r.choice([f"{number}", "1 | 2", name])
            kept = list(self.names)
            if name in pattern:
                self.names.append(name)
            guard = f" if {self.condition(1)}" if r.random() < 0.5 or pattern == name else ""
            self.line(f"case {pattern}{guard}:")
            self.block(1)
            self.restore(kept)
        if r.random() < 0.6:
            self.line("case _:")
            self.block(1)
        self.depth -= 1


def random_function(seed: int) -> RandomFunction:
    return Writer(seed).program()
