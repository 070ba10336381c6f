"""DeviceNDArray: a ww.Array with Numba's methods beside its own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from ..._core import Array, asarray, mem_alloc, value_text
from ..._errors import ArgumentIndexError, ArgumentTypeError, ArgumentValueError, UnsupportedError
from ..._host_arguments import record_in_place
from .._streams import as_stream, is_default
from . import layouts
from .page_locked import is_page_locked


class DeviceNDArray(Array):
    """An array on a device, with Numba's methods.

    It is a ww.Array: operators and functions of Warpwise work on it, and kernels take it as they
    take one. What differs is Numba's: indexing an element gives a NumPy scalar, assignment takes
    NumPy arrays, `is_c_contiguous()` is a method.
    """

    __warpwise_stored__ = False  # whether kernels must be told what the elements are
    __cuda_memory__ = True
    __cuda_ndarray__ = True

    def __init__(
        self, shape: Any, strides: Any, dtype: Any, stream: Any = 0, gpu_data: Any = None
    ) -> None:
        """An array with undefined contents, or in the memory of the buffer `gpu_data`."""
        element = layouts.checked_dtype(dtype)
        self._adopt(layouts.new_array(shape, element, strides, "C", gpu_data), stream, element)

    @classmethod
    def of(cls, array: Array, stream: Any = 0, dtype: np.dtype[Any] | None = None) -> Self:
        """The same elements as an array with Numba's methods."""
        made = cls.__new__(cls)
        made._adopt(array, stream, dtype)
        return made

    def _adopt(self, array: Array, stream: Any, dtype: np.dtype[Any] | None) -> None:
        Array.__init__(self, array)
        self.stream = stream
        self._memory: Any = None
        self._viewed: DeviceNDArray | None = None
        # What NumPy calls the element where the device has another name for it.
        is_own = dtype is None or layouts.is_same_dtype(dtype, super().dtype)
        self._dtype = None if is_own else dtype
        is_stored = self._dtype is not None and self._dtype.kind in "mMSU"
        if is_stored and type(self) is DeviceNDArray:
            self.__class__ = StoredNDArray

    @property
    def dtype(self) -> Any:
        """The NumPy dtype of an element."""
        return super().dtype if self._dtype is None else self._dtype

    @property
    def alloc_size(self) -> int:
        """Bytes of the memory that the elements lie in."""
        first, end = layouts.strided_extent(self.shape, self.strides, self.itemsize)
        return end - first

    @property
    def gpu_data(self) -> Any:
        """The memory, as a ww.Buffer: one object for an array and its views of another type."""
        if self._memory is None:
            self._memory = self.gpudata if self._viewed is None else self._viewed.gpu_data
        return self._memory

    @property
    def device_ctypes_pointer(self) -> Any:
        """The address of the first element, as a ctypes pointer."""
        import ctypes

        return ctypes.c_void_p(self.ptr if self.size else 0)

    @property
    def flags(self) -> dict[str, bool]:  # type: ignore[override]
        """C_CONTIGUOUS and F_CONTIGUOUS, by name as those of NumPy."""
        return {
            "C_CONTIGUOUS": self.is_c_contiguous(),
            "F_CONTIGUOUS": self.is_f_contiguous(),
        }

    def is_c_contiguous(self) -> bool:  # type: ignore[override]
        """Whether the elements lie without gaps, the last axis fastest."""
        return bool(super().is_c_contiguous)

    def is_f_contiguous(self) -> bool:  # type: ignore[override]
        """Whether the elements lie without gaps, the first axis fastest."""
        return bool(super().is_f_contiguous)

    @property
    def _numba_type_(self) -> Any:
        """Its type, as numba.typeof() has it."""
        from .._installed_numba import own_type
        from ..types import typeof

        return own_type(typeof(self))

    def bind(self, stream: Any = 0) -> DeviceNDArray:
        """The same array, whose copies use this stream unless told otherwise."""
        return DeviceNDArray.of(self, stream, self._dtype)

    def _stream(self, stream: Any) -> Any:
        return self.stream if is_default(stream) else stream

    def copy_to_host(self, ary: Any = None, stream: Any = 0) -> Any:
        """A NumPy array with the elements, or `ary` with them.

        With a stream and page-locked memory (cuda.pinned_array, cuda.pinned) it returns before they
        have arrived; as CUDA does, it waits for other memory.

        Parameters
        ----------
        ary : numpy.ndarray, optional
            Of the same dtype, shape and strides; TypeError and ValueError otherwise.
        stream : cuda.stream(), optional
        """
        if min(self.strides, default=0) < 0:
            raise UnsupportedError(
                f"D->H copy not implemented for negative strides: {self.strides}; copy the array "
                "on the device first"
            )
        if ary is None:
            ary = self._new_host_array()
        else:
            layouts.require_same_layout(self, ary)
        if self.size:
            host = record_in_place(ary) if isinstance(ary, np.void) else ary
            self._fetch(host, self._stream(stream))
        return ary

    def _new_host_array(self) -> Any:
        if 0 in self.strides and self.size:
            memory = np.empty(self.alloc_size, np.byte)
            return np.ndarray(self.shape, self.dtype, memory, 0, self.strides)
        if self.is_f_contiguous() and not self.is_c_contiguous():
            return np.empty(self.shape, self.dtype, order="F")
        return np.empty(self.shape, self.dtype)

    def _fetch(self, host: Any, stream: Any) -> None:
        source, target = _core_of(self), host[_core_index(host)]
        if target.dtype.kind in "mMSUV":
            target = target.view(source.dtype)
        if target.flags.f_contiguous and not target.flags.c_contiguous:
            source, target = source.transpose(), target.T
        if is_default(stream):
            if target.flags.c_contiguous:
                source.get(target)
            else:
                target[...] = source.get()
            return
        if not target.flags.c_contiguous:
            raise ArgumentValueError(layouts.errmsg_contiguous_buffer)
        source.get(target, stream=as_stream(stream))
        if not is_page_locked(host):
            as_stream(stream).synchronize()

    def copy_to_device(self, ary: Any, stream: Any = 0) -> None:
        """Copies the elements of a host or device array of the same dtype and shape here."""
        if not hasattr(ary, "size") or not hasattr(ary, "dtype"):
            ary = np.asarray(ary, self.dtype)
        if ary.size == 0:
            return
        layouts.require_contiguous(self)
        stream = self._stream(stream)
        if is_cuda_array(ary):
            source = as_cuda_array(ary)
            layouts.require_contiguous(source)
            layouts.require_same_layout(self, source)
            with as_stream(stream):
                Array.__setitem__(self, ..., source)
            return
        self._store(np.asarray(ary), stream)

    def _store(self, host: Any, stream: Any) -> None:
        target = _core_of(self)
        source = host[_core_index(host)]
        if source.dtype != self.dtype:
            raise ArgumentTypeError(f"incompatible dtype: {self.dtype} vs. {source.dtype}")
        squeezed = tuple(extent for extent in target.shape if extent != 1)
        if squeezed != tuple(extent for extent in source.shape if extent != 1):
            raise ArgumentValueError(f"incompatible shape: {self.shape} vs. {host.shape}")
        source = source.reshape(target.shape)
        if target.is_f_contiguous and not target.is_c_contiguous:
            source, target = source.T, target.transpose()
        source = np.ascontiguousarray(source).reshape(target.shape)
        if source.dtype.kind in "mMSUV":
            source = source.view(target.dtype)
        if is_default(stream):
            target.set(source)
            return
        # As CUDA does: the program may change memory that is not page-locked at once.
        staged = source if is_page_locked(host) else np.array(source)
        target.set(staged, stream=as_stream(stream))

    def __getitem__(self, key: Any, /) -> Any:
        return self.getitem(key)

    def getitem(self, item: Any, stream: Any = 0) -> Any:
        """As an index; `stream` is that of the view, or of the copy of an element."""
        if self.dtype.names is None and _is_field(item):
            raise ArgumentIndexError(
                f"an array of {self.dtype} has no field {value_text(item)}; index it by ints, "
                "slices, None and ..."
            )
        return self._view(super().__getitem__(item), item, self._stream(stream))

    def _view(self, part: Array, key: Any, stream: Any) -> Any:
        dtype = self._dtype if not _is_field(key) else self.dtype.fields[key][0].base
        if dtype is not None and dtype.kind in "SU" and _is_field(key):
            return _text_of(part, dtype, key)
        is_element = part.ndim == 0 and not _has_ellipsis(key)
        if not is_element:
            return DeviceNDArray.of(part, stream, dtype)
        if part.dtype.names is not None and (dtype is None or dtype.names is not None):
            from .records import DeviceRecord

            return DeviceRecord.of(part, stream, dtype)
        host = np.empty((), part.dtype)
        if is_default(stream):
            part.get(host)
        else:
            part.get(host, stream=as_stream(stream))
            as_stream(stream).synchronize()
        return host.view(dtype or part.dtype)[()]

    def __setitem__(self, key: Any, value: Any, /) -> None:
        self.setitem(key, value)

    def setitem(self, key: Any, value: Any, stream: Any = 0) -> None:
        """As an assignment, in the order of `stream`; takes host arrays, which it copies."""
        target = super().__getitem__(key)
        if not isinstance(value, Array):
            dtype = self._dtype if not _is_field(key) else self.dtype.fields[key][0].base
            value = _device_value(value, target, dtype)
        if value.ndim > target.ndim:
            raise ArgumentValueError(f"Can't assign {value.ndim}-D array to {target.ndim}-D self")
        ours = target.shape[target.ndim - value.ndim :]
        for axis, (extent, given) in enumerate(zip(ours, value.shape), target.ndim - value.ndim):
            if given not in (1, extent):
                raise ArgumentValueError(
                    f"Can't copy sequence with size {given} to array axis {axis} with dimension "
                    f"{extent}"
                )
        stream = self._stream(stream)
        if is_default(stream):
            target[...] = value
        else:
            with as_stream(stream):
                target[...] = value

    def __len__(self) -> int:
        if self.ndim == 0:
            raise ArgumentTypeError("len() of an array without axes")
        return int(self.shape[0])

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """A NumPy array with a copy of the elements."""
        if copy is False:
            raise ArgumentValueError("an array of a device reaches NumPy as a copy only")
        host = self.copy_to_host()
        return host if dtype is None else host.astype(dtype, copy=False)

    def reshape(self, *newshape: Any, order: str = "C", copy: bool | None = None) -> DeviceNDArray:
        """The elements as another shape, -1 for what is left; a view.

        Raises NotImplementedError where the elements would have to be copied.
        """
        if len(newshape) == 1 and isinstance(newshape[0], tuple | list):
            newshape = tuple(newshape[0])
        if order not in ("C", "F", "A"):
            raise ArgumentValueError(f"order expects 'C', 'F' or 'A', got {value_text(order)}")
        if order == "A":
            order = "F" if self.is_f_contiguous() and not self.is_c_contiguous() else "C"
        source = Array.transpose(self) if order == "F" else self
        shape = newshape[::-1] if order == "F" else newshape
        if newshape.count(-1) > 1:
            raise ArgumentValueError("can only specify one unknown dimension")
        known = math.prod(extent for extent in newshape if extent != -1)
        if -1 in newshape and (known == 0 or self.size % known):
            raise ArgumentValueError("cannot infer valid shape for unknown dimension")
        if -1 not in newshape and known != self.size:
            raise ArgumentValueError("reshape changes the size of the array")
        try:
            view = Array.reshape(source, tuple(shape), copy=False)
        except ArgumentValueError:
            raise UnsupportedError(
                f"operation requires copying: reshaping {self.shape} with strides {self.strides} "
                f"to {newshape}"
            ) from None
        return DeviceNDArray.of(
            view.transpose() if order == "F" else view, self.stream, self._dtype
        )

    def ravel(self, order: str = "C", stream: Any = 0) -> DeviceNDArray:
        """One axis, as a view; NotImplementedError where the elements would have to be copied."""
        return self.reshape(self.size, order=order).bind(self._stream(stream))

    def squeeze(self, axis: Any = None, stream: Any = 0) -> DeviceNDArray:
        """A view without axes of extent 1."""
        return DeviceNDArray.of(Array.squeeze(self, axis), self._stream(stream), self._dtype)

    @property
    def T(self) -> DeviceNDArray:  # noqa: N802 - NumPy's name
        """The array with its axes reversed."""
        return self.transpose()

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's functions of it give arrays with Numba's methods too."""
        if func is np.transpose and args and args[0] is self:
            return self.transpose(*args[1:], **kwargs)
        result = super().__array_function__(func, types, args, kwargs)
        return DeviceNDArray.of(result, self.stream) if type(result) is Array else result

    def transpose(self, axes: Any = None) -> DeviceNDArray:  # type: ignore[override]
        """A view with the axes in another order; without `axes`, reversed."""
        if axes is not None and sorted(axes) != list(range(self.ndim)):
            raise ArgumentValueError(f"invalid axes list {axes!r}")
        view = Array.transpose(self) if axes is None else Array.transpose(self, tuple(axes))
        return DeviceNDArray.of(view, self.stream, self._dtype)

    def view(self, dtype: Any) -> DeviceNDArray:
        """The same bytes as another type."""
        element = layouts.checked_dtype(dtype)
        if element.itemsize != self.itemsize:
            if not self.is_c_contiguous():
                raise ArgumentValueError(
                    "To change to a dtype of a different size, the array must be C-contiguous"
                )
            if self.ndim == 0 or self.shape[-1] * self.itemsize % element.itemsize:
                raise ArgumentValueError(
                    "When changing to a larger dtype, its size must be a divisor of the total "
                    "size in bytes of the last axis of the array."
                )
        made = DeviceNDArray.of(
            Array.view(self, layouts.storage_dtype(element)), self.stream, element
        )
        made._viewed = self
        return made

    def split(self, section: int, stream: Any = 0) -> Iterator[DeviceNDArray]:
        """Views of `section` elements each, the last of what is left; of one contiguous axis."""
        if self.ndim != 1:
            raise ArgumentValueError("only support 1d array")
        if self.strides[0] != self.itemsize:
            raise ArgumentValueError("only support unit stride")
        for begin in range(0, self.size, section):
            yield self.getitem(slice(begin, min(begin + section, self.size)), self._stream(stream))

    def as_cuda_arg(self) -> DeviceNDArray:
        """What a kernel takes: the array."""
        return self

    def get_ipc_handle(self) -> Any:
        """What another process opens: see cuda.open_ipc_array(). GPUs only."""
        from .sharing import IpcArrayHandle

        return IpcArrayHandle.of(self)


class StoredNDArray(DeviceNDArray):
    """One of dates, spans of time or strings, which lie on the device as other elements."""

    __warpwise_stored__ = True


def _is_field(key: Any) -> bool:
    return isinstance(key, str)


def _text_of(part: Array, dtype: np.dtype[Any], key: str) -> Any:
    """The string that characters in a field of one record are."""
    if part.ndim != 1:
        raise UnsupportedError(
            f"the field {value_text(key)} of {dtype} is read of one record at a time; copy the "
            "array to the host for all of them"
        )
    return part.get().view(dtype)[0]


def _has_ellipsis(key: Any) -> bool:
    return key is Ellipsis or (isinstance(key, tuple) and any(each is Ellipsis for each in key))


def _core_index(array: Any) -> tuple[Any, ...]:
    """An index that leaves repeated elements out."""
    if array.size == 0:
        return (...,)
    return (*(0 if stride == 0 else slice(None) for stride in array.strides), ...)


def array_core(array: Any) -> Any:
    """The elements of a host or device array without their repetitions by broadcasting."""
    return array[_core_index(array)] if 0 in array.strides and array.size else array


def _core_of(array: Array) -> Array:
    """The elements without their repetitions, as a plain Array."""
    return Array.__getitem__(array, _core_index(array))


def _device_value(value: Any, target: Array, dtype: np.dtype[Any] | None) -> Array:
    """A host value as an array on the device, of the target's type."""
    host = np.asarray(value)
    if dtype is not None and dtype.kind in "SU":
        if host.dtype.kind != dtype.kind:
            place = "an array" if target.dtype.names is not None else "a field"
            raise ArgumentTypeError(f"{place} of {dtype} takes strings, got {value_text(value)}")
        if target.dtype.names is not None:
            texts = np.ascontiguousarray(host.astype(dtype)).view(target.dtype)
            return asarray(texts.reshape(host.shape), device=target.device)
        characters = host.astype(dtype)[..., np.newaxis].view(target.dtype)
        return asarray(np.ascontiguousarray(characters), device=target.device)
    if target.dtype.names is not None or (dtype is not None and dtype.kind in "mM"):
        host = host.astype(dtype or target.dtype, copy=False).view(target.dtype)
    elif host.dtype.kind not in "biufc":
        raise ArgumentTypeError(
            f"an array of {target.dtype} takes numbers, got {value_text(value)}"
        )
    elif host.dtype != target.dtype:
        host = host.astype(target.dtype)
    return asarray(np.ascontiguousarray(host).reshape(host.shape), device=target.device)


