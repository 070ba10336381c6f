"""pycuda.driver.Context: a stack of contexts for each thread.

Warpwise has one primary context per device and a current device per thread. A Context here names a
device; pushing and popping contexts makes devices current and undoes it.
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any, NoReturn

import warpwise as ww

from .._basics.documented import documented
from .._basics.enums import func_cache, limit, require_none, shared_config
from .._basics.errors import LogicError, boundary
from .device import Device, current_device, get_driver_version
from .limits import get_limit, set_limit


class _Contexts(threading.local):
    def __init__(self) -> None:
        self.stack: list[Context] = []


_contexts = _Contexts()
_preferences: dict[ww.Device, func_cache] = {}


class Absent:
    """A name that PyCUDA does not have, although its guide or other packages suggest it."""

    def __init__(self, words: str) -> None:
        self._words = words

    def __get__(self, instance: Any, owner: type) -> NoReturn:
        raise AttributeError(self._words)


class Context:
    """A device's context on this thread's stack of contexts."""

    get_error = Absent(
        "pycuda.driver.Context has no 'get_error': errors are exceptions; "
        "Context.synchronize() raises those of kernels"
    )

    def __init__(self, device: Device) -> None:
        self._device = device
        self._is_detached = False

    @staticmethod
    @boundary
    def attach(flags: int = 0) -> Context:
        """The current context, for one more detach()."""
        require_none(flags, "attach")
        current = Context.get_current()
        if current is None:
            raise LogicError("no context is current in this thread; call make_context() first")
        return Context(current._device)

    @boundary
    def push(self) -> None:
        if self._is_detached:
            raise LogicError("this context was detached; make a new one with make_context()")
        self.native.__enter__()
        _contexts.stack.append(self)

    @staticmethod
    @boundary
    def pop() -> None:
        if not _contexts.stack:
            raise LogicError("this thread's stack of contexts is empty: nothing to pop")
        _contexts.stack.pop().native.__exit__(None, None, None)

    @boundary
    def detach(self) -> None:
        """Ends the use of this context; takes it off the stack, where it is on top of it."""
        if self._is_detached:
            raise LogicError("this context was detached before")
        self._is_detached = True
        if _contexts.stack and _contexts.stack[-1] is self:
            Context.pop()

    @staticmethod
    def get_current() -> Context | None:
        return _contexts.stack[-1] if _contexts.stack else None

    @staticmethod
    def get_device() -> Device:
        """Of the current context; where there is none, the one that calls are about all the
        same."""
        current = Context.get_current()
        return current._device if current else current_device()

    @staticmethod
    @boundary
    def synchronize() -> None:
        ww.Device().synchronize()

    @staticmethod
    @boundary
    def set_limit(limit: limit, value: int) -> None:
        """Of the current device, for kernels that are launched later."""
        set_limit(ww.Device(), limit, value)

    @staticmethod
    @boundary
    def get_limit(limit: limit) -> int:
        return get_limit(ww.Device(), limit)

    @staticmethod
    @boundary
    def set_cache_config(cc: func_cache) -> None:
        """What Function.set_cache_config is for functions that are obtained later."""
        _preferences[ww.Device()] = func_cache(cc)

    @staticmethod
    @boundary
    def get_cache_config() -> func_cache:
        return _preferences.get(ww.Device(), func_cache.PREFER_NONE)

    @staticmethod
    @documented(sc="config")
    @boundary
    def set_shared_config(config: shared_config) -> None:
        """Devices since Maxwell have banks of four bytes, whatever is set; so does the CPU."""
        shared_config(config)

    @staticmethod
    @boundary
    def get_shared_config() -> shared_config:
        return shared_config.FOUR_BYTE_BANK_SIZE

    @staticmethod
    @boundary
    def enable_peer_access(peer: Context, flags: int = 0) -> None:
        """Lets kernels of the current context use memory of the peer."""
        require_none(flags, "enable_peer_access")
        ww.Device().enable_peer_access(require_context(peer).native)

    @staticmethod
    @boundary
    def disable_peer_access(peer: Context, flags: int = 0) -> None:
        require_none(flags, "disable_peer_access")
        ww.Device().disable_peer_access(require_context(peer).native)

    @property
    def native(self) -> ww.Device:
        """Warpwise's device."""
        return self._device._device

    @property
    def handle(self) -> int:
        """The driver's handle; on the CPU a number, different for each device."""
        return _handle(self.native)

    def get_api_version(self) -> int:
        return get_driver_version()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Context) and self._device == other._device

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._device)

    def __repr__(self) -> str:
        return f"<pycuda Context of {self._device!r}>"


def require_context(context: object) -> Context:
    if not isinstance(context, Context):
        raise TypeError(f"expected a pycuda.driver.Context, got {context!r}")
    return context


def _handle(device: ww.Device) -> int:
    if device.kind != "cuda":
        return hash(device)
    driver = ctypes.CDLL(ww.cuda_driver().path)
    handle = ctypes.c_void_p()
    status = driver.cuDevicePrimaryCtxRetain(ctypes.byref(handle), device.ordinal)
    if status != 0 or handle.value is None:
        raise LogicError(f"cuDevicePrimaryCtxRetain failed with status {status}")
    driver.cuDevicePrimaryCtxRelease_v2(device.ordinal)
    return handle.value
