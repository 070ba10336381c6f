"""The part of GPUArray that computes: operators and comparisons, broadcasting included.

Array-array promotion is NumPy's; so is that of scalars. As in PyCUDA, quotients of integers are
C's, comparisons keep the operands' dtype, and operators in place keep the array's.
"""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable
from typing import Any, Self

import numpy as np

import warpwise as ww

from .._basics.errors import joined

# Of numbers for elements of a kind; bfloat16 is of the kind "V".
_KINDS = {"i": "biufV", "u": "biufV", "f": "biufV", "b": "biufcV", "c": "biufcV"}

_Binary = Callable[[Any, Any], ww.Array]
_new = ww.ArrayHolder.__new__


class _No:
    """What stands for an operand that is neither a GPUArray nor a number."""


_NO = _No()


def operand(value: Any) -> Any:
    """A GPUArray's array, or a number as it is; _NO for anything else."""
    if isinstance(value, Operators):
        return value._array
    if isinstance(value, numbers.Number | np.generic) and not isinstance(value, np.void):
        return value
    return _NO


def number_for(kind: np.dtype[Any], value: Any) -> Any:
    """A number for elements of the dtype. Floats are truncated for integers; what does not fit, or
    would lose an imaginary part, raises."""
    given = np.asarray(value)
    if given.dtype.kind not in _KINDS.get(kind.kind, given.dtype.kind):
        raise ww.ArgumentTypeError(f"an array of {kind} cannot hold {value!r}")
    if kind.kind not in "iu":
        return given.astype(kind).item()
    ends, number = np.iinfo(kind), given.item()
    if not ends.min - 1 < number < ends.max + 1:
        raise ww.ArgumentValueError(f"{value!r} is out of the range of {kind}")
    return int(number)


def quotient(a: Any, b: Any) -> ww.Array:
    """a / b; of integers C's, which rounds towards zero. x / 0 is 0 for integers."""
    if ww.result_type(a, b).kind not in "iu":
        return ww.divide(a, b)
    down = ww.floor_divide(a, b)
    if down.dtype.kind == "u":
        return down
    # One more where the remainder of the division that rounds down is not 0 and the signs differ.
    differs = ww.logical_and(ww.not_equal(ww.remainder(a, b), 0), ww.less(down, 0))
    return down + ww.astype(differs, down.dtype)


def _binary(function: _Binary) -> Any:
    def method(self: Operators, other: Any) -> Any:
        if isinstance(other, Operators):  # the usual case, without a further call
            other = other._array
        elif (other := operand(other)) is _NO:
            return NotImplemented
        try:
            return self._like(function(self._array, other))
        except ww.Error as error:
            raise joined(error) from None

    return method


def _reflected(function: _Binary) -> Any:
    return _binary(lambda own, other: function(other, own))


def _in_place(function: _Binary) -> Any:
    def method(self: Operators, other: Any) -> Any:
        other = operand(other)
        if other is _NO:
            return NotImplemented
        try:
            self._store(function(self._array, other))
        except ww.Error as error:
            raise joined(error) from None
        return self

    return method


def _comparison(function: _Binary) -> Any:
    def compared(own: ww.Array, other: Any) -> ww.Array:
        kind = own.dtype
        if isinstance(other, ww.Array) and other.dtype != kind:
            kind = ww.result_type(own, other)
        return ww.astype(function(own, other), kind, copy=False)

    return _binary(compared)


def _unary(function: Callable[[ww.Array], ww.Array]) -> Any:
    def method(self: Operators) -> Any:
        try:
            return self._like(function(self._array))
        except ww.Error as error:
            raise joined(error) from None

    return method


def _in_new_array(self: Operators, array: ww.Array) -> Any:
    """A result of an operation on this array, in the one that _new_like_me() makes."""
    made = self._new_like_me(array.dtype)
    if made.shape != array.shape:
        return Operators._like(self, array)
    made._store(array)
    return made


# What ww.ArrayHolder computes without a frame of Python, through _like().
_OF_THE_BASE = {
    "__add__": _binary(operator.add),
    "__radd__": _reflected(operator.add),
    "__sub__": _binary(operator.sub),
    "__rsub__": _reflected(operator.sub),
    "__mul__": _binary(operator.mul),
    "__rmul__": _reflected(operator.mul),
    "__pow__": _binary(ww.pow),
    "__rpow__": _reflected(ww.pow),
    "__neg__": _unary(operator.neg),
}


class Operators(ww.ArrayHolder):
    """/ abs and comparisons, and + - * / ** in place; + - * ** and the negative are the base's."""

    _array: ww.Array
    _translate = staticmethod(joined)

    # NumPy's scalars and arrays leave operators with a GPUArray to it.
    __array_priority__ = 100
    __array_ufunc__ = None

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Results of a class with its own _new_like_me() lie in arrays that this makes."""
        super().__init_subclass__(**keywords)
        if cls._new_like_me is Operators._new_like_me:
            return
        cls._like = _in_new_array  # type: ignore[method-assign]
        for name, method in _OF_THE_BASE.items():
            if getattr(cls, name) is getattr(ww.ArrayHolder, name):
                setattr(cls, name, method)

    def _new_like_me(self, dtype: Any = None, order: str = "C") -> Any:
        """An array of this shape and allocator, for a result. Classes that are derived override it
        to get results of their own making."""
        array = self._array
        kind = array.dtype if dtype is None else np.dtype(dtype)
        strides = array.strides if kind == array.dtype else None
        return type(self)(array.shape, kind, self._allocator, strides=strides, order=order)  # type: ignore[call-arg]

    def _like(self, array: ww.Array) -> Self:
        """A result of an operation on this array."""
        made = _new(type(self))
        made._array = array
        made._allocator = self._allocator
        return made

    def _store(self, values: ww.Array) -> None:
        """Writes them, converted as C does."""
        target = self._array
        if values.shape != target.shape and len(values.shape) >= len(target.shape):
            raise ww.ArgumentValueError(
                f"an operator in place got operands that broadcast to {values.shape}, and the "
                f"array has shape {target.shape}"
            )
        if values.dtype.kind == "c" and target.dtype.kind != "c":
            raise ww.ArgumentTypeError(
                f"complex numbers for an array of {target.dtype}; take their .real or .imag, or "
                "make the array complex by astype()"
            )
        target[...] = values

    __truediv__ = _binary(quotient)
    __rtruediv__ = _reflected(quotient)
    __div__, __rdiv__ = __truediv__, __rtruediv__

    __iadd__ = _in_place(operator.add)
    __isub__ = _in_place(operator.sub)
    __imul__ = _in_place(operator.mul)
    __itruediv__ = _in_place(quotient)
    __idiv__ = __itruediv__
    __ipow__ = _in_place(ww.pow)

    __pos__ = _unary(lambda a: a.copy("K"))
    __abs__ = _unary(ww.abs)

    __eq__ = _comparison(ww.equal)
    __ne__ = _comparison(ww.not_equal)
    __lt__ = _comparison(ww.less)
    __le__ = _comparison(ww.less_equal)
    __gt__ = _comparison(ww.greater)
    __ge__ = _comparison(ww.greater_equal)

    def __hash__(self) -> int:
        raise TypeError("GPUArrays are not hashable.")