def is_cuda_array(obj: Any) -> bool:
    """Whether it is an array on a device: a ww.Array, or one with __cuda_array_interface__."""
    return isinstance(obj, Array) or hasattr(obj, "__cuda_array_interface__")


def as_cuda_array(obj: Any, sync: bool = True) -> DeviceNDArray:
    """A DeviceNDArray over the memory of an array on a device.

    Parameters
    ----------
    obj : ww.Array, or an object with __cuda_array_interface__
        Anything else raises TypeError.
    sync : bool
        False: do not wait for the stream that the interface names.
    """
    if isinstance(obj, DeviceNDArray):
        return obj
    if isinstance(obj, Array):
        return DeviceNDArray.of(obj)
    if hasattr(obj, "__warpwise_array__"):  # mapped and managed memory
        return as_cuda_array(obj.__warpwise_array__())
    if not hasattr(obj, "__cuda_array_interface__"):
        raise ArgumentTypeError(
            f"*obj* doesn't implement the cuda array interface: {value_text(obj)}; "
            "cuda.to_device() copies a host array"
        )
    if not sync and obj.__cuda_array_interface__.get("stream") is not None:
        return from_cuda_array_interface(obj.__cuda_array_interface__, obj, sync=False)
    return DeviceNDArray.of(asarray(obj))


def from_cuda_array_interface(desc: Any, owner: Any = None, sync: bool = True) -> DeviceNDArray:
    """A DeviceNDArray from a __cuda_array_interface__; it keeps `owner` alive."""

    class Described:
        __cuda_array_interface__ = dict(desc) if sync else dict(desc) | {"stream": None}

    described = Described()
    described.owner = owner  # type: ignore[attr-defined]
    return DeviceNDArray.of(asarray(described))


__all__ = [
    "DeviceNDArray",
    "as_cuda_array",
    "from_cuda_array_interface",
    "is_cuda_array",
    "mem_alloc",
]
