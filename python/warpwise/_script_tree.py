"""The text of a Python program for PythonFunction: trees, and the values that they refer to.

A function's tree comes from its source, which must be the source of the code that would run. The
grammar of the text is in src/script/README.md.
"""

from __future__ import annotations

import ast
import builtins
import cmath
import copy
import dataclasses
import enum
import functools
import inspect
import itertools
import math
import operator
import types
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ._core import Array
from ._errors import ArgumentTypeError
from ._script_source import find_source
from ._script_super import has_other_super, with_super_calls
from ._script_types import dtype_of_record, text_of_numbas

_CODE_LIMIT = 1 << 16  # bytes of an array that becomes a constant of a kernel

# Functions of libraries that kernels know, by the object. Filled by `known`.
_known: dict[int, tuple[Any, str]] = {}


def known(value: Any, name: str) -> Any:
    """Makes the object stand for the function `name` of kernels: "cuda.grid"; returns it."""
    _known[id(value)] = (value, name)
    return value


def _fill_known() -> None:
    for module in (math, cmath, np, operator):
        for name in dir(module):
            value = getattr(module, name)
            is_class = isinstance(value, type)
            if callable(value) and not is_class and not name.startswith("_"):
                # A ufunc has several names: numpy.acos is numpy.arccos.
                own = value.__name__ if isinstance(value, np.ufunc) else name
                _known.setdefault(id(value), (value, f"{module.__name__}.{own}"))
    names = "abs all any divmod enumerate len max min next ord pow print range reversed round"
    for name in (*names.split(), "filter", "hasattr", "map", "sorted", "sum", "zip"):
        known(getattr(builtins, name), f"builtins.{name}")
    for name in ("det", "inv", "norm", "solve"):
        known(getattr(np.linalg, name), f"numpy.linalg.{name}")
    for one in (functools.partial, functools.reduce):
        _known[id(one)] = (one, f"functools.{one.__name__}")
    _known[id(dataclasses.replace)] = (dataclasses.replace, "dataclasses.replace")
    selections = "combinations combinations_with_replacement permutations product"
    counted = "accumulate chain count cycle islice pairwise repeat"
    for name in (*counted.split(), *selections.split()):
        value = getattr(itertools, name)
        _known[id(value)] = (value, f"itertools.{name}")
    for builtin in (isinstance, tuple, list, str, bytes):
        _known[id(builtin)] = (builtin, f"builtins.{builtin.__name__}")
    abstract = (np.integer, np.signedinteger, np.unsignedinteger, np.floating, np.inexact)
    for base in (*abstract, np.complexfloating, np.number, np.ndarray):
        _known[id(base)] = (base, f"numpy.{base.__name__}")
    for kind in (np.dtype, np.finfo, np.iinfo, np.ndindex, np.ndenumerate):
        _known[id(kind)] = (kind, f"numpy.{kind.__name__}")


_fill_known()

# What a class of named tuples or a dataclass may give its values, besides fields and functions.
_CLASS_CONSTANTS = (bool, int, float, complex, str, tuple, np.generic, np.ndarray, enum.Enum)

_PYTHON_TYPES = {int: "int64", float: "float64", bool: "bool", complex: "complex128"}


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


_MISSING = object()


_MOST_KEYS = 256


def _has_plain_keys(value: dict[Any, Any]) -> bool:
    """Whether kernels may look keys up in it."""
    plain = (bool, int, float, str)
    return 0 < len(value) <= _MOST_KEYS and all(type(key) in plain for key in value)


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


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _real(value: float) -> str:
    if value != value or value in (math.inf, -math.inf):
        return str(value)
    return value.hex()


def _tree_text(value: Any, line: int) -> str:
    """Nodes, lists and constants; `line` is added to the lines."""
    if isinstance(value, ast.AST):
        get = value.__dict__.get
        parts = [
            type(value).__name__,
            str(get("lineno", -line) + line),
            str(get("col_offset", 0)),
            str((get("end_lineno") or -line) + line),
            str(get("end_col_offset") or 0),
        ]
        for name in value._fields:
            field = get(name)
            if field is None and name != "value":
                continue
            if name in ("kind", "type_comment", "returns", "annotation", "type_params"):
                continue
            parts.append(name)
            parts.append(_tree_text(field, line))
        return "(" + " ".join(parts) + ")"
    if isinstance(value, list):
        return "[" + " ".join([_tree_text(one, line) for one in value]) + "]"
    return _number_text(value)


