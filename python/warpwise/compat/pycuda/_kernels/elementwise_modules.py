"""Kernels over arrays as PyCUDA makes them: modules whose functions are launched by hand.

A function takes the arguments as they are declared, then the number of elements n; with
use_range=True start, stop and step instead. Arguments may declare these themselves. Any grid of one
dimension visits all elements.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._basics.dtypes import Argument, ScalarArg
from .._basics.errors import boundary
from .._launch.function import Function
from ..compiler import SourceModule
from .kernel_arguments import Arguments, declared, parsed

_COUNT = (ScalarArg(np.uintp, "n"),)
_BOUNDS = (ScalarArg(np.intp, "start"), ScalarArg(np.intp, "stop"), ScalarArg(np.intp, "step"))

_HEAD = """#include <pycuda-complex.hpp>
{preamble}
__global__ void {name}({declaration})
{{
  const unsigned tid = threadIdx.x;
  const unsigned total_threads = gridDim.x * blockDim.x;
  const unsigned cta_start = blockDim.x * blockIdx.x;
  {index} i;
  {loop_prep};
"""

_ALL = """  for (i = cta_start + tid; i < n; i += total_threads)
  {{
    {operation};
  }}
"""

_RANGE = """  for (i = start + (long long)(cta_start + tid) * step; step < 0 ? i > stop : i < stop;
       i += (long long)total_threads * step)
  {{
    {operation};
  }}
"""

_END = """  {after_loop};
}}
"""


def _missing(arguments: Arguments, counts: tuple[ScalarArg, ...]) -> list[ScalarArg]:
    """Those of the counts that the arguments do not declare."""
    names = {one.name for one in parsed(arguments)}
    return [one for one in counts if one.name not in names]


def _module(
    counts: tuple[ScalarArg, ...],
    index: str,
    loop: str,
    arguments: Arguments,
    operation: str,
    name: str,
    keep: bool,
    options: Any,
    preamble: str,
    loop_prep: str,
    after_loop: str,
) -> SourceModule:
    declarations = [one.declarator() for one in _missing(arguments, counts)]
    text = (_HEAD + loop + _END).format(
        preamble=preamble,
        name=name,
        declaration=", ".join([declared(arguments), *declarations]),
        index=index,
        loop_prep=loop_prep,
        operation=operation,
        after_loop=after_loop,
    )
    return SourceModule(text, options=options, keep=keep)


@boundary
def get_elwise_module(
    arguments: Arguments,
    operation: str,
    name: str = "kernel",
    keep: bool = False,
    options: Any = None,
    preamble: str = "",
    loop_prep: str = "",
    after_loop: str = "",
) -> SourceModule:
    """The module of a kernel that visits n elements."""
    return _module(_COUNT, "size_t", _ALL, arguments, operation, name, keep, options, preamble,
                   loop_prep, after_loop)  # fmt: skip


@boundary
def get_elwise_range_module(
    arguments: Arguments,
    operation: str,
    name: str = "kernel",
    keep: bool = False,
    options: Any = None,
    preamble: str = "",
    loop_prep: str = "",
    after_loop: str = "",
) -> SourceModule:
    """The module of a kernel that visits start, start + step, ... up to stop."""
    return _module(_BOUNDS, "long long", _RANGE, arguments, operation, name, keep, options,
                   preamble, loop_prep, after_loop)  # fmt: skip


@boundary
def get_elwise_kernel_and_types(
    arguments: Arguments,
    operation: str,
    name: str = "kernel",
    keep: bool = False,
    options: Any = None,
    use_range: bool = False,
    **kwargs: Any,
) -> tuple[SourceModule, Function, list[Argument]]:
    """The module, its prepared function, and the arguments that it takes, the counts among them."""
    listed = parsed(arguments)
    build = get_elwise_range_module if use_range else get_elwise_module
    module = build(arguments, operation, name, keep, options, **kwargs)
    listed += _missing(listed, _BOUNDS if use_range else _COUNT)
    function = module.get_function(name)
    function.prepare([_code(one) for one in listed])
    return module, function, listed


def _code(argument: Argument) -> Any:
    return "P" if argument.struct_char == "P" else argument.dtype


@boundary
def get_elwise_kernel(
    arguments: Arguments,
    operation: str,
    name: str = "kernel",
    keep: bool = False,
    options: Any = None,
    use_range: bool = False,
    **kwargs: Any,
) -> Function:
    """The prepared function alone."""
    return get_elwise_kernel_and_types(
        arguments, operation, name, keep, options, use_range, **kwargs
    )[1]
