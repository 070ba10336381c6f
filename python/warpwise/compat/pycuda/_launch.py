"""pycuda.driver: In, Out, InOut, Function and Module.

Unlike PyCUDA, arguments are checked against the kernel's signature: Python numbers convert where
they fit, and an integer given for a pointer parameter is an address.
"""

from __future__ import annotations

import struct
import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Literal

import numpy as np

import warpwise as ww

from ._device import Context, Event, Stream, native
from ._enums import func_cache, function_attribute
from ._errors import LogicError, boundary
from ._host_memory import managed_buffer
from ._memory import DeviceAllocation, PointerHolderBase, mem_alloc
from ._textures import SurfaceReference, TextureReference

_SCALARS = {code: np.dtype(code).type for code in "bBhHiIlLqQfdFD"} | {"?": np.bool_}
_SCALARS |= {"n": np.int64, "N": np.uint64}


_PREFERENCES: dict[func_cache, Literal["none", "shared", "l1", "equal"]] = {
    func_cache.PREFER_NONE: "none",
    func_cache.PREFER_SHARED: "shared",
    func_cache.PREFER_L1: "l1",
    func_cache.PREFER_EQUAL: "equal",
}


class ArgumentHandler:
    """To be derived from: an argument with work to do before and after the launch."""

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


class In(ArgumentHandler):
    """A host array the kernel reads."""

    _role: type[ww.HostArgument] = ww.In

    @boundary
    def __init__(self, ary: Any) -> None:
        super().__init__(ary)
        self._native = self._role(ary)  # type: ignore[call-arg]


class Out(In):
    """A host array the kernel writes."""

    _role = ww.Out


class InOut(In):
    """A host array the kernel changes."""

    _role = ww.InOut


