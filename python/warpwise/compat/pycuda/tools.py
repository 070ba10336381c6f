"""pycuda.tools over Warpwise: memory pools, contexts, memoisation, types of C, occupancy."""

from __future__ import annotations

import functools
import gc
import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import warpwise as ww

from . import driver
from ._basics.documented import documented
from ._basics.dtypes import (
    Argument,
    ScalarArg,
    VectorArg,
    dtype_to_ctype,
    get_arg_type,
    get_or_register_dtype,
    match_dtype_to_c_struct,
    parse_c_arg,
    register_dtype,
)
from ._basics.errors import boundary
from ._devices.occupancy import DeviceData, OccupancyRecord
from ._memory.host_memory import PooledHostAllocation
from ._memory.memory import PooledDeviceAllocation
from ._memory.pools import (
    DebugMemoryPool,
    DeviceMemoryPool,
    PageLockedAllocator,
    PageLockedMemoryPool,
    bitlog2,
)

__all__ = [
    "Argument",
    "DebugMemoryPool",
    "DeviceData",
    "DeviceMemoryPool",
    "OccupancyRecord",
    "PageLockedAllocator",
    "PageLockedMemoryPool",
    "PooledDeviceAllocation",
    "PooledHostAllocation",
    "ScalarArg",
    "VectorArg",
    "bitlog2",
    "clear_context_caches",
    "context_dependent_memoize",
    "dtype_to_ctype",
    "get_arg_type",
    "get_default_device",
    "get_or_register_dtype",
    "init_cuda_context_fixture",
    "make_default_context",
    "mark_cuda_test",
    "match_dtype_to_c_struct",
    "parse_c_arg",
    "register_dtype",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")
_caches: list[dict[Any, Any]] = []


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


def _chosen_number(default: int | None) -> int | None:
    """The device that CUDA_DEVICE names, or the file ~/.cuda_device of PyCUDA's code, or
    ~/.cuda-device of its documentation; else `default`."""
    words = os.environ.get("CUDA_DEVICE")
    where = "CUDA_DEVICE"
    files = [Path.home() / name for name in (".cuda_device", ".cuda-device")]
    file = next((one for one in files if one.is_file()), None)
    if words is None and file is not None:
        words, where = file.read_text(), str(file)
    if words is None:
        return default
    try:
        return int(words.strip())
    except ValueError:
        raise ww.ArgumentValueError(f"{where} is to be a number, got {words!r}") from None


@boundary
def get_default_device(default: int = 0) -> driver.Device:
    """Deprecated, as in PyCUDA: make_default_context() chooses a device."""
    warnings.warn("get_default_device() is deprecated; use make_default_context()",
                  DeprecationWarning, stacklevel=3)  # fmt: skip
    number = _chosen_number(default)
    return driver.Device(default if number is None else number)


@boundary
def make_default_context(
    ctx_maker: Callable[[driver.Device], driver.Context] | None = None,
) -> driver.Context:
    """A context made current: on the device that CUDA_DEVICE or ~/.cuda_device names, else on
    Warpwise's default device, else on the first one that gives a context. RuntimeError where none
    does."""
    make = ctx_maker or driver.Device.make_context
    number = _chosen_number(None)
    here = ww.Device()
    if number is not None and here.kind == "cuda":
        return make(driver.Device(number))
    devices = [driver.Device(index) for index in range(driver.Device.count())]
    devices.sort(key=lambda one: one._device != here)
    reasons = []
    for device in devices:
        try:
            return make(device)
        except driver.Error as error:
            reasons.append(f"{device.name()}: {error}")
    raise RuntimeError(
        f"make_default_context() got a context on none of {len(devices)} devices: "
        + "; ".join(reasons)
    )


def init_cuda_context_fixture() -> Iterator[None]:
    """The body of a fixture of pytest that makes a context: `yield from` it."""
    driver.init()
    context = make_default_context()
    try:
        yield
    finally:
        context.detach()
        clear_context_caches()
        gc.collect()


@documented(func="inner_f")
def mark_cuda_test(inner_f: Callable[_P, _R]) -> Callable[_P, _R]:
    """A test that runs in a context of its own, with pytest's marker `cuda` where that is
    registered."""

    @functools.wraps(inner_f)
    def test(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        context = init_cuda_context_fixture()
        next(iter(context))
        try:
            return inner_f(*args, **kwargs)
        finally:
            for _ in context:
                pass

    try:
        import pytest
    except ImportError:
        return test
    try:
        return pytest.mark.cuda(test)
    except pytest.fail.Exception:  # markers are strict, and this one is not registered
        return test
