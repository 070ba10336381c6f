"""pycuda.characterize: what device code finds on the current device."""

from __future__ import annotations

import ctypes

import numpy as np

from . import driver
from .compiler import SourceModule
from .tools import context_dependent_memoize

__all__ = ["has_double_support", "has_stack", "platform_bits", "sizeof"]


def platform_bits() -> int:
    """Of a pointer."""
    return 8 * ctypes.sizeof(ctypes.c_void_p)


def has_stack() -> bool:
    """Whether device code has a stack, for recursion: since compute capability 2.0."""
    return driver.Context.get_device().compute_capability() >= (2, 0)


def has_double_support() -> bool:
    """Since compute capability 1.3."""
    return driver.Context.get_device().compute_capability() >= (1, 3)


@context_dependent_memoize
def sizeof(type_name: str, preamble: str = "") -> int:
    """The size of a type of device code, by a kernel that stores it."""
    module = SourceModule(
        f"{preamble}\n"
        "__global__ void size(unsigned long long *out) "
        f"{{ *out = sizeof({type_name}); }}",
        no_extern_c=True,
    )
    result = np.zeros(1, np.uint64)
    module.get_function("size")(driver.Out(result), block=(1, 1, 1))
    return int(result[0])
