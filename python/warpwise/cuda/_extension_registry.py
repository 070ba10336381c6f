"""What libraries call to extend Numba's compiler: it is accepted, and kernels do not know it.

Libraries extend Numba when they are imported, whether or not a program's kernels use their types.
A kernel that does use one is refused where it does, with its line.
"""

from __future__ import annotations

from typing import Any


class Registry:
    """Registrations of Numba's compiler: every decorator gives what it decorates."""

    def register(self, value: Any) -> Any:
        """Typing of a function."""
        return value

    register_attr = register

    def register_global(self, value: Any = None, typ: Any = None, **options: Any) -> Any:
        """The type of a global; a decorator without one."""
        return _same if typ is None else typ

    def resolves_global(self, value: Any, **options: Any) -> Any:
        """A decorator of a resolver."""
        return _same

    def lower(self, function: Any, *types: Any) -> Any:
        """A decorator of an implementation for types of Numba's."""
        return _same

    lower_attr = lower_getattr = lower_setattr = lower_cast = lower_builtin = lower

    def lower_constant(self, type: Any) -> Any:
        """A decorator of an implementation of constants."""
        return _same

    lower_getattr_generic = lower_setattr_generic = lower_constant


def _same(value: Any) -> Any:
    return value
