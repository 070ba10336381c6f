"""super() in methods that kernels call."""

from __future__ import annotations

import ast
import copy
import types
from typing import Any, NamedTuple


class BaseMethod(NamedTuple):
    owner: type
    name: str
    function: types.FunctionType


class _SuperCalls(ast.NodeTransformer):
    def __init__(self, owner: type, own_name: str) -> None:
        self._bases = owner.__mro__[1:]
        self._self = own_name
        self.found: dict[str, BaseMethod] = {}

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        callee = node.func
        if not isinstance(callee, ast.Attribute) or not _is_super(callee.value):
            return node
        owner = next((one for one in self._bases if callee.attr in vars(one)), object)
        method = vars(owner).get(callee.attr)
        if not isinstance(method, types.FunctionType):
            return node
        name = f"super().{callee.attr}"
        self.found[name] = BaseMethod(owner, callee.attr, method)
        node.args.insert(0, ast.copy_location(ast.Name(self._self, ast.Load()), callee))
        node.func = ast.copy_location(ast.Name(name, ast.Load()), callee)
        return node


def _is_super(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return False
    return isinstance(node.func, ast.Name) and node.func.id == "super"


def _has_several_bases(owner: type) -> bool:
    return any(len(one.__bases__) > 1 for one in owner.__mro__)


def has_other_super(function: types.FunctionType, owner: type) -> bool:
    """Whether what super() is there may be another class for values of `owner`."""
    return "__class__" in function.__code__.co_freevars and _has_several_bases(owner)


def with_super_calls(node: Any, function: types.FunctionType) -> tuple[Any, dict[str, BaseMethod]]:
    """The tree with the functions that super().f(x) calls as names of their own, and what they are.

    Where a class has several bases, the next one depends on the object: super() stays there.
    """
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cell = cells.get("__class__")
    names = function.__code__.co_varnames
    if cell is None or not function.__code__.co_argcount:
        return node, {}
    owner = cell.cell_contents
    if _has_several_bases(owner):
        return node, {}
    calls = _SuperCalls(owner, names[0])
    return calls.visit(copy.deepcopy(node)), calls.found
