"""Host arrays that devices reach: page-locked, mapped and managed ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from ..._core import (
    HostBuffer,
    count_view,
    from_buffer,
    managed_alloc,
    mapped_buffer,
    register_host_memory,
    value_text,
)
from ..._errors import ArgumentTypeError
from . import layouts
from .device_array import DeviceNDArray
from .page_locked import page_locked


class HostNDArray(np.ndarray[Any, Any]):
    """A NumPy array in memory that kernels access: they take it without a copy."""

    __cuda_memory__ = True
    __cuda_ndarray__ = True

    def on_device(self) -> DeviceNDArray:
        """The same elements, as an array of the device."""
        return _view_on_device(self, mapped_buffer(_spanning(self)))

    __warpwise_array__ = on_device

    def copy_to_host(self, ary: Any = None, stream: Any = 0) -> Any:
        """A NumPy array with a copy of the elements, or `ary` with them."""
        return self.on_device().copy_to_host(ary, stream)

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Copies the elements of an array here."""
        self.on_device().copy_to_device(ary, stream)


class MappedNDArray(HostNDArray):
    """A host array in mapped, page-locked memory."""


class ManagedNDArray(HostNDArray):
    """A host array in memory that migrates between host and device."""


def _spanning(array: Any) -> Any:
    """A contiguous view of the bytes that an array's elements lie in."""
    plain = np.asarray(array).view(np.ndarray)
    if plain.flags.c_contiguous:
        return plain
    if plain.flags.f_contiguous:
        return plain.T
    raise ArgumentTypeError(
        "kernels take contiguous arrays in mapped or managed memory, got one of strides "
        f"{array.strides}"
    )


def _view_on_device(array: Any, buffer: Any) -> DeviceNDArray:
    stored = layouts.storage_dtype(array.dtype)
    return DeviceNDArray.of(
        from_buffer(buffer, array.shape, stored, array.strides), dtype=array.dtype
    )


def _new_host_array(kind: type[Any], memory: HostBuffer, *layout: Any) -> Any:
    shape, dtype, strides, order = layout
    array = layouts.host_array(shape, dtype, strides, order, memory).view(kind)
    count_view(array, memory)
    return array


def pinned_array(
    shape: Any, dtype: Any = np.float64, strides: Any = None, order: str = "C"
) -> np.ndarray[Any, Any]:
    """A host array in page-locked memory, which devices copy to and from asynchronously."""
    memory = HostBuffer(layouts.host_bytes(shape, dtype, strides))
    array: np.ndarray[Any, Any] = _new_host_array(np.ndarray, memory, shape, dtype, strides, order)
    return array


def mapped_array(
    shape: Any,
    dtype: Any = np.float64,
    strides: Any = None,
    order: str = "C",
    stream: Any = 0,
    portable: bool = False,
    wc: bool = False,
) -> MappedNDArray:
    """A host array in page-locked memory that kernels access.

    `wc`: the host only writes it. Such memory is always portable.
    """
    memory = HostBuffer(layouts.host_bytes(shape, dtype, strides), write_combined=wc)
    made: MappedNDArray = _new_host_array(MappedNDArray, memory, shape, dtype, strides, order)
    return made


def managed_array(
    shape: Any,
    dtype: Any = np.float64,
    strides: Any = None,
    order: str = "C",
    stream: Any = 0,
    attach_global: bool = True,
) -> ManagedNDArray:
    """A host array in memory that migrates between host and device.

    Synchronise before the host reads what a kernel wrote.
    """
    memory = managed_alloc(layouts.host_bytes(shape, dtype, strides))
    made: ManagedNDArray = _new_host_array(ManagedNDArray, memory, shape, dtype, strides, order)
    return made


def pinned_array_like(ary: Any) -> np.ndarray[Any, Any]:
    """As pinned_array(), with the shape, dtype and axis order of another array."""
    return pinned_array(ary.shape, ary.dtype, layouts.like_strides(ary), layouts.like_order(ary))


def mapped_array_like(
    ary: Any, stream: Any = 0, portable: bool = False, wc: bool = False
) -> MappedNDArray:
    """As mapped_array(), with the shape, dtype and axis order of another array."""
    strides, order = layouts.like_strides(ary), layouts.like_order(ary)
    return mapped_array(ary.shape, ary.dtype, strides, order, stream, portable, wc)


def _checked(arrays: tuple[Any, ...], function: str) -> None:
    for array in arrays:
        if not isinstance(array, np.ndarray):
            raise ArgumentTypeError(f"{function} expects NumPy arrays, got {value_text(array)}")
        layouts.require_contiguous(array)


@contextmanager
def pinned(*arylist: Any) -> Iterator[None]:
    """A block in which the memory of these arrays is page-locked."""
    _checked(arylist, "cuda.pinned")
    with ExitStack() as stack:
        for array in arylist:
            registered = register_host_memory(_spanning(array))
            stack.callback(registered.unregister)
            stack.enter_context(page_locked(array))
        yield


@contextmanager
def mapped(*arylist: Any, **kws: Any) -> Iterator[Any]:
    """A block in which kernels access the memory of these host arrays.

    Gives an array of the device for one, a list of them for several. At its end the device is
    waited for.
    """
    unknown = [name for name in kws if name not in ("stream", "portable", "wc")]
    if unknown:
        raise ArgumentTypeError(
            f"cuda.mapped got '{unknown[0]}'; it takes arrays, stream, portable and wc"
        )
    if not arylist:
        raise ArgumentTypeError("cuda.mapped expects one or more NumPy arrays")
    _checked(arylist, "cuda.mapped")
    with ExitStack() as stack:
        views = []
        for array in arylist:
            registered = register_host_memory(_spanning(array))
            stack.callback(registered.unregister)
            stack.enter_context(page_locked(array))
            views.append(_view_on_device(array, registered.buffer))
            stack.callback(views[-1].device.synchronize)
        yield views[0] if len(views) == 1 else views
