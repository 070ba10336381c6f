"""Error messages for calls that match no overload of the extension.

The extension passes every such call to refusal(), which builds an ArgumentError that says which
value is wrong and what is expected, from the signatures that the stub is generated from.
"""

from __future__ import annotations

import ast
import difflib
import operator
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._errors import ArgumentError, ArgumentTypeError, ArgumentValueError

QUALIFIERS = re.compile(r"\b(?:warpwise\._core|collections\.abc|typing|os)\.")
DEFAULT = re.compile(r"\\(\d+)")  # nanobind's number of a default that it keeps as an object
_BUILT_IN = {"str": str, "bool": bool, "bytes": bytes | bytearray}
_WORDS = {"int": "an int", "float": "a float", "str": "a str", "bool": "True or False"}
_SURROGATE = re.compile(r"[\ud800-\udfff]")
# Where the type matches, a C++ integer was too narrow or unsigned: most likely cause first.
_RANGES: list[tuple[Callable[[int], bool], str]] = [
    (lambda value: not -(2**63) <= value < 2**64, "a number closer to 0"),
    (lambda value: -(2**31) <= value < 0, "0 or more"),
    (lambda value: not -(2**31) <= value < 2**31, "a number closer to 0"),
]


@dataclass
class _Problem:
    at: int  # how many arguments were right before it; the overload with most is reported
    error: type[ArgumentError]
    text: str


