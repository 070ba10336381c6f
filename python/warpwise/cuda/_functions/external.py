"""Functions of CUDA C++ that kernels call: declare_device, and the sources of link=."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..._core import value_text
from ..._errors import ArgumentTypeError, ArgumentValueError, UnsupportedError
from ..._script_tree import External
from .. import types
from .._installed_numba import is_there, own_type


class CUSource:
    """CUDA C++ in memory, for link=.

    Parameters
    ----------
    data : str or bytes
    name : str
        For messages of the compiler.
    """

    def __init__(self, data: str | bytes, name: str = "<unnamed-source>") -> None:
        if not isinstance(data, str | bytes):
            raise ArgumentTypeError(f"CUSource expects CUDA C++ as a str, got {value_text(data)}")
        self.data = data
        self.name = name

    def __repr__(self) -> str:
        return f"<CUSource {self.name}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CUSource) and self.source() == other.source()

    def __hash__(self) -> int:
        return hash(self.source())

    def source(self) -> tuple[str, str]:
        """(name, text)."""
        text = self.data.decode() if isinstance(self.data, bytes) else self.data
        return self.name, text


def linked_sources(link: Any) -> tuple[tuple[str, str], ...]:
    """What link= lists, as names and texts of CUDA C++.

    Raises ArgumentError for what is no list of sources and for files that are not there,
    UnsupportedError for other kinds of files.
    """
    if link is None:
        return ()
    if isinstance(link, str | os.PathLike) or not isinstance(link, Iterable):
        raise ArgumentTypeError(f"link expects a list of files, got {value_text(link)}")
    return tuple(_source(each) for each in link)


def _source(given: Any) -> tuple[str, str]:
    if isinstance(given, CUSource):
        return given.source()
    if not isinstance(given, str | os.PathLike):
        raise ArgumentTypeError(
            f"link takes names of files and cuda.CUSource, got {value_text(given)}"
        )
    path = Path(given)
    if path.suffix not in (".cu", ".cuh"):
        kind = f"extension {path.suffix}" if path.suffix else "no extension"
        raise UnsupportedError(
            f"Don't know how to link file with {kind}: link takes files of CUDA C++ (.cu), got "
            f"{value_text(given)}; load others with ww.link()"
        )
    if not path.is_file():
        raise ArgumentValueError(f"link: there is no file {value_text(given)}")
    return os.fspath(path.absolute()), path.read_text()


class ExternalFunction:
    """A function of CUDA C++ with its types, which kernels call."""

    def __init__(self, name: str, sig: types.Signature, link: tuple[tuple[str, str], ...]) -> None:
        self.name = name
        self._sig = sig
        self._link = link

    @property
    def __warpwise_external__(self) -> External:
        for index, each in enumerate(self._sig.args):
            if isinstance(each, types.Array):
                raise UnsupportedError(
                    f"argument {index + 1} of {self.name}() is declared as {each}, which CUDA C++ "
                    f"has no type for; declare CPointer({each.dtype})"
                )
        arguments = tuple(each.__warpwise_type__ for each in self._sig.args)
        return External(self.name, self._sig.return_type.__warpwise_type__, arguments, self._link)

    def __call__(self, *args: Any) -> Any:
        raise ArgumentTypeError(f"{self.name}() is a function of CUDA C++: kernels call it")

    @property
    def sig(self) -> Any:
        """Its signature; of Numba's types, where Numba is installed."""
        if not is_there():
            return self._sig
        return own_type(self._sig.return_type)(*[own_type(each) for each in self._sig.args])

    def __repr__(self) -> str:
        return f"<external function {self.name}{self._sig}>"


def declare_device(name: str, sig: Any, link: Any = None) -> ExternalFunction:
    """A device function of CUDA C++, for kernels to call.

    It is `extern "C" __device__ int name(result *, arguments...)`, in a source of link=, here or in
    `cuda.jit`: what it returns is ignored, the result is what it stores at its first argument.

    Parameters
    ----------
    name : str
    sig : str or signature
        "float32(float32, int32)"; CPointer(float32) for memory, to which kernels pass an array, or
        `ffi.from_buffer(array)`.
    link : str, CUSource or list of these, optional

    Raises ArgumentTypeError for types without a result.
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise ArgumentTypeError(f"declare_device expects the name of a function, got {name!r}")
    parsed = types.parse_signature(sig) if isinstance(sig, str) else sig
    if not hasattr(parsed, "return_type") or not hasattr(parsed, "args"):
        raise ArgumentTypeError(
            f"Return type must be provided for device declarations: {value_text(sig)}"
        )
    known = types.as_signature(parsed)
    given = [link] if isinstance(link, str | os.PathLike | CUSource) else link
    return ExternalFunction(name, known, linked_sources(given))
