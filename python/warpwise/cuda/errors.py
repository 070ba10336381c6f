"""Errors and warnings with Numba's names. Each is Warpwise's, or derived from it."""

from __future__ import annotations

from .._errors import (
    ArgumentError,
    CompileError,
    DeviceError,
    Error,
    LaunchError,
    UnsupportedError,
)


class NumbaWarning(Warning):
    """A warning about a kernel or a launch."""


class NumbaPerformanceWarning(NumbaWarning):
    """A kernel or a launch is slower than it needs to be."""


class NumbaDebugInfoWarning(NumbaWarning):
    """Information for debuggers is missing."""


class NumbaDeprecationWarning(NumbaWarning, DeprecationWarning):
    """Something will not be accepted by later versions."""


class NumbaInvalidConfigWarning(NumbaWarning):
    """An option contradicts another one."""


class FailedLaunch(LaunchError, DeviceError):
    """A launch that the device did not take, as `except CudaAPIError` expects it."""

    @property
    def msg(self) -> str:
        return str(self.args[0])


# What compiling a function raises, by the names that programs catch.
NumbaError = Error
TypingError = CompileError
LoweringError = CompileError
UnsupportedError = UnsupportedError
CudaSupportError = DeviceError
CudaAPIError = DeviceError
KernelRuntimeError = LaunchError
ArgumentError = ArgumentError

__all__ = [
    "ArgumentError",
    "CudaAPIError",
    "CudaSupportError",
    "KernelRuntimeError",
    "LoweringError",
    "NumbaDebugInfoWarning",
    "NumbaDeprecationWarning",
    "NumbaError",
    "NumbaInvalidConfigWarning",
    "NumbaPerformanceWarning",
    "NumbaWarning",
    "TypingError",
    "UnsupportedError",
]
