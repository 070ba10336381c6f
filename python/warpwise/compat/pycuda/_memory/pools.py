"""pycuda.tools and pycuda.driver: memory pools.

Warpwise's memory is pooled by itself; a pool here is a view of the device's own.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, cast

import numpy.typing as npt

import warpwise as ww

from .._basics.enums import host_alloc_flags, require_flags
from .._basics.errors import boundary, joined
from .host_memory import PooledHostAllocation, pagelocked_empty, pooled_empty
from .memory import PooledDeviceAllocation

# PyCUDA's pools have 16 bins of sizes between one power of two and the next.
_BITS = 4
_BINS = 1 << _BITS


def bitlog2(n: int) -> int:
    """The largest whole b with 2**b <= n."""
    if n <= 0:
        raise ValueError(f"bitlog2 wants a positive number, got {n}")
    return int(n).bit_length() - 1


def _shifted(value: int, by: int) -> int:
    return value << by if by >= 0 else value >> -by


class _PoolView:
    """A pool of the current device, under PyCUDA's names. Active is what this object has allocated;
    blocks that are held may serve all requests."""

    def __init__(self, pool: ww.Pool) -> None:
        self._pool = pool

    def _living(self) -> list[int]:
        """The bytes asked for, of each that is in use."""
        raise NotImplementedError

    @property
    def held_blocks(self) -> int:
        """Blocks without a user."""
        return self._pool.held_blocks - self._pool.active_blocks

    @property
    def active_blocks(self) -> int:
        return len(self._living())

    @property
    def managed_bytes(self) -> int:
        return self._pool.held_bytes

    @property
    def active_bytes(self) -> int:
        return sum(self._living())

    @staticmethod
    def bin_number(size: int) -> int:
        """Of PyCUDA's bins, the one of a request of this size."""
        exponent = bitlog2(size) if size != 0 else 0
        return exponent << _BITS | (_shifted(size, _BITS - exponent) & (_BINS - 1))

    @staticmethod
    def alloc_size(bin: int) -> int:
        """The largest request of a bin."""
        if bin < 0:
            raise ValueError(f"bins are numbered from 0, got {bin}")
        exponent, mantissa = bin >> _BITS, bin & (_BINS - 1)
        rest = max(0, _shifted(1, exponent - _BITS) - 1)
        return _shifted(_BINS | mantissa, exponent - _BITS) | rest

    @boundary
    def free_held(self) -> None:
        self._pool.free_held()


class DeviceMemoryPool(_PoolView):
    """Memory from the current device's pool."""

    def __init__(self) -> None:
        super().__init__(ww.Device().pool)
        self._allocator = ww.Allocator(PooledDeviceAllocation, joined)
        if type(self).allocate is _ALLOCATE:
            # Calls of an instance reach it without a frame of Python.
            vars(self)["allocate"] = self._allocator.allocate

    def _living(self) -> list[int]:
        return self._allocator.sizes()

    @boundary
    def stop_holding(self) -> None:
        """Returns unused blocks to the device, now and whenever memory of this pool is freed."""
        self._allocator.stop_holding()

    def allocate(self, size: int) -> PooledDeviceAllocation:
        return cast(PooledDeviceAllocation, self._allocator.allocate(size))


_ALLOCATE = DeviceMemoryPool.allocate


class PageLockedAllocator:
    """What a PageLockedMemoryPool allocates: `flags` are host_alloc_flags."""

    @boundary
    def __init__(self, flags: int = 0) -> None:
        self.flags = require_flags(flags, host_alloc_flags, "flags")


class PageLockedMemoryPool(_PoolView):
    """Host arrays in page-locked memory that is kept when they are destroyed. Write-combined
    memory is not kept."""

    def __init__(self, allocator: PageLockedAllocator | None = None) -> None:
        super().__init__(ww.Device().host_pool)
        if not isinstance(allocator, PageLockedAllocator | None):
            raise TypeError(f"expected a PageLockedAllocator, got {allocator!r}")
        self._flags = 0 if allocator is None else allocator.flags
        self._is_holding = True
        self._own: weakref.WeakSet[PooledHostAllocation] = weakref.WeakSet()

    def _living(self) -> list[int]:
        return [memoryview(one).nbytes for one in self._own if not (one._is_free or one.is_freed)]

    @boundary
    def stop_holding(self) -> None:
        """Returns unused blocks to the device, now and whenever memory of this pool is freed."""
        self._is_holding = False
        self._pool.free_held()

    def _was_freed(self) -> None:
        if not self._is_holding:
            self._pool.free_held()

    @boundary
    def allocate(
        self, shape: int | Sequence[int], dtype: npt.DTypeLike, order: Any = "C"
    ) -> npt.NDArray[Any]:
        if self._flags & host_alloc_flags.WRITECOMBINED:
            return pagelocked_empty(shape, dtype, order, self._flags)
        made = pooled_empty(shape, dtype, order)
        base: Any = made.base
        base._flags, base._was_freed = self._flags, self._was_freed
        self._own.add(base)
        return made


class DebugMemoryPool(DeviceMemoryPool):
    """A DeviceMemoryPool that reports every allocation, and waits for Enter where interactive."""

    def __init__(self, interactive: bool = True, logfile: Any = None) -> None:
        super().__init__()
        self.interactive = interactive
        self.logfile = logfile
        self.blocks: dict[int, int] = {}

    @boundary
    def allocate(self, size: int) -> PooledDeviceAllocation:
        memory: PooledDeviceAllocation = super().allocate(size)
        self.blocks[size] = self.blocks.get(size, 0) + 1
        words = (
            f"allocation of {size} bytes, number {self.blocks[size]} of this size; "
            f"{self.active_bytes} bytes in {self.active_blocks} blocks are in use"
        )
        print(words, file=self.logfile)
        if self.interactive:
            input("press Enter to continue ")
        return memory


__all__ = [
    "DebugMemoryPool",
    "DeviceMemoryPool",
    "PageLockedAllocator",
    "PageLockedMemoryPool",
    "PooledHostAllocation",
    "bitlog2",
]
