"""Names of the interface that this version does not have.

Using one raises an UnsupportedError that is an AttributeError too.
"""

from __future__ import annotations

from typing import NoReturn

from ._errors import UnsupportedNameError

_SOURCE = "ww.SourceModule with CUDA C++ source"

# What each belongs to, and what there is instead.
LATER = {
    "fft": ("arrays", _SOURCE),
    "linalg": ("arrays", "ww.matmul and ww.tensordot for products, " + _SOURCE + " for the rest"),
    "jit": (
        "Python functions over whole arrays",
        "warpwise.cuda.jit for kernels in Python, ww.vectorize for functions of one element",
    ),
    "check": ("checked mode", "WARPWISE_POOL=guard for accesses past a buffer's end (CPU)"),
    "tune": ("the tuner", "kernel.suggested_block_size"),
}


def refuse(name: str) -> NoReturn:
    """Raises UnsupportedNameError for a planned name, AttributeError for any other."""
    if name in LATER:
        part, instead = LATER[name]
        raise UnsupportedNameError(
            f"warpwise.{name} belongs to {part}, which this version of Warpwise does not have; "
            f"use {instead}"
        )
    raise AttributeError(f"module 'warpwise' has no attribute '{name}'")
