"""The part of GPUArray that hands its memory to others: textures, other libraries, pickle."""

from __future__ import annotations

from typing import Any

import numpy as np

import warpwise as ww

from .._basics.enums import array_format
from .._basics.errors import boundary
from .._memory.cuda_arrays import dtype_to_array_format
from .._memory.textures import TRSF_READ_AS_INTEGER, TextureReference
from .memory import require_contiguous


class Exchange:
    """bind_to_texref, __cuda_array_interface__, DLPack, pickle."""

    _array: ww.Array
    gpudata: Any

    def _placed(self) -> ww.Array:
        raise NotImplementedError

    def get(self) -> Any:
        raise NotImplementedError

    @property
    @boundary
    def __cuda_array_interface__(self) -> dict[str, Any]:
        array = self._placed()
        return {
            "shape": array.shape,
            "strides": array.strides,
            "data": (array.ptr if array.size else 0, False),
            "typestr": array.dtype.str,
            "stream": None,
            "version": 3,
        }

    def __dlpack__(self, **options: Any) -> Any:
        """For other libraries' from_dlpack(), ww.from_dlpack() among them."""
        return self._placed().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()

    def __reduce__(self) -> tuple[Any, ...]:
        from ..gpuarray import to_gpu

        return to_gpu, (self.get(),)

    # --- Textures.

    @boundary
    def bind_to_texref(self, texref: TextureReference, allow_offset: bool = False) -> float:
        """Binds the memory; returns the offset in elements, which is 0."""
        require_contiguous(self._array)
        return texref.set_address(self.gpudata, self._array.nbytes, allow_offset) / (
            self._array.itemsize
        )

    @boundary
    def bind_to_texref_ext(
        self,
        texref: TextureReference,
        channels: int = 1,
        allow_double_hack: bool = False,
        allow_complex_hack: bool = False,
        allow_offset: bool = False,
    ) -> float:
        """Binds the memory with its format: float64 and complex numbers as the 32-bit integers that
        fp_tex1Dfetch() reads, where that is allowed."""
        dtype: np.dtype[Any] = self._array.dtype
        wide = {"float64": 2, "complex64": 2, "complex128": 4}.get(dtype.name)
        allowed = allow_double_hack if dtype.kind == "f" else allow_complex_hack
        reads_integers = dtype.kind in "iu"
        if wide is not None and allowed:
            if channels != 1:
                raise ww.ArgumentValueError(
                    f"textures that stand for {dtype} have one channel, got {channels}"
                )
            channels, reads_integers = wide, True
            form = array_format.SIGNED_INT32
        else:
            form = dtype_to_array_format(dtype)
        offset = self.bind_to_texref(texref, allow_offset)
        texref.set_format(form, channels)
        if reads_integers:
            texref.set_flags(texref.get_flags() | TRSF_READ_AS_INTEGER)
        return offset
