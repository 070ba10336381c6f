"""PyCUDA's names that this version does not provide: using one raises UnsupportedError."""

from __future__ import annotations

from typing import NoReturn

from ... import UnsupportedError

LATER_MODULES = frozenset(
    "characterize cumath curandom debug elementwise gl gpuarray reduction scan sparse".split()
)

LATER_IN_DRIVER = frozenset(
    """
    Array ArrayDescriptor ArrayDescriptor3D IPCMemoryHandle Linker ManagedAllocation Memcpy2D
    Memcpy3D Memcpy3DPeer SurfaceReference TextureReference address_mode aligned_empty
    aligned_empty_like aligned_zeros aligned_zeros_like array3d_flags array_format
    bind_array_to_texref dtype_to_array_format filter_mode gpuarray_to_array initialize_profiler
    make_multichannel_2d_array managed_empty managed_empty_like managed_zeros managed_zeros_like
    matrix_to_array matrix_to_texref mem_attach_flags mem_get_address_range mem_get_ipc_handle
    memcpy_atoa memcpy_atod memcpy_atoh memcpy_dtoa memcpy_htoa memcpy_peer memcpy_peer_async
    memset_d2d16 memset_d2d16_async memset_d2d32 memset_d2d32_async memset_d2d8 memset_d2d8_async
    module_from_buffer module_from_file np_to_array register_host_memory start_profiler
    stop_profiler
    """.split()
)

LATER_IN_COMPILER = frozenset("DynamicModule DynamicSourceModule compile_plain".split())

LATER_IN_TOOLS = frozenset(
    """
    Argument DebugMemoryPool DeviceData OccupancyRecord ScalarArg VectorArg dtype_to_ctype
    get_arg_type get_or_register_dtype parse_c_arg register_dtype
    """.split()
)


def refuse_module(name: str) -> NoReturn:
    raise UnsupportedError(
        f"this version of Warpwise does not provide pycuda.{name}; pycuda.driver, "
        "pycuda.compiler, pycuda.autoinit and pycuda.tools are there"
    )


def refuse_name(module: str, name: str, later: frozenset[str]) -> NoReturn:
    """For a module's __getattr__: UnsupportedError for PyCUDA's names, else AttributeError."""
    if name in later:
        raise UnsupportedError(f"this version of Warpwise does not provide pycuda.{module}.{name}")
    raise AttributeError(f"module 'pycuda.{module}' has no attribute '{name}'")
