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
from ._host_memory import pooled_empty
from ._later import LATER_IN_TOOLS, refuse_name

_P = ParamSpec("_P")
_R = TypeVar("_R")
_caches: list[dict[Any, Any]] = []


class _PoolView:
    """A pool of the current device, under PyCUDA's names."""

    def __init__(self, pool: ww.Pool) -> None:
        self._pool = pool

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


class DeviceMemoryPool(_PoolView):
    """The current device's memory pool."""

    def __init__(self) -> None:
        super().__init__(ww.Device().pool)

    @boundary
    def allocate(self, size: int) -> driver.PooledDeviceAllocation:
        return driver.PooledDeviceAllocation(ww.mem_alloc(int(size)))


class PageLockedAllocator:
    """Stands for PyCUDA's allocator. The pool's memory is portable and mapped, never
    write-combined."""

    def __init__(self, flags: int = 0) -> None:
        if flags & driver.host_alloc_flags.WRITECOMBINED:
            raise ww.UnsupportedError(
                "the pool of page-locked memory has none that is write-combined; use "
                "pagelocked_empty with that flag"
            )
        self.flags = flags


class PageLockedMemoryPool(_PoolView):
    """Host arrays in page-locked memory that is kept when they go."""

    def __init__(self, allocator: PageLockedAllocator | None = None) -> None:
        super().__init__(ww.Device().host_pool)
        self._allocator = allocator

    def allocate(
        self, shape: Sequence[int], dtype: npt.DTypeLike, order: Any = "C"
    ) -> npt.NDArray[Any]:
        return pooled_empty(shape, dtype, order)


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
