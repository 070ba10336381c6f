"""numba.cuda.cudadrv.nvvm: which GPUs kernels are compiled for."""

from __future__ import annotations

from ..._errors import CompileError as NvvmError

_CAPABILITIES = (
    (7, 5), (8, 0), (8, 6), (8, 7), (8, 9), (9, 0), (10, 0), (10, 1), (12, 0),
)  # fmt: skip


def get_supported_ccs() -> tuple[tuple[int, int], ...]:
    """Compute capabilities that sources are compiled for."""
    return _CAPABILITIES


def find_closest_arch(mycc: tuple[int, int]) -> tuple[int, int]:
    """The newest supported compute capability that a GPU of this one runs."""
    known = [each for each in _CAPABILITIES if each <= tuple(mycc)]
    if not known:
        raise NvvmError(
            f"GPU compute capability {mycc[0]}.{mycc[1]} is not supported (requires >=7.5)"
        )
    return known[-1]


def is_available() -> bool:
    """Whether kernels can be compiled: always."""
    return True


__all__ = ["NvvmError", "find_closest_arch", "get_supported_ccs", "is_available"]
