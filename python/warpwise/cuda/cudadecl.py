"""numba.cuda.cudadecl: where libraries register types of functions for Numba's compiler."""

from __future__ import annotations

from ._extension_registry import Registry

registry = Registry()
register = registry.register
register_attr = registry.register_attr
register_global = registry.register_global

__all__ = ["register", "register_attr", "register_global", "registry"]
