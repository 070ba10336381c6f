"""pycuda.driver over Warpwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._arrays import (
    Array,
    ArrayDescriptor,
    ArrayDescriptor3D,
    Memcpy2D,
    Memcpy3D,
    dtype_to_array_format,
    gpuarray_to_array,
    make_multichannel_2d_array,
    matrix_to_array,
    memcpy_atoa,
    memcpy_atod,
    memcpy_atoh,
    memcpy_dtoa,
    memcpy_htoa,
    np_to_array,
)
from ._device import Context, Device, Event, Stream, get_driver_version, get_version, init
from ._enums import (
    address_mode,
    array3d_flags,
    array_format,
    ctx_flags,
    device_attribute,
    event_flags,
    filter_mode,
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
from ._textures import (
    TR_DEFAULT,
    TRSA_OVERRIDE_FORMAT,
    TRSF_NORMALIZED_COORDINATES,
    TRSF_READ_AS_INTEGER,
    SurfaceReference,
    TextureReference,
    bind_array_to_texref,
    matrix_to_texref,
)

__all__ = [
    "TRSA_OVERRIDE_FORMAT",
    "TRSF_NORMALIZED_COORDINATES",
    "TRSF_READ_AS_INTEGER",
    "TR_DEFAULT",
    "ArgumentHandler",
    "Array",
    "ArrayDescriptor",
    "ArrayDescriptor3D",
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
    "Memcpy2D",
    "Memcpy3D",
    "MemoryError",
    "Module",
    "Out",
    "PointerHolderBase",
    "RuntimeError",
    "Stream",
    "SurfaceReference",
    "TextureReference",
    "address_mode",
    "array3d_flags",
    "array_format",
    "bind_array_to_texref",
    "ctx_flags",
    "device_attribute",
    "dtype_to_array_format",
    "event_flags",
    "filter_mode",
    "from_device",
    "from_device_like",
    "func_cache",
    "function_attribute",
    "get_driver_version",
    "get_version",
    "gpuarray_to_array",
    "have_gl_ext",
    "host_alloc_flags",
    "init",
    "make_multichannel_2d_array",
    "matrix_to_array",
    "matrix_to_texref",
    "mem_alloc",
    "mem_alloc_like",
    "mem_alloc_pitch",
    "mem_get_info",
    "memcpy_atoa",
    "memcpy_atod",
    "memcpy_atoh",
    "memcpy_dtoa",
    "memcpy_dtod",
    "memcpy_dtod_async",
    "memcpy_dtoh",
    "memcpy_dtoh_async",
    "memcpy_htoa",
    "memcpy_htod",
    "memcpy_htod_async",
    "memset_d8",
    "memset_d8_async",
    "memset_d16",
    "memset_d16_async",
    "memset_d32",
    "memset_d32_async",
    "np_to_array",
    "pagelocked_empty",
    "pagelocked_empty_like",
    "pagelocked_zeros",
    "pagelocked_zeros_like",
    "py_memcpy_atoh",
    "py_memcpy_htoa",
    "to_device",
]  # fmt: skip

# The names that PyCUDA really exports.
py_memcpy_htoa = memcpy_htoa
py_memcpy_atoh = memcpy_atoh


def have_gl_ext() -> bool:
    """Whether OpenGL interoperation is there: it is not."""
    return False


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        refuse_name("driver", name, LATER_IN_DRIVER)
