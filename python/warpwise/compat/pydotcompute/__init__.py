"""PyDotCompute's backends over Warpwise: pydotcompute.backends and get_backend()."""

from __future__ import annotations

from .backends import Backend, CPUBackend, CUDABackend, get_backend

__all__ = ["Backend", "CPUBackend", "CUDABackend", "get_backend"]