class _Overload:
    """One signature, without self."""

    def __init__(self, text: str, *, is_method: bool) -> None:
        plain = DEFAULT.sub("...", QUALIFIERS.sub("", text))
        function = ast.parse(plain + ": ...").body[0]
        assert isinstance(function, ast.FunctionDef)
        given = function.args
        self.name = function.name
        self.positional = [*given.posonlyargs, *given.args][is_method:]
        self.takes_more = given.vararg is not None
        self.keyword_only = given.kwonlyargs
        defaults = len(given.defaults)
        self.required = self.positional[: len(self.positional) - defaults] + [
            parameter
            for parameter, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
            if default is None
        ]

    def parameters(self) -> list[ast.arg]:
        return self.positional + self.keyword_only

    def problem(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Problem:
        by_name = {parameter.arg: parameter for parameter in self.parameters()}
        unknown = next((name for name in kwargs if name not in by_name), None)
        if unknown is not None:
            text = f"has no parameter '{unknown}'{_instead(unknown, by_name)}"
            return _Problem(-1, ArgumentTypeError, text)
        if len(args) > len(self.positional) and not self.takes_more:
            by_position = _names(parameter.arg for parameter in self.positional)
            by_name_only = _names(parameter.arg for parameter in self.keyword_only)
            text = f"takes {by_position} by position" + (
                f" and {by_name_only} by name" if self.keyword_only else ""
            )
            text += f", got {len(args)} by position: {_core.value_text(args[-1])} is too many"
            return _Problem(-1, ArgumentTypeError, text)
        values = dict(zip((p.arg for p in self.positional), args, strict=False))
        twice = next((name for name in kwargs if name in values), None)
        if twice is not None:
            return _Problem(-1, ArgumentTypeError, f"got '{twice}' twice, by position and by name")
        values |= kwargs
        missing = [p.arg for p in self.required if p.arg not in values]
        if missing:
            text = f"is missing {_names(missing)}; it takes {_names(by_name)}"
            return _Problem(-1, ArgumentTypeError, text)
        return self._wrong_value([(by_name[name], value) for name, value in values.items()])

    def _wrong_value(self, given: list[tuple[ast.arg, Any]]) -> _Problem:
        for i, (parameter, value) in enumerate(given):
            if not _fits(parameter.annotation, value):
                text = (
                    f"expects {_expected(parameter.annotation)} for '{parameter.arg}', "
                    f"got {_core.value_text(value)}{_advice(parameter, value)}"
                )
                return _Problem(i, ArgumentTypeError, text)
        for i, (parameter, value) in enumerate(given):
            if isinstance(value, str) and _SURROGATE.search(value):
                text = f"expects Unicode text for '{parameter.arg}', got {surrogate_text(value)}"
                return _Problem(i, ArgumentValueError, text)
        # Buffers have an index, too: their address.
        indices = [(p, _index(value)) for p, value in given if _takes_an_int(p.annotation)]
        integers = [(parameter, value) for parameter, value in indices if value is not None]
        for is_outside, rule in _RANGES:
            for parameter, value in integers:
                if is_outside(value):
                    text = f"expects {rule} for '{parameter.arg}', got {_core.value_text(value)}"
                    return _Problem(len(given), ArgumentValueError, text)
        return _Problem(len(given), ArgumentTypeError, "does not take these values")


def refusal(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ArgumentError:
    """The error for `function`, of the extension, called with these values (self among them)."""
    is_method = type(function).__name__ == "nb_method"
    overloads = [_Overload(row[0], is_method=is_method) for row in function.__nb_signature__]
    label = _label(function.__qualname__ or f"setting '{overloads[0].name}'")
    owner = getattr(_core, (function.__qualname__ or "").partition(".")[0], None)
    receiver = next(iter(args), None)
    if is_method and isinstance(owner, type) and not isinstance(receiver, owner):
        got = _core.value_text(receiver)
        return ArgumentTypeError(f"{label} belongs to a ww.{owner.__name__}, got {got} instead")
    values = args[is_method:]
    worst = max((each.problem(values, kwargs) for each in overloads), key=lambda p: p.at)
    return worst.error(f"{label} {worst.text}")


def _label(qualified_name: str) -> str:
    owner, _, name = qualified_name.rpartition(".")
    special = {"__init__": f"{owner}()", "__call__": f"calling a {owner}"}
    is_setter = name.startswith("setting ")
    return special.get(name, name if is_setter else f"{qualified_name}()")


def _parts(annotation: ast.expr | None) -> Iterator[ast.expr]:
    if isinstance(annotation, ast.BinOp):
        yield from _parts(annotation.left)
        yield from _parts(annotation.right)
    elif annotation is not None:
        yield annotation


def _fits(annotation: ast.expr | None, value: Any) -> bool:
    parts = list(_parts(annotation))
    if any(isinstance(part, ast.Name) and part.id == "Stream" for part in parts):
        # The other alternative, Any, represents streams of other libraries.
        named = [part for part in parts if isinstance(part, ast.Name | ast.Constant)]
        others = [part for part in named if ast.unparse(part) != "Any"]
        is_stream = hasattr(type(value), "__cuda_stream__")
        return is_stream or any(_fits_part(part, value) for part in others)
    return any(_fits_part(part, value) for part in parts)


def _fits_part(part: ast.expr, value: Any) -> bool:
    if isinstance(part, ast.Constant):
        return value is part.value
    if not isinstance(part, ast.Name):
        return True
    if part.id == "int":
        return _index(value) is not None
    if part.id == "float":
        return hasattr(type(value), "__float__")
    if part.id in _BUILT_IN:
        return isinstance(value, _BUILT_IN[part.id])
    kind = getattr(_core, part.id, None)
    return not isinstance(kind, type) or isinstance(value, kind)


def _takes_an_int(annotation: ast.expr | None) -> bool:
    return any(isinstance(part, ast.Name) and part.id == "int" for part in _parts(annotation))


def surrogate_text(value: str) -> str:
    found = _SURROGATE.search(value)
    assert found is not None
    return (
        f"the lone surrogate {found[0]!a} at index {found.start()}; decode the bytes it was "
        "read from with the right encoding"
    )


def _index(value: Any) -> int | None:
    try:
        return operator.index(value)
    except Exception:  # arrays have the method, and it raises
        return None


def _expected(annotation: ast.expr | None) -> str:
    def words(part: ast.expr) -> str:
        text = ast.unparse(part)
        return f"a ww.{text}" if hasattr(_core, text) else _WORDS.get(text, text)

    # Next to a Stream, Any represents streams of other libraries.
    named = [part for part in _parts(annotation) if ast.unparse(part) not in ("Any", "typing.Any")]
    return " or ".join(map(words, named))


def _advice(parameter: ast.arg, value: Any) -> str:
    kinds = {part.id for part in _parts(parameter.annotation) if isinstance(part, ast.Name)}
    if "int" in kinds and hasattr(type(value), "__float__"):
        return "; convert it with int()"
    if "str" in kinds and isinstance(value, bytes | bytearray):
        return "; decode it first"
    if parameter.arg == "source" and isinstance(value, os.PathLike):
        return "; SourceModule.from_file(path) reads a file"
    if "Array" in kinds and isinstance(value, np.ndarray | np.generic):
        return "; make it an array once with ww.asarray"
    if "Device" in kinds and isinstance(value, str):
        return f"; pass ww.Device({value!r})"
    return ""


def _instead(unknown: str, names: Iterable[str]) -> str:
    known = list(names)
    close = difflib.get_close_matches(unknown, known, 1)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; it takes {_names(known)}" if known else "; it takes none"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "nothing"
