"""The part of GPUArray that shows the same memory otherwise: reshape, view, slices, transposes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

import warpwise as ww

from .._basics.errors import boundary
from .memory import relabelled, require_contiguous


class Shapes:
    """reshape, ravel, view, squeeze, transpose, indices. Results share memory with the array."""

    _array: ww.Array
    base: Any

    def _view(self, array: ww.Array) -> Self:
        raise NotImplementedError

    def _placed(self) -> ww.Array:
        """The array, in the memory that is its own for good: views share it."""
        raise NotImplementedError

    @boundary
    def reshape(self, *shape: Any, order: str = "C") -> Self:
        """Another shape for the memory as it lies, in C order or in Fortran order: unlike in NumPy,
        an array in Fortran order is not rearranged. One extent may be -1."""
        require_contiguous(self._placed())
        axes = shape[0] if len(shape) == 1 and not isinstance(shape[0], int | np.integer) else shape
        wanted = _completed(tuple(int(one) for one in axes), self._array.size)
        array = self._array
        if wanted == array.shape and (
            (order == "C" and array.is_c_contiguous) or (order == "F" and array.is_f_contiguous)
        ):
            return self
        return self._view(relabelled(array, wanted, order))

    @boundary
    def ravel(self) -> Self:
        """One axis, in the order of memory."""
        return self.reshape(self._array.size)

    @boundary
    def view(self, dtype: npt.DTypeLike | None = None) -> Self:
        """The same bytes as another type. Where its size is another, the axis without gaps gets
        longer or shorter."""
        array = self._placed()
        if dtype is None:
            return self._view(array[...])
        kind = np.dtype(dtype)
        if kind.itemsize == array.itemsize or array.ndim == 0:
            return self._view(array.view(kind))
        axis = min(range(array.ndim), key=lambda one: abs(array.strides[one]))
        if array.shape[axis] * array.itemsize % kind.itemsize != 0:
            raise ww.ArgumentValueError(
                f"new type not compatible with array: {array.shape[axis]} elements of "
                f"{array.dtype} are no whole number of {kind}"
            )
        last = array.ndim - 1
        return self._view(array.swapaxes(axis, last).view(kind).swapaxes(axis, last))

    @boundary
    def squeeze(self) -> Self:
        """Without the axes of extent 1."""
        return self._view(self._placed().squeeze())

    @boundary
    def transpose(self, axes: Sequence[int] | None = None) -> Self:
        """The axes in this order; without any, reversed."""
        if axes is None:
            return self._view(self._placed().T)
        if len(axes) != self._array.ndim:
            raise ww.ArgumentValueError(
                f"axes don't match array: {tuple(axes)} for shape {self._array.shape}"
            )
        array = self._placed()
        return self._view(array.transpose(*map(int, axes)) if axes else array[...])

    @property
    def T(self) -> Self:  # noqa: N802 - PyCUDA's name
        """A view with the axes reversed."""
        return self.transpose()

    @boundary
    def __getitem__(self, index: Any) -> Self:
        """A view: integers, slices of any step, Ellipsis and numpy.newaxis."""
        return self._view(at_index(self._placed(), index))

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("scalar must not have a len()")
        return self._array.shape[0]


def at_index(array: ww.Array, index: Any) -> ww.Array:
    """The elements that an index names. What is no index is an IndexError, as in PyCUDA."""
    try:
        return array[_native_index(index)]
    except ww.ArgumentIndexError:
        raise
    except ww.ArgumentError as error:
        raise ww.ArgumentIndexError(str(error)) from None


def _native_index(index: Any) -> Any:
    """With GPUArrays in it replaced by the arrays that they stand for."""
    if isinstance(index, tuple):
        return tuple(_native_index(one) for one in index)
    return index._array if isinstance(index, Shapes) else index


def _completed(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """The shape with the extent that stands for -1."""
    if shape.count(-1) > 1:
        raise ww.ArgumentValueError(f"can only specify one unknown dimension, got {shape}")
    known = math.prod(one for one in shape if one != -1)
    if -1 in shape and known > 0 and size % known == 0:
        return tuple(size // known if one == -1 else one for one in shape)
    if -1 in shape or known != size:
        raise ww.ArgumentValueError(
            f"total size of new array must be unchanged: {size} elements do not fit {shape}"
        )
    return shape
