"""numba.cuda.testing: test cases and skips of test suites written for Numba's CUDA target."""

from __future__ import annotations

import importlib
import io
import os
import shutil
import sys
import unittest
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ._assertions import NumbaAssertions
from ._devices import get_current_device, gpus
from .cudadrv.devices import reset

_Decorator = Callable[[Any], Any]
_QUIET = ("CUDA_LOW_OCCUPANCY_WARNINGS", "CUDA_WARN_ON_IMPLICIT_COPY")


def _config() -> Any:
    return sys.modules.get("numba.core.config")


try:
    SerialMixin: Any = importlib.import_module("numba.tests.support").SerialMixin
except ImportError:

    class SerialMixin:  # type: ignore[no-redef]
        """A test that does not run beside others."""


# Where an installed Numba has sources that its tests link.
test_data_dir = Path(getattr(sys.modules.get("numba"), "__file__", "")).parent / "cuda/tests/data"


def _base() -> type[unittest.TestCase]:
    """Numba's own TestCase where Numba is installed."""
    try:
        support = importlib.import_module("numba.tests.support")
    except ImportError:
        return NumbaAssertions
    return type("_TestCase", (support.SerialMixin, support.TestCase), {})


class CUDATestCase(_base()):  # type: ignore[misc]
    """A test case without warnings about host arrays and small grids."""

    def setUp(self) -> None:
        super().setUp()
        config = _config()
        self._before = {name: getattr(config, name, None) for name in _QUIET}
        for name in _QUIET:
            if config is not None:
                setattr(config, name, 0)

    def tearDown(self) -> None:
        config = _config()
        for name, value in self._before.items():
            if config is not None:
                setattr(config, name, value)
        super().tearDown()

    def skip_if_lto(self, reason: str) -> None:
        """Nothing is linked with link-time optimisation by default."""


class ContextResettingTestCase(CUDATestCase):
    """A test case that resets the device at its end."""

    def tearDown(self) -> None:
        super().tearDown()
        reset()


class ForeignArray:
    """An array of another library: it has nothing but the CUDA array interface."""

    def __init__(self, arr: Any) -> None:
        self._arr = arr
        self.__cuda_array_interface__ = arr.__cuda_array_interface__


def _never_skip(reason: str) -> _Decorator:
    return lambda test: test


def _skip(reason: str) -> _Decorator:
    return unittest.skip(reason)


skip_on_cudasim = skip_if_external_memmgr = skip_if_mvc_enabled = _never_skip
skip_unless_cudasim = skip_unless_conda_cudatoolkit = _skip
skip_under_cuda_memcheck = _never_skip


def skip_without_nvdisasm(reason: str) -> _Decorator:
    """Skips where NVIDIA's disassembler is not installed."""
    return unittest.skipIf(shutil.which("nvdisasm") is None, reason)


def skip_with_nvdisasm(reason: str) -> _Decorator:
    """Skips where it is."""
    return unittest.skipIf(shutil.which("nvdisasm") is not None, reason)


def skip_on_arm(reason: str) -> _Decorator:
    """Skips on ARM processors."""
    return unittest.skipIf(os.uname().machine.startswith(("arm", "aarch")), reason)


def skip_if_cuda_includes_missing(fn: Any) -> Any:
    """Skips where there is no cuda.h."""
    return unittest.skip("there is no cuda.h that Warpwise would use")(fn)


def skip_if_curand_kernel_missing(fn: Any) -> Any:
    """Runs the test: curand_kernel.h is there."""
    return fn


def skip_if_cudadevrt_missing(fn: Any) -> Any:
    """Runs the test: cooperative launches need no library."""
    return fn


def skip_if_mvc_libraries_unavailable(fn: Any) -> Any:
    """Skips: there is no minor version compatibility to test."""
    return unittest.skip("Warpwise does not use cubinlinker")(fn)


def cc_X_or_above(major: int, minor: int) -> bool:  # noqa: N802
    """Whether the current device is of this compute capability or of a later one."""
    return get_current_device().compute_capability >= (major, minor)


def skip_unless_cc_32(fn: Any) -> Any:
    """Skips on devices before compute capability 3.2."""
    return unittest.skipUnless(cc_X_or_above(3, 2), "requires cc >= 3.2")(fn)


def skip_unless_cc_50(fn: Any) -> Any:
    """Skips on devices before compute capability 5.0."""
    return unittest.skipUnless(cc_X_or_above(5, 0), "requires cc >= 5.0")(fn)


def skip_unless_cc_53(fn: Any) -> Any:
    """Skips on devices before compute capability 5.3."""
    return unittest.skipUnless(cc_X_or_above(5, 3), "requires cc >= 5.3")(fn)


def skip_unless_cc_60(fn: Any) -> Any:
    """Skips on devices before compute capability 6.0."""
    return unittest.skipUnless(cc_X_or_above(6, 0), "requires cc >= 6.0")(fn)


def skip_unless_cc_75(fn: Any) -> Any:
    """Skips on devices before compute capability 7.5."""
    return unittest.skipUnless(cc_X_or_above(7, 5), "requires cc >= 7.5")(fn)


def xfail_unless_cudasim(fn: Any) -> Any:
    """A test of Numba's simulator only: it may fail."""
    fn.__unittest_expecting_failure__ = True
    return fn


skip_with_cuda_python = _never_skip


def ensure_supported_ccs_initialized() -> None:
    """Nothing has to be initialised before a fork."""


@contextmanager
def captured_cuda_stdout() -> Iterator[Any]:
    """What kernels and Python print in the block."""
    from ._devices import synchronize

    synchronize()
    before, sys.stdout = sys.stdout, io.StringIO()
    try:
        yield _Captured(sys.stdout)
    finally:
        synchronize()
        sys.stdout = before


class _Captured:
    def __init__(self, stream: io.StringIO) -> None:
        self._stream = stream

    def getvalue(self) -> str:
        from ._devices import synchronize

        synchronize()
        return self._stream.getvalue()


__all__ = ["CUDATestCase", "ContextResettingTestCase", "ForeignArray", "gpus", "unittest"]