def _number_text(value: Any) -> str:
    if value is None or isinstance(value, bool) or value is Ellipsis:
        return str(value)
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return "#" + _real(value)
    if isinstance(value, complex):
        return f"@{_real(value.real)},{_real(value.imag)}"
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, bytes):
        return "{bytes " + " ".join(str(one) for one in value) + "}"
    return "{other " + _quote(f"a {type(value).__name__}") + "}"


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
        source = find_source(function)
        node, bases = with_super_calls(source.node, function)
        node, items = _with_named_members(node, function)
        items |= {name: [Frozen(*found)] for name, found in bases.items()}
        self.attributes |= set(_asked_attributes(node))
        scope = self._scope(function, node, items)
        lines = " ".join(_quote(line) for line in source.lines)
        defaults = self._defaults(function)
        signatures = " ".join(f"{_quote(result)} {_quote(given)}" for result, given in declared)
        return (
            f"{{function {_quote(function.__name__)} {_quote(source.file)} {source.first_line} "
            f"[{lines}] {_tree_text(node, source.line_offset)} {scope} {defaults} [{signatures}]}}"
        )

    def members_of_classes(self) -> list[str]:
        """What the functions may ask of values of named tuples and dataclasses, besides fields."""
        texts = []
        for owner, number in list(self.classes.items()):
            words = []
            if not issubclass(owner, tuple):
                words.append(f'"__dataclass_fields__" {self.value(True)}')
            present = [name for name in sorted(self.attributes) if hasattr(owner, name)]
            words.append(f'"__dir__" {{tuple {" ".join(map(_quote, present))}}}')
            bases = [self.classes[one] for one in owner.__mro__[1:] if one in self.classes]
            if bases:
                words.append(f'"__mro__" {{tuple {" ".join(map(str, bases))}}}')
            for name in sorted(self.attributes - set(_fields_of(owner))):
                value = inspect.getattr_static(owner, name, None)
                function: Any = value
                if isinstance(value, property):
                    function = value.fget
                elif isinstance(value, staticmethod | classmethod):
                    function = value.__func__
                if isinstance(function, types.FunctionType):
                    # A named tuple's or a dataclass's own are none of the user's.
                    if function.__module__ == "collections" or _is_generated(function):
                        continue
                    if has_other_super(function, owner):
                        continue
                    if isinstance(value, classmethod):
                        number_of = self.number_of(function)
                        made = f"{{classmethod {number_of} {self._type(owner)}}}"
                        words.append(f"{_quote(name)} {made}")
                        continue
                    tag = "static" if isinstance(value, staticmethod) else "function"
                    tag = "property" if isinstance(value, property) else tag
                    words.append(f"{_quote(name)} {{{tag} {self.number_of(function)}}}")
                elif isinstance(value, _CLASS_CONSTANTS):
                    words.append(f"{_quote(name)} {self.value(value)}")
                else:
                    continue
                self.frozen.append(Frozen(owner, name, getattr(owner, name)))
            if words:
                texts.append(f"{{class {number} {' '.join(words)}}}")
        return texts

    def _number_of_class(self, value: type) -> int:
        return self.classes.setdefault(value, len(self.classes) + 1)

    def _defaults(self, function: types.FunctionType) -> str:
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        pairs = dict(function.__kwdefaults__ or {})
        values = function.__defaults__ or ()
        pairs.update(zip(names[len(names) - len(values) :], values, strict=True))
        words = [f"{_quote(name)} {self.value(value)}" for name, value in pairs.items()]
        return "{defaults " + " ".join(words) + "}"

    def _scope(
        self, function: types.FunctionType, node: ast.AST, items: dict[str, list[Frozen]]
    ) -> str:
        """What the function's names outside of it are, and attributes of those."""
        names = _outer_names(function.__code__)
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        words: dict[str, str] = {}
        for chain in _chains(node):
            if chain[0] in items:
                self.frozen.extend(items[chain[0]][:-1])
                self._add_chain(chain, items[chain[0]][-1], words)
                continue
            if chain[0] not in names:
                continue
            found = _look_up(chain[0], function, cells)
            if found is None:
                continue
            self._add_chain(chain, found, words)
        return "{scope " + " ".join(f"{_quote(k)} {v}" for k, v in words.items()) + "}"

    def _add_chain(self, chain: list[str], found: Frozen, words: dict[str, str]) -> None:
        path = chain[0]
        value = found.value
        for attribute in [*chain[1:], None]:
            if path not in words:
                words[path] = self.value(value)
                if not isinstance(value, types.MethodType):  # made anew by each access
                    self.frozen.append(found)
            # Kernels know the methods of dicts.
            if attribute is None or type(value) is dict or not _has_attributes(value):
                return
            try:
                inner = getattr(value, attribute)
            except AttributeError:
                return
            is_value = dataclasses.is_dataclass(value) and not isinstance(value, type)
            if isinstance(inner, types.MethodType) and is_value:
                # Called with the value as it is now.
                for field in _fields_of(type(value)):
                    self.frozen.append(Frozen(value, field, getattr(value, field)))
                return
            found = Frozen(value, attribute, inner)
            path = f"{path}.{attribute}"
            value = inner

    def value(self, value: Any) -> str:
        entry = _known.get(id(value))
        if entry is not None:
            return "{known " + _quote(entry[1]) + "}"
        name = getattr(value, "__warpwise_known__", None)
        if isinstance(name, str):
            return "{known " + _quote(name) + "}"
        external = getattr(value, "__warpwise_external__", None)
        if isinstance(external, External):
            self.linked.extend(external.sources)
            arguments = " ".join(_quote(one) for one in external.arguments)
            return f"{{external {_quote(external.name)} {_quote(external.result)} [{arguments}]}}"
        if _is_from_buffer(value):
            return '{known "cffi.from_buffer"}'
        if isinstance(value, enum.Enum):
            return f"{{member {self.value(value.value)}}}"
        if isinstance(value, bytes):
            return _number_text(value)
        if isinstance(value, np.datetime64 | np.timedelta64):
            return f'{{scalar "{_dtype_name(value.dtype)}" {int(value.view(np.int64))}}}'
        if isinstance(value, np.str_):
            return _number_text(str(value))
        if isinstance(value, np.generic):
            return f'{{scalar "{_dtype_name(value.dtype)}" {_number_text(value.item())}}}'
        if value is None or isinstance(value, bool | int | float | complex | str):
            return _number_text(value)
        if isinstance(value, types.MethodType) and isinstance(value.__self__, type):
            return f"{{method {self.value(value.__func__)} {self.value(value.__self__)}}}"
        if isinstance(value, functools.partial):
            parts = (value.func, *value.args, *value.keywords.values())
            keywords = " ".join(_quote(name) for name in value.keywords)
            return f"{{partial [{keywords}] {' '.join(self.value(one) for one in parts)}}}"
        target = getattr(value, "__warpwise_function__", value)
        declared = getattr(target, "__warpwise_declared__", ())
        target = getattr(target, "py_func", target)
        if isinstance(target, types.FunctionType):
            return f"{{function {self.number_of(target, declared)}}}"
        if isinstance(value, tuple):
            return self._tuple(value)
        if type(value) is dict and _has_plain_keys(value):
            return self._dict(value)
        if isinstance(value, type | np.dtype):
            return self._type(value)
        if isinstance(value, np.ndarray):
            return _array_text(value)
        if isinstance(value, Array):
            what = f"an array on a device ({value.dtype}, shape {value.shape})"
            return (
                "{other " + _quote(f"{what}, no constant of kernels; pass it as an argument") + "}"
            )
        if isinstance(value, types.ModuleType):
            return "{module " + _quote(value.__name__) + "}"
        if dataclasses.is_dataclass(value):
            fields = _fields_of(type(value))
            items = " ".join(self.value(getattr(value, name)) for name in fields)
            names = " ".join(_quote(name) for name in fields)
            return self._named(value, names, items)
        record = dtype_of_record(value)
        if record is not None:
            return self._type(record)
        element = getattr(value, "__warpwise_type__", None) or text_of_numbas(value)
        if isinstance(element, str):
            return "{dtype " + _quote(element) + "}"
        name = getattr(value, "__qualname__", None)
        if callable(value) and isinstance(name, str):
            module = value.__module__ or type(getattr(value, "__self__", None)).__module__
            return "{other " + _quote(f"{module}.{name}") + "}"
        return "{other " + _quote(f"{type(value).__name__} {value!r:.60}") + "}"

    def _tuple(self, value: tuple[Any, ...]) -> str:
        items = " ".join(self.value(one) for one in value)
        fields = getattr(type(value), "_fields", None)
        if fields is None and hasattr(type(value), "n_sequence_fields"):  # sys.float_info
            fields = getattr(type(value), "__match_args__", ())[: len(value)]
        if fields is None:
            return f"{{tuple {items}}}"
        names = " ".join(_quote(name) for name in fields)
        return self._named(value, names, items)

    def _dict(self, value: dict[Any, Any]) -> str:
        self.frozen.append(Frozen(_Keys(value), "keys", tuple(value)))
        words = []
        for key, one in value.items():
            self.frozen.append(Frozen(value, key, one))
            words.append(f"{self.value(key)} {self.value(one)}")
        return "{dict " + " ".join(words) + "}"

    def _named(self, value: Any, names: str, items: str) -> str:
        kind = type(value)
        return f"{{named {_quote(kind.__name__)} [{names}] {self._number_of_class(kind)} {items}}}"

    def _type(self, value: Any) -> str:
        if value in _PYTHON_TYPES:
            return f'{{dtype "{_PYTHON_TYPES[value]}" "{value.__name__}"}}'
        if isinstance(value, np.dtype) and value.names is not None and _has_numbers(value):
            from .cuda.types import record_text

            return "{dtype " + _quote(record_text(value, has_extents=True)) + "}"
        is_number = isinstance(value, np.dtype) or issubclass(value, np.generic)
        if is_number:
            try:
                return f'{{dtype "{_dtype_name(np.dtype(value))}"}}'
            except (TypeError, ArgumentTypeError):
                return "{other " + _quote(f"the dtype {value}") + "}"
        fields = getattr(value, "_fields", None)
        is_plain = dataclasses.is_dataclass(value) and not hasattr(value, "__post_init__")
        if is_plain:
            # What kernels do when they make one is what its own __init__ does.
            is_plain = all(
                one.init and not one.kw_only and one.default_factory is dataclasses.MISSING
                for one in dataclasses.fields(value)
            )
        if is_plain:
            fields = _fields_of(value)
        is_record = is_plain or issubclass(value, tuple)
        if isinstance(value, type) and is_record and fields is not None:
            names = " ".join(_quote(name) for name in fields)
            defaults = " ".join(self.value(one) for one in _defaults_of(value))
            number = self._number_of_class(value)
            return f"{{named_type {_quote(value.__name__)} [{names}] {number} [{defaults}]}}"
        return "{other " + _quote(f"the class {getattr(value, '__name__', value)}") + "}"


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


