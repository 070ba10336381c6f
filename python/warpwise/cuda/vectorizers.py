"""numba.cuda.vectorizers: how the installed Numba's `vectorize` and `guvectorize` make functions of
arrays for target='cuda'."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._functions.ufuncs import guvectorize, vectorize


class _Builder:
    """Collects signatures; `build_ufunc` makes the function of arrays."""

    def __init__(self, pyfunc: Callable[..., Any], targetoptions: dict[str, Any]) -> None:
        self.py_func = pyfunc
        self._signatures: list[Any] = []
        self._options = targetoptions

    def add(self, sig: Any) -> None:
        """One more signature."""
        self._signatures.append(sig)

    def disable_compile(self) -> None:
        """Nothing: no others are compiled than those added."""


class CUDAVectorize(_Builder):
    """Of `numba.vectorize`."""

    def __init__(
        self, func: Callable[..., Any], identity: Any, cache: bool, targetoptions: dict[str, Any]
    ) -> None:
        super().__init__(func, targetoptions)

    def build_ufunc(self) -> Any:
        """The function of arrays."""
        return vectorize(self._signatures, **self._options)(self.py_func)


class CUDAGUFuncVectorize(_Builder):
    """Of `numba.guvectorize`."""

    def __init__(
        self,
        func: Callable[..., Any],
        sig: str,
        identity: Any,
        cache: bool,
        targetoptions: dict[str, Any],
        writable_args: Any = (),
    ) -> None:
        super().__init__(func, targetoptions)
        self._layout = sig
        self._writable = tuple(writable_args)

    def build_ufunc(self) -> Any:
        """The function of arrays."""
        options = dict(self._options)
        if self._writable:
            options["writable_args"] = self._writable
        return guvectorize(self._signatures, self._layout, **options)(self.py_func)


__all__ = ["CUDAGUFuncVectorize", "CUDAVectorize"]
