"""numba.cuda.cudaimpl: where libraries register implementations for Numba's compiler."""

from __future__ import annotations

from ._extension_registry import Registry

registry = Registry()
lower = registry.lower
lower_attr = registry.lower_attr
lower_constant = registry.lower_constant

__all__ = ["lower", "lower_attr", "lower_constant", "registry"]
