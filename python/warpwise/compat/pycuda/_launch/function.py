"""pycuda.driver.Function: kernels and their launches.

Unlike PyCUDA, arguments are checked against the kernel's signature: Python numbers convert where
they fit, and an integer given for a pointer parameter is an address.
"""

from __future__ import annotations

import functools
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import numpy as np

import warpwise as ww

from .._basics.errors import boundary, joined
from .._devices.context import Context
from .._devices.device import Event, Stream, native
from .._memory.host_memory import managed_buffer
from .._memory.textures import TextureReference
from .arguments import converted
from .attributes import KernelAttributes, KernelState
from .handlers import ArgumentHandler, _HostArray, is_copied_by_launch
from .old_launch import OldLaunch
from .prepared import Packing

_Sizes = Sequence[int]
_MAX_BOUND = 64  # launch configurations remembered for a function
_PREPARED_FORMS: tuple[tuple[str, Literal["positional", "on_stream"]], ...] = (
    ("prepared_call", "positional"),
    ("prepared_async_call", "on_stream"),
)


class Function(KernelAttributes, OldLaunch, ww.FastCall):
    """A kernel, launched as function(*args, block=(x, y, z), grid=(x, y)).

    Beyond PyCUDA, cooperative=True launches all blocks at once, for kernels that synchronise the
    grid: grid.sync() of cooperative_groups. Prepared calls take it as a keyword, too.
    """

    def __init__(self, kernel: ww.Kernel, state: KernelState | None = None) -> None:
        super().__init__(kernel.signature)
        self._state = state or KernelState()
        self._kernel = kernel
        self._parameters = kernel.signature.parameters
        self._bound: dict[Any, ww.BoundKernel] = {}
        # Whether the last launch needed nothing but memory replaced by its buffers.
        self._is_plain = True
        self._packing: Packing | None = None
        self._block: tuple[int, ...] | None = None
        self._shared = 0  # of prepared calls
        # A call with no more than grid and block, whose values need nothing.
        self._call_target = ww.prepared_call(
            self._bind_plain, self._call, ww.ArgumentError, _translated,
            0, "named",
        )  # fmt: skip

    def _call(
        self,
        *args: Any,
        block: _Sizes | None = None,
        grid: _Sizes = (1, 1),
        stream: Stream | None = None,
        shared: int = 0,
        texrefs: Iterable[Any] | None = (),
        time_kernel: bool = False,
        cooperative: bool = False,
        **unknown: Any,
    ) -> float | None:
        if unknown:
            raise ValueError(f"extra keyword arguments: {', '.join(map(repr, unknown))}")
        if block is None:
            raise ValueError("must specify block size")
        try:
            if texrefs:
                _check_texrefs(texrefs)
            if not time_kernel:
                self._launch(args, grid, block, stream, shared, cooperative)
                return None
            Context.synchronize()
            start = time.perf_counter()
            self._launch(args, grid, block, stream, shared, cooperative)
            Context.synchronize()
            return time.perf_counter() - start
        except ww.Error as error:
            raise joined(error) from None

    def _launch(
        self,
        args: Sequence[Any],
        grid: _Sizes,
        block: _Sizes,
        stream: Stream | None,
        shared: int,
        cooperative: bool = False,
    ) -> None:
        launch = self._bind(grid, block, stream, shared, cooperative)
        if self._is_plain:
            try:
                launch(*args)
                return
            except ww.ArgumentError:
                # Nothing has run. What the conversion does not help with is raised below.
                pass
        self._launch_converted(args, launch, stream)
        self._is_plain = False

    def _bind(
        self,
        grid: _Sizes,
        block: _Sizes,
        stream: Stream | None,
        shared: int,
        cooperative: bool = False,
    ) -> Callable[..., None]:
        if cooperative:
            return functools.partial(
                self._kernel, grid=_sizes("grid", grid), block=_sizes("block", block),
                stream=native(stream), shared=shared, cooperative=True,
            )  # fmt: skip
        return self._bound_kernel(grid, block, stream, shared)

    def _bound_kernel(
        self, grid: _Sizes, block: _Sizes, stream: Stream | None, shared: int
    ) -> ww.BoundKernel:
        if stream is not None or type(grid) is not tuple or type(block) is not tuple:
            grid, block = _sizes("grid", grid), _sizes("block", block)
            return self._kernel[grid, block, native(stream), shared]
        key = (grid, block, shared)
        bound = self._bound.get(key)
        if bound is None:
            if len(self._bound) >= _MAX_BOUND:
                self._bound.clear()
            bound = self._bound[key] = self._kernel[grid, block, None, shared]
        return bound

    def _launch_converted(
        self, args: Sequence[Any], launch: Callable[..., None], stream: Stream | None
    ) -> None:
        if not self._state.is_untyped:
            try:
                self._launch_handled(args, launch, stream, is_untyped=False)
                return
            except ww.ArgumentTypeError as error:
                if not any(_has_type(argument) for argument in args):
                    raise
                words = str(error)
        self._launch_handled(args, launch, stream, is_untyped=True)
        if not self._state.is_untyped:
            self._state.is_untyped = True
            warnings.warn(
                f"{words}; the memory was passed as it is, as PyCUDA does, here and in later "
                "launches of this kernel",
                UserWarning,
                stacklevel=4,
            )

    def _launch_handled(
        self,
        args: Sequence[Any],
        launch: Callable[..., None],
        stream: Stream | None,
        *,
        is_untyped: bool,
    ) -> None:
        missing = [None] * max(0, len(args) - len(self._parameters))
        known = [*self._parameters, *missing]
        values = [converted(a, p, is_untyped) for a, p in zip(args, known, strict=False)]
        handlers = [
            a for a in args
            if isinstance(a, ArgumentHandler) and (is_untyped or not is_copied_by_launch(a))
        ]  # fmt: skip
        for handler in handlers:
            handler.pre_call(stream)
        launch(*values)
        for handler in handlers:
            handler.post_call(stream)
        if handlers and (is_untyped or any(isinstance(one, _HostArray) for one in handlers)):
            (native(stream) or ww.Stream.current()).synchronize()

    @boundary
    def prepare(
        self,
        arg_types: str | Iterable[Any],
        *rest: Any,
        texrefs: Iterable[Any] | None = (),
        block: tuple[int, ...] | None = None,
        shared: int | None = None,
    ) -> Function:
        """Fixes the arguments' types, as struct codes or NumPy types; texrefs may follow.

        The form before 2011.1 goes on with block, shared and texrefs: prepare("P", (4, 1, 1), 16).
        They are for prepared calls that do not give a block or a shared_size themselves.
        """
        given: dict[str, Any] = {"texrefs": texrefs, "block": block, "shared": shared}
        given.update(_by_position(rest))
        _check_texrefs(given["texrefs"])
        self._packing = Packing(self._kernel.signature, arg_types)
        self._block, self._shared = given["block"], given["shared"] or 0
        for name, form in _PREPARED_FORMS:
            vars(self).pop(name, None)
            if self._packing.direct_count >= 0:
                # Unless a class derived from this one has its own.
                otherwise = getattr(type(self), name).__get__(self)
                vars(self)[name] = ww.prepared_call(
                    self._bind_prepared, otherwise, ww.ArgumentError,
                    _translated, self._packing.direct_count, form,
                )  # fmt: skip
        return self

    def _bind_prepared(
        self, grid: tuple[int, ...], block: tuple[int, ...], stream: Stream | None
    ) -> ww.BoundKernel:
        return self._bound_kernel(grid, block, stream, self._shared)

    def _bind_plain(
        self, grid: tuple[int, ...], block: tuple[int, ...], stream: Stream | None
    ) -> ww.BoundKernel:
        return self._bound_kernel(grid, block, stream, 0)

    @boundary
    def prepared_call(
        self,
        grid: _Sizes,
        *args: Any,
        block: _Sizes | None = None,
        shared_size: int | None = None,
        cooperative: bool = False,
    ) -> None:
        """grid, block, then the arguments; without block in the old form."""
        # After prepare() most calls go to a native prepared_call() of the object instead.
        self._launch_prepared(grid, _with_block(args, block), None, shared_size, cooperative)

    @boundary
    def prepared_async_call(
        self,
        grid: _Sizes,
        *args: Any,
        block: _Sizes | None = None,
        shared_size: int | None = None,
        cooperative: bool = False,
        **keywords: Stream | None,
    ) -> None:
        """grid, block, stream, then the arguments; without block in the old form."""
        args = _with_block(args, block)
        if "stream" in keywords:
            place = 1 if args and isinstance(args[0], tuple) else 0
            args = (*args[:place], keywords.pop("stream"), *args[place:])
        if keywords:
            raise TypeError(f"unexpected keyword arguments: {', '.join(keywords)}")
        if isinstance(args[0], tuple):
            stream, rest = args[1], (args[0], *args[2:])
        else:
            stream, rest = args[0], args[1:]
        self._launch_prepared(grid, rest, stream, shared_size, cooperative)

    @boundary
    def prepared_timed_call(
        self,
        grid: _Sizes,
        *args: Any,
        block: _Sizes | None = None,
        shared_size: int | None = None,
        cooperative: bool = False,
    ) -> Callable[[], float]:
        """Returns a function that waits for the kernel and gives its time in seconds."""
        args = _with_block(args, block)
        start, end = Event(), Event()
        start.record()
        self._launch_prepared(grid, args, None, shared_size, cooperative)
        end.record()

        def seconds() -> float:
            end.synchronize()
            return end.time_since(start) * 1e-3

        return seconds

    def _launch_prepared(
        self,
        grid: _Sizes,
        args: tuple[Any, ...],
        stream: Stream | None,
        shared: int | None,
        cooperative: bool,
    ) -> None:
        packing = self._packing
        if packing is None:
            raise ww.ArgumentValueError(
                f"kernel '{self._kernel.name}' is not prepared; call prepare() first"
            )
        if args and isinstance(args[0], tuple):
            block, args = args[0], args[1:]
        else:
            block = self._old_block()
        if shared is None:
            shared = self._shared
        self._launch(packing.values(args), grid, block, stream, shared, cooperative)

    def _old_block(self) -> tuple[int, ...]:
        if self._block is None:
            raise ww.ArgumentTypeError(
                "prepared_call wants the block size after the grid: (grid, block, *args)"
            )
        warnings.warn("pass the block size to prepared_call, not to prepare",
                      DeprecationWarning, stacklevel=5)  # fmt: skip
        return self._block

    @boundary
    def param_set_texref(self, texref: TextureReference) -> None:
        """The old form of texrefs=."""
        _check_texrefs([texref])

    def __repr__(self) -> str:
        return f"<Function {self._kernel.signature}>"


