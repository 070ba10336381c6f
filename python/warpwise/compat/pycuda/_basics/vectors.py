"""pycuda.gpuarray.vec: dtypes of CUDA's vector types, and functions that make their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .dtypes import VECTORS, vector_dtype


class vec:  # noqa: N801 - PyCUDA's name
    """vec.float4 is a dtype with the fields x, y, z and w; vec.make_float4(1, 2, 3, 4) a value."""

    def __init_subclass__(cls) -> None:
        raise TypeError("vec is a namespace")


def _maker(name: str, dtype: np.dtype[Any]) -> Callable[..., Any]:
    fields = dtype.names or ()

    def make(*values: Any, **named: Any) -> Any:
        if len(values) + len(named) != len(fields) or not set(named) <= set(fields[len(values) :]):
            raise TypeError(f"make_{name} takes {', '.join(fields)}")
        return np.array((*values, *(named[one] for one in fields[len(values) :])), dtype)

    make.__name__ = make.__qualname__ = f"make_{name}"
    make.__doc__ = f"A 0-d array of {name}."
    return make


for _kind, (_element, _most) in VECTORS.items():
    for _count in range(1, _most + 1):
        _name = f"{_kind}{_count}"
        setattr(vec, _name, vector_dtype(_element, _count))
        setattr(vec, f"make_{_name}", staticmethod(_maker(_name, vector_dtype(_element, _count))))
