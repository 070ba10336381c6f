"""The text of a Python program for PythonFunction: trees, and the values that they refer to.

A function's tree comes from its source, which must be the source of the code that would run. The
grammar of the text is in src/script/README.md.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import functools
import inspect
import types
from typing import Any, NamedTuple

import numpy as np

from ._core import Array
from ._errors import ArgumentTypeError
from ._program.classes import (
    asked_attributes,
    defaults_of,
    fields_of,
    is_generated,
    is_made_by_fields,
    text_name,
    uncompared_fields,
)
from ._program.constants import array_text, dtype_name, has_numbers, number_text, quote, tree_text
from ._program.enums import (
    held_of_member,
    is_number_of_enum,
    is_plain_enum,
    mask_of_flags,
)
from ._program.known import KNOWN
from ._program.names import Frozen, chains, has_attributes, look_up, outer_names, with_named_members
from ._script_source import find_source
from ._script_super import has_other_super, with_super_calls
from ._script_types import dtype_of_record, text_of_numbas

# What a class of named tuples or a dataclass may give its values, besides fields and functions.
_CLASS_CONSTANTS = (bool, int, float, complex, str, tuple, np.generic, np.ndarray, enum.Enum)

_PYTHON_TYPES = {int: "int64", float: "float64", bool: "bool", complex: "complex128"}

_MOST_KEYS = 256


def _has_plain_keys(value: dict[Any, Any]) -> bool:
    """Whether kernels may look keys up in it."""
    if not 0 < len(value) <= _MOST_KEYS:
        return False
    if is_plain_enum(next(iter(value))):
        return len({type(key) for key in value}) == 1
    plain = (bool, int, float, str)
    return all(type(key) in plain or is_number_of_enum(key) for key in value)


class _Keys:
    """The keys of a dict, as an attribute."""

    def __init__(self, owner: dict[Any, Any]) -> None:
        self._owner = owner

    @property
    def keys(self) -> tuple[Any, ...]:
        return tuple(self._owner)


class Program(NamedTuple):
    text: str
    frozen: list[Frozen]
    name: str
    functions: list[types.FunctionType]
    linked: list[tuple[str, str]]  # sources of declared functions: names and texts


def write_program(function: types.FunctionType) -> Program:
    """The text of the function with all that it calls."""
    writer = _Writer()
    writer.number_of(function)
    while writer.pending:
        index, one, declared = writer.pending.pop()
        writer.functions[index] = writer.function(one, declared)
        if not writer.pending:
            classes = writer.members_of_classes()
    text = "[" + "\n".join([*writer.functions, *classes]) + "]"
    return Program(text, writer.frozen, function.__name__, writer.known_functions, writer.linked)


class External(NamedTuple):
    """A function of CUDA C++: extern "C" __device__ int name(result*, arguments...)."""

    name: str
    result: str
    arguments: tuple[str, ...]
    sources: tuple[tuple[str, str], ...] = ()  # names and texts


def _is_from_buffer(value: Any) -> bool:
    """cffi's FFI().from_buffer, by which programs for Numba pass arrays to functions."""
    owner = type(getattr(value, "__self__", None))
    return owner.__module__ == "cffi.api" and getattr(value, "__name__", "") == "from_buffer"


# Signatures that a function was declared with: texts of the result, or "", and the arguments.
Declared = tuple[tuple[str, str], ...]


