"""How many blocks and threads PyCUDA's kernels over arrays are launched with."""

from __future__ import annotations

import functools

import warpwise as ww

from .._basics.enums import device_attribute
from .._devices.context import Context
from .._devices.device import Device

_WARP = 32
_MOST_THREADS = 128
_BLOCKS_OF_A_PROCESSOR = 32


@functools.lru_cache(maxsize=1024)
def _launch(n: int, processors: int) -> tuple[tuple[int, int], tuple[int, int, int]]:
    most_blocks = processors * _BLOCKS_OF_A_PROCESSOR
    warps = max(1, -(-n // _WARP))
    if warps <= most_blocks:
        return (warps, 1), (_WARP, 1, 1)
    threads = min(_MOST_THREADS, -(-warps // most_blocks) * _WARP)
    return (most_blocks, 1), (threads, 1, 1)


def splay(n: int, dev: Device | None = None) -> tuple[tuple[int, int], tuple[int, int, int]]:
    """A grid and a block whose threads, each with several elements in steps of the whole grid,
    visit n elements.

    Parameters
    ----------
    n : int
        Elements; 0 gives one block.
    dev : Device, optional
        Default: the current one.
    """
    if n < 0:
        raise ww.ArgumentValueError(f"splay expects a number of elements, got {n}")
    device = Context.get_device() if dev is None else dev
    return _launch(int(n), device.get_attribute(device_attribute.MULTIPROCESSOR_COUNT))
