"""numba.cuda.cudadrv.error: errors of the driver and the compilers."""

from ..._errors import CompileError, DeviceError, LaunchError
from ..errors import CudaSupportError

CudaDriverError = DeviceError
CudaRuntimeError = LaunchError
NvrtcError = CompileError
NvvmError = CompileError

__all__ = ["CudaDriverError", "CudaRuntimeError", "CudaSupportError", "NvrtcError", "NvvmError"]
