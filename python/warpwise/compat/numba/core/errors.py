"""numba.core.errors: Warpwise's errors by the names that programs catch."""

from warpwise.cuda.errors import *  # noqa: F403
from warpwise.cuda.errors import __all__ as __all__
