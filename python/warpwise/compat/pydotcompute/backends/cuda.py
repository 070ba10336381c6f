"""pydotcompute.backends.cuda: an NVIDIA GPU."""

from __future__ import annotations

import warpwise as ww

from .base import Backend


def _gpus() -> list[ww.Device]:
    """None where the CPU device was chosen, by WARPWISE_DEVICE or a `with`."""
    if ww.Device().kind != "cuda":
        return []
    return [one for one in ww.devices() if one.kind == "cuda"]


class CUDABackend(Backend):
    """A GPU.

    Parameters
    ----------
    device_id : int
        Which of them.
    enable_caching : bool
        Whether compile_kernel() remembers kernels.

    Raises
    ------
    RuntimeError
        CUDA is not available, or there is no such GPU.
    """

    def __init__(self, *, device_id: int = 0, enable_caching: bool = True) -> None:
        gpus = _gpus()
        if not gpus:
            raise ww.DeviceError(
                "CUDA is not available: there is no GPU, or the CPU device was chosen; "
                "pydotcompute.backends.get_backend() falls back to CPUBackend"
            )
        if not 0 <= device_id < len(gpus):
            raise ww.DeviceError(f"there is no GPU {device_id}; this machine has {len(gpus)}")
        super().__init__(gpus[device_id], device_id=device_id, enable_caching=enable_caching)

    @classmethod
    def check_available(cls) -> bool:
        """Whether there is a GPU, and the CPU device was not chosen instead."""
        return bool(_gpus())

    @property
    def name(self) -> str:
        return "cuda"
