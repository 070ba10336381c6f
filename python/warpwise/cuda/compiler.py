"""Kernels as PTX, without launching them: compile_ptx() and compile()."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import value_text
from .._errors import ArgumentTypeError, ArgumentValueError, UnsupportedError
from . import types
from ._devices import get_current_device
from ._dispatch import argument_text, jit
from .cudadrv.nvvm import find_closest_arch

_DEFAULT_CC = (7, 5)


def compile(
    pyfunc: Callable[..., Any],
    sig: Any,
    debug: bool | None = False,
    lineinfo: bool = False,
    device: bool = True,
    fastmath: bool = False,
    cc: tuple[int, int] | None = None,
    opt: Any = None,
    abi: str = "c",
    abi_info: Any = None,
    output: str = "ptx",
) -> tuple[str, Any]:
    """(PTX of a kernel, its return type), for a GPU of compute capability `cc`.

    Parameters
    ----------
    pyfunc : function
        Decorated or not.
    sig : str, signature or tuple of types
        The types of the arguments.
    device : bool
        Only False: a device function is compiled with the kernels that call it.
    cc : (int, int)
        Of the GPU; by default (7, 5). No GPU is needed.
    output : str
        Only 'ptx'.
    """
    if device:
        raise UnsupportedError(
            "compile of a device function alone is not in this version of Warpwise: it is compiled "
            "with the kernels that call it; pass device=False for a kernel"
        )
    if output != "ptx":
        raise UnsupportedError(f"compile makes 'ptx', got output={value_text(output)}")
    if abi not in ("c", "numba"):
        raise UnsupportedError(f"Unsupported ABI: {abi}")
    return compile_ptx(pyfunc, sig, debug, lineinfo, False, fastmath, cc, opt)


def compile_ptx(
    pyfunc: Callable[..., Any],
    sig: Any,
    debug: bool | None = False,
    lineinfo: bool = False,
    device: bool = False,
    fastmath: bool = False,
    cc: tuple[int, int] | None = None,
    opt: Any = None,
    abi: str = "numba",
    abi_info: Any = None,
) -> tuple[str, Any]:
    """(PTX of a kernel, its return type): as compile(), of a kernel."""
    if device:
        return compile(pyfunc, sig, device=True)
    capability = _DEFAULT_CC if cc is None else _checked(cc)
    kernel = jit(pyfunc, debug=bool(debug), opt=not debug, lineinfo=lineinfo, fastmath=fastmath)
    source = kernel.inspect_source(argument_text(sig, device=False))
    major, minor = find_closest_arch(capability)
    options = ["--use_fast_math"] if fastmath else []
    options += ["-lineinfo"] if lineinfo else []
    name = f"{kernel.__name__}.cu"
    text = _core.compile(source, f"sm_{major}{minor}", "ptx", options, name=name)
    return str(text), types.none


def compile_for_current_device(pyfunc: Callable[..., Any], sig: Any, **options: Any) -> Any:
    """compile() for the compute capability of the current device."""
    return compile(pyfunc, sig, cc=get_current_device().compute_capability, **options)


def compile_ptx_for_current_device(pyfunc: Callable[..., Any], sig: Any, **options: Any) -> Any:
    """compile_ptx() for the compute capability of the current device."""
    return compile_ptx(pyfunc, sig, cc=get_current_device().compute_capability, **options)


def _checked(cc: Any) -> tuple[int, int]:
    if not isinstance(cc, tuple) or len(cc) != 2 or not all(isinstance(each, int) for each in cc):
        raise ArgumentTypeError(
            f"cc expects a compute capability like (8, 0), got {value_text(cc)}"
        )
    if cc < (7, 5):
        raise ArgumentValueError(f"cc expects (7, 5) or more, got {cc}")
    return cc
