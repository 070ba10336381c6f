"""pycuda.driver over Warpwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._basics.enums import (
    address_mode,
    array3d_flags,
    array_cubemap_face,
    array_format,
    compute_mode,
    ctx_flags,
    device_attribute,
    event_flags,
    filter_mode,
    func_cache,
    function_attribute,
    graphics_register_flags,
    host_alloc_flags,
    ipc_mem_flags,
    jit_fallback,
    jit_input_type,
    jit_option,
    jit_target,
    limit,
    mem_attach_flags,
    mem_host_register_flags,
    memory_type,
    pointer_attribute,
    profiler_output_mode,
    shared_config,
)
from ._basics.errors import CompileError, Error, LaunchError, LogicError, MemoryError, RuntimeError
from ._compiling.link import Linker, module_from_buffer, module_from_file
from ._devices.context import Context
from ._devices.device import Device, Event, Stream, get_driver_version, get_version, init
from ._devices.profiler import initialize_profiler, start_profiler, stop_profiler
from ._later import refuse_name
from ._launch.function import Function
from ._launch.handlers import ArgumentHandler, In, InOut, Out
from ._launch.module import Module
from ._memory.boxes import Memcpy2D, Memcpy3D, Memcpy3DPeer
from ._memory.cuda_arrays import (
    Array,
    ArrayDescriptor,
    ArrayDescriptor3D,
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
from ._memory.fills import (
    memset_d2d8,
    memset_d2d8_async,
    memset_d2d16,
    memset_d2d16_async,
    memset_d2d32,
    memset_d2d32_async,
)
from ._memory.host_memory import (
    AlignedHostAllocation,
    HostPointer,
    ManagedAllocation,
    PagelockedHostAllocation,
    PooledHostAllocation,
    RegisteredHostMemory,
    aligned_empty,
    aligned_empty_like,
    aligned_zeros,
    aligned_zeros_like,
    managed_empty,
    managed_empty_like,
    managed_zeros,
    managed_zeros_like,
    pagelocked_empty,
    pagelocked_empty_like,
    pagelocked_zeros,
    pagelocked_zeros_like,
    register_host_memory,
)
from ._memory.memory import (
    DeviceAllocation,
    PointerHolderBase,
    PooledDeviceAllocation,
    from_device,
    from_device_like,
    mem_alloc,
    mem_alloc_like,
    mem_alloc_pitch,
    mem_get_address_range,
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
    to_device,
)
from ._memory.pools import DeviceMemoryPool, PageLockedAllocator, PageLockedMemoryPool
from ._memory.sharing import IPCMemoryHandle, mem_get_ipc_handle, memcpy_peer, memcpy_peer_async
from ._memory.textures import (
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
    "CUDA_DEBUGGING",
    "TRSA_OVERRIDE_FORMAT",
    "TRSF_NORMALIZED_COORDINATES",
    "TRSF_READ_AS_INTEGER",
    "TR_DEFAULT",
    "AlignedHostAllocation",
    "ArgumentHandler",
    "Array",
    "ArrayDescriptor",
    "ArrayDescriptor3D",
    "CompileError",
    "Context",
    "Device",
    "DeviceAllocation",
    "DeviceMemoryPool",
    "Error",
    "Event",
    "Function",
    "HostAllocation",
    "HostPointer",
    "IPCMemoryHandle",
    "In",
    "InOut",
    "LaunchError",
    "Linker",
    "LogicError",
    "ManagedAllocation",
    "Memcpy2D",
    "Memcpy3D",
    "Memcpy3DPeer",
    "MemoryError",
    "Module",
    "Out",
    "PageLockedAllocator",
    "PageLockedMemoryPool",
    "PagelockedHostAllocation",
    "PointerHolderBase",
    "PooledDeviceAllocation",
    "PooledHostAllocation",
    "RegisteredHostMemory",
    "RuntimeError",
    "Stream",
    "SurfaceReference",
    "TextureReference",
    "address_mode",
    "aligned_empty",
    "aligned_empty_like",
    "aligned_zeros",
    "aligned_zeros_like",
    "array3d_flags",
    "array_cubemap_face",
    "array_format",
    "bind_array_to_texref",
    "compute_mode",
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
    "graphics_register_flags",
    "have_gl_ext",
    "host_alloc_flags",
    "init",
    "initialize_profiler",
    "ipc_mem_flags",
    "jit_fallback",
    "jit_input_type",
    "jit_option",
    "jit_target",
    "limit",
    "make_multichannel_2d_array",
    "managed_empty",
    "managed_empty_like",
    "managed_zeros",
    "managed_zeros_like",
    "matrix_to_array",
    "matrix_to_texref",
    "mem_alloc",
    "mem_alloc_like",
    "mem_alloc_pitch",
    "mem_attach_flags",
    "mem_get_address_range",
    "mem_get_info",
    "mem_get_ipc_handle",
    "mem_host_register_flags",
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
    "memcpy_peer",
    "memcpy_peer_async",
    "memory_type",
    "memset_d2d8",
    "memset_d2d8_async",
    "memset_d2d16",
    "memset_d2d16_async",
    "memset_d2d32",
    "memset_d2d32_async",
    "memset_d8",
    "memset_d8_async",
    "memset_d16",
    "memset_d16_async",
    "memset_d32",
    "memset_d32_async",
    "module_from_buffer",
    "module_from_file",
    "np_to_array",
    "pagelocked_empty",
    "pagelocked_empty_like",
    "pagelocked_zeros",
    "pagelocked_zeros_like",
    "pointer_attribute",
    "profiler_output_mode",
    "py_memcpy_atoh",
    "py_memcpy_htoa",
    "register_host_memory",
    "set_debugging",
    "shared_config",
    "start_profiler",
    "stop_profiler",
    "to_device",
]  # fmt: skip

# The names that PyCUDA really exports.
py_memcpy_htoa = memcpy_htoa
py_memcpy_atoh = memcpy_atoh
HostAllocation = PagelockedHostAllocation


def have_gl_ext() -> bool:
    """Whether OpenGL interoperation is there: it is not."""
    return False


CUDA_DEBUGGING = False


def set_debugging(flag: bool = True) -> None:
    """Compiles what is compiled later with -g and -G."""
    global CUDA_DEBUGGING
    CUDA_DEBUGGING = flag


_ABSENT = {
    "Success": "pycuda.driver has no 'Success': functions return values and raise errors",
    "get_error": "pycuda.driver has no 'get_error': errors are exceptions; "
    "Context.synchronize() raises those of kernels",
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _ABSENT:
            raise AttributeError(_ABSENT[name])
        refuse_name("driver", name)
