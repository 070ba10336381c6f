"""The errors of Warpwise. Every message has what went wrong, with which value, and what to do."""

from __future__ import annotations

from typing import Any

from numpy.exceptions import AxisError


class Error(RuntimeError):
    """The root: catch this to catch everything Warpwise raises."""


class _SourceError(Error):
    """An error about a location in a source; without one the fields are empty."""

    def __init__(self, message: str, log: str = "", file: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.log = log
        self.file = file
        self.line = line

    def __str__(self) -> str:
        message, log = str(self.args[0]), self.log.strip()
        return log if message in log else f"{message}\n{log}".rstrip()


class CompileError(_SourceError):
    """The source does not compile. `log` holds every error with the user's lines and carets."""


class ArgumentError(Error):
    """An argument is wrong; nothing has run. Also a TypeError, ValueError or IndexError."""

    def __reduce__(self) -> tuple[object, ...]:
        # Pickle looks classes up by name, and these three share one.
        bases = {"Type": TypeError, "Value": ValueError, "Index": IndexError}
        kind = next((name for name, base in bases.items() if isinstance(self, base)), "")
        return _argument_error, (kind, *self.args), self.__dict__


class ArgumentTypeError(ArgumentError, TypeError):
    """An ArgumentError about a value's type."""


class ArgumentValueError(ArgumentError, ValueError):
    """An ArgumentError about a value."""


class ArgumentIndexError(ArgumentError, IndexError):
    """An ArgumentError about an element or axis that does not exist."""


class ArgumentAxisError(ArgumentValueError, ArgumentIndexError, AxisError):
    """An ArgumentError about an axis that an array does not have; an AxisError of NumPy's."""

    axis: int | None
    ndim: int | None

    def __init__(self, message: str, axis: int | None = None, ndim: int | None = None) -> None:
        AxisError.__init__(self, message)  # the form that takes a text, and no axis
        self.args = (message,)
        self.axis = axis
        self.ndim = ndim

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        return _argument_error, ("Axis", *self.args, self.axis, self.ndim), self.__dict__


def _argument_error(kind: str, *args: Any) -> ArgumentError:
    kinds: dict[str, type[ArgumentError]] = {
        "": ArgumentError,
        "Type": ArgumentTypeError,
        "Value": ArgumentValueError,
        "Index": ArgumentIndexError,
        "Axis": ArgumentAxisError,
    }
    return kinds[kind](*args)


class LaunchError(Error):
    """A kernel could not be launched, or failed while running. Unknown locations are None."""

    def __init__(
        self,
        message: str,
        kernel: str = "",
        block: tuple[int, int, int] | None = None,
        thread: tuple[int, int, int] | None = None,
    ) -> None:
        super().__init__(message)
        self.kernel = kernel
        self.block = block
        self.thread = thread


class RaisedInKernel(LaunchError):
    """What a thread of a kernel with debug=True raised; launches make its exception of it."""

    def __init__(
        self,
        text: str,
        kernel: str,
        block: tuple[int, int, int],
        thread: tuple[int, int, int],
        exception: str,
        message: str,
        function: str,
        file: str,
        line: int,
        column: int,
    ) -> None:
        super().__init__(text, kernel, block, thread)
        self.exception = exception
        self.message = message
        self.function = function
        self.file = file
        self.line = line
        self.column = column


class OutOfMemoryError(Error, MemoryError):
    """Memory cannot be allocated; says how much was requested and what is free."""


class DeviceError(Error):
    """A device, driver or file operation failed."""


class UnsupportedError(_SourceError, NotImplementedError):
    """Something that Warpwise, this version or this device does not support.

    For a construct in a source, `log`, `file` and `line` locate it, as in CompileError.
    """


class UnsupportedNameError(UnsupportedError, AttributeError):
    """An UnsupportedError about an attribute, so that hasattr() is False and tools work."""


class UnsupportedModuleError(UnsupportedError, ModuleNotFoundError):
    """An UnsupportedError about a module, so that `except ImportError` around an import works."""


class CheckError(Error):
    """Checked mode found a fault in a kernel."""


# Users see these under the package's own name, and the two kinds of ArgumentError under one.
for _class in (
    Error, CompileError, ArgumentError, ArgumentTypeError, ArgumentValueError, ArgumentIndexError,
    ArgumentAxisError, LaunchError,
    OutOfMemoryError, DeviceError, UnsupportedError, UnsupportedNameError, UnsupportedModuleError,
    CheckError,
):  # fmt: skip
    _class.__module__ = "warpwise"
for _class in (ArgumentTypeError, ArgumentValueError, ArgumentIndexError, ArgumentAxisError):
    _class.__qualname__ = _class.__name__ = "ArgumentError"
