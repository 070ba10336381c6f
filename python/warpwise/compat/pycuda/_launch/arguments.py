"""What users pass to kernels, as Warpwise's kernels take it.

Pointers are untyped, as PyCUDA's are: where an array's element type is not the parameter's, the
launch takes its bytes. Counts, values and freed memory are checked as everywhere.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

import warpwise as ww

from .._gpuarray.memory import reach, strides_of
from .._memory.host_memory import managed_buffer
from .._memory.memory import (
    DeviceAllocation,
    MemoryAddress,
    PointerHolderBase,
    allocation_at,
    memory_of_address,
)
from .handlers import ArgumentHandler, _HostArray, is_copied_by_launch

_Array = npt.NDArray[Any]
_INTERFACE = "__cuda_array_interface__"
_ARRAY_KINDS = "biufc"  # whose elements Warpwise's arrays have


def converted(value: Any, parameter: ww.Parameter | None, is_untyped: bool) -> Any:
    """One argument; `parameter` is None past the last one."""
    is_pointer = parameter is not None and parameter.passing == "pointer"
    if isinstance(value, DeviceAllocation):
        return value._buffer
    if isinstance(value, _HostArray) and not is_untyped and is_copied_by_launch(value):
        return value._native
    if isinstance(value, ArgumentHandler):
        return value.get_device_alloc()._buffer
    if isinstance(value, PointerHolderBase):
        return _address(int(value), parameter)
    if isinstance(value, MemoryAddress) and is_pointer:
        return _of_address(value)
    if isinstance(getattr(value, "_array", None), ww.Array):
        return _of_gpuarray(value, is_untyped)
    if hasattr(value, "gpudata"):
        return _of_array(value, parameter, is_untyped)
    if parameter is None:
        return value
    if is_pointer:
        return _pointer(value, parameter, is_untyped)
    return _by_value(value, parameter)


def _of_address(value: MemoryAddress) -> Any:
    """The memory from an address on, which lives until the launch is done."""
    buffer = value._buffer
    offset = int(value) - buffer.address
    return buffer.slice(offset, buffer.size - offset) if offset else buffer


def _of_gpuarray(value: Any, is_untyped: bool) -> Any:
    """A GPUArray: with its type, or its memory from the first element on."""
    native = value._buffer
    if not is_untyped or not isinstance(native, ww.Array) or native.size == 0:
        return native
    return native.gpudata


def _pointer(value: Any, parameter: ww.Parameter, is_untyped: bool) -> Any:
    if isinstance(value, np.ndarray):
        memory = managed_buffer(value)
        return value if memory is None else _typed(memory, value, is_untyped)
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return _address(int(value), parameter)
    if hasattr(value, _INTERFACE) and not isinstance(value, ww.Buffer | ww.Array):
        return _of_interface(value, is_untyped)
    return value


def _address(address: int, parameter: ww.Parameter | None) -> ww.Pointer:
    """A computed address, which may be the end of an allocation; not one of freed memory that a
    pool keeps for other allocations."""
    if 0 < address < 1 << 64 and ww.is_freed_memory(address):
        name = "an argument" if parameter is None else f"parameter '{parameter.name}'"
        raise ww.ArgumentValueError(
            f"the address {address:#x} for {name} lies in memory that was freed; allocate a new one"
        )
    return ww.Pointer(address)


def _typed(memory: ww.Buffer, array: _Array, is_untyped: bool) -> Any:
    """A managed array with its elements, which the launch checks, where Warpwise has such."""
    if is_untyped or not array.size or array.dtype.kind not in _ARRAY_KINDS:
        return memory
    return ww.from_buffer(memory, array.shape, array.dtype, array.strides)


def _of_interface(value: Any, is_untyped: bool) -> Any:
    """An array of another class. On the CPU device there are none of other libraries: what lies in
    memory of ours is taken."""
    described = getattr(value, _INTERFACE)
    address, shape = int(described["data"][0]), tuple(described["shape"])
    if ww.Device().kind == "cuda":
        return ww.Pointer(address) if is_untyped else value
    if 0 in shape or allocation_at(address) is None:
        return value  # without elements, or refused by the launch
    dtype = np.dtype(described["typestr"])
    strides = described.get("strides") or strides_of(shape, dtype.itemsize, "C")
    begin, end = reach(shape, strides, dtype.itemsize)
    memory = memory_of_address(address + begin, end - begin, owner=value)
    if is_untyped or dtype.kind not in _ARRAY_KINDS:
        return ww.Pointer(address) if begin else memory
    return ww.from_buffer(memory, shape, dtype, tuple(strides), offset=-begin)


def _of_array(value: Any, parameter: ww.Parameter | None, is_untyped: bool) -> Any:
    """An object like GPUArray: memory, and perhaps a dtype."""
    dtype = getattr(value, "dtype", None)
    expected = None if parameter is None else parameter.dtype
    if dtype is not None and expected is not None and not is_untyped:
        found = np.dtype(dtype)
        if found != expected and found.fields is None and expected.fields is None:
            raise ww.ArgumentTypeError(f"an array of {found} for a parameter of {expected}")
    return converted(value.gpudata, parameter, is_untyped)


def _by_value(value: Any, parameter: ww.Parameter) -> Any:
    """An array for a parameter of its size stands for its bytes, as PyCUDA's users write it."""
    if isinstance(value, np.ndarray) and value.ndim and value.nbytes == parameter.size:
        return _of_elements(value, parameter)
    if isinstance(value, bytes | bytearray):
        return from_bytes(bytes(value), parameter)
    if isinstance(value, np.uint16 | np.int16) and half_in(parameter):
        return from_bytes(value.tobytes(), parameter)
    if isinstance(value, np.integer) and _has_bits_of(value.dtype, parameter.dtype):
        return value.view(parameter.dtype)
    if isinstance(value, np.void | np.ndarray) and parameter.dtype is not None:
        return _of_record(value, parameter)
    return value


