"""pycuda.tools over Warpwise: memory pools, memoisation and contexts.

Warpwise's memory is pooled by itself; a DeviceMemoryPool is a view of the device's own pool.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy.typing as npt

import warpwise as ww

from . import driver
from ._errors import boundary
from ._later import LATER_IN_TOOLS, refuse_name

_P = ParamSpec("_P")
_R = TypeVar("_R")
_caches: list[dict[Any, Any]] = []


class DeviceMemoryPool:
    """The current device's memory pool."""

    def __init__(self) -> None:
        self._pool = ww.Device().pool

    @boundary
    def allocate(self, size: int) -> driver.DeviceAllocation:
        return driver.mem_alloc(size)

    @property
    def held_blocks(self) -> int:
        return self._pool.held_blocks - self._pool.active_blocks

    @property
    def active_blocks(self) -> int:
        return self._pool.active_blocks

    @property
    def managed_bytes(self) -> int:
        return self._pool.held_bytes

    @property
    def active_bytes(self) -> int:
        return self._pool.active_bytes

    @boundary
    def free_held(self) -> None:
        self._pool.free_held()

    @boundary
    def stop_holding(self) -> None:
        """Gives unused blocks back; the pool itself stays, as the device's own."""
        self._pool.free_held()


class PageLockedAllocator:
    """Stands for PyCUDA's allocator; Warpwise needs no flags."""

    def __init__(self, flags: int = 0) -> None:
        self.flags = flags


class PageLockedMemoryPool:
    """Host arrays in page-locked memory."""

    def __init__(self, allocator: PageLockedAllocator | None = None) -> None:
        self._allocator = allocator

    @boundary
    def allocate(
        self, shape: Sequence[int], dtype: npt.DTypeLike, order: Any = "C"
    ) -> npt.NDArray[Any]:
        return ww.pagelocked_empty(shape, dtype, order)


def context_dependent_memoize(func: Callable[_P, _R]) -> Callable[_P, _R]:
    """Remembers results per device and arguments, until clear_context_caches()."""
    cache: dict[Any, _R] = {}
    _caches.append(cache)

    @functools.wraps(func)
    def remembered(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        key = (ww.Device(), args, tuple(sorted(kwargs.items())))
        if key not in cache:
            cache[key] = func(*args, **kwargs)
        return cache[key]

    return remembered


def clear_context_caches() -> None:
    for cache in _caches:
        cache.clear()


def make_default_context(
    ctx_maker: Callable[[driver.Device], driver.Context] | None = None,
) -> driver.Context:
    """A context of the default device, made current."""
    device = driver.Device(0)
    return ctx_maker(device) if ctx_maker else device.make_context()


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        refuse_name("tools", name, LATER_IN_TOOLS)