class _Writer:
    def __init__(self) -> None:
        self.functions: list[str] = []
        self.numbers: dict[tuple[int, Declared], int] = {}
        self.pending: list[tuple[int, types.FunctionType, Declared]] = []
        self.frozen: list[Frozen] = []
        self.known_functions: list[types.FunctionType] = []
        self.linked: list[tuple[str, str]] = []
        self.classes: dict[type, int] = {}
        self.attributes: set[str] = set()  # all that the functions ask for

    def number_of(self, function: types.FunctionType, declared: Declared = ()) -> int:
        key = (id(function), declared)
        number = self.numbers.get(key)
        if number is None:
            number = self.numbers[key] = len(self.functions)
            self.functions.append("")
            self.known_functions.append(function)
            self.pending.append((number, function, declared))
        return number

    def function(self, function: types.FunctionType, declared: Declared) -> str:
        self.frozen.append(Frozen(function, "__code__", function.__code__))
        source = find_source(function)
        node, bases = with_super_calls(source.node, function)
        node, items = with_named_members(node, function)
        items |= {name: [Frozen(*found)] for name, found in bases.items()}
        self.attributes |= set(asked_attributes(node))
        scope = self._scope(function, node, items)
        lines = " ".join(quote(line) for line in source.lines)
        defaults = self._defaults(function)
        signatures = " ".join(f"{quote(result)} {quote(given)}" for result, given in declared)
        return (
            f"{{function {quote(function.__name__)} {quote(source.file)} {source.first_line} "
            f"[{lines}] {tree_text(node, source.line_offset)} {scope} {defaults} [{signatures}]}}"
        )

    def members_of_classes(self) -> list[str]:
        """What the functions may ask of values of named tuples and dataclasses, besides fields."""
        texts = []
        for owner, number in list(self.classes.items()):
            words = []
            if not issubclass(owner, tuple):
                words.append(f'"__dataclass_fields__" {self.value(True)}')
            name = text_name(owner)
            if name is not None:
                words.append(f'"__text__" {quote(name)}')
            if dataclasses.is_dataclass(owner):
                words += self._equality(owner)
            if issubclass(owner, enum.Enum):
                words.append(f'"__enum__" {self.value(True)}')
            if issubclass(owner, enum.Flag):
                words.append(f'"__flags__" {self.value(mask_of_flags(owner))}')
            present = [name for name in sorted(self.attributes) if hasattr(owner, name)]
            words.append(f'"__dir__" {{tuple {" ".join(map(quote, present))}}}')
            bases = [self.classes[one] for one in owner.__mro__[1:] if one in self.classes]
            if bases:
                words.append(f'"__mro__" {{tuple {" ".join(map(str, bases))}}}')
            for name in sorted(self.attributes - set(fields_of(owner))):
                value = inspect.getattr_static(owner, name, None)
                function: Any = value
                if isinstance(value, property):
                    function = value.fget
                elif isinstance(value, staticmethod | classmethod):
                    function = value.__func__
                if isinstance(function, types.FunctionType):
                    # A named tuple's, an enum's or a dataclass's own are none of the user's.
                    if function.__module__ in ("collections", "enum") or is_generated(function):
                        continue
                    if has_other_super(function, owner):
                        continue
                    if isinstance(value, classmethod):
                        number_of = self.number_of(function)
                        made = f"{{classmethod {number_of} {self._type(owner)}}}"
                        words.append(f"{quote(name)} {made}")
                        continue
                    tag = "static" if isinstance(value, staticmethod) else "function"
                    tag = "property" if isinstance(value, property) else tag
                    words.append(f"{quote(name)} {{{tag} {self.number_of(function)}}}")
                elif isinstance(value, _CLASS_CONSTANTS):
                    words.append(f"{quote(name)} {self.value(value)}")
                else:
                    continue
                self.frozen.append(Frozen(owner, name, getattr(owner, name)))
            if words:
                texts.append(f"{{class {number} {' '.join(words)}}}")
        return texts

    def _equality(self, owner: type) -> list[str]:
        skipped = uncompared_fields(owner)
        if skipped is None:
            return [f'"__identity__" {self.value(True)}']
        return [f'"__uncompared__" {{tuple {" ".join(map(quote, skipped))}}}'] if skipped else []

    def _number_of_class(self, value: type) -> int:
        return self.classes.setdefault(value, len(self.classes) + 1)

    def _defaults(self, function: types.FunctionType) -> str:
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        by_keyword = function.__kwdefaults__
        pairs = dict(by_keyword or {})
        values = function.__defaults__ or ()
        if values:
            self.frozen.append(Frozen(function, "__defaults__", function.__defaults__))
        if by_keyword:
            self.frozen.append(Frozen(function, "__kwdefaults__", by_keyword))
            self.frozen += [Frozen(by_keyword, name, value) for name, value in pairs.items()]
        pairs.update(zip(names[len(names) - len(values) :], values, strict=True))
        words = [f"{quote(name)} {self.value(value)}" for name, value in pairs.items()]
        return "{defaults " + " ".join(words) + "}"

    def _scope(
        self, function: types.FunctionType, node: ast.AST, items: dict[str, list[Frozen]]
    ) -> str:
        """What the function's names outside of it are, and attributes of those."""
        names = outer_names(function.__code__)
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        words: dict[str, str] = {}
        for chain in chains(node):
            if chain[0] in items:
                self.frozen.extend(items[chain[0]][:-1])
                self._add_chain(chain, items[chain[0]][-1], words)
                continue
            if chain[0] not in names:
                continue
            found = look_up(chain[0], function, cells)
            if found is None:
                continue
            self._add_chain(chain, found, words)
        return "{scope " + " ".join(f"{quote(k)} {v}" for k, v in words.items()) + "}"

    def _add_chain(self, chain: list[str], found: Frozen, words: dict[str, str]) -> None:
        path = chain[0]
        value = found.value
        for attribute in [*chain[1:], None]:
            if path not in words:
                words[path] = self.value(value)
                if not isinstance(value, types.MethodType):  # made anew by each access
                    self.frozen.append(found)
            # Kernels know the methods of dicts.
            if attribute is None or type(value) is dict or not has_attributes(value):
                return
            try:
                inner = getattr(value, attribute)
            except AttributeError:
                return
            is_value = dataclasses.is_dataclass(value) and not isinstance(value, type)
            if isinstance(inner, types.MethodType) and is_value:
                # Called with the value as it is now.
                for field in fields_of(type(value)):
                    self.frozen.append(Frozen(value, field, getattr(value, field)))
                return
            found = Frozen(value, attribute, inner)
            path = f"{path}.{attribute}"
            value = inner

    def value(self, value: Any) -> str:
        entry = KNOWN.get(id(value))
        if entry is not None:
            return "{known " + quote(entry[1]) + "}"
        name = getattr(value, "__warpwise_known__", None)
        if isinstance(name, str):
            return "{known " + quote(name) + "}"
        external = getattr(value, "__warpwise_external__", None)
        if isinstance(external, External):
            self.linked.extend(external.sources)
            arguments = " ".join(quote(one) for one in external.arguments)
            return f"{{external {quote(external.name)} {quote(external.result)} [{arguments}]}}"
        if _is_from_buffer(value):
            return '{known "cffi.from_buffer"}'
        if isinstance(value, enum.Enum):
            return self._member(value)
        if isinstance(value, bytes):
            return number_text(value)
        if isinstance(value, np.datetime64 | np.timedelta64):
            return f'{{scalar "{dtype_name(value.dtype)}" {int(value.view(np.int64))}}}'
        if isinstance(value, np.str_):
            return number_text(str(value))
        if isinstance(value, np.generic):
            return f'{{scalar "{dtype_name(value.dtype)}" {number_text(value.item())}}}'
        if value is None or isinstance(value, bool | int | float | complex | str):
            return number_text(value)
        if isinstance(value, types.MethodType) and isinstance(value.__self__, type):
            return f"{{method {self.value(value.__func__)} {self.value(value.__self__)}}}"
        if isinstance(value, functools.partial):
            parts = (value.func, *value.args, *value.keywords.values())
            keywords = " ".join(quote(name) for name in value.keywords)
            return f"{{partial [{keywords}] {' '.join(self.value(one) for one in parts)}}}"
        target = getattr(value, "__warpwise_function__", value)
        declared = getattr(target, "__warpwise_declared__", ())
        target = getattr(target, "py_func", target)
        if isinstance(target, types.FunctionType):
            return f"{{function {self.number_of(target, declared)}}}"
        if isinstance(value, tuple):
            return self._tuple(value)
        if type(value) is dict:
            return self._dict(value)
        if isinstance(value, type | np.dtype):
            return self._type(value)
        if isinstance(value, np.ndarray):
            return array_text(value)
        if isinstance(value, Array):
            what = f"an array on a device ({value.dtype}, shape {value.shape})"
            return (
                "{other " + quote(f"{what}, no constant of kernels; pass it as an argument") + "}"
            )
        if isinstance(value, types.ModuleType):
            return "{module " + quote(value.__name__) + "}"
        if dataclasses.is_dataclass(value):
            kind: Any = type(value)
            fields = fields_of(kind)
            if not kind.__dataclass_params__.frozen:
                self.frozen += [Frozen(value, name, getattr(value, name)) for name in fields]
            items = " ".join(self.value(getattr(value, name)) for name in fields)
            names = " ".join(quote(name) for name in fields)
            return self._named(value, names, items)
        record = dtype_of_record(value)
        if record is not None:
            return self._type(record)
        element = getattr(value, "__warpwise_type__", None) or text_of_numbas(value)
        if isinstance(element, str):
            return "{dtype " + quote(element) + "}"
        name = getattr(value, "__qualname__", None)
        if callable(value) and isinstance(name, str):
            module = value.__module__ or type(getattr(value, "__self__", None)).__module__
            return "{other " + quote(f"{module}.{name}") + "}"
        return "{other " + quote(f"{type(value).__name__} {value!r:.60}") + "}"

    def _member(self, value: enum.Enum) -> str:
        if is_plain_enum(value):
            field, item = held_of_member(value)
            return self._named(value, quote(field), self.value(item))
        if not is_number_of_enum(value):
            what = f"{value}, a member of an enum with a value of its own"
            return "{other " + quote(what) + "}"
        return f"{{member {self.value(value.value)}}}"

    def _tuple(self, value: tuple[Any, ...]) -> str:
        items = " ".join(self.value(one) for one in value)
        fields = getattr(type(value), "_fields", None)
        if fields is None and hasattr(type(value), "n_sequence_fields"):  # sys.float_info
            fields = getattr(type(value), "__match_args__", ())[: len(value)]
        if fields is None:
            return f"{{tuple {items}}}"
        names = " ".join(quote(name) for name in fields)
        return self._named(value, names, items)

    def _dict(self, value: dict[Any, Any]) -> str:
        if not _has_plain_keys(value):
            what = f"a dict of {len(value)} keys; those of kernels have 1 to {_MOST_KEYS}: numbers "
            return "{other " + quote(what + "and strings, or members of one enum") + "}"
        self.frozen.append(Frozen(_Keys(value), "keys", tuple(value)))
        words = []
        for key, one in value.items():
            self.frozen.append(Frozen(value, key, one))
            words.append(f"{self.value(key)} {self.value(one)}")
        return "{dict " + " ".join(words) + "}"

    def _named(self, value: Any, names: str, items: str) -> str:
        kind = type(value)
        return f"{{named {quote(kind.__name__)} [{names}] {self._number_of_class(kind)} {items}}}"

    def _type(self, value: Any) -> str:
        if value in _PYTHON_TYPES:
            return f'{{dtype "{_PYTHON_TYPES[value]}" "{value.__name__}"}}'
        if isinstance(value, np.dtype) and value.names is not None and has_numbers(value):
            from .cuda.types import record_text

            return "{dtype " + quote(record_text(value, has_extents=True)) + "}"
        is_number = isinstance(value, np.dtype) or issubclass(value, np.generic)
        if is_number:
            try:
                return f'{{dtype "{dtype_name(np.dtype(value))}"}}'
            except (TypeError, ArgumentTypeError):
                return "{other " + quote(f"the dtype {value}") + "}"
        fields = getattr(value, "_fields", None)
        is_plain = dataclasses.is_dataclass(value) and not hasattr(value, "__post_init__")
        if is_plain:
            # What kernels do when they make one is what its own __init__ does.
            is_plain = all(
                one.init and not one.kw_only and one.default_factory is dataclasses.MISSING
                for one in dataclasses.fields(value)
            )
        if is_plain:
            fields = fields_of(value)
        is_record = is_plain or issubclass(value, tuple)
        if is_record and fields is not None and not is_made_by_fields(value):
            is_record = False
        if isinstance(value, type) and is_record and fields is not None:
            names = " ".join(quote(name) for name in fields)
            defaults = " ".join(self.value(one) for one in defaults_of(value))
            number = self._number_of_class(value)
            return f"{{named_type {quote(value.__name__)} [{names}] {number} [{defaults}]}}"
        return "{other " + quote(f"the class {getattr(value, '__name__', value)}") + "}"