# Calls reach the instance's _call_target; this is what `Function.__call__` shows and does.
ww.describe_call(Function, Function._call)


def _sizes(name: str, given: Iterable[int]) -> tuple[int, ...]:
    try:
        return tuple(given)
    except TypeError:
        raise TypeError(f"{name} is a tuple of 1 to 3 ints, got {given!r}") from None


def _with_block(args: tuple[Any, ...], block: _Sizes | None) -> tuple[Any, ...]:
    """Where a prepared call without arguments gives the block by name."""
    return args if block is None else (_sizes("block", block), *args)


def _translated(error: BaseException) -> BaseException:
    return joined(error) if isinstance(error, ww.Error) else error


def _has_type(argument: Any) -> bool:
    """Whether it is memory with an element type, which may be another than the parameter's."""
    if isinstance(argument, np.ndarray):
        return managed_buffer(argument) is not None
    return isinstance(argument, _HostArray) or any(
        hasattr(argument, name) for name in ("gpudata", "__cuda_array_interface__")
    )


def _by_position(rest: tuple[Any, ...]) -> dict[str, Any]:
    """What follows the types in prepare(): in the old form a block comes first."""
    is_old = bool(rest) and isinstance(rest[0], tuple) and bool(rest[0])
    is_old = is_old and all(isinstance(one, int | np.integer) for one in rest[0])
    names = ("block", "shared", "texrefs") if is_old else ("texrefs", "block", "shared")
    if len(rest) > len(names):
        raise TypeError(f"prepare() takes the types and {', '.join(names)}; got {rest}")
    return dict(zip(names, rest, strict=False))


def _check_texrefs(texrefs: Iterable[Any] | None) -> None:
    """References are bound by their module; a launch need not name them."""
    for texref in texrefs or ():
        if not isinstance(texref, TextureReference):
            raise ww.ArgumentTypeError(
                f"texrefs wants TextureReferences, got {type(texref).__name__}"
            )
