"""pycuda.driver over Warpwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._device import Context, Device, Event, Stream, get_driver_version, get_version, init
from ._enums import (
    ctx_flags,
    device_attribute,
    event_flags,
    func_cache,
    function_attribute,
    host_alloc_flags,
)
from ._errors import CompileError, Error, LaunchError, LogicError, MemoryError, RuntimeError
from ._later import LATER_IN_DRIVER, refuse_name
from ._launch import ArgumentHandler, Function, In, InOut, Module, Out
from ._memory import (
    DeviceAllocation,
    PointerHolderBase,
    from_device,
    from_device_like,
    mem_alloc,
    mem_alloc_like,
    mem_alloc_pitch,
    mem_get_info,
    memcpy_dtod,
    memcpy_dtod_async,
    memcpy_dtoh,
    memcpy_dtoh_async,
    memcpy_htod,
    memcpy_htod_async,
    memset_d8,
    memset_d8_async,
    memset_d16,
    memset_d16_async,
    memset_d32,
    memset_d32_async,
    pagelocked_empty,
    pagelocked_empty_like,
    pagelocked_zeros,
    pagelocked_zeros_like,
    to_device,
)

__all__ = [
    "ArgumentHandler",
    "CompileError",
    "Context",
    "Device",
    "DeviceAllocation",
    "Error",
    "Event",
    "Function",
    "In",
    "InOut",
    "LaunchError",
    "LogicError",
    "MemoryError",
    "Module",
    "Out",
    "PointerHolderBase",
    "RuntimeError",
    "Stream",
    "ctx_flags",
    "device_attribute",
    "event_flags",
    "from_device",
    "from_device_like",
    "func_cache",
    "function_attribute",
    "get_driver_version",
    "get_version",
    "have_gl_ext",
    "host_alloc_flags",
    "init",
    "mem_alloc",
    "mem_alloc_like",
    "mem_alloc_pitch",
    "mem_get_info",
    "memcpy_dtod",
    "memcpy_dtod_async",
    "memcpy_dtoh",
    "memcpy_dtoh_async",
    "memcpy_htod",
    "memcpy_htod_async",
    "memset_d8",
    "memset_d8_async",
    "memset_d16",
    "memset_d16_async",
    "memset_d32",
    "memset_d32_async",
    "pagelocked_empty",
    "pagelocked_empty_like",
    "pagelocked_zeros",
    "pagelocked_zeros_like",
    "to_device",
]  # fmt: skip


def have_gl_ext() -> bool:
    """Whether OpenGL interoperation is there: it is not."""
    return False


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        refuse_name("driver", name, LATER_IN_DRIVER)