class Function:
    """A kernel, launched as function(*args, block=(x, y, z), grid=(x, y))."""

    def __init__(self, kernel: ww.Kernel) -> None:
        self._kernel = kernel
        self._takes_pointer = [p.passing == "pointer" for p in kernel.signature.parameters]
        self._arg_types: list[Any] | None = None
        self._block: tuple[int, ...] | None = None

    @boundary
    def __call__(
        self,
        *args: Any,
        block: tuple[int, ...] | None = None,
        grid: tuple[int, ...] = (1, 1),
        stream: Stream | None = None,
        shared: int = 0,
        texrefs: Iterable[Any] = (),
        time_kernel: bool = False,
    ) -> float | None:
        if block is None:
            raise ValueError("must specify block size")
        _check_texrefs(texrefs)
        if time_kernel:
            Context.synchronize()
        start = time.perf_counter()
        self._launch(args, grid, block, stream, shared)
        if not time_kernel:
            return None
        Context.synchronize()
        return time.perf_counter() - start

    def _launch(
        self,
        args: tuple[Any, ...],
        grid: tuple[int, ...],
        block: tuple[int, ...],
        stream: Stream | None,
        shared: int,
    ) -> None:
        handlers = [a for a in args if isinstance(a, ArgumentHandler) and not isinstance(a, In)]
        for handler in handlers:
            handler.pre_call(stream)
        pointers = self._takes_pointer + [False] * len(args)
        values = (_argument(a, p) for a, p in zip(args, pointers, strict=False))
        self._kernel(*values, grid=grid, block=block, stream=native(stream), shared=shared)
        for handler in handlers:
            handler.post_call(stream)

    def prepare(
        self,
        arg_types: str | Iterable[Any],
        texrefs: Iterable[Any] = (),
        block: tuple[int, ...] | None = None,
        shared: int | None = None,
    ) -> Function:
        """Fixes the arguments' types, as struct codes or NumPy types. `block` is the old form."""
        _check_texrefs(texrefs)
        self._arg_types = [_prepared_type(entry) for entry in _entries(arg_types)]
        self._block = block
        return self

    @boundary
    def prepared_call(self, grid: tuple[int, ...], *args: Any, shared_size: int = 0) -> None:
        block, values = self._prepared(args)
        self._launch(values, grid, block, None, shared_size)

    @boundary
    def prepared_async_call(self, grid: tuple[int, ...], *args: Any, shared_size: int = 0) -> None:
        """grid, block, stream, then the arguments; without block in the old form."""
        if isinstance(args[0], tuple):
            stream, rest = args[1], (args[0], *args[2:])
        else:
            stream, rest = args[0], args[1:]
        block, values = self._prepared(rest)
        self._launch(values, grid, block, stream, shared_size)

    @boundary
    def prepared_timed_call(
        self, grid: tuple[int, ...], *args: Any, shared_size: int = 0
    ) -> Callable[[], float]:
        """Returns a function that waits for the kernel and gives its time in seconds."""
        block, values = self._prepared(args)
        start, end = Event(), Event()
        start.record()
        self._launch(values, grid, block, None, shared_size)
        end.record()

        def seconds() -> float:
            end.synchronize()
            return end.time_since(start) * 1e-3

        return seconds

    def _prepared(self, args: tuple[Any, ...]) -> tuple[tuple[int, ...], tuple[Any, ...]]:
        if self._arg_types is None:
            raise ww.ArgumentValueError(
                f"kernel '{self._kernel.name}' is not prepared; call prepare() first"
            )
        block = self._block
        if args and isinstance(args[0], tuple):
            block, args = args[0], args[1:]
        elif block is None:
            raise ww.ArgumentTypeError(
                "prepared_call wants the block size after the grid: (grid, block, *args)"
            )
        else:
            warnings.warn("pass the block size to prepared_call, not to prepare",
                          DeprecationWarning, stacklevel=4)  # fmt: skip
        if len(args) != len(self._arg_types):
            raise ww.ArgumentTypeError(
                f"kernel '{self._kernel.name}' is prepared for {len(self._arg_types)} arguments, "
                f"got {len(args)}"
            )
        return block, tuple(
            value if kind is None else kind(value)
            for kind, value in zip(self._arg_types, args, strict=True)
        )

    def get_attribute(self, attribute: function_attribute) -> int:
        if attribute is function_attribute.PREFERRED_SHARED_MEMORY_CARVEOUT:
            raise LogicError(f"{attribute.name} can be set, not asked for")
        return int(getattr(self._kernel, attribute.value))

    def param_set_texref(self, texref: TextureReference) -> None:
        """The old form of texrefs=."""
        _check_texrefs([texref])

    @boundary
    def set_cache_config(self, config: func_cache) -> None:
        """A hint for GPUs; the CPU device has no such choice."""
        self._kernel.prefer_cache(_PREFERENCES[func_cache(config)])

    @boundary
    def set_attribute(self, attribute: function_attribute, value: int) -> None:
        """The carve-out is set; dynamic shared memory is allowed by a launch that asks for it."""
        if attribute is function_attribute.PREFERRED_SHARED_MEMORY_CARVEOUT:
            self._kernel.set_shared_carveout(value)
        elif attribute is not function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES:
            raise LogicError(f"{attribute.name} cannot be set")

    def __getattr__(self, name: str) -> int:
        if name.islower() and name.upper() in function_attribute.__members__:
            return self.get_attribute(function_attribute[name.upper()])
        raise AttributeError(f"'Function' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"<Function {self._kernel.signature}>"


class Module:
    """Kernels and variables of one compiled source."""

    def __init__(self, module: ww.SourceModule | ww.Module) -> None:
        self._module = module

    @boundary
    def get_function(self, name: str) -> Function:
        return Function(self._module.get_function(name))

    @boundary
    def get_global(self, name: str) -> tuple[DeviceAllocation, int]:
        memory = self._module.get_global(name)
        return DeviceAllocation(memory), memory.size

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


def _check_texrefs(texrefs: Iterable[Any] | None) -> None:
    """References are bound by their module; a launch need not be told of them."""
    for texref in texrefs or ():
        if not isinstance(texref, TextureReference):
            raise ww.ArgumentTypeError(
                f"texrefs wants TextureReferences, got {type(texref).__name__}"
            )


def _argument(value: Any, is_pointer: bool) -> Any:
    if isinstance(value, DeviceAllocation):
        return value._buffer
    if isinstance(value, In):
        return value._native
    if isinstance(value, ArgumentHandler):
        return _argument(value.get_device_alloc(), is_pointer)
    if isinstance(value, PointerHolderBase):
        return ww.Pointer(int(value))
    if is_pointer and isinstance(value, int | np.integer) and not isinstance(value, bool):
        return ww.Pointer(int(value))
    if hasattr(value, "gpudata"):
        return _argument(value.gpudata, is_pointer)
    if is_pointer and isinstance(value, np.ndarray):
        return managed_buffer(value) or value
    return value


def _entries(arg_types: str | Iterable[Any]) -> list[Any]:
    """One entry per argument; in a string, "2i" stands for two."""
    if not isinstance(arg_types, str):
        return list(arg_types)
    entries: list[str] = []
    count = ""
    for code in arg_types:
        if code.isdigit():
            count += code
        elif not code.isspace():
            entries += [count + code] if code == "s" else [code] * int(count or 1)
            count = ""
    return entries


def _prepared_type(entry: Any) -> Any:
    """What converts an argument; None: it goes as it is."""
    if isinstance(entry, str):
        if entry in _SCALARS:
            return _SCALARS[entry]
        if entry == "P" or entry.endswith("s"):
            return None
        raise struct.error(f"bad char in struct format: {entry!r}")
    if isinstance(entry, np.dtype) or (isinstance(entry, type) and issubclass(entry, np.generic)):
        kind = np.dtype(entry).type
        return None if kind is np.void else kind
    return None
