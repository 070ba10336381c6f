"""Assertions of Numba's test cases, for test suites that use numba.cuda.testing without Numba."""

from __future__ import annotations

import math
import numbers
import unittest
from typing import Any

import numpy as np

# The spacing of numbers beside 1, by the name of a precision.
_SPACING = {"exact": 0.0, "single": 2.0**-23, "double": 2.0**-52}


class NumbaAssertions(unittest.TestCase):
    """A unittest.TestCase with assertPreciseEqual() and what goes with it."""

    def assertPreciseEqual(  # noqa: N802
        self,
        first: Any,
        second: Any,
        prec: str = "exact",
        ulps: int = 1,
        msg: str | None = None,
        ignore_sign_on_zero: bool = False,
        abs_tol: float | str | None = None,
    ) -> None:
        """Fails unless both are of one kind and equal; NaN equals NaN, 0.0 does not equal -0.0.

        Parameters
        ----------
        prec : {"exact", "single", "double"}
            How far apart floats may be: `ulps` units of that precision.
        abs_tol : float or "eps", optional
            A difference that is allowed in any case; "eps" is that of double precision.
        """
        if prec not in _SPACING:
            raise ValueError(f"prec is one of {', '.join(_SPACING)}, got {prec!r}")
        tolerance = _SPACING["double"] if abs_tol == "eps" else float(abs_tol or 0)
        _Comparison(self, _SPACING[prec] * ulps, tolerance, ignore_sign_on_zero, msg).check(
            first, second
        )

    def assertStridesEqual(self, first: Any, second: Any) -> None:  # noqa: N802
        """Fails unless the strides agree along axes of more than one element."""
        self.assertEqual(first.ndim, second.ndim)
        for one, other, extent in zip(first.strides, second.strides, first.shape, strict=True):
            if extent > 1:
                self.assertEqual(one, other)


class _Comparison:
    def __init__(
        self,
        case: unittest.TestCase,
        relative: float,
        absolute: float,
        ignores_sign: bool,
        message: str | None,
    ) -> None:
        self._case = case
        self._relative = relative
        self._absolute = absolute
        self._ignores_sign = ignores_sign
        self._message = message

    def check(self, first: Any, second: Any) -> None:
        kind, other = _kind_of(first), _kind_of(second)
        if kind != other:
            self._fail(f"{kind} and {other}: {first!r} != {second!r}")
        if kind == "array":
            self._arrays(first, second)
        elif kind == "sequence":
            if len(first) != len(second):
                self._fail(f"{len(first)} and {len(second)} items: {first!r} != {second!r}")
            for one, another in zip(first, second, strict=True):
                self.check(one, another)
        elif kind == "float":
            self._floats(float(first), float(second))
        elif kind == "complex":
            self._floats(first.real, second.real)
            self._floats(first.imag, second.imag)
        elif first != second:
            self._fail(f"{first!r} != {second!r}")

    def _arrays(self, first: Any, second: Any) -> None:
        for name in ("dtype", "shape"):
            if getattr(first, name) != getattr(second, name):
                self._fail(f"{name}: {getattr(first, name)} != {getattr(second, name)}")
        for one, another in zip(first.flat, second.flat, strict=True):
            self.check(one, another)

    def _floats(self, first: float, second: float) -> None:
        if math.isnan(first) or math.isnan(second):
            if math.isnan(first) != math.isnan(second):
                self._fail(f"{first!r} != {second!r}")
            return
        if first == second:
            is_other_zero = math.copysign(1, first) != math.copysign(1, second)
            if first == 0 and is_other_zero and not self._ignores_sign:
                self._fail(f"{first!r} != {second!r}")
            return
        if math.isinf(first) or math.isinf(second):
            self._fail(f"{first!r} != {second!r}")
        allowed = max(self._relative * max(abs(first), abs(second)), self._absolute)
        if abs(first - second) > allowed:
            self._fail(f"{first!r} != {second!r}, by more than {allowed!r}")

    def _fail(self, text: str) -> None:
        self._case.fail(f"when comparing: {text}" + (f": {self._message}" if self._message else ""))


def _kind_of(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return "array"
    if isinstance(value, tuple | list):
        return "sequence"
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, numbers.Integral):
        return "int"
    if isinstance(value, numbers.Real):
        return "float"
    if isinstance(value, numbers.Complex):
        return "complex"
    return type(value).__name__
