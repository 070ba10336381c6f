"""numba.core: settings, errors and types."""

from warpwise.cuda import types

from . import config, errors

__all__ = ["config", "errors", "types"]
