"""pycuda.driver.Module: the kernels and variables of one compiled source."""

from __future__ import annotations

import warpwise as ww

from .._basics.enums import func_cache
from .._basics.errors import boundary
from .._devices.context import Context
from .._memory.memory import DeviceAllocation, LinearAllocation
from .._memory.textures import SurfaceReference, TextureReference
from .attributes import KernelState
from .function import Function


class Module:
    """Kernels and variables of one compiled source."""

    def __init__(self, module: ww.SourceModule | ww.Module) -> None:
        self._module = module
        self._states: dict[str, KernelState] = {}
        # Kept, because programs keep their addresses alone.
        self._globals: dict[str, DeviceAllocation] = {}

    @boundary
    def get_function(self, name: str) -> Function:
        kernel = self._module.get_function(name)
        function = Function(kernel, self._states.setdefault(name, KernelState()))
        preference = Context.get_cache_config()
        if preference is not func_cache.PREFER_NONE:
            function.set_cache_config(preference)
        return function

    @boundary
    def get_global(self, name: str) -> tuple[DeviceAllocation, int]:
        memory = self._module.get_global(name)
        found = self._globals[name] = LinearAllocation(memory)
        return found, memory.size

    @boundary
    def get_texref(self, name: str) -> TextureReference:
        return TextureReference(self._with_references().get_texref(name))

    @boundary
    def get_surfref(self, name: str) -> SurfaceReference:
        return SurfaceReference(self._with_references().get_surfref(name))

    def _with_references(self) -> ww.SourceModule:
        if isinstance(self._module, ww.SourceModule):
            return self._module
        raise ww.UnsupportedError(
            "a module of machine code has no texture or surface references; pass a texture object"
        )
