"""numba.cuda.kernels: functions of arrays that Numba has ready."""

from . import transpose

__all__ = ["transpose"]
