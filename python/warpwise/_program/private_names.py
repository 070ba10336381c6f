"""Private names of classes: `self.__k` in a method of P is `self._P__k`, as Python compiles it."""

from __future__ import annotations

import ast
import copy
import types
from typing import Any

# Fields of nodes that hold identifiers.
_IDENTIFIERS = ("id", "attr", "arg", "name", "rest")


def with_private_names(node: Any, code: types.CodeType) -> Any:
    """The tree of the code's function as Python compiles it within the class around it."""
    owner = _class_around(code).lstrip("_")
    if not owner or not any(_is_private(name) for one in ast.walk(node) for name in _names(one)):
        return node
    node = copy.deepcopy(node)
    for one in ast.walk(node):
        if one is node or isinstance(one, ast.keyword):
            continue  # these keep the name that is written
        for field in _IDENTIFIERS:
            name = getattr(one, field, None)
            if _is_private(name):
                setattr(one, field, f"_{owner}{name}")
    return node


def _class_around(code: types.CodeType) -> str:
    """The name of the innermost class that the function is written in; empty without one."""
    parts = code.co_qualname.split(".")[:-1]
    while parts and parts[-1] == "<locals>":
        parts = parts[:-2]
    return parts[-1] if parts else ""


def _names(node: ast.AST) -> list[Any]:
    return [getattr(node, field, None) for field in _IDENTIFIERS]


def _is_private(name: Any) -> bool:
    return isinstance(name, str) and name.startswith("__") and not name.endswith("__")
