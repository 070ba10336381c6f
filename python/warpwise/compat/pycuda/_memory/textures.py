"""pycuda.driver: texture and surface references."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

import warpwise as ww

from .._basics.enums import address_mode, array3d_flags, array_format, filter_mode, require_none
from .._basics.errors import boundary
from .cuda_arrays import (
    Array,
    ArrayDescriptor,
    array_format_to_dtype,
    dtype_to_array_format,
    matrix_to_array,
)
from .memory import MemoryAddress, memory_at

TRSA_OVERRIDE_FORMAT = 1
TRSF_READ_AS_INTEGER = 1
TRSF_NORMALIZED_COORDINATES = 2
TR_DEFAULT = -1


# Of textures over linear memory on the CPU device, in bytes.
_ALIGNMENT_ON_CPU = 16


def _alignment() -> int:
    device = ww.Device()
    return device.attribute("texture_alignment") if device.kind == "cuda" else _ALIGNMENT_ON_CPU


def _moved_back(devptr: Any, offset: int) -> Any:
    if offset == 0:
        return devptr
    address = int(devptr) - offset
    if isinstance(devptr, MemoryAddress):
        return MemoryAddress(address, devptr._buffer)
    return address


class _Unbound:
    """The state of a reference that no module declares: kept and answered, read by no kernel."""

    def __init__(self) -> None:
        self.dtype, self.channels = np.dtype(np.float32), 1
        self.filter_mode = "point"
        self.flags = 0
        self._modes = ["wrap", "wrap", "wrap"]

    def set_array(self, array: ww.CudaArray) -> None:
        self.dtype, self.channels = array.dtype, array.channels

    def set_address(self, buffer: ww.Buffer) -> None:
        """Nothing is to be kept: the address is known to the caller."""

    def set_address_2d(self, buffer: ww.Buffer, shape: tuple[int, int], pitch: int) -> None:
        """The same."""

    def set_format(self, dtype: np.dtype[Any], channels: int) -> None:
        self.dtype, self.channels = dtype, channels

    def set_address_mode(self, dim: int, mode: str) -> None:
        self._modes[dim] = mode

    def address_mode(self, dim: int) -> str:
        return self._modes[dim]

    def set_filter_mode(self, mode: str) -> None:
        self.filter_mode = mode

    def set_flags(self, flags: int) -> None:
        self.flags = flags


class TextureReference:
    """A texture that a module declares. Kernels read what is bound at their launch."""

    def __init__(self, reference: ww.TextureReference | None = None) -> None:
        self._reference: Any = _Unbound() if reference is None else reference
        self._array: Array | None = None
        self._address: Any = None

    @boundary
    def set_array(self, array: Array) -> None:
        self._reference.set_array(array.native)
        self._array, self._address = array, None

    @boundary
    def set_address(self, devptr: Any, bytes: int, allow_offset: bool = False) -> int:
        """Binds linear memory. A texture begins at a multiple of an alignment: the result is how
        many bytes of it are before the pointer, and kernels add what that is in elements."""
        offset = int(devptr) % _alignment()
        if offset and not allow_offset:
            raise ww.ArgumentValueError(
                f"a texture begins at a multiple of {_alignment()} bytes, and {int(devptr):#x} is "
                f"{offset} bytes after one; with allow_offset=True, set_address returns these bytes"
            )
        memory = memory_at(_moved_back(devptr, offset), offset + bytes)
        self._reference.set_address(memory.slice(0, offset + bytes))
        self._array, self._address = None, devptr
        return offset

    @boundary
    def set_address_2d(self, devptr: Any, descr: ArrayDescriptor, pitch: int) -> None:
        self.set_format(descr.format, descr.num_channels)
        memory = memory_at(devptr, pitch * descr.height)
        self._reference.set_address_2d(memory, (descr.height, descr.width), int(pitch))
        self._array, self._address = None, devptr

    @boundary
    def set_format(self, fmt: array_format, num_components: int) -> None:
        self._reference.set_format(array_format_to_dtype(fmt), num_components)

    @boundary
    def set_address_mode(self, dim: int, am: address_mode) -> None:
        self._reference.set_address_mode(dim, address_mode(am).name.lower())

    @boundary
    def set_filter_mode(self, fm: filter_mode) -> None:
        self._reference.set_filter_mode(filter_mode(fm).name.lower())

    @boundary
    def set_flags(self, flags: int) -> None:
        self._reference.set_flags(int(flags))

    def get_array(self) -> Array | None:
        return self._array

    def get_address(self) -> int:
        return 0 if self._address is None else int(self._address)

    def get_address_mode(self, dim: int) -> address_mode:
        return address_mode[self._reference.address_mode(dim).upper()]

    def get_filter_mode(self) -> filter_mode:
        return filter_mode[self._reference.filter_mode.upper()]

    def get_format(self) -> tuple[array_format, int]:
        return dtype_to_array_format(self._reference.dtype), self._reference.channels

    def get_flags(self) -> int:
        return int(self._reference.flags)


class SurfaceReference:
    """A surface that a module declares."""

    def __init__(self, reference: ww.SurfaceReference) -> None:
        self._reference = reference
        self._array: Array | None = None

    @boundary
    def set_array(self, array: Array, flags: int = 0) -> None:
        require_none(flags, "a surface")
        native = array.native
        if array3d_flags.SURFACE_LDST not in array3d_flags(int(array.get_descriptor_3d().flags)):
            raise ww.ArgumentValueError(
                "a surface is over an array made with array3d_flags.SURFACE_LDST (np_to_array and "
                "gpuarray_to_array: allowSurfaceBind=True), and this one is without it"
            )
        self._reference.set_array(native)
        self._array = array

    def get_array(self) -> Array | None:
        return self._array


def bind_array_to_texref(ary: Array, texref: TextureReference) -> None:
    texref.set_array(ary)
    texref.set_address_mode(0, address_mode.CLAMP)
    texref.set_address_mode(1, address_mode.CLAMP)
    texref.set_filter_mode(filter_mode.POINT)


def matrix_to_texref(matrix: Any, texref: TextureReference, order: Literal["C", "F"]) -> None:
    bind_array_to_texref(matrix_to_array(matrix, order), texref)
