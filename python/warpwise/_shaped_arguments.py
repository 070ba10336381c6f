"""Arguments of kernels that have parts: named tuples, dataclasses, tuples with arrays in them; and
those that are known when compiled: dtypes, functions, strings, members of enums; arrays that are
stored as others.

The launch hands over parts one by one, to a kernel that puts them together again:

    def kernel(p0, p1, p2):
        function(p0, Point(p1, p2), numpy.float32)
"""

from __future__ import annotations

import dataclasses
import linecache
import types
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._program.enums import is_plain_enum
from ._stored_arguments import stored, stored_as, stored_dtype


class Shaped(NamedTuple):
    """The parts of all arguments, and how a kernel puts them together."""

    parts: list[Any]
    calls: tuple[str, ...]  # expressions of the arguments
    classes: tuple[type, ...]  # named K0, K1, ... in them
    constants: tuple[Any, ...]  # named C0, C1, ...

    @property
    def key(self) -> Any:
        return self.calls, self.classes, self.constants


def has_parts(value: Any) -> bool:
    """Whether an argument is handed over in parts, or is known when the kernel is compiled.

    Tuples of numbers are taken as they are.
    """
    if _is_constant(value):
        return True
    if stored_dtype(value) is not None:
        return True
    if isinstance(value, tuple):
        is_plain = type(value) is tuple and all(_is_number(one) for one in value)
        return not is_plain
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _is_constant(value: Any) -> bool:
    """Dtypes, functions, strings and members of enums: kernels are compiled for each."""
    if isinstance(value, _CONSTANTS) or is_plain_enum(value):
        return True
    is_object = hasattr(value, "__warpwise_known__") or hasattr(value, "__warpwise_function__")
    return is_object or isinstance(getattr(value, "py_func", None), types.FunctionType)


_CONSTANTS = (
    str,
    bytes,
    type,
    np.dtype,
    np.ufunc,
    types.FunctionType,
    types.BuiltinFunctionType,
)


def _is_number(value: Any) -> bool:
    if type(value) is tuple:
        return all(_is_number(one) for one in value)
    return isinstance(value, int | float | complex | np.number | np.bool_)


def shaped(arguments: Sequence[Any]) -> Shaped:
    """What the arguments are made of."""
    parts: list[Any] = []
    classes: list[type] = []
    constants: list[Any] = []

    def expression(value: Any) -> str:
        if not has_parts(value):
            parts.append(value)
            return f"p{len(parts) - 1}"
        if _is_constant(value):
            constants.append(value)
            return f"C{len(constants) - 1}"
        dtype = stored_dtype(value)
        if dtype is not None:
            constants.append(dtype)
            parts.append(stored(value))
            return f"stored_as(p{len(parts) - 1}, C{len(constants) - 1})"
        if dataclasses.is_dataclass(value):
            items = [getattr(value, field.name) for field in dataclasses.fields(value)]
        else:
            items = list(value)
        texts = ", ".join([expression(one) for one in items])
        if type(value) is tuple:
            return f"({texts},)" if items else "()"
        if type(value) not in classes:
            classes.append(type(value))
        return f"K{classes.index(type(value))}({texts})"

    calls = tuple(expression(value) for value in arguments)
    return Shaped(parts, calls, tuple(classes), tuple(constants))


def whole_function(function: Callable[..., Any], shape: Shaped) -> Any:
    """A function of the parts that calls `function` with the arguments."""
    names = ", ".join(f"p{i}" for i in range(len(shape.parts)))
    name = function.__name__ if function.__name__.isidentifier() else "kernel"
    text = f"def {name}({names}):\n    whole_({', '.join(shape.calls)})\n"
    file = f"<arguments of {name}: {', '.join(shape.calls)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {f"K{i}": one for i, one in enumerate(shape.classes)}
    scope.update({f"C{i}": one for i, one in enumerate(shape.constants)})
    scope["whole_"] = function
    scope["stored_as"] = stored_as
    exec(compile(text, file, "exec"), scope)
    return scope[name]
