"""numba.cuda.models: where libraries register layouts of types for Numba's compiler."""

from __future__ import annotations

from typing import Any

from ._extension_registry import Registry


def register_model(fe_type_cls: Any) -> Any:
    """A decorator of a data model."""
    return Registry().lower_constant(fe_type_cls)


__all__ = ["register_model"]
