"""Attributes of pycuda.driver.Function: what is asked of a kernel, and what is set for it."""

from __future__ import annotations

from typing import Literal

import warpwise as ww

from .._basics.enums import func_cache, function_attribute, shared_config
from .._basics.errors import LogicError, boundary

_PREFERENCES: dict[func_cache, Literal["none", "shared", "l1", "equal"]] = {
    func_cache.PREFER_NONE: "none",
    func_cache.PREFER_SHARED: "shared",
    func_cache.PREFER_L1: "l1",
    func_cache.PREFER_EQUAL: "equal",
}

_ATTRIBUTES = {
    function_attribute.MAX_THREADS_PER_BLOCK: "max_threads_per_block",
    function_attribute.SHARED_SIZE_BYTES: "static_shared_bytes",
    function_attribute.CONST_SIZE_BYTES: "constant_bytes",
    function_attribute.LOCAL_SIZE_BYTES: "local_bytes",
    function_attribute.NUM_REGS: "num_regs",
    function_attribute.PTX_VERSION: "ptx_version",
    function_attribute.BINARY_VERSION: "binary_version",
    function_attribute.CACHE_MODE_CA: "caches_globals_in_l1",
    function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES: "max_dynamic_shared_bytes",
}


class KernelState:
    """What the Functions of one kernel share."""

    def __init__(self) -> None:
        self.is_untyped = False  # an array of another type was passed, and warned of
        self.carveout = -1  # the driver's choice
        self.dynamic: int | None = None  # bytes of shared memory that were allowed


class KernelAttributes:
    """The part of a Function that its launches do not take."""

    _kernel: ww.Kernel
    _state: KernelState

    @boundary
    def get_attribute(self, attr: function_attribute) -> int:
        attribute = function_attribute(attr)
        if attribute is function_attribute.PREFERRED_SHARED_MEMORY_CARVEOUT:
            return self._state.carveout
        if attribute not in _ATTRIBUTES:
            raise LogicError(f"{attribute.name} cannot be asked for")
        is_of_launches = attribute is function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES
        if is_of_launches and self._state.dynamic is not None:
            return self._state.dynamic
        return int(getattr(self._kernel, _ATTRIBUTES[attribute]))

    @boundary
    def set_attribute(self, attr: function_attribute, value: int) -> None:
        """The carve-out and the most dynamic shared memory, which a launch that asks for more is
        given all the same."""
        attribute = function_attribute(attr)
        if attribute is function_attribute.PREFERRED_SHARED_MEMORY_CARVEOUT:
            self._kernel.set_shared_carveout(value)
            self._state.carveout = int(value)
        elif attribute is not function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES:
            raise LogicError(f"{attribute.name} cannot be set")
        elif value > (most := self._kernel.max_dynamic_shared_bytes) or value < 0:
            raise LogicError(f"{value} bytes of dynamic shared memory; 0 to {most} can be allowed")
        else:
            self._state.dynamic = int(value)

    @boundary
    def set_cache_config(self, fc: func_cache) -> None:
        """A hint for GPUs; the CPU device has no such choice."""
        self._kernel.prefer_cache(_PREFERENCES[func_cache(fc)])

    @boundary
    def set_shared_config(self, config: shared_config) -> None:
        """Devices since Maxwell have banks of four bytes, whatever is set; so does the CPU."""
        shared_config(config)

    def __getattr__(self, name: str) -> int:
        if name.islower() and name.upper() in function_attribute.__members__:
            return self.get_attribute(function_attribute[name.upper()])
        raise AttributeError(f"'Function' object has no attribute '{name}'")
