"""Arguments of launches that live on the host: to the device, and back what kernels write."""

from __future__ import annotations

import enum
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from ._core import (
    Array,
    In,
    InOut,
    Out,
    PythonKernel,
    PythonLaunch,
    asarray,
    from_buffer,
    from_dlpack,
)
from ._errors import ArgumentTypeError, ArgumentValueError

if TYPE_CHECKING:
    from ._script import Function

# Arguments that the core takes as they are, beside arrays.
_DIRECT = frozenset(
    {Array, int, float, bool, complex, type(None)}
    | {np.dtype(name).type for name in "?bBhHiIqQefdFD"}
)


def _part_without_numbers(dtype: np.dtype[Any]) -> tuple[str, np.dtype[Any]] | None:
    """The first elements or fields that are no numbers of this machine: where they are, and what.

    Arrays of numbers, which most are, cost no text.
    """
    if dtype.names is None:
        is_taken = dtype.kind in "biufc" and dtype.isnative
        return None if is_taken else ("", dtype)
    for name in dtype.names:
        field = dtype[name].base
        if field.names is not None or field.kind in "SUOmM":
            part = _part_without_numbers(field)
            if part is not None:
                return f", whose field {name!r} is of {field}{part[0]}", part[1]
    return None


def _require_numbers(dtype: np.dtype[Any], index: int) -> None:
    """Refuses what is no array of numbers or of records of them; says how to pass it."""
    part = _part_without_numbers(dtype)
    if part is None:
        return
    where, refused = part
    advice = ""
    if not refused.isnative:
        advice = ": in this machine's byte order, x.astype(x.dtype.newbyteorder('='))"
    raise ArgumentTypeError(
        f"argument {index + 1} is an array of {dtype}{where}; kernels take arrays of numbers, "
        f"of times, of strings and of records of them{advice}"
    )


class HostCall:
    """One launch, perhaps with NumPy arrays or other libraries' arrays among its arguments."""

    def __init__(self, args: list[Any]) -> None:
        self._hosts: list[tuple[int, np.ndarray[Any, Any]]] = []
        self._kept: set[int] = set()  # those that In() says are not copied back
        self.values: list[Any] = []
        self.is_direct = all(type(one) in _DIRECT or isinstance(one, Array) for one in args)
        if self.is_direct:
            self.values = args
            return
        for index, one in enumerate(args):
            self.values.append(self._converted(index, one))
        self._share_memory()

    def _converted(self, index: int, value: Any) -> Any:
        if isinstance(value, Array):
            return value
        if isinstance(value, In | Out | InOut):
            if isinstance(value, In):
                self._kept.add(index)
            return self._converted(index, value.array)
        own = getattr(value, "__warpwise_array__", None)
        if own is not None:
            return own()
        if isinstance(value, np.void) and value.dtype.names is not None:
            value = record_in_place(value)
        if isinstance(value, np.ndarray):
            _require_numbers(value.dtype, index)
            self._hosts.append((index, value))
            return value
        if isinstance(value, enum.Enum):
            return value.value
        is_foreign = hasattr(value, "__cuda_array_interface__") or hasattr(value, "__dlpack__")
        if is_foreign and not isinstance(value, np.generic):
            return from_dlpack(value) if hasattr(value, "__dlpack__") else asarray(value)
        return value

    def _share_memory(self) -> None:
        """Arrays of the host on the device: those that overlap share one buffer."""
        self._buffers: list[tuple[np.ndarray[Any, Any], Array, list[int]]] = []
        groups: list[list[tuple[int, np.ndarray[Any, Any]]]] = []
        for entry in self._hosts:
            touching = [
                group
                for group in groups
                if any(np.may_share_memory(entry[1], other) for _, other in group)
            ]
            merged = [entry]
            for group in touching:
                merged = group + merged
                groups.remove(group)
            groups.append(merged)
        for group in groups:
            if len(group) == 1:
                index, host = group[0]
                device = asarray(host)
                self.values[index] = device
                self._buffers.append((host, device, [index]))
            else:
                self._share(group)

    def _share(self, group: list[tuple[int, np.ndarray[Any, Any]]]) -> None:
        bounds = [_bounds(host) for _, host in group]
        low = min(start for start, _ in bounds)
        high = max(end for _, end in bounds)
        holder = types.SimpleNamespace(
            __array_interface__={
                "version": 3,
                "shape": (high - low,),
                "typestr": "|u1",
                "data": (low, not all(host.flags.writeable for _, host in group)),
            },
            hosts=[host for _, host in group],
        )
        whole = np.asarray(holder)
        device = asarray(whole)
        for index, host in group:
            offset = host.__array_interface__["data"][0] - low
            self.values[index] = _view(device, offset, host)
        self._buffers.append((whole, device, [index for index, _ in group]))

    def run(self, launch: PythonLaunch, kernel: PythonKernel, function: Function) -> None:
        if not self._hosts:
            launch(*self.values)
            return
        function.on_host_arrays()
        for index, host in self._hosts:
            if self._is_written(kernel, index) and not host.flags.writeable:
                raise ArgumentValueError(
                    f"{function.__name__} writes its argument {index + 1}, which is read-only"
                )
        launch(*self.values)
        for host, device, indices in self._buffers:
            if any(self._is_written(kernel, index) for index in indices):
                np.copyto(host, device.get())

    def _is_written(self, kernel: PythonKernel, index: int) -> bool:
        return kernel.writes(index) and index not in self._kept


def record_in_place(record: np.void) -> np.ndarray[Any, Any]:
    """An array without axes over the memory of a record, which NumPy exports read-only."""
    address = np.frombuffer(record, np.uint8).__array_interface__["data"][0]
    holder = types.SimpleNamespace(
        __array_interface__={
            "version": 3,
            "shape": (record.nbytes,),
            "typestr": "|u1",
            "data": (address, not record.flags.writeable),
        },
        record=record,
    )
    whole: np.ndarray[Any, Any] = np.asarray(holder).view(record.dtype)
    return whole.reshape(())


def _bounds(host: np.ndarray[Any, Any]) -> tuple[int, int]:
    """The first address and the one behind the last."""
    low = high = host.__array_interface__["data"][0]
    if host.size == 0:
        return low, high
    for extent, stride in zip(host.shape, host.strides, strict=True):
        reach = (extent - 1) * stride
        low += min(reach, 0)
        high += max(reach, 0)
    return low, high + host.itemsize


def _view(buffer: Array, offset: int, host: np.ndarray[Any, Any]) -> Array:
    """The part of a buffer of bytes that lies as the host's array does."""
    return from_buffer(buffer.gpudata, host.shape, host.dtype, host.strides, offset=offset)
