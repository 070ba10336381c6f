"""cuda.In, Out and InOut: host arrays as arguments, copied there, back, or both."""

from __future__ import annotations

from typing import Any

from .._core import In, InOut, Out

ArgHint = In | Out | InOut  # what isinstance() takes


def wrap_arg(value: Any, default: Any = InOut) -> Any:
    """The value as In, Out or InOut: as it is, or as `default` says."""
    return value if isinstance(value, ArgHint) else default(value)


__all__ = ["ArgHint", "In", "InOut", "Out", "wrap_arg"]
