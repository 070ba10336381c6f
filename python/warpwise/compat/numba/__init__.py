"""The name numba where Numba is not installed: types, signatures, settings, errors and `cuda`.

It has no compiler for the host: `njit` and `jit` give the Python function itself.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from warpwise import UnsupportedError, UnsupportedNameError, cuda
from warpwise.cuda import types
from warpwise.cuda.types import *  # noqa: F403
from warpwise.cuda.types import from_dtype, typeof

from .core import config, errors
from .core.errors import *  # noqa: F403

sys.modules.setdefault("numba.cuda", cuda)  # `from numba import cuda` imports no module

__version__ = "0.61.0"
version_info = (0, 61, 0)

# Options of njit and jit that change nothing but speed.
_SPEED = ("nopython", "nogil", "cache", "parallel", "inline", "forceobj", "looplift", "fastmath")


def _plain(name: str, given: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A decorator that gives the function itself: on the host, it runs as Python."""
    unknown = [key for key in options if key not in _SPEED]
    if unknown:
        raise UnsupportedError(
            f"numba.{name} got {unknown[0]}=, which would change what the function computes; "
            "without Numba installed it runs as Python: leave the option out"
        )
    if not given:
        return _same
    if len(given) == 1 and callable(given[0]) and not types.is_type(given[0]):
        return _same(given[0])
    raise UnsupportedError(
        f"numba.{name} got a signature, whose conversions only Numba's compiler makes; without "
        "Numba installed the function runs as Python: leave the signature out, or install numba"
    )


def _same(function: Callable[..., Any]) -> Callable[..., Any]:
    function.py_func = function  # type: ignore[attr-defined]
    return function


def jit(*given: Any, **options: Any) -> Any:
    """The function itself, which kernels can call; only target='cuda' compiles."""
    if options.pop("target", "cpu") in ("cuda", "gpu"):
        return cuda.jit(*given, **options)
    return _plain("jit", given, options)


def njit(*given: Any, **options: Any) -> Any:
    """The function itself, which kernels can call."""
    return _plain("njit", given, options)


def vectorize(ftylist_or_function: Any = (), **options: Any) -> Any:
    """cuda.vectorize, of target='cuda'."""
    _require_cuda("vectorize", options)
    return cuda.vectorize(ftylist_or_function, **options)


def guvectorize(ftylist: Any, signature: str, **options: Any) -> Any:
    """cuda.guvectorize, of target='cuda'."""
    _require_cuda("guvectorize", options)
    return cuda.guvectorize(ftylist, signature, **options)


def _require_cuda(name: str, options: dict[str, Any]) -> None:
    target = options.get("target", "cpu")
    if target != "cuda":
        raise UnsupportedError(
            f"numba.{name} with target='{target}' needs Numba's compiler for the host; without "
            "Numba installed there is target='cuda'"
        )


prange = range


def literal_unroll(container: Any) -> Any:
    """The container: kernels write loops over tuples out where their items have several types."""
    return container


def __getattr__(name: str) -> Any:
    if name in (
        "cfunc",
        "objmode",
        "stencil",
        "generated_jit",
        "typed",
        "jitclass",
        "experimental",
    ):
        raise UnsupportedNameError(
            f"numba.{name} needs Numba's compiler for the host; install numba: "
            "warpwise.compat.install('numba.cuda') then replaces numba.cuda only"
        )
    raise AttributeError(f"module 'numba' has no attribute '{name}'")


__all__ = [
    *errors.__all__,
    *types.__all__,
    "config",
    "cuda",
    "errors",
    "from_dtype",
    "guvectorize",
    "jit",
    "njit",
    "literal_unroll",
    "prange",
    "types",
    "typeof",
    "vectorize",
]
