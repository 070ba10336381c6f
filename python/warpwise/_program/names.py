"""What the names in a function mean: globals, closures, attributes of them, items of dicts."""

from __future__ import annotations

import ast
import builtins
import copy
import enum
import types
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from .enum_classes import MAKERS, MEMBERS, NAMES, EnumClasses
from .known import KNOWN

_MISSING = object()


class Frozen(NamedTuple):
    """A value that was read when the program was written: it must still be there."""

    holder: Any  # a dict, a cell or an object
    name: Any  # a str; of a dict, the key
    value: Any

    def in_dict(self) -> Frozen:
        """The same, of the dict that it is looked up in where there is one."""
        if isinstance(self.holder, types.ModuleType):
            names = vars(self.holder)
            if names.get(self.name, _MISSING) is self.value:
                return Frozen(names, self.name, self.value)
        if isinstance(self.holder, types.CellType):
            return Frozen(self.holder, "cell_contents", self.value)
        return self

    def is_current(self) -> bool:
        if type(self.holder) is dict:
            return self.holder.get(self.name, _MISSING) is self.value
        if type(self.holder) is types.CellType:
            try:
                return self.holder.cell_contents is self.value
            except ValueError:
                return False
        return _same(getattr(self.holder, self.name, _MISSING), self.value)


def _same(one: Any, other: Any) -> bool:
    # Attributes may make their value again at each access.
    return one is other or (type(one) is type(other) and one == other)


def has_attributes(value: Any) -> bool:
    """Whether attributes of the value are looked up now, not by the translation."""
    if isinstance(value, enum.Enum):
        return True
    if id(value) in KNOWN or isinstance(value, np.generic | int | float | complex | str):
        return False
    if isinstance(value, tuple | np.ndarray | types.FunctionType) or value is None:
        return False
    return not isinstance(getattr(value, "__warpwise_known__", None), str)


def outer_names(code: types.CodeType) -> set[str]:
    names = set(code.co_names) | set(code.co_freevars)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= outer_names(constant)
    return names


def look_up(name: str, function: types.FunctionType, cells: dict[str, Any]) -> Frozen | None:
    if name in cells:
        try:
            return Frozen(cells[name], name, cells[name].cell_contents)
        except ValueError:
            return None
    if name in function.__globals__:
        return Frozen(function.__globals__, name, function.__globals__[name])
    if hasattr(builtins, name):
        return Frozen(builtins, name, getattr(builtins, name))
    return None


class _NamedMembers(ast.NodeTransformer):
    """Color["red"], of a class Color of enums outside of the function, as Color.red; CONFIG["dt"],
    of a dict there, as a name of its own.
    """

    def __init__(self, node: ast.AST, function: types.FunctionType) -> None:
        self._function = function
        code = function.__code__
        self._names = outer_names(code) - set(_bound_names(node))
        cells = zip(code.co_freevars, function.__closure__ or (), strict=True)
        self._cells = dict(cells)
        # By the name: the dicts and objects on the way, then the value.
        self.items: dict[str, list[Frozen]] = {}

    def way_of(self, node: ast.AST) -> list[Frozen]:
        """What an expression such as palette.Color is, with what it is found in; empty where it is
        none of the names outside of the function.
        """
        if isinstance(node, ast.Name):
            found = (
                look_up(node.id, self._function, self._cells) if node.id in self._names else None
            )
            return [found] if found else []
        if not isinstance(node, ast.Attribute):
            return []
        way = self.way_of(node.value)
        if not way or not has_attributes(way[-1].value):
            return []
        inner = getattr(way[-1].value, node.attr, _MISSING)
        return [] if inner is _MISSING else [*way, Frozen(way[-1].value, node.attr, inner)]

    def class_of(self, node: ast.AST) -> type[enum.Enum] | None:
        """The class of an enum that the expression names."""
        way = self.way_of(node)
        value = way[-1].value if way else None
        return value if isinstance(value, type) and issubclass(value, enum.Enum) else None

    def name_of(self, node: ast.AST, table: dict[Any, Any], owner: type[enum.Enum]) -> ast.expr:
        """A name that stands for what the table has by the class that the expression names."""
        what = {id(MEMBERS): "members", id(NAMES): "names", id(MAKERS): "maker"}[id(table)]
        name = f"{what} of {ast.unparse(node)}"
        self.items[name] = [*self.way_of(node), Frozen(table, owner, table[owner])]
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        base, key = node.value, node.slice
        is_name = isinstance(base, ast.Name) and base.id in {*self._names, *self.items}
        if not is_name or not isinstance(key, ast.Constant) or not _is_key(key.value):
            return node
        assert isinstance(base, ast.Name)
        way = self.items.get(base.id, [])
        found = way[-1] if way else look_up(base.id, self._function, self._cells)
        if found is None or isinstance(node.ctx, ast.Store):
            return node
        member: Any = key.value
        if isinstance(found.value, enum.EnumMeta) and member in found.value.__members__:
            return ast.copy_location(ast.Attribute(base, member, ast.Load()), node)
        if type(found.value) is dict and member in found.value:
            name = f"{base.id}[{member!r}]"
            value = Frozen(found.value, member, found.value[member])
            self.items[name] = [*(way or [found]), value]
            return ast.copy_location(ast.Name(name, ast.Load()), node)
        return node


def _is_key(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def with_named_members(
    node: Any, function: types.FunctionType
) -> tuple[Any, dict[str, list[Frozen]]]:
    """The tree, and what the names in it stand for that are items of dicts."""
    names = outer_names(function.__code__)
    values = [function.__globals__.get(name) for name in names]
    if not function.__closure__ and not any(
        isinstance(value, enum.EnumMeta | dict) or _has_enums(value) for value in values
    ):
        return node, {}
    named = _NamedMembers(node, function)
    node = named.visit(copy.deepcopy(node))
    return EnumClasses(named.class_of, named.name_of).visit(node), named.items


def _bound_names(node: ast.AST) -> Iterable[str]:
    """What the function and those in it assign or take as arguments."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load):
            yield one.id
        elif isinstance(one, ast.arg):
            yield one.arg
        elif isinstance(one, ast.FunctionDef | ast.MatchAs | ast.MatchStar) and one is not node:
            yield one.name or ""


def _has_enums(value: Any) -> bool:
    """Whether it is a module or a class with classes of enums."""
    if not isinstance(value, types.ModuleType | type) or id(value) in KNOWN:
        return False
    return any(isinstance(one, enum.EnumMeta) for one in vars(value).values())


def chains(node: ast.AST) -> Iterable[list[str]]:
    """Names with the attributes that are asked of them: ["np", "float32"]."""
    stack = [node]
    while stack:
        one = stack.pop()
        attributes: list[str] = []
        inner = one
        while isinstance(inner, ast.Attribute):
            attributes.append(inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name):
            yield [inner.id, *reversed(attributes)]
            continue
        for name in one._fields:
            field = getattr(one, name, None)
            if name in ("decorator_list", "returns", "annotation"):
                continue
            if isinstance(field, ast.AST):
                stack.append(field)
            elif isinstance(field, list):
                stack.extend(item for item in field if isinstance(item, ast.AST))
