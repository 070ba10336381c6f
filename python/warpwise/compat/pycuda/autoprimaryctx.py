"""pycuda.autoprimaryctx: as autoinit; Warpwise always uses a device's primary context."""

from __future__ import annotations

from .autoinit import context, device

__all__ = ["context", "device"]
