"""pycuda.gpuarray: elements by their numbers (take, put), and reductions of such subsets.

Elements are numbered as they lie. An index outside of the source reads 0, as PyCUDA's textures do;
one outside of a destination is not written.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import warpwise as ww

from .._basics.dtypes import dtype_to_ctype
from .._basics.errors import boundary
from .._devices.device import Stream, native
from .._kernels.kernel_arguments import with_headers
from .array import GPUArray
from .memory import Allocator, in_memory_order


@functools.cache
def _mover(dtype: np.dtype[Any], index: np.dtype[Any], form: str) -> ww.ElementwiseKernel:
    """A kernel that moves elements of the dtype by indices of a type: "take", "put", "take_put"."""
    value, number = dtype_to_ctype(dtype), dtype_to_ctype(index)
    arguments = f"const {number} *to, const {number} *from, const {value} *source, {value} *target"
    arguments += ", size_t source_size, size_t target_size, long long offset"
    read = f"const size_t j = (size_t)({'from[i]' if 'take' in form else 'i'} + offset);"
    write = f"const size_t k = (size_t){'to[i]' if 'put' in form else 'i'};"
    operation = (
        f"{read} {write} if (k < target_size) target[k] = j < source_size ? source[j] : moved()"
    )
    # A kernel over arrays has the length of what it visits at [i].
    operation = f"(void)to[i]; (void)from[i]; {operation}"
    texts = with_headers(f"typedef {value} moved;", value)
    return ww.ElementwiseKernel(arguments, operation, form, **texts)


def _moved(
    form: str,
    source: GPUArray,
    target: GPUArray,
    to: GPUArray,
    start: GPUArray,
    offset: int,
    stream: Stream | None,
) -> None:
    reads, writes = in_memory_order_of(source), in_memory_order_of(target)
    kernel = _mover(source.dtype, start.dtype, form)
    kernel(
        to._placed(), start._placed(), reads, writes, reads.size, writes.size, int(offset),
        stream=native(stream),
    )  # fmt: skip


def in_memory_order_of(array: GPUArray) -> ww.Array:
    """One axis, as the elements lie; those of an array with gaps are copied in C order."""
    native_array = array._placed()
    if native_array.is_c_contiguous or native_array.is_f_contiguous:
        return in_memory_order(native_array)
    return native_array.ravel()


def _one_dtype(arrays: Sequence[GPUArray], function: str) -> np.dtype[Any]:
    for one in arrays:
        if not isinstance(one, GPUArray):
            raise ww.ArgumentTypeError(f"{function} expects GPUArrays, got {type(one).__name__}")
        if one.dtype != arrays[0].dtype:
            raise ww.ArgumentValueError(
                f"{function} expects arrays of one dtype, got {arrays[0].dtype} and {one.dtype}"
            )
    return arrays[0].dtype


def _checked_indices(indices: Any, function: str) -> None:
    if not isinstance(indices, GPUArray):
        raise ww.ArgumentTypeError(
            f"{function} expects a GPUArray of indices, got {type(indices).__name__}"
        )
    if indices.dtype.kind not in "iu":
        raise ww.ArgumentTypeError(
            f"{function} expects whole numbers as indices, got {indices.dtype}"
        )
    if indices.ndim != 1:
        raise ww.ArgumentValueError(
            f"{function} expects one axis of indices, got shape {indices.shape}"
        )


def _outputs(
    out: Sequence[GPUArray] | None,
    arrays: Sequence[GPUArray],
    shape: Any,
    function: str,
) -> list[GPUArray]:
    kind = _one_dtype(arrays, function)
    if out is None:
        if shape is None:
            raise ww.ArgumentTypeError(f"{function} expects dest_shape= or out=")
        return [GPUArray(shape, kind, one.allocator) for one in arrays]
    listed = list(out)
    if len(listed) != len(arrays):
        raise ww.ArgumentValueError(
            f"{function}: out and arrays must have the same length: {len(listed)} and {len(arrays)}"
        )
    if _one_dtype(listed, function) != kind:
        raise ww.ArgumentTypeError(
            f"{function}: arrays and out must have the same dtype: {kind} and {listed[0].dtype}"
        )
    return listed


@boundary
def take(
    a: GPUArray, indices: GPUArray, out: GPUArray | None = None, stream: Stream | None = None
) -> GPUArray:
    """The elements with these numbers: a.ravel()[indices]."""
    return multi_take([a], indices, None if out is None else [out], stream)[0]


@boundary
def multi_take(
    arrays: Sequence[GPUArray],
    indices: GPUArray,
    out: Sequence[GPUArray] | None = None,
    stream: Stream | None = None,
) -> list[GPUArray]:
    """take() from each of several arrays of one dtype."""
    if not arrays:
        return []
    _checked_indices(indices, "take")
    results = _outputs(out, arrays, indices.shape, "take")
    for source, target in zip(arrays, results, strict=True):
        _require_room(target, indices, "take")
        _moved("take", source, target, indices, indices, 0, stream)
    return results


@boundary
def multi_take_put(
    arrays: Sequence[GPUArray],
    dest_indices: GPUArray,
    src_indices: GPUArray,
    dest_shape: Any = None,
    out: Sequence[GPUArray] | None = None,
    stream: Stream | None = None,
    src_offsets: Sequence[int] | None = None,
) -> list[GPUArray]:
    """out[dest_indices] = array[src_indices + offset], of each of several arrays of one dtype."""
    if not arrays:
        return []
    _checked_indices(dest_indices, "multi_take_put")
    _checked_indices(src_indices, "multi_take_put")
    if src_indices.dtype != dest_indices.dtype:
        raise ww.ArgumentTypeError(
            "src_indices and dest_indices must have the same dtype: "
            f"{src_indices.dtype} and {dest_indices.dtype}"
        )
    if src_indices.shape != dest_indices.shape:
        raise ww.ArgumentValueError(
            "src_indices and dest_indices must have the same shape: "
            f"{src_indices.shape} and {dest_indices.shape}"
        )
    offsets = [0] * len(arrays) if src_offsets is None else list(src_offsets)
    if len(offsets) != len(arrays):
        raise ww.ArgumentValueError(f"{len(offsets)} src_offsets for {len(arrays)} arrays")
    results = _outputs(out, arrays, dest_shape, "multi_take_put")
    for source, target, offset in zip(arrays, results, offsets, strict=True):
        _moved("take_put", source, target, dest_indices, src_indices, offset, stream)
    return results


@boundary
def multi_put(
    arrays: Sequence[GPUArray],
    dest_indices: GPUArray,
    dest_shape: Any = None,
    out: Sequence[GPUArray] | None = None,
    stream: Stream | None = None,
) -> list[GPUArray]:
    """out[dest_indices] = array, of each of several arrays of one dtype."""
    if not arrays:
        return []
    _checked_indices(dest_indices, "multi_put")
    results = _outputs(out, arrays, dest_shape, "multi_put")
    for source, target in zip(arrays, results, strict=True):
        _require_room(source, dest_indices, "multi_put")
        _moved("put", source, target, dest_indices, dest_indices, 0, stream)
    return results


def _require_room(array: GPUArray, indices: GPUArray, function: str) -> None:
    if array.size < indices.size:
        raise ww.ArgumentValueError(
            f"{function}: {indices.size} indices for an array of {array.size} elements"
        )


# --- Reductions of subsets.


def _subset(subset: GPUArray, function: str, *arrays: GPUArray) -> None:
    _checked_indices(subset, function)
    for one in arrays:
        if not isinstance(one, GPUArray):
            raise ww.ArgumentTypeError(f"{function} expects GPUArrays, got {type(one).__name__}")


@boundary
def subset_sum(
    subset: GPUArray,
    a: GPUArray,
    dtype: npt.DTypeLike | None = None,
    stream: Stream | None = None,
    allocator: Allocator | None = None,
) -> GPUArray:
    """The sum of the elements with these numbers, computed in `dtype`; default: the array's."""
    from ..reduction import get_subset_sum_kernel

    _subset(subset, "subset_sum", a)
    kernel = get_subset_sum_kernel(
        None if dtype is None else np.dtype(dtype), subset.dtype, a.dtype
    )
    return kernel(subset, a, stream=stream, allocator=allocator)


