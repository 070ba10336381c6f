"""pycuda.elementwise over Warpwise's ElementwiseKernel."""

from __future__ import annotations

import builtins
from typing import Any

import warpwise as ww

from ._basics.errors import boundary
from ._compiling.compile import keep_source, made_kept, options_of
from ._devices.device import Stream, native
from ._gpuarray.splay import splay
from ._kernels.elementwise_kernels import (
    get_arange_kernel,
    get_axpbyz_kernel,
    get_axpbz_kernel,
    get_binary_func_kernel,
    get_binary_func_scalar_kernel,
    get_binary_minmax_kernel,
    get_binary_op_kernel,
    get_conj_kernel,
    get_copy_kernel,
    get_fill_kernel,
    get_fmod_kernel,
    get_frexp_kernel,
    get_if_positive_kernel,
    get_imag_kernel,
    get_ldexp_kernel,
    get_linear_combination_kernel,
    get_logical_not_kernel,
    get_modf_kernel,
    get_pow_array_kernel,
    get_put_kernel,
    get_rdivide_elwise_kernel,
    get_real_kernel,
    get_reverse_kernel,
    get_scalar_op_kernel,
    get_take_kernel,
    get_take_put_kernel,
    get_unary_func_kernel,
    get_where_kernel,
)
from ._kernels.elementwise_modules import (
    get_elwise_kernel,
    get_elwise_kernel_and_types,
    get_elwise_module,
    get_elwise_range_module,
)
from ._kernels.kernel_arguments import (
    Arguments,
    announced,
    declared,
    native_operands,
    parsed,
    retyped,
    with_headers,
)
from ._memory.textures import TextureReference
from .compiler import DEFAULT_NVCC_FLAGS

# Scripts import these from here, as PyCUDA's module does.
from .tools import ScalarArg as ScalarArg
from .tools import VectorArg as VectorArg
from .tools import context_dependent_memoize as context_dependent_memoize
from .tools import dtype_to_ctype as dtype_to_ctype

__all__ = [
    "ElementwiseKernel",
    "get_arange_kernel",
    "get_axpbyz_kernel",
    "get_axpbz_kernel",
    "get_binary_func_kernel",
    "get_binary_func_scalar_kernel",
    "get_binary_minmax_kernel",
    "get_binary_op_kernel",
    "get_conj_kernel",
    "get_copy_kernel",
    "get_elwise_kernel",
    "get_elwise_kernel_and_types",
    "get_elwise_module",
    "get_elwise_range_module",
    "get_fill_kernel",
    "get_fmod_kernel",
    "get_frexp_kernel",
    "get_if_positive_kernel",
    "get_imag_kernel",
    "get_ldexp_kernel",
    "get_linear_combination_kernel",
    "get_logical_not_kernel",
    "get_modf_kernel",
    "get_pow_array_kernel",
    "get_put_kernel",
    "get_rdivide_elwise_kernel",
    "get_real_kernel",
    "get_reverse_kernel",
    "get_scalar_op_kernel",
    "get_take_kernel",
    "get_take_put_kernel",
    "get_unary_func_kernel",
    "get_where_kernel",
]  # fmt: skip


