"""cuda.In, Out and InOut: host arrays as arguments, copied there, back, or both."""

from .._core import In, InOut, Out

__all__ = ["In", "InOut", "Out"]
