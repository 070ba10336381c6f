"""pycuda.driver: ArgumentHandler, In, Out and InOut."""

from __future__ import annotations

from typing import Any

import warpwise as ww

from .._basics.documented import documented
from .._basics.errors import boundary
from .._devices.device import Stream
from .._memory.memory import DeviceAllocation, mem_alloc, memcpy_dtoh_async, memcpy_htod_async


class ArgumentHandler:
    """To be derived from: an argument with work to do before and after the launch."""

    @documented(array="ary")
    def __init__(self, ary: Any) -> None:
        self.array = ary
        self.dev_alloc: DeviceAllocation | None = None

    def get_device_alloc(self) -> DeviceAllocation:
        if self.dev_alloc is None:
            self.dev_alloc = mem_alloc(self.array.nbytes)
        return self.dev_alloc

    def pre_call(self, stream: Stream | None) -> None:
        """Called before the launch."""

    def post_call(self, stream: Stream | None) -> None:
        """Called after the launch."""


class _HostArray(ArgumentHandler):
    """An array that a launch copies by itself; pre_call() and post_call() are for launches that
    take it as bytes."""

    _role: type[ww.HostArgument]

    @documented(array="ary")
    @boundary
    def __init__(self, ary: Any) -> None:
        super().__init__(ary)
        self._native = self._role(ary)


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
