"""Limits of a device: Context.get_limit and Context.set_limit.

A GPU's are the driver's. The CPU device's are what it can do at most: a request within that is
granted and changes nothing, because nothing is reserved for it.
"""

from __future__ import annotations

import ctypes
import functools
import operator
from collections.abc import Callable

import warpwise as ww

from .._basics.enums import limit
from .._basics.errors import LogicError

_KIB = 1 << 10
_UNBOUNDED = (1 << 63) - 1

# Of the CPU device: the stack of a thread beside its known variables, the share of memory that
# device code's malloc may use, output that waits for the next synchronisation, nested launches.
_OF_THE_CPU: dict[limit, Callable[[ww.Device], int]] = {
    limit.STACK_SIZE: lambda device: 48 * _KIB,
    limit.PRINTF_FIFO_SIZE: lambda device: _UNBOUNDED,
    limit.MALLOC_HEAP_SIZE: lambda device: device.info.total_memory // 4,
    limit.DEV_RUNTIME_SYNC_DEPTH: lambda device: 24,
    limit.DEV_RUNTIME_PENDING_LAUNCH_COUNT: lambda device: _UNBOUNDED,
}


def get_limit(device: ww.Device, which: limit) -> int:
    which = limit(which)
    if device.kind != "cuda":
        return _OF_THE_CPU[which](device)
    value = ctypes.c_size_t()
    _call(device, "cuCtxGetLimit", ctypes.byref(value), int(which))
    return value.value


def set_limit(device: ww.Device, which: limit, value: int) -> None:
    which, value = limit(which), operator.index(value)
    if value < 0:
        raise ww.ArgumentValueError(f"a limit is 0 or more, got {value}")
    if device.kind == "cuda":
        _call(device, "cuCtxSetLimit", int(which), ctypes.c_size_t(value))
        return
    most = get_limit(device, which)
    if value > most:
        raise ww.ArgumentValueError(
            f"{which.name} of {value} is more than the CPU device has: at most {most}"
        )


@functools.cache
def _primary_context(driver: ctypes.CDLL, ordinal: int) -> ctypes.c_void_p:
    """Retained for good: its limits go with it."""
    context = ctypes.c_void_p()
    status = driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), ordinal)
    if status != 0:
        raise LogicError(f"cuDevicePrimaryCtxRetain failed: the driver answered with {status}")
    return context


@functools.cache
def _driver() -> ctypes.CDLL:
    return ctypes.CDLL(ww.cuda_driver().path)


def _call(device: ww.Device, name: str, *arguments: object) -> None:
    """A function of the driver that is about the device's primary context."""
    driver = _driver()
    status = driver.cuCtxPushCurrent_v2(_primary_context(driver, device.ordinal))
    if status == 0:
        status = getattr(driver, name)(*arguments)
        driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
    if status != 0:
        raise LogicError(f"{name} failed: the driver answered with status {status}")