def _asked_attributes(node: ast.AST) -> Iterable[str]:
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
            if isinstance(one.func, ast.Name) and one.func.id == "hasattr":
                yield from (str(name.value) for name in one.args if isinstance(name, ast.Constant))
        elif isinstance(one, _ASKING_FOR_TRUTH):
            yield from ("__bool__", "__len__")


def _is_generated(function: types.FunctionType) -> bool:
    return function.__code__.co_filename == "<string>"


def _fields_of(value: type) -> list[str]:
    if dataclasses.is_dataclass(value):
        return [field.name for field in dataclasses.fields(value)]
    return list(getattr(value, "_fields", ()))


def _defaults_of(value: type) -> list[Any]:
    """Those of the last fields of a named tuple or a dataclass."""
    if dataclasses.is_dataclass(value):
        fields = dataclasses.fields(value)
        return [one.default for one in fields if one.default is not dataclasses.MISSING]
    return list(getattr(value, "_field_defaults", {}).values())


def _has_numbers(dtype: np.dtype[Any]) -> bool:
    """Whether all fields of a record are numbers of kernels, arrays of them or such records."""
    base = dtype.base
    if base.names is not None:
        return all(_has_numbers(base[name]) for name in base.names)
    if base.kind in "mMSU":
        return base.isnative and base.itemsize > 0
    return base.kind in "biufc" and base.isnative and base.itemsize <= 16


