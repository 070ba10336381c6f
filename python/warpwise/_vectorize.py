"""`ww.vectorize`: a Python function of one element as a function of arrays."""

from __future__ import annotations

import functools
import itertools
import linecache
import threading
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from ._core import Array, array, asarray, broadcast_arrays, broadcast_to, concat, empty, value_text
from ._errors import ArgumentTypeError, ArgumentValueError
from ._pickled import WrapsFunction
from ._script import Function, Intrinsic, JitOptions

_numbers = itertools.count()
_grid = Intrinsic("cuda.grid")
_BLOCK = 256


class Vectorized(WrapsFunction):
    """A function of elements over arrays that broadcast, compiled for the dtypes it is called with.

    Numbers among the arguments take the dtype of the arrays where their kind allows, as in NumPy.
    The dtype of the result is the one that the function returns for one element.
    """

    def __init__(self, py_func: Callable[..., Any], options: JitOptions) -> None:
        self.element = Function(py_func, device=True, options=options)
        self.py_func = self.element.py_func
        code = self.py_func.__code__
        self.nin = code.co_argcount
        has_others = code.co_kwonlyargcount or code.co_flags & 0x0C
        if self.nin == 0 or has_others:
            raise ArgumentTypeError(
                f"{py_func.__name__}() must take elements by position, one parameter at least"
            )
        self._options = options
        self._lock = threading.Lock()
        self._kernels: dict[tuple[int, bool], Function] = {}
        functools.update_wrapper(self, py_func)

    def _how_made(self) -> tuple[Any, ...]:
        return (self._options,)

    def __repr__(self) -> str:
        return f"<vectorized {self.py_func.__name__}>"

    def __call__(self, *args: Any, out: Array | None = None, where: Any = None) -> Array:
        """The function of every element.

        Parameters
        ----------
        *args : Array or number
            They broadcast to one shape.
        out : Array, optional
            Where the result goes; its shape is that of the arguments together.
        where : Array of bool, optional
            Elements to compute; others keep what `out` has, or are undefined without it.

        Returns
        -------
        Array
        """
        if len(args) != self.nin:
            raise ArgumentTypeError(
                f"{self.py_func.__name__}() takes {self.nin} arguments, got {len(args)}"
            )
        inputs = self._inputs(args)
        mask = None if where is None else asarray(where)
        if mask is not None and mask.dtype != np.bool_:
            raise ArgumentTypeError(f"where= is an array of bool, got {mask.dtype}")
        every = broadcast_arrays(*inputs, *([] if mask is None else [mask]))
        shape = every[0].shape
        if out is None:
            out = empty(shape, dtype=self._result(inputs), device=every[0].device)
        elif not isinstance(out, Array):
            raise ArgumentTypeError(f"out= is a ww.Array, got {type(out).__name__}")
        elif out.shape != shape:
            raise ArgumentValueError(f"out has shape {out.shape}, but the result has {shape}")
        else:
            # Elements may not be overwritten before they are read.
            inputs = [one if one is out else one.copy() for one in inputs]
        inputs = [broadcast_to(one, shape) for one in inputs]
        masks = [] if mask is None else [broadcast_to(mask, shape)]
        self._launch(out, inputs, masks)
        return out

    def reduce(self, x: Any, axis: int = 0) -> Array:
        """Joins the elements along an axis, neighbours first: f(f(a, b), f(c, d)).

        Parameters
        ----------
        x : Array
            The function must be associative for a result that does not depend on the order.
        axis : int
        """
        if self.nin != 2:
            raise ArgumentTypeError(f"reduce() is for functions of two elements, not {self.nin}")
        values = asarray(x)
        if values.ndim == 0 or not -values.ndim <= axis < values.ndim:
            raise ArgumentValueError(f"axis {axis} is none of an array of shape {values.shape}")
        axis %= values.ndim
        if values.shape[axis] == 0:
            raise ArgumentValueError("reduce() of no elements has no value")

        def part(start: int, stop: int | None, step: int = 1) -> Any:
            return (slice(None),) * axis + (slice(start, stop, step),)

        while values.shape[axis] > 1:
            count = values.shape[axis]
            joined = self(values[part(0, count - count % 2, 2)], values[part(1, None, 2)])
            if count % 2:
                joined = concat([joined, values[part(count - 1, None)]], axis=axis)
            values = joined
        return values[(slice(None),) * axis + (0,)]

    # --- One call.

    def _inputs(self, args: tuple[Any, ...]) -> list[Array]:
        is_number = [type(one) in (int, float, bool, complex) for one in args]
        arrays = [
            one if isinstance(one, Array) else asarray(one)
            for one, number in zip(args, is_number, strict=True)
            if not number
        ]
        joint = np.result_type(*[one.dtype for one in arrays]) if arrays else None
        rest = iter(arrays)
        device = arrays[0].device if arrays else None
        inputs = []
        for one, number in zip(args, is_number, strict=True):
            if not number:
                inputs.append(next(rest))
                continue
            dtype = np.result_type(one) if joint is None else np.result_type(joint, one)
            inputs.append(array(one, dtype=dtype, device=device))
        return inputs

    def _result(self, inputs: list[Array]) -> Any:
        name = self.element.result_of(", ".join(_name(one.dtype) for one in inputs))
        try:
            return np.dtype(name)
        except TypeError:
            raise ArgumentTypeError(
                f"{self.py_func.__name__}() returns {name} for one element; return a number"
            ) from None

    def _launch(self, out: Array, inputs: list[Array], masks: list[Array]) -> None:
        if out.size == 0:
            return
        arrays = [out, *inputs, *masks]
        if out.ndim != 1:
            is_flat = all(_is_dense(one) for one in arrays)
            if is_flat or out.ndim == 0:
                arrays = [one.reshape(-1) for one in arrays]
        kernel = self._kernel(arrays[0].ndim, bool(masks))
        kernel[-(-out.size // _BLOCK), _BLOCK](*arrays)

    def _kernel(self, rank: int, is_masked: bool) -> Function:
        with self._lock:
            known = self._kernels.get((rank, is_masked))
            if known is None:
                known = self._kernels[rank, is_masked] = self._made(rank, is_masked)
            return known

    def _made(self, rank: int, is_masked: bool) -> Function:
        names = [f"in{i}" for i in range(self.nin)]
        name = self.py_func.__name__
        scope = {"grid": _grid, "element": self.element}
        if name in scope or not name.isidentifier():  # a lambda has no name for a kernel
            name = "vectorized"
        lines = [f"def {name}(out, {', '.join(names)}{', mask' * is_masked}):"]
        lines.append("    rest = grid(1)")
        lines.append("    if rest < out.size:")
        for axis in range(rank - 1, 0, -1):
            lines.append(f"        i{axis} = rest % out.shape[{axis}]")
            lines.append(f"        rest = rest // out.shape[{axis}]")
        lines.append("        i0 = rest")
        place = ", ".join(f"i{axis}" for axis in range(rank))
        if is_masked:
            lines.append(f"        if not mask[{place}]:")
            lines.append("            return")
        values = ", ".join(f"{name}[{place}]" for name in names)
        lines.append(f"        out[{place}] = element({values})")
        text = "\n".join(lines) + "\n"
        file = f"<ww.vectorize {name} {next(_numbers)}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "exec"), scope)
        made: Any = scope[name]
        return Function(made, options=self._options)


@functools.cache
def _name(dtype: np.dtype[Any]) -> str:
    return dtype.name  # NumPy makes it anew


def _is_dense(value: Array) -> bool:
    step = value.dtype.itemsize
    for extent, stride in zip(reversed(value.shape), reversed(value.strides), strict=True):
        if extent != 1 and stride != step:
            return False
        step *= extent
    return True


@overload
def vectorize(function: Callable[..., Any], /) -> Vectorized: ...
@overload
def vectorize(*, fastmath: bool = False) -> Callable[[Callable[..., Any]], Vectorized]: ...
def vectorize(function: Callable[..., Any] | None = None, /, *, fastmath: bool = False) -> Any:
    """A Python function of one element as a function of arrays.

    Parameters
    ----------
    function : function
        Takes numbers, returns a number; written in the Python of kernels.
    fastmath : bool
        Less accurate mathematics, as in ww.cuda.jit.

    Returns
    -------
    Vectorized
        Called with arrays and numbers that broadcast; `out=`, `where=`, `reduce()`.
    """
    options = JitOptions(fastmath=fastmath)
    if isinstance(function, str | list | tuple):
        raise ArgumentTypeError(
            f"vectorize takes a function and no signatures, got {value_text(function)}: it is "
            "compiled for the dtypes that it is called with; write @ww.vectorize alone, or "
            "@ww.cuda.vectorize with Numba's signatures"
        )
    if function is None:
        return lambda given: Vectorized(given, options)
    return Vectorized(function, options)
