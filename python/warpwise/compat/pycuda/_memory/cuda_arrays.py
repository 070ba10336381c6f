"""pycuda.driver: CUDA arrays, and copies of rows from and to them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

import warpwise as ww

from .._basics.documented import documented
from .._basics.enums import array3d_flags, array_format
from .._basics.errors import boundary
from .memory import memory_at

_Matrix = npt.NDArray[Any]


def flat_bytes(buffer: Any) -> _Matrix:
    """The bytes of contiguous host memory in the order in which they lie, shared."""
    array = buffer if isinstance(buffer, np.ndarray) else np.asarray(memoryview(buffer))
    if not array.flags.forc:
        raise ww.ArgumentValueError(
            f"a copy got host memory of {array.dtype} and shape {array.shape} that is not "
            "contiguous; pass numpy.ascontiguousarray of it, or a contiguous array to write to"
        )
    return array if array.flags.c_contiguous else array.T


_FORMATS: dict[np.dtype[Any], array_format] = {
    np.dtype(np.uint8): array_format.UNSIGNED_INT8,
    np.dtype(np.uint16): array_format.UNSIGNED_INT16,
    np.dtype(np.uint32): array_format.UNSIGNED_INT32,
    np.dtype(np.int8): array_format.SIGNED_INT8,
    np.dtype(np.int16): array_format.SIGNED_INT16,
    np.dtype(np.int32): array_format.SIGNED_INT32,
    np.dtype(np.float16): array_format.HALF,
    np.dtype(np.float32): array_format.FLOAT,
}
_DTYPES: dict[array_format, np.dtype[Any]] = {number: dtype for dtype, number in _FORMATS.items()}
# What has no format of its own travels as 32-bit integers.
_HACKS = {np.dtype(np.float64): 2, np.dtype(np.complex64): 2, np.dtype(np.complex128): 4}


def dtype_to_array_format(dtype: npt.DTypeLike) -> array_format:
    found = _FORMATS.get(np.dtype(dtype))
    if found is None:
        raise TypeError(f"cannot convert dtype '{np.dtype(dtype)}' to array format")
    return found


def array_format_to_dtype(format: array_format) -> np.dtype[Any]:
    return _DTYPES[array_format(format)]


class ArrayDescriptor:
    def __init__(self) -> None:
        self.width = 0
        self.height = 0
        self.format = array_format.FLOAT
        self.num_channels = 1


class ArrayDescriptor3D(ArrayDescriptor):
    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self.flags = 0


class Array:
    """Device memory for textures and surfaces. What is bound to a texture outlives free()."""

    @documented(descriptor="descr")
    @boundary
    def __init__(self, descr: ArrayDescriptor) -> None:
        shape = [descr.width]
        if descr.height:
            shape.insert(0, descr.height)
        depth = getattr(descr, "depth", 0)
        if depth:
            shape.insert(0, depth)
        flags = array3d_flags(int(getattr(descr, "flags", 0)))
        self._descr = descr
        self._array: ww.CudaArray | None = ww.CudaArray(
            shape,
            array_format_to_dtype(descr.format),
            descr.num_channels,
            layered=array3d_flags.ARRAY3D_LAYERED in flags,
            cubemap=array3d_flags.CUBEMAP in flags,
        )

    @property
    def native(self) -> ww.CudaArray:
        if self._array is None:
            raise ww.ArgumentValueError("this array was freed before; make a new one")
        return self._array

    @boundary
    def free(self) -> None:
        if self._array is None:
            raise ww.ArgumentValueError("this array was freed before")
        self._array = None

    def get_descriptor(self) -> ArrayDescriptor:
        return self._descr

    def get_descriptor_3d(self) -> ArrayDescriptor3D:
        descr = ArrayDescriptor3D()
        vars(descr).update(vars(self._descr))
        return descr

    @property
    @boundary
    def handle(self) -> int:
        """A number, different for each living array."""
        return id(self.native)


def _in_row_order(array: _Matrix, order: str) -> _Matrix:
    """The array so that its last axis is the texture's x."""
    if order.upper() not in ("C", "F"):
        raise ww.ArgumentValueError(f"order must be either F or C, not {order!r}")
    return np.ascontiguousarray(array if order.upper() == "C" else array.T)