class ElementwiseKernel:
    """A kernel over arrays from the CUDA C++ of one element: `i` is its number, `n` the count.

    Parameters
    ----------
    arguments : str or list of VectorArg and ScalarArg
        The parameters, "float a, float *x, float *z". The first vector gives the length.
    operation : str
        "z[i] = a*x[i]".
    name, keep, options, preamble, loop_prep, after_loop
        As in PyCUDA. `keep` prints where the generated source is kept.

    Compiled at the first call for each device and kind of arrays, so one object serves them all.
    """

    _is_untyped = False  # an array of other integers was passed, and warned of

    @boundary
    def __init__(
        self,
        arguments: Arguments,
        operation: str,
        name: str = "kernel",
        keep: bool = False,
        options: Any = None,
        preamble: str = "",
        loop_prep: str = "",
        after_loop: str = "",
    ) -> None:
        self.arguments = parsed(arguments)
        self.name = name
        self._module_text = {
            "arguments": arguments, "operation": operation, "name": name, "keep": keep,
            "options": options, "preamble": preamble, "loop_prep": loop_prep,
            "after_loop": after_loop,
        }  # fmt: skip
        announced(self.arguments)
        text = declared(arguments)
        self._kernel = made_kept(
            lambda: ww.ElementwiseKernel(
                text,
                operation,
                name,
                options=options_of(options, DEFAULT_NVCC_FLAGS),
                loop_prep=loop_prep,
                after_loop=after_loop,
                **with_headers(preamble, text, operation, loop_prep, after_loop),
            )
        )
        if keep:
            keep_source(self._kernel.source)
        # With textures: PyCUDA's own form of the kernel, by whether it takes a range.
        self._textured: dict[bool, Any] = {}

    @boundary
    def __call__(
        self, *args: Any, range: Any = None, slice: Any = None, stream: Stream | None = None
    ) -> None:
        """Runs it on the elements, or those that a slice of them or a range names."""
        operands, size = native_operands(self.name, self.arguments, args)
        if range is not None and slice is not None:
            raise ww.ArgumentTypeError(f"{self.name} got range= and slice=; give one of them")
        visited = None if range is None else _range_of(range, size)
        if slice is not None:
            visited = builtins.range(*_slice_of(slice).indices(size))
        if self._textured:
            self._launch(operands, size, visited, stream)
            return
        if visited is None:
            self._run(operands, stream=native(stream))
        elif len(visited) > 0:
            self._run(operands, range=visited, stream=native(stream))

    def _run(self, operands: list[Any], **options: Any) -> None:
        try:
            self._kernel(*operands, **options)
        except ww.ArgumentTypeError as error:
            self._kernel(*retyped(self, self.arguments, operands, error), **options)

    def _launch(self, operands: list[Any], size: int, visited: Any, stream: Stream | None) -> None:
        values = [one.gpudata if isinstance(one, ww.Array) else one for one in operands]
        function = self._of_module(visited is not None)[1]
        if visited is None:
            grid, block = splay(size)
            function.prepared_async_call(grid, block, stream, *values, size)
        elif len(visited) > 0:
            grid, block = splay(len(visited))
            bounds = (visited.start, visited.stop, visited.step)
            function.prepared_async_call(grid, block, stream, *values, *bounds)

    def _of_module(self, use_range: bool) -> Any:
        if use_range not in self._textured:
            self._textured[use_range] = get_elwise_kernel_and_types(
                **self._module_text, use_range=use_range
            )
        return self._textured[use_range]

    @boundary
    def generate_stride_kernel_and_types(self, use_range: bool) -> tuple[Any, Any, Any]:
        """The module of PyCUDA's own form of the kernel, its function, and the arguments."""
        return self._of_module(use_range)  # type: ignore[no-any-return]

    @boundary
    def get_texref(self, name: str, use_range: bool = False) -> TextureReference:
        """A texture that the preamble declares, to be bound before calls; of calls with range= or
        slice= where `use_range` is set."""
        return self._of_module(use_range)[0].get_texref(name)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"<ElementwiseKernel {self.name}>"


def _range_of(given: Any, size: int) -> range:
    """PyCUDA takes slices and ranges; what they leave out is filled in."""
    if not isinstance(given, builtins.slice | builtins.range):
        raise ww.ArgumentTypeError(f"range expects a slice or a range, got {given!r}")
    step = 1 if given.step is None else int(given.step)
    if step == 0:
        raise ww.ArgumentValueError("the step of a range cannot be 0")
    first, last = (0, size) if step > 0 else (size - 1, -1)
    start = first if given.start is None else int(given.start)
    stop = last if given.stop is None else int(given.stop)
    return builtins.range(start, stop, step)


def _slice_of(given: Any) -> Any:
    if isinstance(given, builtins.range):
        return builtins.slice(given.start, given.stop, given.step)
    if not isinstance(given, builtins.slice):
        raise ww.ArgumentTypeError(f"slice expects a slice, got {given!r}")
    return given
