"""PyCUDA's names that are not provided: OpenGL.

Using one raises an UnsupportedError that is an AttributeError, or for modules an ImportError, too.
"""

from __future__ import annotations

from typing import NoReturn

from ... import UnsupportedModuleError, UnsupportedNameError

LATER_MODULES = frozenset(["gl"])

_OF_GL = (
    "pycuda.gl shares buffers with OpenGL, which Warpwise does not: "
    "pycuda.driver.have_gl_ext() is False, as in PyCUDA's default build; copy through the host, "
    "or draw with a library that reads __cuda_array_interface__"
)


def refuse_module(name: str) -> NoReturn:
    """For an import of one of LATER_MODULES."""
    raise UnsupportedModuleError(_OF_GL)


def refuse_module_name(name: str) -> NoReturn:
    """For the package's __getattr__: as refuse_name, for modules."""
    if name in LATER_MODULES:
        raise UnsupportedNameError(_OF_GL)
    raise AttributeError(f"module 'pycuda' has no attribute '{name}'")


def refuse_name(module: str, name: str) -> NoReturn:
    """For a module's __getattr__: what an unknown name raises."""
    raise AttributeError(f"module 'pycuda.{module}' has no attribute '{name}'")
