"""cuda.reduce: a reduction of one axis by a Python function of two values."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import value_text
from ..._errors import ArgumentTypeError, ArgumentValueError
from ..._pickled import WrapsFunction
from .. import types
from .._arrays.creation import device_array, to_device
from .._arrays.device_array import as_cuda_array, is_cuda_array
from .dispatch import jit
from .intrinsics import INTRINSICS

_THREADS = 128
_MOST_BLOCKS = 256

grid, gridsize = INTRINSICS["grid"], INTRINSICS["gridsize"]
shared, syncthreads = INTRINSICS["shared"], INTRINSICS["syncthreads"]
thread_index, block_index = INTRINSICS["threadIdx"], INTRINSICS["blockIdx"]


def _kernel_of(function: Callable[[Any, Any], Any], dtype: np.dtype[Any]) -> Any:
    operation = jit(device=True)(function)
    element = types.from_dtype(dtype)
    threads = _THREADS

    def reduce(array, out, init, with_init):  # type: ignore[no-untyped-def]
        part = shared.array(threads, element)
        thread = thread_index.x
        first = grid(1)
        # Of each thread with an element: its share in order.
        if first < array.size:
            total = array[first]
            for i in range(first + gridsize(1), array.size, gridsize(1)):
                total = operation(total, array[i])
            part[thread] = total
        count = min(threads, array.size - block_index.x * threads)
        step = threads // 2
        while step > 0:
            syncthreads()
            if thread < step and thread + step < count:
                part[thread] = operation(part[thread], part[thread + step])
            step //= 2
        if thread == 0:
            if with_init and block_index.x == 0:
                out[block_index.x] = operation(part[0], init)
            else:
                out[block_index.x] = part[0]

    return jit(reduce)


class Reduce(WrapsFunction):
    """A reduction by a function of two values, which is associative and commutative.

    >>> total = cuda.reduce(lambda a, b: a + b)
    >>> total(array)
    """

    def __init__(self, functor: Callable[[Any, Any], Any]) -> None:
        if not callable(functor):
            raise ArgumentTypeError(
                f"cuda.reduce expects a function of two values, got {value_text(functor)}"
            )
        self.py_func = getattr(functor, "py_func", functor)
        self._kernels: dict[np.dtype[Any], Any] = {}
        self._lock = threading.Lock()
        self.__doc__ = self.py_func.__doc__
        self.__name__ = getattr(self.py_func, "__name__", "reduce")

    def _kernel(self, dtype: np.dtype[Any]) -> Any:
        with self._lock:
            if dtype not in self._kernels:
                self._kernels[dtype] = _kernel_of(self.py_func, dtype)
            return self._kernels[dtype]

    def __call__(
        self, arr: Any, size: int | None = None, res: Any = None, init: Any = 0, stream: Any = 0
    ) -> Any:
        """The reduction of an array of one axis, on the host or on a device.

        Parameters
        ----------
        size : int, optional
            How many elements to reduce, from the first on.
        res : array on a device, optional
            Its first element becomes the result, and None is returned.
        init : number
            What the result starts from, and what an empty array gives.
        """
        array = as_cuda_array(arr) if is_cuda_array(arr) else to_device(np.asarray(arr), stream)
        if array.ndim != 1:
            raise ArgumentTypeError(f"only support 1D array, got one of shape {array.shape}")
        if size is not None:
            if not 0 <= size <= array.size:
                raise ArgumentValueError(
                    f"size expects 0 to {array.size}, the size of the array, got {value_text(size)}"
                )
            array = array[:size]
        start = array.dtype.type(init)
        if array.size == 0:
            if res is None:
                return start
            as_cuda_array(res)[0] = start
            return None
        result = self._reduced(array, start, stream)
        if res is None:
            return result[0]
        as_cuda_array(res)[:1].copy_to_device(result[:1], stream=stream)
        return None

    def _reduced(self, array: Any, init: Any, stream: Any) -> Any:
        kernel = self._kernel(array.dtype)
        blocks = min((array.size + _THREADS - 1) // _THREADS, _MOST_BLOCKS)
        partial = device_array(blocks, array.dtype)
        kernel[blocks, _THREADS, stream](array, partial, init, True)
        if blocks == 1:
            return partial
        result = device_array(1, array.dtype)
        kernel[1, _THREADS, stream](partial, result, init, False)
        return result

    def __repr__(self) -> str:
        return f"<cuda.reduce of {self.__name__}>"


reduce = Reduce

__all__ = ["Reduce", "reduce"]
