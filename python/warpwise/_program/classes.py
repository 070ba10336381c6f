"""What kernels use of classes: fields and their defaults, attributes that code asks for."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import types
from collections.abc import Iterable
from typing import Any

_OPERATORS = {
    "Add": "add", "Sub": "sub", "Mult": "mul", "Div": "truediv", "FloorDiv": "floordiv",
    "Mod": "mod", "Pow": "pow", "MatMult": "matmul", "BitAnd": "and", "BitOr": "or",
    "BitXor": "xor", "LShift": "lshift", "RShift": "rshift",
}  # fmt: skip
_SIGNS = {"USub": "neg", "UAdd": "pos", "Invert": "invert"}
_COMPARISONS = {"Eq": "eq", "NotEq": "ne", "Lt": "lt", "LtE": "le", "Gt": "gt", "GtE": "ge"}
_REFLECTED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


_ASKING_FOR_TRUTH = (
    ast.If, ast.While, ast.IfExp, ast.Assert, ast.BoolOp, ast.UnaryOp, ast.comprehension,
    ast.match_case,
)  # fmt: skip


def asked_attributes(node: ast.AST) -> Iterable[str]:
    """Attributes of values that the code may use: named ones, and those that operators call."""
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute):
            yield one.attr
        elif isinstance(one, ast.BinOp | ast.AugAssign):
            name = _OPERATORS[type(one.op).__name__]
            yield from (f"__{name}__", f"__r{name}__", f"__i{name}__")
        elif isinstance(one, ast.Compare):
            for op in one.ops:
                name = _COMPARISONS.get(type(op).__name__, "eq")  # `in` compares for equality
                yield from (f"__{name}__", f"__{_REFLECTED.get(name, name)}__")
                yield from ("__eq__", "__contains__")  # != is what == is not
        elif isinstance(one, ast.UnaryOp) and not isinstance(one.op, ast.Not):
            yield f"__{_SIGNS[type(one.op).__name__]}__"
        elif isinstance(one, ast.Subscript):
            yield "__getitem__"
        elif isinstance(one, ast.Call):
            yield from ("__call__", "__abs__", "__len__", "__bool__")
            if isinstance(one.func, ast.Name) and one.func.id == "sorted":
                yield "__lt__"
            if isinstance(one.func, ast.Name) and one.func.id == "hasattr":
                yield from (str(name.value) for name in one.args if isinstance(name, ast.Constant))
        elif isinstance(one, _ASKING_FOR_TRUTH):
            yield from ("__bool__", "__len__")


def is_generated(function: types.FunctionType) -> bool:
    return function.__code__.co_filename == "<string>"


# Classes are Any below: their special methods have the types of object's for mypy.
def is_made_by_fields(owner: Any) -> bool:
    """Whether a value of a named tuple or a dataclass is made of its fields alone."""
    makes = (owner.__init__, owner.__new__)
    return all(
        is_generated(one)
        for one in makes
        if isinstance(one, types.FunctionType) or one not in (object.__init__, object.__new__)
    )


def text_name(owner: Any) -> str | None:
    """What print() writes before the fields; None where the class has a text of its own."""
    own: Any = inspect.unwrap(owner.__repr__)
    is_plain = owner.__str__ is object.__str__ and owner.__format__ is object.__format__
    if not isinstance(own, types.FunctionType) or not is_plain:
        return None
    name, qualified = str(owner.__name__), str(owner.__qualname__)
    if dataclasses.is_dataclass(owner):
        shows_all = all(one.repr for one in dataclasses.fields(owner))
        return qualified if is_generated(own) and shows_all else None
    return name if own.__module__ == "collections" else None


def uncompared_fields(owner: Any) -> list[str] | None:
    """Fields of a dataclass that == leaves out; None where values are compared by identity."""
    if owner.__eq__ is object.__eq__:
        return None
    return [one.name for one in dataclasses.fields(owner) if not one.compare]


def fields_of(value: type) -> list[str]:
    if dataclasses.is_dataclass(value):
        return [field.name for field in dataclasses.fields(value)]
    return list(getattr(value, "_fields", ()))


def defaults_of(value: type) -> list[Any]:
    """Those of the last fields of a named tuple or a dataclass."""
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        return [one.default for one in fields if one.default is not dataclasses.MISSING]
    return list(getattr(value, "_field_defaults", {}).values())
