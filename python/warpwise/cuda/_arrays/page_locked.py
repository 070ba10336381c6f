"""Which memory of the host is page-locked: copies to it need not be waited for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..._core import Buffer, HostBuffer
from .layouts import strided_extent

_spans: list[tuple[int, int]] = []  # of arrays that are page-locked for a while


def _span(array: np.ndarray[Any, Any]) -> tuple[int, int]:
    first, end = strided_extent(array.shape, array.strides, array.itemsize)
    address = int(array.__array_interface__["data"][0])
    return address + first, address + end


@contextmanager
def page_locked(array: np.ndarray[Any, Any]) -> Iterator[None]:
    """A block in which the memory of the array is known to be page-locked."""
    span = _span(array)
    _spans.append(span)
    try:
        yield
    finally:
        _spans.remove(span)


def is_page_locked(array: np.ndarray[Any, Any]) -> bool:
    """Whether the array lies in memory of pinned_array() or its like, or is in a pinned() block."""
    owner: Any = array
    while isinstance(owner, np.ndarray | memoryview):
        following = owner.obj if isinstance(owner, memoryview) else owner.base
        if following is None:
            break
        owner = following
    if isinstance(owner, HostBuffer | Buffer):
        return True
    low, high = _span(array)
    return any(start <= low and high <= end for start, end in list(_spans))
