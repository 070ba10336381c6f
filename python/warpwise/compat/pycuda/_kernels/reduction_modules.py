"""pycuda.reduction: its two stages as modules, whose functions are launched by hand.

A function takes `out`, the arguments as they are declared, then the numbers of elements that a
thread visits and of all elements. Each block of `block_size` threads writes one value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._basics.dtypes import Argument
from .._basics.errors import boundary
from .._launch.function import Function
from ..compiler import SourceModule
from .kernel_arguments import Arguments, declared, parsed

_TEXT = """#include <pycuda-complex.hpp>
{preamble}
typedef {out_type} out_type;
static __device__ out_type joined(out_type a, out_type b) {{ return {reduce_expr}; }}
__global__ void {name}(out_type *out, {declaration}, unsigned int seq_count, size_t n)
{{
  __shared__ __align__(16) char memory[{block_size} * sizeof(out_type)];
  out_type *values = (out_type *)memory;
  const unsigned tid = threadIdx.x;
  out_type acc = {neutral};
  size_t i = (size_t)blockIdx.x * {block_size} * seq_count + tid;
  for (unsigned s = 0; s < seq_count && i < n; ++s, i += {block_size})
    acc = joined(acc, {map_expr});
  values[tid] = acc;
  __syncthreads();
  for (unsigned width = {block_size} / 2; width > 0; width /= 2) {{
    if (tid < width) values[tid] = joined(values[tid], values[tid + width]);
    __syncthreads();
  }}
  if (tid == 0) out[blockIdx.x] = values[0];
}}
"""


@boundary
def get_reduction_module(
    out_type: str,
    block_size: int,
    neutral: Any,
    reduce_expr: str,
    map_expr: str,
    arguments: Arguments,
    name: str = "reduce_kernel",
    keep: bool = False,
    options: Any = None,
    preamble: str = "",
) -> SourceModule:
    """The module of one stage; `block_size` is a power of two."""
    from ..reduction import neutral_text

    if block_size < 1 or block_size & (block_size - 1):
        raise ValueError(f"block_size is a power of two, got {block_size}")
    text = _TEXT.format(
        preamble=preamble, out_type=out_type, reduce_expr=reduce_expr, name=name,
        declaration=declared(arguments), block_size=block_size,
        neutral=neutral_text(neutral, out_type), map_expr=map_expr,
    )  # fmt: skip
    return SourceModule(text, options=options, keep=keep)


@boundary
def get_reduction_kernel_and_types(
    stage: int,
    out_type: str,
    block_size: int,
    neutral: Any,
    reduce_expr: str,
    map_expr: str | None = None,
    arguments: Arguments | None = None,
    name: str = "reduce_kernel",
    keep: bool = False,
    options: Any = None,
    preamble: str = "",
) -> tuple[Function, list[Argument]]:
    """The prepared function of a stage, and its arguments between `out` and the counts.

    Stage 2 joins the values that stage 1 wrote: it reads them from an argument before the others.
    """
    if stage not in (1, 2):
        raise ValueError(f"stage is 1 or 2, got {stage}")
    listed = parsed(f"const {out_type} *in" if arguments is None else arguments)
    expression = "in[i]" if map_expr is None else map_expr
    if stage == 2:
        listed = [parsed(f"const {out_type} *pycuda_reduction_inp")[0], *listed]
        expression = "pycuda_reduction_inp[i]"
    module = get_reduction_module(
        out_type, block_size, neutral, reduce_expr, expression, listed, name, keep, options,
        preamble,
    )  # fmt: skip
    function = module.get_function(name)
    codes = ["P" if one.struct_char == "P" else one.dtype for one in listed]
    function.prepare(["P", *codes, np.uint32, np.uint64])
    return function, listed
