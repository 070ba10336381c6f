"""numba.cuda.cudadrv.devices: the list of devices and their contexts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .._devices import current_context, gpus

_Function = TypeVar("_Function", bound=Callable[..., Any])

get_context = current_context


def reset() -> None:
    """Waits for the devices and returns memory that is not in use."""
    for device in gpus:
        device.reset()


def require_context(function: _Function) -> _Function:
    """The function itself: a context is always there."""
    return function


__all__ = ["get_context", "gpus", "require_context", "reset"]
