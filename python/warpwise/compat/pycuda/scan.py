"""pycuda.scan over Warpwise's scan kernels: in place, unless an output is given."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import warpwise as ww

from ._basics.documented import documented
from ._basics.dtypes import dtype_to_ctype
from ._basics.errors import boundary
from ._compiling.compile import made_kept, options_of
from ._devices.device import Stream, native
from ._gpuarray.array import GPUArray
from ._gpuarray.memory import Allocator, allocated, require_contiguous
from ._kernels.kernel_arguments import announce, with_headers
from .compiler import DEFAULT_NVCC_FLAGS
from .compiler import SourceModule as SourceModule
from .reduction import neutral_text

__all__ = ["ExclusiveScanKernel", "InclusiveScanKernel"]


class _ScanKernel:
    _kind: Any

    @boundary
    def __init__(
        self,
        dtype: npt.DTypeLike,
        scan_expr: str,
        neutral: Any = None,
        name_prefix: str = "scan",
        options: Any = None,
        preamble: str = "",
        devices: Any = None,
    ) -> None:
        self.dtype = np.dtype(dtype)
        self.name = name_prefix
        ctype = dtype_to_ctype(self.dtype)
        if self.dtype.fields is not None:
            announce(self.dtype)
        start = None if neutral is None else neutral_text(neutral, ctype)
        if start is None and self._kind is ww.ExclusiveScanKernel:
            raise ww.ArgumentValueError(f"{name_prefix}: an exclusive scan needs a neutral element")
        self._kernel = made_kept(
            lambda: self._kind(
                ctype, scan_expr, start, name_prefix,
                options=options_of(options, DEFAULT_NVCC_FLAGS),
                **with_headers(preamble, ctype, scan_expr, start),
            )
        )  # fmt: skip

    @documented(queue="stream")
    @boundary
    def __call__(
        self,
        input_ary: GPUArray,
        output_ary: Any = None,
        allocator: Allocator | None = None,
        stream: Stream | None = None,
    ) -> GPUArray:
        """Scans an array of one axis into `output_ary`, by default into itself; "new" makes an
        array, with memory of the allocator's. Returns the output."""
        if not isinstance(input_ary, GPUArray):
            raise ww.ArgumentTypeError(
                f"{self.name} expects a GPUArray, got {type(input_ary).__name__}"
            )
        require_contiguous(input_ary._array)
        if input_ary.ndim != 1:
            raise ww.ArgumentValueError(
                f"{self.name} scans arrays of one axis, got shape {input_ary.shape}; "
                "ravel() shows any contiguous array as one"
            )
        if input_ary.dtype != self.dtype:
            raise ww.ArgumentTypeError(
                f"{self.name} scans {self.dtype}, got an array of {input_ary.dtype}"
            )
        output = self._output(input_ary, output_ary, allocator)
        self._kernel(input_ary._placed(), output._placed(), stream=native(stream))
        return output

    def _output(self, given: GPUArray, wanted: Any, allocator: Allocator | None) -> GPUArray:
        if wanted is None:
            return given
        if isinstance(wanted, str) and wanted == "new":
            made = GPUArray.__new__(GPUArray)
            chosen = allocator or given._allocator
            if chosen is not None:
                made._allocator = chosen
            strides = (given.itemsize,)
            made._array, made._gpudata = allocated(chosen, given.shape, given.dtype, strides)
            return made
        if not isinstance(wanted, GPUArray):
            raise ww.ArgumentTypeError(
                f'{self.name} expects a GPUArray or "new" for output_ary, got {wanted!r}'
            )
        if wanted.shape != given.shape or wanted.dtype != given.dtype:
            raise ww.ArgumentValueError(
                f"{self.name} got an output of shape {wanted.shape} and {wanted.dtype} for an "
                f"input of {given.shape} and {given.dtype}"
            )
        return wanted

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class InclusiveScanKernel(_ScanKernel):
    """Element i becomes the elements 0 to i, joined by `scan_expr`, an associative expression of
    `a` (what comes before) and `b`."""

    _kind = ww.InclusiveScanKernel


class ExclusiveScanKernel(_ScanKernel):
    """Element i becomes the elements before it, joined; the first one `neutral`, in C++ or a
    number."""

    _kind = ww.ExclusiveScanKernel

    def __init__(
        self,
        dtype: npt.DTypeLike,
        scan_expr: str,
        neutral: Any,
        name_prefix: str = "scan",
        options: Any = None,
        preamble: str = "",
        devices: Any = None,
    ) -> None:
        super().__init__(dtype, scan_expr, neutral, name_prefix, options, preamble, devices)
