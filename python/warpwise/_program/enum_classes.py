"""Classes of enums in kernels, which are no values there: what the code does with one by name.

`for c in Color`, `len(Color)` and `c in Color` are of the tuple of its members, `Color.__members__`
is a dict of them, and `Color(2)` calls a function that is made here:

    def Color(value):
        if value == v0: return m0
        if value == v1: return m1
        raise ValueError("this is not a valid Color")
"""

from __future__ import annotations

import ast
import enum
import functools
import linecache
import types
from collections.abc import Callable
from typing import Any

# What takes a sequence, and no class.
_CONSUMERS = frozenset((
    "all", "any", "enumerate", "filter", "len", "list", "map", "max", "min", "reversed", "sorted",
    "sum", "tuple", "zip",
))  # fmt: skip


# By the class: such an object is as long there as the class.
MEMBERS: dict[type, tuple[enum.Enum, ...]] = {}
NAMES: dict[type, dict[str, enum.Enum]] = {}
MAKERS: dict[type, types.FunctionType] = {}


def members_of(owner: type[enum.Enum]) -> tuple[enum.Enum, ...]:
    return MEMBERS.setdefault(owner, tuple(owner))


def names_of(owner: type[enum.Enum]) -> dict[str, enum.Enum]:
    return NAMES.setdefault(owner, dict(owner.__members__))


def maker_of(owner: type[enum.Enum]) -> types.FunctionType | None:
    """The function that Color(value) calls; None where the class has its own way."""
    if owner not in MAKERS:
        function = _made(owner)
        if function is None:
            return None
        MAKERS[owner] = function
    return MAKERS[owner]


def _made(owner: type[enum.Enum]) -> types.FunctionType | None:
    is_flag = issubclass(owner, enum.Flag)
    is_usual = (enum.Flag if is_flag else enum.Enum)._missing_.__func__  # type: ignore[attr-defined]
    own = getattr(owner._missing_, "__func__", None)
    if type(owner).__call__ is not enum.EnumMeta.__call__ or own is not is_usual:
        return None
    members = tuple(owner)
    scope: dict[str, Any] = {f"m{i}": one for i, one in enumerate(members)}
    scope.update({f"v{i}": one.value for i, one in enumerate(members)})
    refusal = f'raise ValueError("this is not a valid {owner.__name__}")'
    if is_flag:
        if issubclass(owner, int) or owner._boundary_ is not enum.STRICT:  # type: ignore[attr-defined]
            return None
        scope["none"] = owner(0)
        bits = functools.reduce(lambda a, b: a | b, [one.value for one in members], 0)
        past = 1 << bits.bit_length()
        lines = [
            f"if value < {-past} or value >= {past}: {refusal}",
            f"if value < 0: value = value + {past}",
            f"if value & {~bits}: {refusal}",
            "result = none",
            *(f"if value & v{i}: result = result | m{i}" for i in range(len(members))),
            "return result",
        ]
    else:
        lines = [*_tests(members), refusal]
    text = f"def {owner.__name__}(value):\n" + "".join(f"    {line}\n" for line in lines)
    file = f"<members of {owner.__module__}.{owner.__qualname__}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), scope)
    made = scope[owner.__name__]
    assert isinstance(made, types.FunctionType)
    return made


def _tests(members: tuple[enum.Enum, ...]) -> list[str]:
    """Values of one kind are compared with the argument; strings and tuples with such ones only."""
    kinds = [next((one for one in (str, tuple) if type(m.value) is one), None) for m in members]
    tests = [f"if value == v{i}: return m{i}" for i in range(len(members))]
    if len(set(kinds)) == 1:
        return tests
    lines = []
    for kind, test in zip(kinds, tests, strict=True):
        is_kind = (
            f"isinstance(value, {kind.__name__})" if kind else "not isinstance(value, (str, tuple))"
        )
        lines += [f"if {is_kind}:", f"    {test}"]
    return lines


class EnumClasses(ast.NodeTransformer):
    """Replaces uses of classes of enums.

    Parameters
    ----------
    class_of : function
        The class of an enum that an expression names, None where it is none.
    name_of : function
        A name for what a dict has by a class.
    """

    def __init__(
        self,
        class_of: Callable[[ast.AST], type[enum.Enum] | None],
        name_of: Callable[[ast.AST, dict[Any, Any], type[enum.Enum]], ast.expr],
    ) -> None:
        self._class_of = class_of
        self._name_of = name_of

    def _members(self, node: Any) -> Any:
        owner = self._class_of(node)
        if owner is None or type(owner).__iter__ is not enum.EnumMeta.__iter__:
            return node
        members_of(owner)
        return self._name_of(node, MEMBERS, owner)

    def visit_For(self, node: ast.For) -> ast.AST:
        node.iter = self._members(node.iter)
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        node.iter = self._members(node.iter)
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        for i, op in enumerate(node.ops):
            if isinstance(op, ast.In | ast.NotIn):
                node.comparators[i] = self._members(node.comparators[i])
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        owner = self._class_of(node.value) if node.attr == "__members__" else None
        if owner is None:
            return self.generic_visit(node)
        names_of(owner)
        return self._name_of(node, NAMES, owner)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id in _CONSUMERS:
            node.args = [self._members(one) for one in node.args]
        owner = self._class_of(node.func)
        if owner is not None and len(node.args) == 1 and not node.keywords and maker_of(owner):
            node.func = self._name_of(node.func, MAKERS, owner)
        return self.generic_visit(node)
