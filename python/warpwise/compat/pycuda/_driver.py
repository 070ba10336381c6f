"""pycuda._driver: the extension module of PyCUDA, whose names are those of pycuda.driver."""

from __future__ import annotations

from . import driver
from .driver import *  # noqa: F403

__all__ = driver.__all__
