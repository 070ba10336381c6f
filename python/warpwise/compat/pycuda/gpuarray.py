"""pycuda.gpuarray over Warpwise's lazy arrays."""

from __future__ import annotations

from . import driver as drv  # noqa: F401  scripts reach it through this module
from ._basics.vectors import vec
from ._gpuarray.array import GPUArray
from ._gpuarray.creation import (
    arange,
    empty_like,
    ones,
    ones_like,
    to_gpu,
    to_gpu_async,
    zeros,
    zeros_like,
)
from ._gpuarray.creation import copy_elements as _memcpy_discontig  # noqa: F401  as above
from ._gpuarray.functions import (
    all,
    any,
    concatenate,
    dot,
    if_positive,
    logical_and,
    logical_not,
    logical_or,
    max,
    maximum,
    min,
    minimum,
    reshape,
    stack,
    sum,
    transpose,
    where,
)
from ._gpuarray.splay import splay
from ._gpuarray.steps import get_common_dtype as _get_common_dtype  # noqa: F401  as above
from ._gpuarray.subsets import (
    multi_put,
    multi_take,
    multi_take_put,
    subset_dot,
    subset_max,
    subset_min,
    subset_sum,
    take,
)

__all__ = [
    "GPUArray",
    "all",
    "any",
    "arange",
    "concatenate",
    "dot",
    "empty",
    "empty_like",
    "if_positive",
    "logical_and",
    "logical_not",
    "logical_or",
    "max",
    "maximum",
    "min",
    "minimum",
    "multi_put",
    "multi_take",
    "multi_take_put",
    "ones",
    "ones_like",
    "reshape",
    "splay",
    "stack",
    "subset_dot",
    "subset_max",
    "subset_min",
    "subset_sum",
    "sum",
    "take",
    "to_gpu",
    "to_gpu_async",
    "transpose",
    "vec",
    "where",
    "zeros",
    "zeros_like",
]  # fmt: skip

empty = GPUArray