def dtype_text(dtype: np.dtype[Any]) -> str:
    """How the front end spells numbers, times and strings: float32, datetime64[D], S5."""
    if dtype.kind in "SU":
        return f"{dtype.kind}{dtype.itemsize // (1 if dtype.kind == 'S' else 4)}"
    return dtype.name


def _dtype_name(dtype: np.dtype[Any]) -> str:
    if dtype.kind in "SU" and dtype.isnative and dtype.itemsize:
        return dtype_text(dtype)
    name = dtype.name
    if dtype.kind in "mM" and dtype.isnative:
        return name
    if dtype.kind not in "biufc" or not dtype.isnative or name in ("float128", "complex256"):
        raise ArgumentTypeError(f"kernels have no values of dtype {dtype}")
    return name


def _array_text(value: np.ndarray[Any, Any]) -> str:
    if value.dtype.names is not None and value.nbytes <= _CODE_LIMIT and value.ndim > 0:
        names = value.dtype.names
        words = " ".join(_quote(name) for name in names)
        return f"{{records [{words}] {' '.join(_array_text(value[name]) for name in names)}}}"
    if value.dtype.kind not in "biufcmM" or value.nbytes > _CODE_LIMIT or not value.dtype.isnative:
        return (
            "{other "
            + _quote(
                f"an array of {value.nbytes} bytes of {value.dtype}, no constant of kernels "
                f"(numbers, up to {_CODE_LIMIT} bytes); pass it as an argument"
            )
            + "}"
        )
    shape = " ".join(str(extent) for extent in value.shape)
    return f'{{array "{_dtype_name(value.dtype)}" [{shape}] "{value.tobytes().hex()}"}}'


