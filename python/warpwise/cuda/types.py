"""Types of values in kernels, with Numba's names: `float32`, `float32[:, ::1]`, `void(int32)`.

They describe arguments (`cuda.jit("void(float32[:], int32)")`), elements
(`cuda.shared.array(64, float32)`) and casts (`float32(x)`). NumPy's scalar types and dtypes are
accepted wherever one is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .._core import value_text
from .._errors import ArgumentIndexError, ArgumentTypeError, ArgumentValueError
from .._program.constants import dtype_text


class Type:
    """A type. Equal ones compare and hash equal; `str()` is Numba's spelling."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def key(self) -> Any:
        return self.name

    @property
    def __warpwise_type__(self) -> str:
        """How the front end spells it."""
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and type(self) is type(other) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return self.name

    def __str__(self) -> str:
        return self.name

    def __getitem__(self, axes: Any) -> Array:
        """The type of an array of this: a `:` for each axis, `::1` for a contiguous first or last.

        `float32[:]` takes any strides, `float32[:, ::1]` C order, `float32[::1, :]` Fortran order.
        """
        return Array(self, *_layout_of(axes, self))

    def __call__(self, *args: Any) -> Any:
        """With types, a signature that returns this one; with one value, the value cast to it."""
        if len(args) == 1 and not is_type(args[0]):
            return self.cast_python_value(args[0])
        return Signature(self, tuple(as_type(each) for each in args))

    def cast_python_value(self, value: Any) -> Any:
        raise ArgumentTypeError(f"a value cannot be cast to {self}: {value_text(value)}")

    @property
    def dtype_of_numpy(self) -> np.dtype[Any]:
        """The NumPy dtype; TypeError where there is none."""
        raise ArgumentTypeError(f"{self} is no type of an element: NumPy has no dtype for it")


def _layout_of(axes: Any, element: Type) -> tuple[int, str]:
    slices = axes if isinstance(axes, tuple) else (axes,)
    for each in slices:
        plain = isinstance(each, slice) and each.start is None and each.stop is None
        if each is not Ellipsis and not (plain and each.step in (None, 1)):
            raise ArgumentIndexError(
                f"{element}[...] expects ':' for each axis, and '::1' for a contiguous first or "
                f"last one, got {value_text(each)}"
            )
    steps = [isinstance(each, slice) and each.step == 1 for each in slices]
    if not slices or sum(steps) > 1 or any(steps[1:-1]):
        raise ArgumentIndexError(f"{element}[...] expects one '::1', for the first or last axis")
    layout = "C" if steps[-1] else "F" if steps[0] else "A"
    return len(slices), layout


class Number(Type):
    """A number with a NumPy dtype of the same name."""

    def __init__(self, name: str, dtype: str | None = None) -> None:
        super().__init__(name)
        self._dtype = np.dtype(dtype or name)
        self.bitwidth = self._dtype.itemsize * 8

    @property
    def dtype_of_numpy(self) -> np.dtype[Any]:
        return self._dtype

    def cast_python_value(self, value: Any) -> Any:
        if isinstance(value, str | bytes) or value is None:
            raise ArgumentTypeError(f"{self} expects a number, got {value_text(value)}")
        with np.errstate(over="ignore", invalid="ignore"):
            return self._dtype.type(np.asarray(value).astype(self._dtype)[()])

    @property
    def minval(self) -> Any:
        """The least value."""
        return _limits(self._dtype)[0]

    @property
    def maxval(self) -> Any:
        """The greatest value."""
        return _limits(self._dtype)[1]


