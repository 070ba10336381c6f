"""Launches of kernels that were declared with signatures: arguments become the declared types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._core import value_text
from ..._errors import ArgumentTypeError
from .. import types


class DeclaredLaunch:
    """A launch that takes what one of the signatures takes, and nothing else."""

    def __init__(self, launch: Any, signatures: Sequence[types.Signature]) -> None:
        self._launch = launch
        self._signatures = signatures

    def __call__(self, *args: Any) -> None:
        self._launch(*declared_arguments(args, self._signatures))

    @property
    def griddim(self) -> tuple[int, ...]:
        """The grid's extents along x, y and z."""
        return self._launch.griddim  # type: ignore[no-any-return]

    @property
    def blockdim(self) -> tuple[int, ...]:
        """A block's extents along x, y and z."""
        return self._launch.blockdim  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return repr(self._launch)


def declared_arguments(
    args: tuple[Any, ...], signatures: Sequence[types.Signature]
) -> tuple[Any, ...]:
    """The arguments as the types of the signature that fits them best.

    As in Numba: the one with the fewest casts that may lose values, of these the one with the
    fewest to another class of numbers, of these the one with the fewest to wider numbers. Where
    several are equally good, the call is ambiguous.
    """
    given = [_Given(each) for each in args]
    fitting: dict[tuple[int, ...], list[types.Signature]] = {}
    for signature in signatures:
        if len(signature.args) != len(args):
            continue
        distances = [one.distance(kind) for one, kind in zip(given, signature.args)]
        if max(distances, default=0) < _NO_MATCH:
            cost = tuple(distances.count(rank) for rank in (_CAST, _CONVERTED, _WIDENED))
            fitting.setdefault(cost, []).append(signature)
    if fitting:
        best = fitting[min(fitting)]
        chosen = best[0].args
        if any(other.args != chosen for other in best):
            raise ArgumentTypeError(
                f"Ambiguous overloading for argument type(s) {', '.join(map(str, given))}: "
                f"{'; '.join(map(str, best))} fit equally well; convert an argument to the type "
                "of one of them"
            )
        return tuple(one.cast(kind) for one, kind in zip(given, chosen))
    known = "; ".join(str(signature) for signature in signatures)
    raise ArgumentTypeError(
        f"No matching definition for argument type(s) {', '.join(str(one) for one in given)}; it "
        f"was declared for {known}{_difference(given, signatures)}"
    )


def _difference(given: list[_Given], signatures: Sequence[types.Signature]) -> str:
    """The first argument that the only signature does not take."""
    if len(signatures) != 1 or len(given) != len(signatures[0].args):
        return ""
    for number, (one, wanted) in enumerate(zip(given, signatures[0].args), start=1):
        if one.distance(wanted) == _NO_MATCH:
            return f": argument {number} is {one}, not {wanted}"
    return ""


# How far an argument is from a type, besides 0 for the same one.
_WIDENED = 1  # to more bits of the same class of numbers
_CONVERTED = 2  # another type that holds every value
_CAST = 3  # one that may lose values
_NO_MATCH = 4


class _Given:
    """One argument and its type."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.kind = _type_of(value)

    def distance(self, wanted: Any) -> int:
        if self.kind == wanted:
            return 0
        if isinstance(wanted, types.Array):
            if not isinstance(self.kind, types.Array):
                return _NO_MATCH
            same = (self.kind.dtype, self.kind.ndim) == (wanted.dtype, wanted.ndim)
            fits = wanted.layout in ("A", self.kind.layout)
            return _CONVERTED if same and fits else _NO_MATCH
        if isinstance(wanted, types.Number) and isinstance(self.kind, types.Number):
            before, after = self.kind.dtype_of_numpy, wanted.dtype_of_numpy
            if np.can_cast(before, after):
                return _WIDENED if before.kind == after.kind else _CONVERTED
            lossy = isinstance(self.kind, types.Complex) and not isinstance(wanted, types.Complex)
            return _NO_MATCH if lossy else _CAST
        return _NO_MATCH

    def cast(self, wanted: Any) -> Any:
        if isinstance(wanted, types.Number) and self.kind != wanted:
            return wanted.cast_python_value(self.value)
        return self.value

    def __str__(self) -> str:
        return str(self.kind)


def _type_of(value: Any) -> Any:
    if hasattr(value, "array") and not hasattr(value, "dtype"):  # In, Out and InOut
        value = value.array
    if hasattr(value, "__cuda_array_interface__") and not hasattr(value, "strides"):
        from .._arrays.device_array import as_cuda_array

        value = as_cuda_array(value)
    try:
        return types.typeof(value)
    except ArgumentTypeError:
        raise ArgumentTypeError(f"kernels take no value like {value_text(value)}") from None
