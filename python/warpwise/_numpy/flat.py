"""The elements of an array, one after another in C order: x.flat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import _core
from .._core import Array
from .._errors import ArgumentIndexError
from .operands import cycled, like


class Flat:
    """The elements of an array in C order, for reading and writing; NumPy's flatiter.

    Reading gives new arrays, writing changes the array: values are converted to its type, and begin
    again where there are fewer of them than elements.
    """

    def __init__(self, base: Array) -> None:
        self._base = base
        self._next = 0

    @property
    def base(self) -> Array:
        """The array."""
        return self._base

    @property
    def index(self) -> int:
        """How many elements next() has given."""
        return self._next

    @property
    def coords(self) -> tuple[int, ...]:
        """Where the next element is."""
        return tuple(int(i) for i in np.unravel_index(self._next, self._base.shape))

    def copy(self) -> Array:
        """The elements, as an array of one axis."""
        return self._base.flatten()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.copy(), dtype=dtype)

    def __len__(self) -> int:
        return self._base.size

    def __iter__(self) -> Iterator[Array]:
        self._next = 0
        return self

    def __next__(self) -> Array:
        if self._next >= self._base.size:
            raise StopIteration
        element = self._base[self.coords]
        self._next += 1
        return element

    def __getitem__(self, key: Any) -> Array:
        return self._base.reshape(-1)[_key(key)].copy()

    def __setitem__(self, key: Any, values: Any) -> None:
        base = self._base
        given = like(values, base).reshape(-1)
        if base.is_c_contiguous:
            flat = base.reshape(-1)
            flat[_key(key)] = _fitted(given, flat[_key(key)])
            return
        numbers = _core.arange(base.size, dtype=np.int64, device=base.device)
        places = numbers[_key(key)]
        base[tuple(_core.unravel_index(places, base.shape))] = _fitted(given, places)


def _key(key: Any) -> Any:
    """One index: that of the only axis."""
    one = key[0] if isinstance(key, tuple) and len(key) == 1 else key
    if isinstance(one, tuple) or one is None:
        raise ArgumentIndexError(
            f"x.flat has one axis, got {_core.value_text(key)}; give an int, a slice, or one array "
            "of integers or bools"
        )
    return one


def _fitted(values: Array, elements: Array) -> Array:
    """As many values as elements, in their shape."""
    if values.size == 1:
        return values.reshape(())
    count = elements.size
    fitted = cycled(values, count) if values.size < count else values[:count]
    return fitted.reshape(elements.shape)
