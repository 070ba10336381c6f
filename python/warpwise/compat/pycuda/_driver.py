"""pycuda._driver: the extension module of PyCUDA, whose names are those of pycuda.driver."""

from __future__ import annotations

from . import driver
from .curandom import direction_vector_set, get_curand_version
from .driver import *  # noqa: F403

__all__ = [*driver.__all__, "direction_vector_set", "get_curand_version"]
