"""GPU scripting: CUDA C++ compiled at run time, and run on the CPU where there is no GPU.

>>> import warpwise as ww
>>> mod = ww.SourceModule("__global__ void twice(float *x) { x[threadIdx.x] *= 2; }")
>>> x = np.arange(4, dtype=np.float32)
>>> mod["twice"](ww.InOut(x), block=4)
>>> x
array([0., 2., 4., 6.], dtype=float32)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy import (
    bool_ as bool,
)
from numpy import (
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)

from ._core import (
    BoundKernel,
    Buffer,
    CacheInfo,
    Capture,
    CudaArray,
    Device,
    DeviceInfo,
    Event,
    Graph,
    GraphKernel,
    HostArgument,
    HostBuffer,
    In,
    InOut,
    Kernel,
    KernelSignature,
    MemoryInfo,
    Module,
    Out,
    Parameter,
    Pointer,
    Pool,
    PoolStatistics,
    RegisteredMemory,
    SettingRow,
    SourceModule,
    Stream,
    Surface,
    SurfaceReference,
    Texture,
    TextureReference,
    advise,
    attach,
    cache_clear,
    cache_info,
    compile,
    copy_address,
    copy_box,
    devices,
    link,
    managed_alloc,
    mapped_buffer,
    mem_alloc,
    mem_alloc_pitch,
    mem_alloc_unpooled,
    open_ipc_memory,
    prefetch,
    register_host_memory,
    setting_rows,
    version,
    wrap_memory,
)
from ._errors import (
    ArgumentError,
    CheckError,
    CompileError,
    DeviceError,
    Error,
    LaunchError,
    OutOfMemoryError,
    UnsupportedError,
)
from ._isolated import isolated
from ._later import refuse as _refuse
from ._memory import (
    managed_empty,
    managed_empty_like,
    managed_zeros,
    managed_zeros_like,
    pagelocked_empty,
    pagelocked_empty_like,
    pagelocked_zeros,
    pagelocked_zeros_like,
)

__version__ = version()

__all__ = [
    "ArgumentError",
    "BoundKernel",
    "Buffer",
    "CacheInfo",
    "Capture",
    "CheckError",
    "CompileError",
    "CudaArray",
    "Device",
    "DeviceError",
    "DeviceInfo",
    "Error",
    "Event",
    "Graph",
    "GraphKernel",
    "HostArgument",
    "HostBuffer",
    "In",
    "InOut",
    "Kernel",
    "KernelSignature",
    "LaunchError",
    "MemoryInfo",
    "Module",
    "Out",
    "OutOfMemoryError",
    "Parameter",
    "Pointer",
    "Pool",
    "PoolStatistics",
    "RegisteredMemory",
    "SettingRow",
    "SourceModule",
    "Stream",
    "Surface",
    "SurfaceReference",
    "Texture",
    "TextureReference",
    "UnsupportedError",
    "advise",
    "attach",
    "bool",
    "cache_clear",
    "cache_info",
    "compile",
    "complex64",
    "complex128",
    "copy_address",
    "copy_box",
    "devices",
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "isolated",
    "link",
    "managed_alloc",
    "managed_empty",
    "managed_empty_like",
    "managed_zeros",
    "managed_zeros_like",
    "mapped_buffer",
    "mem_alloc",
    "mem_alloc_pitch",
    "mem_alloc_unpooled",
    "open_ipc_memory",
    "pagelocked_empty",
    "pagelocked_empty_like",
    "pagelocked_zeros",
    "pagelocked_zeros_like",
    "prefetch",
    "register_host_memory",
    "setting_rows",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "version",
    "wrap_memory",
]  # fmt: skip

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name == "bfloat16":
            from ml_dtypes import bfloat16

            return bfloat16
        return _refuse(name)
