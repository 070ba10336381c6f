"""Wrong replacements for PyCUDA's names, one at a time: what a test must notice.

Of each name of the inventory:

- `nothing`: a call has no effect and gives None; an attribute is None to tests, and keeps its value
  when they set it; a class or an exception is another one.
- `other`: the call happens, and a test gets another value than it gave; likewise an attribute. Only
  of what gives plain values or arrays.
- `without P`: the call happens without its argument P.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import importlib
import inspect
import itertools
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from . import read

TESTS = str(Path(__file__).resolve().parent.parent)
_MISSING = object()


class StandIn(NamedTuple):
    key: str  # of a read.Name
    kind: str


def of(name: read.Name) -> list[StandIn]:
    """All that are asked of a name; `other` where its value is plain, which running it shows."""
    kinds = [] if name.word == "hook" else ["nothing"]
    if not (
        "opaque" in name.word
        or name.word == "class"
        or name.word.startswith("exception")
        or _is_class(name)
    ):
        kinds.append("other")
    if name.parameters is not None:
        ours = inspect.signature(found(name.path)).parameters
        kinds += [
            f"without {parameter}"
            for parameter, _, is_idle in name.parameters
            if not is_idle and parameter in ours and ours[parameter].default is not inspect._empty
        ]
    return [StandIn(name.key, kind) for kind in kinds]


def found(path: str) -> Any:
    """What a path of the inventory stands for."""
    module, rest = _split(path)
    value: Any = module
    for part in rest:
        value = getattr(value, part)
    return value


def _split(path: str) -> tuple[Any, list[str]]:
    name, *rest = path.split(".")
    if name == "sparse":
        return importlib.import_module(f"pycuda.sparse.{rest[0]}"), rest[1:]
    return _imported("pycuda" if name == "pycuda" else f"pycuda.{name}"), rest


def _imported(name: str) -> types.ModuleType:
    """A module; the context that some make is not left on the stack."""
    driver = importlib.import_module("pycuda.driver")
    before = driver.Context.get_current()
    module = importlib.import_module(name)
    if driver.Context.get_current() is not before:
        driver.Context.pop()
    return module


def _is_class(name: read.Name) -> bool:
    return not is_of_instances(name) and isinstance(found(name.path), type)


def is_of_instances(name: read.Name) -> bool:
    """Attributes that __init__ sets or __getattr__ answers."""
    return name.word == "attribute" and bool(name.owner)


class Notes:
    """What a stand-in met."""

    def __init__(self) -> None:
        self.was_used = False
        self.gave_other = False


@contextlib.contextmanager
def in_place(name: read.Name, kind: str, notes: Notes) -> Iterator[None]:
    """The stand-in for a name; the kind `none` only takes notes."""
    module, rest = _split(name.path)
    owner = functools.reduce(getattr, rest[:-1], module)
    attribute, raw = rest[-1], inspect.getattr_static(owner, rest[-1], _MISSING)
    if name.parameters is not None and isinstance(raw, type):
        if name.parameters and raw.__init__ is not object.__init__:
            owner, attribute, raw = raw, "__init__", raw.__init__
        elif kind == "nothing":
            name = name._replace(word="class")
    made = _replacement(name, raw, owner, attribute, kind, notes)
    with contextlib.ExitStack() as stack:
        _set(stack, owner, attribute, made)
        if inspect.ismodule(owner) and callable(raw):
            for module in list(sys.modules.values()):
                if str(getattr(module, "__file__", "")).startswith(TESTS):
                    for key in [k for k, v in vars(module).items() if v is raw]:
                        _set(stack, module, key, made)
        yield


def _set(stack: contextlib.ExitStack, owner: Any, attribute: str, value: Any) -> None:
    before = vars(owner).get(attribute, _MISSING)
    setattr(owner, attribute, value)
    if before is _MISSING:
        stack.callback(delattr, owner, attribute)
    else:
        stack.callback(setattr, owner, attribute, before)


def _replacement(
    name: read.Name, raw: Any, owner: Any, attribute: str, kind: str, notes: Notes
) -> Any:
    if name.word.startswith("exception"):
        return raw if kind == "none" else type(attribute, (Exception,), {})
    if isinstance(raw, type):
        return raw if kind == "none" else type(attribute, (), {})
    if isinstance(raw, property):
        return property(_call(raw.fget, kind, notes, is_read=True), raw.fset, raw.fdel)
    if attribute == "__hash__" and kind == "other":
        notes.gave_other, numbers = True, itertools.count()
        return lambda self: next(numbers)
    if isinstance(raw, staticmethod):
        return staticmethod(_call(raw.__func__, kind, notes))
    if isinstance(owner, type) and not inspect.isroutine(raw):
        return _attribute(raw, owner, attribute, kind, notes)
    if callable(raw):
        return _call(raw, kind, notes)
    notes.gave_other = kind == "other"
    return {"none": raw, "nothing": None}.get(kind, _changed(raw, notes))


def _attribute(raw: Any, owner: type, attribute: str, kind: str, notes: Notes) -> property:
    """Of instances, whether set by __init__, a slot, or answered by __getattr__."""

    def get(self: Any) -> Any:
        if hasattr(raw, "__get__"):
            return raw.__get__(self, owner)
        if attribute in getattr(self, "__dict__", {}):
            return self.__dict__[attribute]
        return owner.__getattr__(self, attribute) if raw is _MISSING else raw

    def set_(self: Any, value: Any) -> None:
        if kind == "nothing" and _is_test(sys._getframe(1)):
            return
        if hasattr(raw, "__set__"):
            raw.__set__(self, value)
        else:
            self.__dict__[attribute] = value

    return property(_call(get, kind, notes, is_read=True), set_)


def _is_test(frame: types.FrameType) -> bool:
    return frame.f_code.co_filename.startswith(TESTS)


def _call(
    function: Callable[..., Any], kind: str, notes: Notes, is_read: bool = False
) -> Callable[..., Any]:
    dropped = kind.removeprefix("without ") if kind.startswith("without ") else None

    @functools.wraps(function)
    def stand_in(*args: Any, **kwargs: Any) -> Any:
        is_for_test = _is_test(sys._getframe(1))
        notes.was_used = True
        if kind == "nothing" and (is_for_test or not is_read):
            return None
        if dropped is not None:
            args, kwargs = _without(dropped, function, args, kwargs)
        value = function(*args, **kwargs)
        if kind != "none" and kind != "other":
            return value
        if not is_for_test:
            return value
        other = _changed(value, notes)
        return other if kind == "other" else value

    return stand_in


def _without(
    parameter: str, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return args, kwargs  # the function says what is wrong
    bound.arguments.pop(parameter, None)
    for name in [one for one, p in bound.signature.parameters.items() if p.kind is p.VAR_KEYWORD]:
        bound.arguments.get(name, {}).pop(parameter, None)
    return bound.args, bound.kwargs


def _changed(value: Any, notes: Notes) -> Any:
    """Another value of the type, or the same where there is none."""
    other = _other(value)
    if other is _MISSING:
        return value
    notes.gave_other = True
    return other


def _other(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return next((one for one in type(value) if one is not value), _MISSING)
    if isinstance(value, bool | np.bool_):
        return not value
    if isinstance(value, int | float | complex | np.number):
        return value + 1
    if isinstance(value, str):
        return f"?{value}?"
    if isinstance(value, bytes | bytearray):
        return type(value)(b"?") + value + b"?"
    if isinstance(value, tuple | list):
        items = [_other(one) for one in value]
        if all(one is _MISSING for one in items):
            return _MISSING
        changed = [old if new is _MISSING else new for old, new in zip(value, items)]
        return tuple(changed) if isinstance(value, tuple) else changed
    if isinstance(value, dict):
        return {}
    if isinstance(value, np.ndarray):
        return _other_array(value)
    if hasattr(value, "gpudata") and hasattr(value, "get"):
        host = _other_array(value.get())
        gpuarray = importlib.import_module("pycuda.gpuarray")
        return _MISSING if host is _MISSING else gpuarray.to_gpu(host)
    return _MISSING


def _other_array(value: np.ndarray[Any, Any]) -> Any:
    if value.dtype.kind == "b":
        return ~value
    return value + np.ones((), value.dtype) if value.dtype.kind in "iufc" else _MISSING