def _limits(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    return -math.inf, math.inf


class Boolean(Number):
    """True or False."""


class Integer(Number):
    """An integer."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.signed = name.startswith("int")

    @classmethod
    def from_bitwidth(cls, bitwidth: int, signed: bool = True) -> Integer:
        """By its number of bits."""
        found = globals().get(f"{'' if signed else 'u'}int{bitwidth}")
        if not isinstance(found, Integer):
            raise ArgumentValueError(f"there is no integer of {value_text(bitwidth)} bits")
        return found


class Float(Number):
    """A floating-point number."""


class Complex(Number):
    """A complex number."""

    @property
    def underlying_float(self) -> Type:
        return from_dtype(np.dtype(f"float{self.bitwidth // 2}"))


class NPDatetime(Type):
    """A date of NumPy, in a unit."""

    _letter, _spelling = "M8", "datetime64"

    def __init__(self, unit: str) -> None:
        super().__init__(f"{self._spelling}[{unit}]" if unit else self._spelling)
        self.unit = unit

    @property
    def dtype_of_numpy(self) -> np.dtype[Any]:
        return np.dtype(f"{self._letter}[{self.unit}]" if self.unit else self._letter)


class NPTimedelta(NPDatetime):
    """A span of time of NumPy, in a unit."""

    _letter, _spelling = "m8", "timedelta64"


class CharSeq(Type):
    """A string of NumPy of so many bytes, 'S5'."""

    _letter, _spelling = "S", "[char x {}]"

    def __init__(self, count: int) -> None:
        super().__init__(self._spelling.format(count))
        self.count = count

    @property
    def __warpwise_type__(self) -> str:
        return f"{self._letter}{self.count}"

    @property
    def dtype_of_numpy(self) -> np.dtype[Any]:
        return np.dtype(f"{self._letter}{self.count}")


class UnicodeCharSeq(CharSeq):
    """A string of NumPy of so many characters, 'U5'."""

    _letter, _spelling = "U", "[unichr x {}]"


class Record(Type):
    """A structured element of NumPy."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        fields = ", ".join(f"{name}:{dtype.fields[name][0]}" for name in dtype.names or ())  # type: ignore[index]
        super().__init__(f"Record({fields}; {dtype.itemsize}; {dtype.isalignedstruct})")
        self.dtype = dtype

    @property
    def __warpwise_type__(self) -> str:
        return record_text(self.dtype)

    @property
    def key(self) -> Any:
        return self.dtype

    @property
    def size(self) -> int:
        return self.dtype.itemsize

    @property
    def fields(self) -> dict[str, Type]:
        """Types by name."""
        return {name: from_dtype(self.dtype[name]) for name in self.dtype.names or ()}

    def typeof(self, key: str) -> Type:
        """The type of a field."""
        return self.fields[key]

    def offset(self, key: str) -> int:
        """Bytes before a field."""
        return int(self.dtype.fields[key][1])  # type: ignore[index]

    @property
    def dtype_of_numpy(self) -> np.dtype[Any]:
        return self.dtype


def record_text(
    dtype: np.dtype[Any], offset: int = 0, step: int = 0, *, has_extents: bool = False
) -> str:
    """How the front end spells records: '!' marks fields that may be unaligned. `has_extents`: with
    the extents of fields that are arrays, as memory for such records needs them."""
    step = step or dtype.itemsize
    parts = []
    for name in dtype.names or ():
        inner, start = dtype.fields[name][:2]  # type: ignore[index]
        element = inner.base
        at = offset + start
        if element.names is not None and not inner.shape:
            parts.append(f"{name}: {record_text(element, at, step, has_extents=has_extents)}")
            continue
        is_packed = at % element.alignment != 0 or step % element.alignment != 0
        rank = 0 if math.prod(inner.shape) == 1 and len(inner.shape) == 1 else len(inner.shape)
        axis = f"[{', '.join(':' * rank)}]" if rank else ""
        extents = f"({' '.join(map(str, inner.shape))})" if has_extents and rank else ""
        parts.append(f"{name}: {dtype_text(element)}{axis}{extents}{'!' if is_packed else ''}")
    return f"record({', '.join(parts)})"


class NestedArray(Type):
    """An array that is a field of a record."""

    def __init__(self, dtype: Type, shape: tuple[int, ...]) -> None:
        super().__init__(f"nestedarray({dtype}, {shape})")
        self.dtype, self.shape, self.ndim = dtype, shape, len(shape)

    @property
    def dtype_of_numpy(self) -> np.dtype[Any]:
        return np.dtype((self.dtype.dtype_of_numpy, self.shape))


class Array(Type):
    """An array argument: the type of an element, the number of axes, and its layout.

    The layout is 'C' (contiguous, last axis fastest), 'F' (first axis fastest) or 'A' (any).
    """

    def __init__(
        self, dtype: Any, ndim: int, layout: str, readonly: bool = False, aligned: bool = True
    ) -> None:
        if layout not in ("C", "F", "A"):
            raise ArgumentValueError(f"layout expects 'C', 'F' or 'A', got {value_text(layout)}")
        element = as_type(dtype)
        kind = "Array" if not readonly else "readonly array"
        super().__init__(f"{kind.lower()}({element}, {ndim}d, {layout})")
        self.dtype, self.ndim, self.layout = element, int(ndim), layout
        self.readonly, self.aligned = readonly, aligned

    @property
    def __warpwise_type__(self) -> str:
        axes = [":"] * self.ndim
        if self.layout != "A" and self.ndim:
            axes[-1 if self.layout == "C" else 0] = "::1"
        return f"{self.dtype.__warpwise_type__}[{','.join(axes)}]"

    @property
    def mutable(self) -> bool:
        return not self.readonly

    @property
    def is_contig(self) -> bool:
        return self.layout in "CF"

    @property
    def key(self) -> Any:
        return self.dtype, self.ndim, self.layout, self.readonly

    def copy(
        self, dtype: Any = None, ndim: int | None = None, layout: str | None = None,
        readonly: bool | None = None,
    ) -> Array:  # fmt: skip
        """The same type but for what is given."""
        return Array(
            self.dtype if dtype is None else dtype,
            self.ndim if ndim is None else ndim,
            self.layout if layout is None else layout,
            self.readonly if readonly is None else readonly,
        )

    def __repr__(self) -> str:
        return f"Array({self.dtype!r}, {self.ndim}, {self.layout!r}, {self.readonly}, aligned=True)"


class BaseTuple(Type):
    """A tuple of values of fixed types."""

    def __init__(self, types: Iterable[Any]) -> None:
        self.types = tuple(as_type(each) for each in types)
        self.count = len(self.types)
        super().__init__(self._spelling())

    def _spelling(self) -> str:
        return f"Tuple({', '.join(map(str, self.types))})"

    @property
    def key(self) -> Any:
        return self.types

    @property
    def __warpwise_type__(self) -> str:
        return f"Tuple({', '.join(each.__warpwise_type__ for each in self.types)})"

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Type]:
        return iter(self.types)

    def __getitem__(self, index: Any) -> Any:
        return self.types[index]