def _filled(shape: Iterable[int], values: _Matrix, channels: int, flags: int = 0) -> Array:
    """An array of this shape, x last, with `values` in it."""
    axes = list(shape)
    if not 1 <= len(axes) <= 3:
        raise ww.ArgumentValueError(f"arrays for textures have 1 to 3 axes, not {len(axes)}")
    descr = ArrayDescriptor3D()
    descr.width = axes[-1]
    descr.height = axes[-2] if len(axes) > 1 else 0
    descr.depth = axes[-3] if len(axes) > 2 else 0
    descr.num_channels = channels
    hack = _HACKS.get(values.dtype)
    if hack is None:
        descr.format = dtype_to_array_format(values.dtype)
    else:
        descr.format, descr.num_channels = array_format.SIGNED_INT32, hack
    descr.flags = flags
    array = Array(descr)
    array.native.copy_from(values)
    return array


@boundary
def matrix_to_array(
    matrix: _Matrix, order: Literal["C", "F"], allow_double_hack: bool = False
) -> Array:
    """tex2D(x, y) is matrix[y, x] in order "C", matrix[x, y] in order "F"."""
    if matrix.dtype == np.float64 and not allow_double_hack:
        dtype_to_array_format(matrix.dtype)
    rows = _in_row_order(matrix, order)
    return _filled(rows.shape, rows, 1)


@boundary
def np_to_array(
    nparray: _Matrix,
    order: Literal["C", "F"],
    allowSurfaceBind: bool = False,  # noqa: N803 - PyCUDA's name
) -> Array:
    """An array of two or three axes; float64 and complex elements as 32-bit integers."""
    rows = _in_row_order(nparray, order)
    return _filled(rows.shape, rows, 1, 2 if allowSurfaceBind else 0)


@documented(gpuparray="gpuarray")
@boundary
def gpuarray_to_array(
    gpuarray: Any,
    order: Literal["C", "F"],
    allowSurfaceBind: bool = False,  # noqa: N803 - PyCUDA's name
) -> Array:
    """The same from device memory: an object with shape, dtype and gpudata."""
    axes = tuple(gpuarray.shape if order.upper() == "C" else gpuarray.shape[::-1])
    empty = np.empty(axes, gpuarray.dtype)
    array = _filled(axes, empty, 1, 2 if allowSurfaceBind else 0)
    planes = int(np.prod(axes[:-2], dtype=int))
    height = axes[-2] if len(axes) > 1 else 1
    ww.copy_box(
        array.native, memory_at(gpuarray.gpudata, empty.nbytes), axes[-1] * empty.itemsize, height,
        planes,
    )  # fmt: skip
    return array


@documented(matrix="ndarray")
@boundary
def make_multichannel_2d_array(ndarray: _Matrix, order: Literal["C", "F"]) -> Array:
    """Of shape (height, width, channels) in order "C", (channels, width, height) in order "F"."""
    rows = _in_row_order(ndarray, order)
    return _filled(rows.shape[:2], rows, rows.shape[2])


def _copy_row(destination: Any, source: Any, nbytes: int, to: int, start: int) -> None:
    ww.copy_box(destination, source, nbytes, destination_at=(to, 0, 0), source_at=(start, 0, 0))


@boundary
def memcpy_htoa(ary: Array, index: int, src: Any) -> None:
    """Into a one-dimensional array, from byte `index` on."""
    host = flat_bytes(src)
    _copy_row(ary.native, host, host.nbytes, index, 0)


@boundary
def memcpy_atoh(dest: Any, ary: Array, index: int) -> None:
    host = flat_bytes(dest)
    _copy_row(host, ary.native, host.nbytes, 0, index)


@boundary
def memcpy_dtoa(ary: Array, index: int, src: Any, len: int) -> None:
    _copy_row(ary.native, memory_at(src, len), len, index, 0)


@boundary
def memcpy_atod(dest: Any, ary: Array, index: int, len: int) -> None:
    _copy_row(memory_at(dest, len), ary.native, len, 0, index)


@boundary
def memcpy_atoa(dest: Array, dest_index: int, src: Array, src_index: int, len: int) -> None:
    _copy_row(dest.native, src.native, len, dest_index, src_index)
