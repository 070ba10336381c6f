"""What `kernel.overloads` has: a kernel that was compiled for types, with Numba's attributes."""

from __future__ import annotations

import math
from typing import Any

from ..._core import PythonKernel

_BLOCKS_ON_CPU = 1024


class CompiledKernel:
    """A kernel for types of arguments. Everything else is asked of the core's object."""

    def __init__(self, kernel: PythonKernel) -> None:
        self._kernel = kernel

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernel, name)

    def __repr__(self) -> str:
        return repr(self._kernel)

    @property
    def cooperative(self) -> bool:
        """Whether it waits for the whole grid."""
        return "::cooperative_groups::" in self._kernel.source

    def max_cooperative_grid_blocks(
        self, blockdim: int | tuple[int, ...], dynsmemsize: int = 0
    ) -> int:
        """The most blocks of a grid that kernels which wait for it can have.

        The CPU device has no such limit; it says 1024.
        """
        if self._kernel.kernel.device.kind == "cpu":
            return _BLOCKS_ON_CPU
        threads = blockdim if isinstance(blockdim, int) else math.prod(blockdim)
        return self._kernel.kernel.max_cooperative_blocks(threads, dynsmemsize)

    @property
    def regs_per_thread(self) -> int:
        """Registers of a thread; 0 on the CPU device."""
        return self._kernel.kernel.num_regs

    @property
    def const_mem_size(self) -> int:
        """Bytes of constant memory."""
        return self._kernel.kernel.constant_bytes

    @property
    def shared_mem_per_block(self) -> int:
        """Bytes of static shared memory."""
        return self._kernel.kernel.static_shared_bytes

    @property
    def max_threads_per_block(self) -> int:
        """The largest block that can be launched."""
        return self._kernel.kernel.max_threads_per_block

    @property
    def local_mem_per_thread(self) -> int:
        """Bytes of local memory of a thread."""
        return self._kernel.kernel.local_bytes
