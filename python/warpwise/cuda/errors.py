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


class NumbaPendingDeprecationWarning(NumbaWarning, PendingDeprecationWarning):
    """Something will be deprecated."""


class NumbaExperimentalFeatureWarning(NumbaWarning):
    """Something may change in any version."""


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
NumbaTypeError = CompileError
NumbaValueError = CompileError
NumbaIndexError = CompileError
NumbaAttributeError = CompileError
NumbaAssertionError = CompileError
RequireLiteralValue = CompileError
ConstantInferenceError = CompileError
NumbaNotImplementedError = UnsupportedError
UnsupportedBytecodeError = UnsupportedError
UnsupportedError = UnsupportedError
CudaSupportError = DeviceError
CudaAPIError = DeviceError
KernelRuntimeError = LaunchError
ArgumentError = ArgumentError

__all__ = [
    "ArgumentError",
    "ConstantInferenceError",
    "CudaAPIError",
    "CudaSupportError",
    "KernelRuntimeError",
    "LoweringError",
    "NumbaAssertionError",
    "NumbaAttributeError",
    "NumbaDebugInfoWarning",
    "NumbaDeprecationWarning",
    "NumbaError",
    "NumbaExperimentalFeatureWarning",
    "NumbaIndexError",
    "NumbaInvalidConfigWarning",
    "NumbaNotImplementedError",
    "NumbaPendingDeprecationWarning",
    "NumbaPerformanceWarning",
    "NumbaTypeError",
    "NumbaValueError",
    "NumbaWarning",
    "RequireLiteralValue",
    "TypingError",
    "UnsupportedBytecodeError",
    "UnsupportedError",
]
