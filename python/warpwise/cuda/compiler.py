"""Kernels as PTX, without launching them: compile_ptx() and compile()."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._core import value_text
from .._errors import ArgumentTypeError, ArgumentValueError, UnsupportedError
from .._script import type_text
from . import types
from ._devices import get_current_device
from ._functions.dispatch import argument_text, jit
from ._installed_numba import own_type
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
    forceinline: bool = False,
    launch_bounds: Any = None,
) -> tuple[str, Any]:
    """(PTX of a function or a kernel, its return type), for a GPU of compute capability `cc`.

    Parameters
    ----------
    pyfunc : function
        Decorated or not.
    sig : str, signature or tuple of types
        The types of the arguments; of a device function, with or without its result.
    device : bool
        A device function, else a kernel.
    cc : (int, int)
        Of the GPU; by default (7, 5). No GPU is needed.
    abi : {"c", "numba"}
        A device function returns its result, or stores it at its first argument and returns 0.
    abi_info : dict, optional
        {"abi_name": name} of a device function; by default its own name.
    output : str
        Only 'ptx'.

    Raises ArgumentTypeError where the result does not convert to what `sig` says.
    """
    if output != "ptx":
        raise UnsupportedError(f"Unsupported output type: {output}; compile makes 'ptx'")
    if abi not in ("c", "numba"):
        raise UnsupportedError(f"Unsupported ABI: {abi}")
    capability = _DEFAULT_CC if cc is None else _checked(cc)
    options: dict[str, Any] = {"lineinfo": lineinfo, "fastmath": fastmath}
    if launch_bounds is not None:
        options["launch_bounds"] = launch_bounds
    if not device:
        options |= {"debug": bool(debug), "opt": not debug}
    function = jit(pyfunc, device=device, **options)
    result: Any = types.none
    if device:
        source, result = _device_source(function, sig, abi, abi_info or {})
    else:
        source = str(function.inspect_source(argument_text(sig, device=False)))
    major, minor = find_closest_arch(capability)
    flags = ["--use_fast_math"] if fastmath else []
    flags += ["-lineinfo"] if lineinfo else []
    name = f"{function.__name__}.cu"
    text = str(_core.compile(source, f"sm_{major}{minor}", "ptx", flags, name=name))
    return text, own_type(result)


def _device_source(function: Any, sig: Any, abi: str, info: dict[str, Any]) -> tuple[str, Any]:
    known = types.as_signature(types.parse_signature(sig) if isinstance(sig, str) else sig)
    text = ", ".join(type_text(each) for each in known.args)
    own = function.return_type(known.args)
    # A tuple of types says nothing of the result.
    parsed = types.parse_signature(sig) if isinstance(sig, str) else sig
    declared = known.return_type if hasattr(parsed, "return_type") else own
    result = "" if declared == own else type_text(declared)
    name = info.get("abi_name", function.__name__)
    return function.device_source(text, name, abi == "numba", result), declared


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
    forceinline: bool = False,
    launch_bounds: Any = None,
) -> tuple[str, Any]:
    """(PTX, return type): as compile(), of a kernel by default."""
    return compile(
        pyfunc, sig, debug, lineinfo, device, fastmath, cc, opt, abi, abi_info, "ptx",
        forceinline, launch_bounds,
    )  # fmt: skip


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