def _of_record(value: Any, parameter: ww.Parameter) -> Any:
    """A record whose numbers lie where the parameter's do, whatever its fields are called; bytes
    that have no fields."""
    fields = value.dtype.fields
    if fields is not None and value.size == 1 and value.dtype != parameter.dtype:
        assert parameter.dtype is not None
        if _places(value.dtype) == _places(parameter.dtype):
            return from_bytes(value.tobytes(), parameter)
    if fields is None and issubclass(value.dtype.type, np.void):
        return from_bytes(value.tobytes(), parameter)
    return value


def _of_elements(value: _Array, parameter: ww.Parameter) -> Any:
    """An array of as many bytes as the parameter has."""
    expected = parameter.dtype
    if value.dtype.fields is not None and value.size == 1 and expected is not None:
        return _of_record(value.reshape(())[()], parameter)
    if expected is not None and expected.fields is None and value.dtype.itemsize > 1:
        found, wanted = _number(value.dtype), _number(expected.base)
        is_misread = found != wanted and "V" not in (found[0], wanted[0])
        if is_misread or not value.dtype.isnative:
            raise ww.ArgumentTypeError(
                f"parameter '{parameter.name}' consists of {expected.base}, got an array of "
                f"{value.dtype}; convert it with astype()"
            )
    return from_bytes(value.tobytes(), parameter)


def _number(dtype: np.dtype[Any]) -> tuple[str, int]:
    """What numbers of a dtype are read as: complex ones are two, integers may be joined, and
    programs write float16, which PyCUDA does not pack, as uint16."""
    if dtype.kind == "c":
        return "f", dtype.itemsize // 2
    is_bits = dtype.kind in "iu" or dtype == np.float16
    return ("i", 0) if is_bits else (dtype.kind, dtype.itemsize)


@functools.lru_cache(maxsize=64)
def _places(dtype: np.dtype[Any]) -> tuple[tuple[int, np.dtype[Any]], ...]:
    """Where the numbers of an element lie, and of which type they are."""
    if dtype.subdtype is not None:
        base, shape = dtype.subdtype
        count = int(np.prod(shape, dtype=int))
        return tuple(
            (i * base.itemsize + at, one) for i in range(count) for at, one in _places(base)
        )
    if dtype.fields is None:
        return ((0, dtype),)
    return tuple(
        (begin + at, one)
        for field, begin, *_ in dtype.fields.values()
        for at, one in _places(field)
    )


def _has_bits_of(dtype: np.dtype[Any], expected: np.dtype[Any] | None) -> bool:
    """Whether they are integers of one size: PyCUDA passes the bits, whatever their sign."""
    return expected is not None and expected.kind in "iu" and expected.itemsize == dtype.itemsize


def half_in(parameter: ww.Parameter) -> str | None:
    """The name of a 16-bit floating-point number, whose bits PyCUDA passes as an integer."""
    if parameter.size != 2:
        return None
    try:
        dtype = parameter.dtype
    except ModuleNotFoundError:  # ml_dtypes, which has that type alone of this size
        return "bfloat16"
    return dtype.name if dtype is not None and dtype.name in ("float16", "bfloat16") else None


def from_bytes(data: bytes, parameter: ww.Parameter) -> Any:
    """The value of a parameter whose bytes these are."""
    if len(data) != parameter.size:
        raise ww.ArgumentTypeError(
            f"parameter '{parameter.name}' has {parameter.size} bytes, got {len(data)}"
        )
    if parameter.passing == "pointer":
        return ww.Pointer(int.from_bytes(data, "little"))
    if half_in(parameter) == "bfloat16":  # the upper half of a float32
        return float(np.frombuffer(bytes(2) + data, np.float32)[0])
    dtype = parameter.dtype
    if dtype is None:
        dtype = np.dtype((np.void, parameter.size))
    value = np.frombuffer(data, dtype)[0]
    # Of vector types the dtype is that of their elements.
    return tuple(value.tolist()) if isinstance(value, np.ndarray) else value
