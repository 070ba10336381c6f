"""numba.cuda.vector_types: the vector types that kernels make, `cuda.float32x4` and its like."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import types
from ._functions.intrinsics import VECTOR_TYPES
from ._installed_numba import own_type


class VectorType(NamedTuple):
    """A vector of 1 to 4 numbers."""

    name: str
    base_type: Any
    attr_names: tuple[str, ...]
    user_facing_object: Any  # what kernels call

    @property
    def num_elements(self) -> int:
        return len(self.attr_names)


def _of(name: str, constructor: Any) -> VectorType:
    element, _, count = name.rpartition("x")
    base = own_type(getattr(types, element))
    return VectorType(name, base, tuple("xyzw"[: int(count)]), constructor)


vector_types: dict[str, VectorType] = {
    name: _of(name, constructor) for name, constructor in VECTOR_TYPES.items()
}

__all__ = ["VectorType", "vector_types"]
