"""numba.cuda.cudadrv.runtime: the version of the CUDA run time."""

from .._devices import runtime
from .error import CudaRuntimeError

get_version = runtime.get_version

__all__ = ["CudaRuntimeError", "get_version", "runtime"]
