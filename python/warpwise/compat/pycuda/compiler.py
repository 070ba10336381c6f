"""pycuda.compiler over Warpwise: the source is compiled in process, without nvcc.

Arguments that only steer nvcc (nvcc, arch, code, no_extern_c) are accepted and have no effect.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import warpwise as ww

from ._errors import CompileError, boundary
from ._headers import HEADERS
from ._later import LATER_IN_COMPILER, refuse_name
from ._launch import Module
from ._link import DynamicModule, DynamicSourceModule

__all__ = [
    "DEFAULT_NVCC_FLAGS",
    "CompileError",
    "DynamicModule",
    "DynamicSourceModule",
    "SourceModule",
    "compile",
]

# Used when a caller passes no options. Warpwise itself adds those of PYCUDA_DEFAULT_NVCC_FLAGS.
DEFAULT_NVCC_FLAGS: list[str] = []


class SourceModule(Module):
    """CUDA C++ source, compiled and loaded on the current device."""

    @boundary
    def __init__(
        self,
        source: str,
        nvcc: str = "nvcc",
        options: Sequence[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | None = None,
        include_dirs: Sequence[str] | None = None,
    ) -> None:
        _warn_without_effect(keep, cache_dir)
        module = ww.SourceModule(
            source,
            options=DEFAULT_NVCC_FLAGS if options is None else options,
            include_dirs=include_dirs,
            headers=HEADERS,
        )
        super().__init__(module)
        self.module = self
        if module.log:
            warnings.warn(f"the CUDA compiler succeeded, but said:\n{module.log}",
                          UserWarning, stacklevel=3)  # fmt: skip


@boundary
def compile(
    source: str,
    nvcc: str = "nvcc",
    options: Sequence[str] | None = None,
    keep: bool = False,
    no_extern_c: bool = False,
    arch: str | None = None,
    code: str | None = None,
    cache_dir: str | None = None,
    include_dirs: Sequence[str] | None = None,
    target: str = "cubin",
) -> bytes:
    """Compiles without loading. `target` is "cubin" or "ptx", for the GPU named by `arch`."""
    _warn_without_effect(keep, cache_dir)
    result = ww.compile(
        source,
        target=arch or "sm_80",
        format=target,
        options=DEFAULT_NVCC_FLAGS if options is None else options,
        include_dirs=include_dirs,
        headers=HEADERS,
    )
    return result if isinstance(result, bytes) else result.encode()


def _warn_without_effect(keep: bool, cache_dir: str | None) -> None:
    if keep:
        warnings.warn("keep=True has no effect: Warpwise compiles without intermediate files",
                      UserWarning, stacklevel=4)  # fmt: skip
    if cache_dir is not None:
        warnings.warn("cache_dir has no effect; set WARPWISE_CACHE_DIR instead",
                      UserWarning, stacklevel=4)  # fmt: skip


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        refuse_name("compiler", name, LATER_IN_COMPILER)
