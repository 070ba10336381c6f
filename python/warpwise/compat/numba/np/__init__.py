"""numba.np: NumPy's dtypes as types."""

from . import numpy_support

__all__ = ["numpy_support"]
