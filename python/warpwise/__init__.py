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
    bool_ as _bool,
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
    CudaDriver,
    CudaLibrary,
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
    MipmappedArray,
    Module,
    Out,
    Parameter,
    Pointer,
    Pool,
    PoolStatistics,
    Profile,
    ProfileRecord,
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
    copy_address,
    copy_box,
    cuda_driver,
    cuda_libraries,
    cuda_library,
    devices,
    link,
    managed_alloc,
    mapped_buffer,
    mark,
    mem_alloc,
    mem_alloc_pitch,
    mem_alloc_unpooled,
    open_ipc_memory,
    prefetch,
    profile,
    register_host_memory,
    setting_rows,
    version,
    wrap_memory,
)
from ._core import (
    compile as compile,
)
from ._errors import (
    ArgumentError,
    ArgumentTypeError,
    ArgumentValueError,
    CheckError,
    CompileError,
    DeviceError,
    Error,
    LaunchError,
    OutOfMemoryError,
    UnsupportedError,
    UnsupportedModuleError,
    UnsupportedNameError,
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
from ._range import range as range

__version__ = version()

bool = _bool

# Without `bool`, `compile` and `range`: `from warpwise import *` keeps the built-in ones.
__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "ArgumentValueError",
    "BoundKernel",
    "Buffer",
    "CacheInfo",
    "Capture",
    "CheckError",
    "CompileError",
    "CudaArray",
    "CudaDriver",
    "CudaLibrary",
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
    "MipmappedArray",
    "Module",
    "Out",
    "OutOfMemoryError",
    "Parameter",
    "Pointer",
    "Pool",
    "PoolStatistics",
    "Profile",
    "ProfileRecord",
    "RegisteredMemory",
    "SettingRow",
    "SourceModule",
    "Stream",
    "Surface",
    "SurfaceReference",
    "Texture",
    "TextureReference",
    "UnsupportedError",
    "UnsupportedModuleError",
    "UnsupportedNameError",
    "advise",
    "attach",
    "cache_clear",
    "cache_info",
    "complex64",
    "complex128",
    "copy_address",
    "copy_box",
    "cuda_driver",
    "cuda_libraries",
    "cuda_library",
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
    "mark",
    "mem_alloc",
    "mem_alloc_pitch",
    "mem_alloc_unpooled",
    "open_ipc_memory",
    "pagelocked_empty",
    "pagelocked_empty_like",
    "pagelocked_zeros",
    "pagelocked_zeros_like",
    "prefetch",
    "profile",
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
