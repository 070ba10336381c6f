"""pycuda.compyte.dtypes: names of C types and their dtypes, which pycuda.tools has as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._basics.dtypes import (
    TYPE_REGISTRY,
    DTypeRegistry,
    dtype_to_ctype,
    get_or_register_dtype,
    parsed_declarator,
    register_dtype,
)

__all__ = [
    "DTYPE_TO_NAME",
    "NAME_TO_DTYPE",
    "TYPE_REGISTRY",
    "DTypeRegistry",
    "TypeNameNotKnown",
    "dtype_to_ctype",
    "get_or_register_dtype",
    "parse_c_arg_backend",
    "register_dtype",
]

DTYPE_TO_NAME = TYPE_REGISTRY.dtype_to_name
NAME_TO_DTYPE = TYPE_REGISTRY.name_to_dtype


class TypeNameNotKnown(RuntimeError):
    """The name of a type that no dtype is registered for."""


def parse_c_arg_backend(
    c_arg: str,
    scalar_arg_factory: Callable[[np.dtype[Any], str], Any],
    vec_arg_factory: Callable[[np.dtype[Any], str], Any],
    name_to_dtype: Callable[[str], np.dtype[Any]] | DTypeRegistry | None = None,
) -> Any:
    """What a factory makes of the dtype and the name that a parameter of C declares."""
    kind, name, is_vector = parsed_declarator(c_arg)
    if callable(name_to_dtype):
        dtype = name_to_dtype(kind)
    else:
        dtype = (name_to_dtype or TYPE_REGISTRY).get_or_register_dtype(kind)
    return (vec_arg_factory if is_vector else scalar_arg_factory)(dtype, name)
