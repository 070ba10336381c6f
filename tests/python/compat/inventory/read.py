"""PyCUDA's names, from the text files of this folder, and what tests assert of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
TESTS = [*sorted(HERE.parent.glob("test_*_of_pycuda.py")), HERE.parent / "test_driver.py"]


class Name(NamedTuple):
    """`path` begins with the module; `parameters` is None where it is no call."""

    path: str
    parameters: list[tuple[str, str | None, bool]] | None  # name, default, without effect
    word: str

    @property
    def key(self) -> str:
        return self.path + ("" if self.parameters is None else "()")

    @property
    def last(self) -> str:
        """The identifier by which tests mention it."""
        parts = self.path.split(".")
        return parts[-1]

    @property
    def owner(self) -> str:
        parts = self.path.split(".")
        return parts[-2] if len(parts) > 2 else ""


def names(file: str, module: str = "") -> Iterator[Name]:
    for line in (HERE / file).read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        found = re.fullmatch(r"([\w.]+)(?:\((.*)\))?\s*([\w ]*)", line)
        assert found, f"{file}: {line!r}"
        path = f"{module}.{found[1]}" if module else found[1]
        parameters = None if found[2] is None else [_parameter(p) for p in _split(found[2])]
        yield Name(path, parameters, found[3])


def _split(text: str) -> list[str]:
    return [part.strip() for part in re.split(r",\s*(?![^\[]*\])", text) if part.strip()]


def _parameter(text: str) -> tuple[str, str | None, bool]:
    is_idle = text.startswith("(-)")
    name, _, default = text.removeprefix("(-)").partition("=")
    return name, default or None, is_idle


def enumerations() -> Iterator[tuple[str, str, int]]:
    for line in (HERE / "enums.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            kind, _, rest = line.partition(": ")
            for entry in rest.split():
                name, _, value = entry.partition("=")
                yield kind, name, int(value)


@cache
def by_key() -> dict[str, Name]:
    """The names of which stand-ins are made: those that are not over arrays."""
    return {one.key: one for one in [*names("driver.txt", "driver"), *names("others.txt")]}


def proofs() -> Iterator[tuple[str, str, str]]:
    """Rows of proofs.txt: the key of a name, a kind of stand-in, and the test that notices it."""
    for line in (HERE / "proofs.txt").read_text().splitlines():
        if not line.startswith("#"):
            stand_in, _, node = line.partition(": ")
            key, _, kind = stand_in.partition(" ")
            yield key, kind, node


class Use(NamedTuple):
    """A mention of an identifier in a test, with the arguments if it is called."""

    positional: int
    keywords: frozenset[str]
    has_star: bool


class _Test(ast.NodeVisitor):
    """Which identifiers of a test lead to what it asserts.

    A statement connects the variables in it with the identifiers in it: what is assigned, and
    what is passed to a call that may change it. An identifier counts where it is connected with a
    variable of an assertion, or is in the assertion.
    """

    def __init__(self) -> None:
        self.connected: dict[str, set[str]] = {}
        self.uses: dict[str, list[Use]] = {}
        self.asserted: set[str] = set()

    def read(self, function: ast.AST) -> None:
        # Twice, for variables that are asserted in a loop before they change.
        for _ in range(2):
            for statement in _statements(function):
                self._statement(statement)

    def _statement(self, statement: ast.AST) -> None:
        mentioned, variables = set(), set()
        for node in _own_nodes(statement):
            if isinstance(node, ast.Attribute):
                mentioned.add(node.attr)
            elif isinstance(node, ast.Name):
                mentioned.add(node.id)
                variables.add(node.id)
            elif isinstance(node, ast.keyword) and node.arg:
                mentioned.add(node.arg)
            elif isinstance(node, ast.Call):
                self._call(node)
        reached = set(mentioned)
        for variable in variables:
            reached |= self.connected.get(variable, set())
        for variable in variables:
            self.connected.setdefault(variable, set()).update(reached)
        if _is_assertion(statement):
            self.asserted |= reached

    def _call(self, node: ast.Call) -> None:
        name = getattr(node.func, "attr", getattr(node.func, "id", None))
        if name is None:
            return
        is_star = any(isinstance(a, ast.Starred) for a in node.args)
        is_star |= any(k.arg is None for k in node.keywords)
        keywords = frozenset(k.arg for k in node.keywords if k.arg)
        self.uses.setdefault(name, []).append(Use(len(node.args), keywords, is_star))


def _statements(function: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(function):
        if isinstance(node, ast.stmt) and node is not function:
            yield node


def _own_nodes(statement: ast.AST) -> Iterator[ast.AST]:
    """Of a statement without the statements in it, unless its head is an assertion."""
    if isinstance(statement, ast.With) and _is_assertion(statement):
        yield from ast.walk(statement)
        return
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.stmt):
            yield child
            yield from (n for n in ast.walk(child) if n is not child)


def _is_assertion(statement: ast.AST) -> bool:
    if isinstance(statement, ast.Assert):
        return True
    heads: list[ast.AST] = []
    if isinstance(statement, ast.With):
        heads = [item.context_expr for item in statement.items]
    elif isinstance(statement, ast.Expr):
        heads = [statement.value]
    return any(
        isinstance(head, ast.Call)
        and re.match(
            r"raises|warns|assert_", getattr(head.func, "attr", getattr(head.func, "id", ""))
        )
        for head in heads
    )


class Coverage(NamedTuple):
    asserted: frozenset[str]
    uses: dict[str, list[Use]]


@cache
def coverage() -> Coverage:
    """What the tests of this folder assert, and how they call."""
    asserted: set[str] = set()
    uses: dict[str, list[Use]] = {}
    for path in TESTS:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                test = _Test()
                test.read(node)
                asserted |= test.asserted
                for name, found in test.uses.items():
                    uses.setdefault(name, []).extend(found)
            elif isinstance(node, ast.Call):
                outside = _Test()
                outside._call(node)
                for name, found in outside.uses.items():
                    uses.setdefault(name, []).extend(found)
    return Coverage(frozenset(asserted), uses)