@boundary
def subset_dot(
    subset: GPUArray,
    a: GPUArray,
    b: GPUArray,
    dtype: npt.DTypeLike | None = None,
    stream: Stream | None = None,
    allocator: Allocator | None = None,
) -> GPUArray:
    """The sum of a * b over the elements with these numbers."""
    from ..reduction import get_subset_dot_kernel

    _subset(subset, "subset_dot", a, b)
    kind = np.result_type(a.dtype, b.dtype) if dtype is None else np.dtype(dtype)
    kernel = get_subset_dot_kernel(kind, subset.dtype, a.dtype, b.dtype)
    return kernel(subset, a, b, stream=stream, allocator=allocator)


@boundary
def subset_max(subset: GPUArray, a: GPUArray, stream: Stream | None = None) -> GPUArray:
    """The greatest of the elements with these numbers that is not NaN."""
    from ..reduction import get_subset_minmax_kernel

    _subset(subset, "subset_max", a)
    return get_subset_minmax_kernel("max", a.dtype, subset.dtype)(subset, a, stream=stream)


@boundary
def subset_min(subset: GPUArray, a: GPUArray, stream: Stream | None = None) -> GPUArray:
    """The least of the elements with these numbers that is not NaN."""
    from ..reduction import get_subset_minmax_kernel

    _subset(subset, "subset_min", a)
    return get_subset_minmax_kernel("min", a.dtype, subset.dtype)(subset, a, stream=stream)
