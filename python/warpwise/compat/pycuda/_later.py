"""PyCUDA's names that this version does not provide.

Using one raises an UnsupportedError that is an AttributeError, or for modules an ImportError, too.
"""

from __future__ import annotations

from typing import NoReturn

from ... import UnsupportedModuleError, UnsupportedNameError

LATER_MODULES = frozenset(
    "characterize cumath curandom debug elementwise gl gpuarray reduction scan sparse".split()
)

LATER_IN_DRIVER = frozenset(
    """
    Memcpy3DPeer initialize_profiler mem_get_address_range memset_d2d16 memset_d2d16_async
    memset_d2d32 memset_d2d32_async memset_d2d8 memset_d2d8_async start_profiler stop_profiler
    """.split()
)

LATER_IN_COMPILER = frozenset(["compile_plain"])

LATER_IN_TOOLS = frozenset(
    """
    Argument DebugMemoryPool DeviceData OccupancyRecord ScalarArg VectorArg dtype_to_ctype
    get_arg_type get_or_register_dtype parse_c_arg register_dtype
    """.split()
)


def _text_of_module(name: str) -> str:
    return (
        f"this version of Warpwise does not provide pycuda.{name}; pycuda.driver, "
        "pycuda.compiler, pycuda.autoinit and pycuda.tools are there"
    )


def refuse_module(name: str) -> NoReturn:
    """For an import of one of LATER_MODULES."""
    raise UnsupportedModuleError(_text_of_module(name))


def refuse_module_name(name: str) -> NoReturn:
    """For the package's __getattr__: as refuse_name, for modules."""
    if name in LATER_MODULES:
        raise UnsupportedNameError(_text_of_module(name))
    raise AttributeError(f"module 'pycuda' has no attribute '{name}'")


def refuse_name(module: str, name: str, later: frozenset[str]) -> NoReturn:
    """For a module's __getattr__: UnsupportedNameError for PyCUDA's, else AttributeError."""
    if name in later:
        raise UnsupportedNameError(
            f"this version of Warpwise does not provide pycuda.{module}.{name}"
        )
    raise AttributeError(f"module 'pycuda.{module}' has no attribute '{name}'")
