"""PyCUDA's modules that are not provided: OpenGL, and parts of its own build.

Using one raises an UnsupportedError that is an AttributeError, or for modules an ImportError, too.
"""

from __future__ import annotations

from typing import NoReturn

from ... import UnsupportedModuleError, UnsupportedNameError

_REASONS = {
    "gl": (
        "pycuda.gl shares buffers with OpenGL, which Warpwise does not: "
        "pycuda.driver.have_gl_ext() is False, as in PyCUDA's default build; copy through the "
        "host, or draw with a library that reads __cuda_array_interface__"
    ),
    "_pvt_struct": (
        "pycuda._pvt_struct packs PyCUDA's own launches, which Warpwise does without it; struct "
        "and NumPy's dtypes pack values, and kernels take records as they are"
    ),
}


def refuse_module(name: str) -> NoReturn:
    """For the module itself, which so says why, however it is imported."""
    raise UnsupportedModuleError(_REASONS[name])


def refuse_module_name(name: str) -> NoReturn:
    """For the package's __getattr__: as refuse_name, for modules."""
    if name in _REASONS:
        raise UnsupportedNameError(_REASONS[name])
    raise AttributeError(f"module 'pycuda' has no attribute '{name}'")


def refuse_name(module: str, name: str) -> NoReturn:
    """For a module's __getattr__: what an unknown name raises."""
    raise AttributeError(f"module 'pycuda.{module}' has no attribute '{name}'")
