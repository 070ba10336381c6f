"""pycuda.driver: ArgumentHandler, In, Out and InOut."""

from __future__ import annotations

from typing import Any

import numpy as np

import warpwise as ww

from .._basics.documented import documented
from .._basics.errors import boundary
from .._devices.device import Stream
from .._memory.memory import (
    DeviceAllocation,
    mem_alloc,
    mem_nbytes,
    memcpy_dtoh_async,
    memcpy_htod,
    memcpy_htod_async,
)


class ArgumentHandler:
    """To be derived from: an argument with work to do before and after the launch."""

    @documented(array="ary")
    def __init__(self, ary: Any) -> None:
        self.array = ary
        self.dev_alloc: DeviceAllocation | None = None

    def get_device_alloc(self) -> DeviceAllocation:
        if self.dev_alloc is None:
            self.dev_alloc = mem_alloc(mem_nbytes(self.array))
        return self.dev_alloc

    def pre_call(self, stream: Stream | None) -> None:
        """Called before the launch."""

    def post_call(self, stream: Stream | None) -> None:
        """Called after the launch."""


class _HostArray(ArgumentHandler):
    """An array that a launch copies by itself; pre_call() and post_call() are for launches that
    take it as bytes, for classes that have their own, and where the memory was asked for."""

    _role: type[ww.HostArgument]

    @documented(array="ary")
    @boundary
    def __init__(self, ary: Any) -> None:
        super().__init__(ary)

    @property
    def array(self) -> Any:
        return self._array

    @array.setter
    def array(self, ary: Any) -> None:
        self._array = ary
        self._native = _taken(self._role, ary)

    def get_device_alloc(self) -> DeviceAllocation:
        is_new = self.dev_alloc is None
        memory = super().get_device_alloc()
        if is_new:  # a launch may have copied the array from other memory
            memcpy_htod(memory, self.array)
        return memory


# What device code has for elements of NumPy alone; others are taken as bytes.
_STAND_INS = {"S": np.int8, "U": np.uint32, "M": np.int64, "m": np.int64}


def _taken(role: type[ww.HostArgument], array: Any) -> ww.HostArgument:
    """As PyCUDA does, arrays of all dtypes: strings, dates, numbers of the other byte order."""
    try:
        return role(array)
    except ww.ArgumentTypeError:
        is_plain = isinstance(array, np.ndarray) and array.flags.forc and array.nbytes > 0
        if not is_plain or array.dtype.hasobject:
            raise
    flat = (array if array.flags.c_contiguous else array.T).reshape(-1)
    return role(flat.view(_STAND_INS.get(array.dtype.kind, np.uint8)))


class In(_HostArray):
    """A host array the kernel reads."""

    _role: type[ww.HostArgument] = ww.In

    def pre_call(self, stream: Stream | None) -> None:
        memcpy_htod_async(self.get_device_alloc(), self.array, stream)


class Out(_HostArray):
    """A host array the kernel writes."""

    _role: type[ww.HostArgument] = ww.Out

    def post_call(self, stream: Stream | None) -> None:
        memcpy_dtoh_async(self.array, self.get_device_alloc(), stream)


class InOut(In, Out):
    """A host array the kernel changes."""

    _role: type[ww.HostArgument] = ww.InOut


_WORK = ("pre_call", "post_call", "get_device_alloc")


def is_copied_by_launch(handler: ArgumentHandler) -> bool:
    """Whether its work is that of In, Out or InOut, and nobody asked for its memory."""
    own = type(handler)
    base = next((one for one in own.__mro__ if one in (In, Out, InOut)), None)
    return (
        base is not None
        and handler.dev_alloc is None
        and all(getattr(own, name) is getattr(base, name) for name in _WORK)
    )
