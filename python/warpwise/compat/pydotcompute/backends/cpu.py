"""pydotcompute.backends.cpu: Warpwise's CPU device."""

from __future__ import annotations

import warpwise as ww

from .base import Backend


class CPUBackend(Backend):
    """The CPU, on which the same kernels run."""

    def __init__(self, *, enable_caching: bool = True) -> None:
        super().__init__(ww.Device("cpu"), device_id=0, enable_caching=enable_caching)

    @classmethod
    def check_available(cls) -> bool:
        """True: the CPU is always there."""
        return True

    @property
    def name(self) -> str:
        return "cpu"
