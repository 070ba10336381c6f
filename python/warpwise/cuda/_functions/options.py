"""The options of cuda.jit, checked, as those of the front end."""

from __future__ import annotations

import warnings
from typing import Any

from ..._core import value_text
from ..._errors import ArgumentTypeError, ArgumentValueError, UnsupportedError
from ..._script import JitOptions
from .._installed_numba import own_warning
from .external import linked_sources
from .settings import setting

_OBSOLETE = ("argtypes", "restype", "bind")
_NAMED = ("device", "inline", "link", "debug", "opt", "lineinfo", "cache")  # of jit() itself
_KNOWN = (
    "fastmath",
    "launch_bounds",
    "max_registers",
    "extensions",
    "boundscheck",
    "nopython",
    "forceinline",
)


def jit_options(
    device: bool,
    link: Any,
    debug: bool | None,
    opt: Any,
    lineinfo: bool,
    others: dict[str, Any],
    *,
    frozen: bool,
) -> JitOptions:
    """The front end's options."""
    _check(others)
    wants_debug = setting("CUDA_DEBUGINFO_DEFAULT") if debug is None else bool(debug)
    if wants_debug and opt is True:
        _warn(
            "debug=True with opt=True (the default) is not supported by CUDA. This may result in "
            "a crash - set debug=False or opt=False."
        )
    if wants_debug and lineinfo:
        _warn(
            "debug and lineinfo are mutually exclusive. Use debug to get full debug info (this "
            "disables some optimizations), or lineinfo for line info only with code generation "
            "unaffected."
        )
    linked = linked_sources(link)
    if device and linked:
        raise ArgumentValueError("link keyword invalid for device function")
    registers = others.get("max_registers")
    if registers is not None and (not isinstance(registers, int) or registers < 1):
        raise ArgumentValueError(
            f"max_registers expects a positive int, got {value_text(registers)}"
        )
    bounds = _launch_bounds(others.get("launch_bounds"))
    if device and bounds:
        raise ArgumentValueError("launch_bounds are of kernels, not of device functions")
    return JitOptions(
        debug=wants_debug,
        fastmath=bool(others.get("fastmath", False)),
        lineinfo=bool(lineinfo),
        max_registers=registers,
        frozen=frozen,
        zero_unset=frozen,  # as under Numba
        launch_bounds=bounds,
        linked=linked,
    )


def _check(others: dict[str, Any]) -> None:
    for name in _OBSOLETE:
        if others.get(name) is not None:
            raise ArgumentTypeError(
                f"Deprecated keyword argument `{name}`. Signatures should be passed as the first "
                "positional argument."
            )
    unknown = [name for name in others if name not in (*_KNOWN, *_OBSOLETE)]
    if unknown:
        raise ArgumentTypeError(
            f"Unrecognized options: {unknown[0]}; jit takes {', '.join((*_NAMED, *_KNOWN))}"
        )
    if others.get("boundscheck"):
        raise UnsupportedError(
            "bounds checking is not supported for CUDA by this option; use debug=True on the CPU "
            "device"
        )
    for each in others.get("extensions") or ():
        if not hasattr(each, "prepare_args"):
            raise ArgumentTypeError(
                f"extensions expects objects with prepare_args(), got {value_text(each)}"
            )


def _launch_bounds(given: Any) -> tuple[int, ...]:
    """The threads of a block, then blocks of a multiprocessor, then blocks of a cluster."""
    bounds = () if given is None else given if isinstance(given, tuple | list) else (given,)
    if len(bounds) > 3:
        raise ArgumentValueError(
            f"Got {len(bounds)} launch bounds: {bounds}. A maximum of three are supported: "
            "(max_threads_per_block, min_blocks_per_sm, max_blocks_per_cluster)"
        )
    for each in bounds:
        if isinstance(each, bool) or not isinstance(each, int) or each < 1:
            raise ArgumentValueError(f"launch_bounds expects positive ints, got {value_text(each)}")
    return tuple(bounds)


def _warn(message: str) -> None:
    warnings.warn(message, own_warning("NumbaInvalidConfigWarning"), stacklevel=5)
