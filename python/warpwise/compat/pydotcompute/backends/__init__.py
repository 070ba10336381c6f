"""pydotcompute.backends: where arrays live and kernels run."""

from __future__ import annotations

from .base import Backend
from .cpu import CPUBackend
from .cuda import CUDABackend

__all__ = ["Backend", "CPUBackend", "CUDABackend", "get_backend"]


def get_backend(*, device_id: int = 0, enable_caching: bool = True) -> Backend:
    """A CUDABackend where CUDA is available, else a CPUBackend."""
    if CUDABackend.check_available():
        return CUDABackend(device_id=device_id, enable_caching=enable_caching)
    return CPUBackend(enable_caching=enable_caching)