def _has_attributes(value: Any) -> bool:
    """Whether attributes of the value are looked up now, not by the translation."""
    if isinstance(value, enum.Enum):
        return True
    if id(value) in _known or isinstance(value, np.generic | int | float | complex | str):
        return False
    if isinstance(value, tuple | np.ndarray | types.FunctionType) or value is None:
        return False
    return not isinstance(getattr(value, "__warpwise_known__", None), str)


def _outer_names(code: types.CodeType) -> set[str]:
    names = set(code.co_names) | set(code.co_freevars)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _outer_names(constant)
    return names


def _look_up(name: str, function: types.FunctionType, cells: dict[str, Any]) -> Frozen | None:
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

    def __init__(self, function: types.FunctionType) -> None:
        self._function = function
        self._names = _outer_names(function.__code__)
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        self._cells = dict(cells)
        self.items: dict[
            str, list[Frozen]
        ] = {}  # by the name: the dicts on the way, then the value

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        base, key = node.value, node.slice
        is_name = isinstance(base, ast.Name) and base.id in {*self._names, *self.items}
        if not is_name or not isinstance(key, ast.Constant) or not _is_key(key.value):
            return node
        assert isinstance(base, ast.Name)
        way = self.items.get(base.id, [])
        found = way[-1] if way else _look_up(base.id, self._function, self._cells)
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


def _with_named_members(
    node: Any, function: types.FunctionType
) -> tuple[Any, dict[str, list[Frozen]]]:
    """The tree, and what the names in it stand for that are items of dicts."""
    names = _outer_names(function.__code__)
    values = [function.__globals__.get(name) for name in names]
    if not function.__closure__ and not any(
        isinstance(value, enum.EnumMeta | dict) for value in values
    ):
        return node, {}
    transformer = _NamedMembers(function)
    return transformer.visit(copy.deepcopy(node)), transformer.items


def _chains(node: ast.AST) -> Iterable[list[str]]:
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
