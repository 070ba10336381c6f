"""PyCUDA's exception tree, and the boundary at which Warpwise's errors join it.

An error that leaves this package is both: a Warpwise ArgumentError is caught by
`except pycuda.driver.LogicError` and by `except warpwise.ArgumentError`.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import warpwise as ww

_P = ParamSpec("_P")
_R = TypeVar("_R")


class Error(Exception):
    """The root of PyCUDA's errors."""


class LogicError(Error):
    """A wrong value, handle or name, or a kernel that went wrong."""


class LaunchError(Error):
    """A kernel could not be started or failed."""


class MemoryError(Error):
    """Memory cannot be allocated."""


class RuntimeError(Error):
    """A device or file operation failed."""


class CompileError(Error):
    """The source does not compile; the compiler's words are in stderr."""

    def __init__(
        self,
        msg: str,
        command_line: Sequence[str],
        stdout: str | None = None,
        stderr: str | None = None,
    ) -> None:
        super().__init__(msg)
        self.msg = msg
        self.command_line = list(command_line)
        self.stdout = stdout
        self.stderr = stderr

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.command_line, self.stdout, self.stderr)

    def __str__(self) -> str:
        if isinstance(self, ww.Error):  # whose text has the compiler's words
            return super().__str__()
        parts = [self.msg]
        if self.command_line:
            parts.append(f"[command: {' '.join(self.command_line)}]")
        parts += [
            f"[{name}:\n{words}]"
            for name, words in (("stdout", self.stdout), ("stderr", self.stderr))
            if words
        ]
        return "\n".join(parts)


class _Pickled:
    """Pickled by its class, unlike the errors of Warpwise that it is one of."""

    args: tuple[Any, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self.args, self.__dict__


class NotReadyError(_Pickled, ww.ArgumentValueError):
    """What is asked for is not done yet: RuntimeError in PyCUDA, as CUDA's NOT_READY is."""


class NoBinaryError(_Pickled, ww.UnsupportedError):
    """Machine code for another kind of device: RuntimeError in PyCUDA, as CUDA's NO_BINARY_FOR_GPU
    is."""


class OtherBinaryError(_Pickled, ww.ArgumentValueError):
    """Machine code for another kind of GPU: as NoBinaryError."""


class OptionError(_Pickled, ww.ArgumentValueError):
    """An option that no compiler takes: CompileError in PyCUDA, where nvcc refuses it."""


# First match wins. PyCUDA reports a kernel's wild address as LogicError and a failed launch as
# LaunchError; Warpwise has one class for both, so such an error is caught as either.
_TREE: list[tuple[type[ww.Error], tuple[type[Error], ...]]] = [
    (ww.CompileError, (CompileError,)),
    (OptionError, (CompileError, LogicError)),
    (ww.OutOfMemoryError, (MemoryError,)),
    (ww.LaunchError, (LaunchError, LogicError)),
    (NotReadyError, (RuntimeError,)),
    (NoBinaryError, (RuntimeError,)),
    (OtherBinaryError, (RuntimeError,)),
    (ww.ArgumentError, (LogicError,)),
    (ww.DeviceError, (RuntimeError,)),
    (ww.Error, (Error,)),
]


# Names of Warpwise's that pycuda.driver has too: messages name those that the user imported.
_OURS = re.compile(r"\bww\.(Event|In|InOut|Out|Stream|mem_alloc)\b")

# What events are made with, in C++'s words and in PyCUDA's.
_FLAGS = {
    "with timing = true": "without event_flags.DISABLE_TIMING",
    "with interprocess = true": "with event_flags.INTERPROCESS | event_flags.DISABLE_TIMING",
}

_joined: dict[type[ww.Error], type[ww.Error]] = {}


def _joined_class(raised: type[ww.Error]) -> type[ww.Error]:
    def reduced(error: ww.Error) -> tuple[Any, ...]:
        """Pickle looks classes up by name, and does not find this one."""
        alone = raised(*error.args)
        alone.__dict__.update(error.__dict__)
        return joined, (alone,)

    if raised not in _joined:
        ours = next(classes for base, classes in _TREE if issubclass(raised, base))
        body = {"__module__": "pycuda.driver", "__reduce__": reduced}
        _joined[raised] = type(ours[0].__name__, (*ours, raised), body)
    return _joined[raised]


def _of_pycuda(words: str) -> str:
    for ours, theirs in _FLAGS.items():
        words = words.replace(ours, theirs)
    return _OURS.sub(r"drv.\1", words)


def joined(error: ww.Error) -> ww.Error:
    """The error as one that is PyCUDA's as well, with the same traceback and attributes."""
    if isinstance(error, Error):
        return error
    words = [_of_pycuda(str(argument)) for argument in error.args]
    kind: Any = _joined_class(type(error))
    result: ww.Error = kind(*words, []) if issubclass(kind, CompileError) else kind(*words)
    result.__dict__.update(error.__dict__)
    if isinstance(result, CompileError):
        result.stdout = ""
        result.stderr = result.__dict__.get("log", result.msg)
    return result.with_traceback(error.__traceback__)


_of_files: dict[type[OSError], type[OSError]] = {}


def _class_of_files(raised: type[OSError]) -> type[OSError]:
    def reduced(error: OSError) -> tuple[Any, ...]:
        return _of_file, (raised, error.errno, error.strerror, error.filename)

    if raised not in _of_files:
        body = {"__module__": "pycuda.driver", "__reduce__": reduced}
        _of_files[raised] = type("RuntimeError", (raised, RuntimeError, ww.DeviceError), body)
    return _of_files[raised]


def _of_file(raised: type[OSError], *words: Any) -> OSError:
    return _class_of_files(raised)(*words)


def read_file(filename: str | os.PathLike[str]) -> bytes:
    """The file's content; an OSError of it is RuntimeError too, as in PyCUDA."""
    try:
        return Path(filename).read_bytes()
    except OSError as error:
        if error.errno is None:
            raise
        raise _of_file(type(error), error.errno, error.strerror, error.filename) from None


def boundary(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """For every function users call: what Warpwise raises in it can be caught as PyCUDA's."""

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return function(*args, **kwargs)
        except ww.Error as error:
            raise joined(error) from None

    return call
