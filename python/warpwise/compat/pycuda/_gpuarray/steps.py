"""The part of GPUArray that libraries built on PyCUDA call: what its operators are made of.

Each computes into `out`, an array that the caller has made, and returns it.
"""

from __future__ import annotations

from typing import Any

import warpwise as ww

from .._basics.errors import boundary
from .._devices.device import Stream
from .operators import quotient


class Steps:
    """_axpbyz and the like."""

    _array: ww.Array

    def _new_like_me(self, dtype: Any = None, order: str = "C") -> Any:
        raise NotImplementedError

    @boundary
    def _axpbyz(
        self,
        selffac: Any,
        other: Any,
        otherfac: Any,
        out: Any,
        add_timer: Any = None,
        stream: Stream | None = None,
    ) -> Any:
        """selffac * self + otherfac * other."""
        return self.mul_add(selffac, other, otherfac, add_timer, stream, out)  # type: ignore[attr-defined]

    @boundary
    def _axpbz(self, selffac: Any, other: Any, out: Any, stream: Stream | None = None) -> Any:
        """selffac * self + other, a number."""
        return self._into(out, stream, lambda array: array * selffac + other)

    @boundary
    def _elwise_multiply(self, other: Any, out: Any, stream: Stream | None = None) -> Any:
        """self * other."""
        return self._into(out, stream, lambda array: array * other._array)

    @boundary
    def _div(self, other: Any, out: Any, stream: Stream | None = None) -> Any:
        """self / other."""
        return self._into(out, stream, lambda array: quotient(array, other._array))

    @boundary
    def _rdiv_scalar(self, other: Any, out: Any, stream: Stream | None = None) -> Any:
        """other / self, of a number."""
        return self._into(out, stream, lambda array: quotient(other, array))

    @boundary
    def _pow(self, other: Any, new: bool) -> Any:
        """self ** other, in a new array or in this one."""
        given = getattr(other, "_array", other)
        values = ww.pow(self._array, given)
        out = self._new_like_me(values.dtype) if new else self
        return self._into(out, None, lambda _: values)

    def _into(self, out: Any, stream: Stream | None, computed: Any) -> Any:
        from .array import on_stream
        from .functions import delivered

        with on_stream(stream):
            return delivered(self, computed(self._array), out)  # type: ignore[arg-type]


def get_common_dtype(one: Any, other: Any) -> Any:
    """The dtype of an operation on two arrays, or on an array and a number, by NumPy's rules."""
    return ww.result_type(one._array, getattr(other, "_array", other))