class Tuple(BaseTuple):
    """A tuple of values of several types."""

    def __new__(cls, types: Iterable[Any]) -> BaseTuple:  # type: ignore[misc]
        given = tuple(as_type(each) for each in types)
        if given and all(each == given[0] for each in given):
            return UniTuple(given[0], len(given))
        return super().__new__(cls)


class UniTuple(BaseTuple):
    """A tuple of values of one type."""

    def __init__(self, dtype: Any, count: int) -> None:
        self.dtype = as_type(dtype)
        super().__init__((self.dtype,) * count)

    def _spelling(self) -> str:
        return f"UniTuple({self.dtype} x {self.count})"


class CPointer(Type):
    """A pointer of CUDA C++, as an argument of declared functions: they get an array's memory."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = as_type(dtype)
        super().__init__(f"{self.dtype}*")

    @property
    def __warpwise_type__(self) -> str:
        return f"{self.dtype.__warpwise_type__}[::1]"


class NoneType(Type):
    """What a function without `return` returns."""


class Signature:
    """The types of a function: `return_type` and `args`."""

    def __init__(self, return_type: Type, args: Iterable[Any], recvr: Any = None) -> None:
        self.return_type = return_type
        self.args = tuple(as_type(each) for each in args)
        self.recvr = recvr

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Signature) and (
            (self.args, self.return_type) == (other.args, other.return_type)
        )

    def __hash__(self) -> int:
        return hash((self.args, self.return_type))

    def __repr__(self) -> str:
        return f"({', '.join(map(str, self.args))}) -> {self.return_type}"


boolean = bool_ = b1 = Boolean("bool")
int8 = i1 = byte_ = char = Integer("int8")
int16 = i2 = short = int16_ = Integer("int16")
int32 = i4 = intc = int_c = Integer("int32")
int64 = i8 = intp = int_ = long_ = longlong = ssize_t = Integer("int64")
uint8 = u1 = byte = uchar = Integer("uint8")
uint16 = u2 = ushort = Integer("uint16")
uint32 = u4 = uintc = Integer("uint32")
uint64 = u8 = uintp = uint = ulong = ulonglong = size_t = Integer("uint64")
float16 = f2 = Float("float16")
float32 = f4 = Float("float32")
float64 = f8 = float_ = double = Float("float64")
complex64 = c8 = Complex("complex64")
complex128 = c16 = Complex("complex128")
none = void = NoneType("none")

_NUMBERS = {
    each.dtype_of_numpy: each
    for each in (
        boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32,
        float64, complex64, complex128,
    )
}  # fmt: skip
_PYTHON = {bool: boolean, int: int64, float: float64, complex: complex128, type(None): none}


def from_dtype(dtype: Any) -> Type:
    """The type of elements of a NumPy dtype."""
    element = np.dtype(dtype)
    if element in _NUMBERS:
        return _NUMBERS[element]
    if element.names is not None:
        return Record(element)
    if element.subdtype is not None:
        return NestedArray(from_dtype(element.subdtype[0]), element.subdtype[1])
    if element.kind in "mM":
        unit, count = np.datetime_data(element)
        known = NPDatetime if element.kind == "M" else NPTimedelta
        return known("" if unit == "generic" else unit if count == 1 else f"{count}{unit}")
    if element.kind == "S" and element.itemsize:
        return CharSeq(element.itemsize)
    if element.kind == "U" and element.itemsize:
        return UnicodeCharSeq(element.itemsize // 4)
    raise ArgumentTypeError(f"kernels have no type for elements of dtype {element}")


def is_type(value: Any) -> bool:
    """Whether a value stands for a type: ours, NumPy's, Numba's, `int`, `float`, `bool`..."""
    if isinstance(value, Type | np.dtype):
        return True
    if isinstance(value, type):
        return value in _PYTHON or issubclass(value, np.generic)
    return _is_numba_type(value)


def _is_numba_type(value: Any) -> bool:
    return any(
        base.__module__ == "numba.core.types.abstract" and base.__name__ == "Type"
        for base in type(value).__mro__
    )


def as_type(value: Any) -> Type:
    """The type that a value stands for; TypeError where it stands for none."""
    if isinstance(value, Type):
        return value
    if isinstance(value, type) and value in _PYTHON:
        return _PYTHON[value]
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return from_dtype(value)
    if _is_numba_type(value):
        return _from_numba(value)
    raise ArgumentTypeError(
        f"a type is expected, got {value_text(value)}; types are float32, float32[:], NumPy's "
        "scalar types and dtypes"
    )


def _from_numba(value: Any) -> Type:
    """A type of the installed Numba, by what it says of itself."""
    name = type(value).__name__
    if name in ("Integer", "Float", "Complex", "Boolean"):
        return from_dtype(np.dtype(str(value)))
    if name == "Array":
        return Array(_from_numba(value.dtype), value.ndim, value.layout, not value.mutable)
    if name in ("UniTuple", "Tuple"):
        return Tuple([_from_numba(each) for each in value.types])
    if name == "NoneType":
        return none
    if name == "Record":
        from importlib import import_module

        return Record(import_module("numba.np.numpy_support").as_dtype(value))
    if name in ("NPDatetime", "NPTimedelta"):
        return (NPDatetime if name == "NPDatetime" else NPTimedelta)(value.unit)
    raise ArgumentTypeError(f"kernels have no type for Numba's {value}")


def as_dtype(value: Any) -> np.dtype[Any]:
    """A NumPy dtype of a type, or of what NumPy takes for a dtype."""
    if isinstance(value, Type) or _is_numba_type(value):
        return as_type(value).dtype_of_numpy
    try:
        dtype: np.dtype[Any] = np.dtype(value)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"a dtype is expected, got {value_text(value)}") from None
    return dtype


def typeof(value: Any) -> Type:
    """The type of a value as an argument of a kernel."""
    if isinstance(value, bool | np.bool_):
        return boolean
    if isinstance(value, np.void):
        return from_dtype(value.dtype)
    if isinstance(value, np.generic):
        return from_dtype(value.dtype)
    if isinstance(value, int):
        return int64 if value < 2**63 else uint64
    if type(value) in _PYTHON:
        return _PYTHON[type(value)]
    if isinstance(value, tuple):
        return Tuple([typeof(each) for each in value])
    if hasattr(value, "dtype") and hasattr(value, "strides"):
        return Array(from_dtype(value.dtype), value.ndim, layout_of(value))
    raise ArgumentTypeError(f"kernels take no value like {value_text(value)}")


def layout_of(array: Any) -> str:
    """'C', 'F' or 'A': how the elements of an array lie."""
    if 0 in array.strides and array.size:
        return "A"
    steps = [array.dtype.itemsize]
    for extent in reversed(array.shape):
        steps.append(steps[-1] * extent)
    if _lies(array.shape[::-1], array.strides[::-1], array.dtype.itemsize):
        return "C"
    return "F" if _lies(array.shape, array.strides, array.dtype.itemsize) else "A"


def _lies(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> bool:
    if 0 in shape:
        return True
    for extent, stride in zip(shape, strides):
        if extent != 1 and stride != itemsize:
            return False
        itemsize *= extent
    return True


def _called(text: str) -> str:
    """A signature with calls for types that no name stands for: datetime64[D], S5."""
    text = re.sub(r"\b(datetime64|timedelta64)(?:\[(\d*[A-Za-z]+)\])?", r"_\1('\2')", text)
    return re.sub(r"\b([SU])(\d+)\b", r"_\1(\2)", text)


def parse_signature(text: str) -> Signature | Type | tuple[Type, ...]:
    """A signature written as text: "void(float32[:], int32)", "(float32, float32)", "float32[:]".

    Only the names of this module can be used in it.
    """
    names: dict[str, Any] = {
        name: value for name, value in globals().items() if isinstance(value, Type)
    }
    names |= {
        "CPointer": CPointer,
        "Tuple": Tuple,
        "UniTuple": UniTuple,
        "Array": Array,
        "bool": boolean,
        "_datetime64": NPDatetime,
        "_timedelta64": NPTimedelta,
        "_S": CharSeq,
        "_U": UnicodeCharSeq,
    }
    try:
        value = eval(_called(text), {"__builtins__": {}}, names)
    except Exception as error:
        raise ArgumentValueError(
            f"the signature {value_text(text)} cannot be read: {error}; write it as "
            "'void(float32[:], int32)'"
        ) from error
    if isinstance(value, tuple):
        return tuple(as_type(each) for each in value)
    if not isinstance(value, Signature | Type):
        raise ArgumentTypeError(f"the signature {value_text(text)} is no type")
    return value


def as_signature(value: Any) -> Signature:
    """The signature that text, a tuple of types, a signature of ours or Numba's stands for."""
    if isinstance(value, str):
        value = parse_signature(value)
    if isinstance(value, Signature):
        return value
    if isinstance(value, tuple | list):
        return Signature(none, value)
    if hasattr(value, "return_type") and hasattr(value, "args"):
        return Signature(as_type(value.return_type or none), value.args)
    if is_type(value):
        return Signature(none, (value,))
    raise ArgumentTypeError(
        f"a signature is expected, got {value_text(value)}; write it as 'void(float32[:], int32)' "
        "or as a tuple of types"
    )


__all__ = [
    *(name for name, value in list(globals().items()) if isinstance(value, Type)),
    "Array",
    "Boolean",
    "CPointer",
    "Complex",
    "Float",
    "Integer",
    "NPDatetime",
    "NPTimedelta",
    "NestedArray",
    "NoneType",
    "Number",
    "Record",
    "Signature",
    "Tuple",
    "Type",
    "UniTuple",
    "as_dtype",
    "as_signature",
    "as_type",
    "from_dtype",
    "is_type",
    "layout_of",
    "parse_signature",
    "typeof",
]
