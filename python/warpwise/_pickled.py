"""Pickling of kernels whose function has no name to import, such as local ones.

Their code is pickled by value, with the globals and the closure that it names; functions among
those likewise. The code is that of one version of Python, and kernels are made of its source: it
must be where it was.
"""

from __future__ import annotations

import dis
import importlib
import marshal
import sys
import types
import weakref
from typing import Any, ClassVar, Self
from weakref import WeakKeyDictionary


def is_importable(function: Any) -> bool:
    """Whether another process finds the function, or what wraps it, by its names."""
    module = getattr(function, "__module__", None)
    if module is None or "<locals>" in function.__qualname__:
        return False
    found: Any = sys.modules.get(module)
    for part in function.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is function or getattr(found, "py_func", None) is function


class WrapsFunction:
    """What launches a Python function: pickled by its name, or by its code where it has none."""

    py_func: Any

    def __reduce__(self) -> tuple[Any, ...]:
        if is_importable(self.py_func):
            return found, (self.py_func.__module__, self.py_func.__qualname__)
        return type(self), (portable(self.py_func), *self._how_made())

    def __deepcopy__(self, memo: Any) -> Self:
        return self  # as Python's functions

    def _how_made(self) -> tuple[Any, ...]:
        """What the constructor takes behind the function."""
        return ()


class ByValue:
    """A plain function that is pickled by its code; one for each, which pickle knows again."""

    _known: ClassVar[WeakKeyDictionary[types.FunctionType, ByValue]] = WeakKeyDictionary()

    def __init__(self, function: types.FunctionType) -> None:
        self._function = weakref.ref(function)

    @classmethod
    def of(cls, function: types.FunctionType) -> ByValue:
        return cls._known.setdefault(function, cls(function))

    def __reduce__(self) -> tuple[Any, ...]:
        function = self._function()
        assert function is not None  # pickle holds what names it
        return function_of, code_of(function), state_of(function), None, None, filled


class _Module:
    """A module, by its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __reduce__(self) -> tuple[Any, ...]:
        return importlib.import_module, (self.name,)


def found(module: str, name: str) -> Any:
    """What stands under a name of a module."""
    value: Any = importlib.import_module(module)
    for part in name.split("."):
        value = getattr(value, part)
    return value


def code_of(function: types.FunctionType) -> tuple[Any, ...]:
    """What function_of() makes a function of, without the values that it names."""
    return marshal.dumps(function.__code__), function.__module__, function.__qualname__


def function_of(code: bytes, module: str, name: str) -> types.FunctionType:
    """The function of code_of(): filled() gives it its values."""
    loaded = marshal.loads(code)
    cells = tuple(types.CellType() for _ in loaded.co_freevars)
    made = types.FunctionType(loaded, {"__builtins__": __builtins__}, loaded.co_name, None, cells)
    made.__module__, made.__qualname__ = module, name
    return made


def state_of(function: types.FunctionType) -> tuple[Any, ...]:
    """Its globals and closure, defaults and documentation."""
    names = _names_of(function.__code__) & function.__globals__.keys()
    return (
        {name: portable(function.__globals__[name]) for name in names},
        [portable(cell.cell_contents) for cell in function.__closure__ or ()],
        function.__defaults__,
        function.__kwdefaults__,
        function.__doc__,
    )


def filled(function: types.FunctionType, state: tuple[Any, ...]) -> None:
    """Gives a function of function_of() what state_of() has."""
    names, closure, function.__defaults__, function.__kwdefaults__, function.__doc__ = state
    function.__globals__.update(names)
    for cell, value in zip(function.__closure__ or (), closure, strict=True):
        cell.cell_contents = value


def portable(value: Any) -> Any:
    """A value that pickle takes: modules by their name, local functions by their code."""
    if isinstance(value, types.ModuleType):
        return _Module(value.__name__)
    if isinstance(value, types.FunctionType) and not is_importable(value):
        return ByValue.of(value)
    return value


def _names_of(code: types.CodeType) -> set[str]:
    loads = ("LOAD_GLOBAL", "LOAD_NAME")
    names = {str(one.argval) for one in dis.get_instructions(code) if one.opname in loads}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names_of(constant)
    return names
