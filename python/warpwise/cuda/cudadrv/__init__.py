"""Modules that programs import from numba.cuda.cudadrv, over warpwise.cuda."""

from . import devicearray, devices, driver, error, nvvm, runtime

__all__ = ["devicearray", "devices", "driver", "error", "nvvm", "runtime"]
