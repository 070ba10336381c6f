"""vectorize and guvectorize: Python functions of elements, or of parts, as functions of arrays."""

from __future__ import annotations

import itertools
import linecache
import math
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from ..._core import Array, value_text
from ..._core import broadcast_to as _broadcast_to
from ..._errors import ArgumentTypeError, ArgumentValueError, UnsupportedError
from ..._pickled import WrapsFunction
from .. import types
from .._arrays.creation import device_array, to_device
from .._arrays.device_array import DeviceNDArray, as_cuda_array, is_cuda_array
from .dispatch import jit
from .intrinsics import INTRINSICS

_numbers = itertools.count()


def _function_of_text(name: str, text: str, values: dict[str, Any]) -> Any:
    """A function of generated text, whose source inspect finds."""
    file = f"<warpwise.cuda {name} {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope = dict(values)
    exec(compile(text, file, "exec"), scope)
    return scope[name]


class _ArrayFunction(WrapsFunction):
    """What both kinds share: signatures, a choice among them, and arguments on the device."""

    def __init__(
        self, function: Callable[..., Any], signatures: Sequence[Any], options: Any
    ) -> None:
        self.py_func = getattr(function, "py_func", function)
        self.__name__ = self.py_func.__name__
        self.__doc__ = self.py_func.__doc__
        self._options = dict(options)
        self._core = jit(device=True, **options)(self.py_func)
        self._signatures = [types.as_signature(each) for each in signatures]
        self._kernels: dict[Any, Any] = {}
        self._lock = threading.Lock()

    def _how_made(self) -> tuple[Any, ...]:
        return self._signatures, self._options

    def _kernel(self, key: Any, make: Callable[[], Any]) -> Any:
        with self._lock:
            if key not in self._kernels:
                self._kernels[key] = make()
            return self._kernels[key]

    def _chosen(
        self,
        dtypes: list[np.dtype[Any]],
        per_argument: Callable[[Any], Any],
        numbers: Sequence[bool] = (),
    ) -> Any:
        """The first signature to whose types the arguments convert without loss.

        Else the first to which `numbers`, no arrays, convert as NumPy's "same_kind" does.
        """
        for is_loose in (False, True):
            rules: list[Literal["same_kind", "safe"]] = [
                "same_kind" if is_loose and i < len(numbers) and numbers[i] else "safe"
                for i in range(len(dtypes))
            ]
            for signature in self._signatures:
                wanted = [np.dtype(per_argument(each)) for each in signature.args[: len(dtypes)]]
                trio = zip(dtypes, wanted, rules, strict=True)
                if all(np.can_cast(one, other, rule) for one, other, rule in trio):
                    return signature, wanted
        known = ", ".join(map(str, self._signatures))
        given = ", ".join(map(str, dtypes))
        raise ArgumentTypeError(
            f"{self.__name__}: no matching signature for ({given}); it was declared for {known}"
        )


def _on_device(value: Any, stream: Any) -> DeviceNDArray:
    if is_cuda_array(value):
        return as_cuda_array(value)
    host = np.asarray(value)
    if host.dtype.kind not in "biufcmM":
        raise ArgumentTypeError(f"an array or a number is expected, got {value_text(value)}")
    array: DeviceNDArray = to_device(np.ascontiguousarray(host).reshape(host.shape), stream)
    return array


def _converted(array: DeviceNDArray, dtype: np.dtype[Any]) -> DeviceNDArray:
    if array.dtype == dtype:
        return array
    if dtype.kind in "mM":  # another unit, which the host knows
        converted: DeviceNDArray = to_device(array.copy_to_host().astype(dtype), array.stream)
        return converted
    return DeviceNDArray.of(array.astype(dtype), array.stream)


def _spread(array: DeviceNDArray, shape: tuple[int, ...]) -> DeviceNDArray:
    if array.shape == shape:
        return array
    return DeviceNDArray.of(_broadcast_to(array, shape), array.stream, array.dtype)


def _with_one_loop_axis(array: DeviceNDArray, shape: tuple[int, ...]) -> DeviceNDArray:
    """The axes in front as one: a view where strides allow, else a copy."""
    return DeviceNDArray.of(Array.reshape(array, shape), array.stream, array.dtype)


def _launch_size(kernel: Any, count: int, most: int) -> tuple[int, int]:
    threads = min(max(most, 1), 256)
    return (count + threads - 1) // threads, threads


class CUDAUFunc(_ArrayFunction):
    """A Python function of numbers, applied to every element of arrays that broadcast.

    Host arrays and numbers give a host array; with an array on a device among the arguments, the
    result is one.
    """

    max_blocksize = 1024

    @property
    def types(self) -> list[str]:
        """The declared signatures, as NumPy writes them: 'ff->f'."""
        return [
            "".join(types.as_dtype(each).char for each in signature.args)
            + "->"
            + types.as_dtype(self._result_type(signature)).char
            for signature in self._signatures
        ]

    def _result_type(self, signature: Any) -> Any:
        """As declared; of types of arguments alone, what the function returns."""
        if signature.return_type != types.none:
            return signature.return_type
        return types.as_type(self._core.return_type(signature.args))

    @property
    def nin(self) -> int:
        return int(self.py_func.__code__.co_argcount)

    def __call__(self, *args: Any, out: Any = None, stream: Any = 0) -> Any:
        """The values of all elements; `out`: where to write them."""
        if len(args) == self.nin + 1 and out is None:
            *args, out = args  # type: ignore[assignment]
        if len(args) != self.nin:
            raise ArgumentTypeError(f"{self.__name__} takes {self.nin} arrays, got {len(args)}")
        is_host = not any(is_cuda_array(each) for each in args)
        arrays = [_on_device(each, stream) for each in args]
        arrays, result_type = self._typed(arrays)
        shape = np.broadcast_shapes(*(each.shape for each in arrays))
        result = self._result(out, shape, result_type)
        if result.size:
            self._run([_spread(each, shape) for each in arrays], result, stream)
        if out is not None and not is_cuda_array(out):
            out[...] = result.copy_to_host(stream=stream)
            return out
        if not is_host or out is not None:
            return result if out is None else out
        host = result.copy_to_host()
        return host[()] if host.ndim == 0 else host

    def _typed(self, arrays: list[DeviceNDArray]) -> tuple[list[DeviceNDArray], np.dtype[Any]]:
        dtypes = [each.dtype for each in arrays]
        if not self._signatures:
            given = [types.from_dtype(each) for each in dtypes]
            return arrays, types.as_dtype(self._core.return_type(given))
        signature, wanted = self._chosen(dtypes, types.as_dtype)
        result = types.as_dtype(self._result_type(signature))
        return [_converted(*pair) for pair in zip(arrays, wanted)], result

    def _result(self, out: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> DeviceNDArray:
        if out is None or not is_cuda_array(out):
            if out is not None and (out.shape != shape or not np.can_cast(dtype, out.dtype)):
                raise ArgumentValueError(
                    f"{self.__name__}: out is {out.dtype} of shape {out.shape}, the result is "
                    f"{dtype} of shape {shape}"
                )
            return device_array(shape, dtype)
        result = as_cuda_array(out)
        if result.shape != shape or result.dtype != dtype:
            raise ArgumentValueError(
                f"{self.__name__}: out is {result.dtype} of shape {result.shape}, the result is "
                f"{dtype} of shape {shape}"
            )
        return result

    def _run(self, arrays: list[DeviceNDArray], result: DeviceNDArray, stream: Any) -> None:
        if all(each.is_c_contiguous() for each in (*arrays, result)):
            arrays = [each.ravel() for each in arrays]
            result = result.ravel()
        axes = result.ndim
        kernel = self._kernel(axes, lambda: self._kernel_of(len(arrays), axes))
        grid, block = _launch_size(kernel, result.size, self.max_blocksize)
        kernel[grid, block, stream](*arrays, result)

    def _kernel_of(self, count: int, axes: int) -> Any:
        names = [f"x{i}" for i in range(count)]
        lines = [f"def elementwise({', '.join(names)}, out):", "    i = grid(1)"]
        lines += ["    if i < out.size:"]
        for axis in range(axes - 1, 0, -1):
            lines.append(f"        i{axis} = i % out.shape[{axis}]")
            lines.append(f"        i = i // out.shape[{axis}]")
        index = ", ".join(["i", *(f"i{axis}" for axis in range(1, axes))]) if axes else "()"
        values = ", ".join(f"{name}[{index}]" for name in names)
        lines.append(f"        out[{index}] = function({values})")
        scope = {"grid": INTRINSICS["grid"], "function": self._core}
        return jit(_function_of_text("elementwise", "\n".join(lines) + "\n", scope))

    def reduce(self, arg: Any, axis: int = 0, init: Any = None, stream: Any = 0) -> Any:
        """The reduction of one axis by the function, which takes two numbers of one type."""
        from .reduce import Reduce

        if self.nin != 2:
            raise ArgumentValueError(f"reduce needs a function of two values, not of {self.nin}")
        if axis != 0:
            raise UnsupportedError(f"reduce is along the only axis, 0; got {value_text(axis)}")
        array = _on_device(arg, stream)
        if array.ndim != 1:
            raise ArgumentTypeError(f"reduce takes an array of one axis, got {array.ndim}")
        if array.size == 0:
            raise ArgumentTypeError("reduction on an empty array.")
        if init is None:
            if array.size == 1:
                return array[0]
            init, array = array[0], array[1:]
        return Reduce(self.py_func)(array, init=init, stream=stream)

    def __repr__(self) -> str:
        return f"<cuda.vectorize of {self.__name__}>"


_PART = re.compile(r"\s*\(([^()]*)\)\s*")


def _parsed_layout(text: str) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """'(m,n),(n)->(m)' as names of axes of inputs and outputs."""
    halves = text.split("->") if isinstance(text, str) else []
    sides = []
    for half in halves:
        parts = _PART.findall(half)
        if not re.fullmatch(r"(?:\s*\([^()]*\)\s*,?)*", half):
            parts = []
        sides.append([
            tuple(name.strip() for name in part.split(",") if name.strip()) for part in parts
        ])  # fmt: skip
    if len(sides) != 2 or not sides[0] or not sides[1]:
        raise ArgumentValueError(
            f"the layout {value_text(text)} cannot be read; write it as '(m,n),(n)->(m)'"
        )
    return sides[0], sides[1]


class CUDAGUFunc(_ArrayFunction):
    """A Python function of parts of arrays, applied over the axes in front of the parts."""

    max_blocksize = 1024

    def __init__(
        self, function: Callable[..., Any], signatures: Sequence[Any], layout: str, options: Any
    ) -> None:
        super().__init__(function, signatures, options)
        self.signature = layout
        self._inputs, self._outputs = _parsed_layout(layout)
        count = self.py_func.__code__.co_argcount
        if count != len(self._inputs) + len(self._outputs):
            raise ArgumentValueError(
                f"{self.__name__} has {count} parameters, the layout '{layout}' "
                f"{len(self._inputs)} inputs and {len(self._outputs)} outputs"
            )
        if not self._signatures:
            raise ArgumentValueError(f"guvectorize of {self.__name__} needs signatures")
        for signature in self._signatures:
            if signature.return_type != types.none:
                raise ArgumentTypeError(
                    f"guvectorized functions cannot return values: signature {signature} "
                    f"specifies {signature.return_type} return type"
                )
            if len(signature.args) != count:
                raise ArgumentValueError(
                    f"{self.__name__} has {count} parameters, its signature {signature} "
                    f"{len(signature.args)}"
                )

    def _how_made(self) -> tuple[Any, ...]:
        return self._signatures, self.signature, self._options

    def __call__(self, *args: Any, out: Any = None, stream: Any = 0) -> Any:
        """The results; given outputs, by position or as `out`, are written."""
        given = list(args[len(self._inputs) :])
        if out is not None and given:
            raise ArgumentValueError("cannot specify argument 'out' as both positional and keyword")
        if out is not None:
            given += list(out) if isinstance(out, tuple | list) else [out]
        if len(args) < len(self._inputs) or len(given) not in (0, len(self._outputs)):
            count, most = len(self._inputs), len(self._inputs) + len(self._outputs)
            raise ArgumentTypeError(
                f"{self.__name__}: gufunc accepts {count} positional arguments (or {most} "
                f"positional arguments if outputs are specified). Got {len(args)} positional "
                f"argument{'' if len(args) == 1 else 's'}."
            )
        inputs = args[: len(self._inputs)]
        is_host = not any(is_cuda_array(each) for each in (*inputs, *given))
        arrays = [_on_device(each, stream) for each in inputs]
        numbers = [not is_cuda_array(each) and np.ndim(each) == 0 for each in inputs]
        signature, wanted = self._chosen([each.dtype for each in arrays], _element_type, numbers)
        arrays = [_converted(*pair) for pair in zip(arrays, wanted)]
        loop, extents = self._shapes(arrays)
        results = [
            self._result(given[i] if given else None, i, signature, loop, extents)
            for i in range(len(self._outputs))
        ]
        self._run(arrays, results, loop, signature, stream)
        return self._returned(results, given, is_host, stream)

    def _returned(self, results: Any, given: Any, is_host: bool, stream: Any) -> Any:
        for target, result in zip(given, results):
            if not is_cuda_array(target):
                target[...] = result.copy_to_host(stream=stream)
        values = given or [each.copy_to_host() if is_host else each for each in results]
        return values[0] if len(values) == 1 else tuple(values)

    def _shapes(self, arrays: list[DeviceNDArray]) -> tuple[tuple[int, ...], dict[str, int]]:
        """(the shape of the axes in front, extents of the named axes)."""
        extents: dict[str, int] = {}
        loops = []
        for number, (array, axes) in enumerate(zip(arrays, self._inputs)):
            if array.ndim < len(axes):
                raise ArgumentValueError(
                    f"{self.__name__}: input {number} has {array.ndim} axes, its part has "
                    f"{len(axes)}"
                )
            front = array.ndim - len(axes)
            loops.append(array.shape[:front])
            for name, extent in zip(axes, array.shape[front:]):
                if extents.setdefault(name, extent) != extent:
                    raise ArgumentValueError(
                        f"{self.__name__}: axis '{name}' of input {number} is {extent}, and was "
                        f"{extents[name]} before"
                    )
        return np.broadcast_shapes(*loops), extents

    def _result(self, out: Any, i: int, signature: Any, loop: Any, extents: Any) -> DeviceNDArray:
        dtype = _element_type(signature.args[len(self._inputs) + i])
        unknown = [name for name in self._outputs[i] if name not in extents]
        if unknown and out is None:
            raise ArgumentValueError(
                f"{self.__name__}: axis '{unknown[0]}' is of no input; pass the output"
            )
        if out is not None and not unknown:
            shape = (*loop, *(extents[name] for name in self._outputs[i]))
        elif out is not None:
            shape = tuple(out.shape)
        else:
            shape = (*loop, *(extents[name] for name in self._outputs[i]))
        if out is not None and (tuple(out.shape) != shape or out.dtype != dtype):
            raise ArgumentValueError(
                f"{self.__name__}: output {i} is {out.dtype} of shape {tuple(out.shape)}, the "
                f"result is {dtype} of shape {shape}"
            )
        if out is not None:
            return as_cuda_array(out) if is_cuda_array(out) else to_device(out)
        return device_array(shape, dtype)

    def _run(self, arrays: Any, results: Any, loop: Any, signature: Any, stream: Any) -> None:
        count = math.prod(loop)
        if count == 0:
            return
        flat = []
        for array, axes in zip(arrays, self._inputs):
            part = array.shape[array.ndim - len(axes) :]
            flat.append(_with_one_loop_axis(_spread(array, (*loop, *part)), (count, *part)))
        for array in results:
            flat.append(array.reshape(count, *array.shape[len(loop) :]))
        scalars = tuple(not isinstance(each, types.Array) for each in signature.args)
        kernel = self._kernel((scalars, count > 1), lambda: self._kernel_of(scalars))
        grid, block = _launch_size(kernel, count, self.max_blocksize)
        kernel[grid, block, stream](*flat)

    def _kernel_of(self, scalars: tuple[bool, ...]) -> Any:
        layouts = [*self._inputs, *self._outputs]
        names = [f"x{i}" for i in range(len(layouts))]
        values = []
        for name, axes, is_scalar in zip(names, layouts, scalars):
            values.append(f"{name}[i]" if axes or is_scalar else f"{name}[i:i + 1]")
        text = (
            f"def parts({', '.join(names)}):\n"
            f"    i = grid(1)\n"
            f"    if i < {names[-1]}.shape[0]:\n"
            f"        function({', '.join(values)})\n"
        )
        scope = {"grid": INTRINSICS["grid"], "function": self._core}
        return jit(_function_of_text("parts", text, scope))

    def __repr__(self) -> str:
        return f"<cuda.guvectorize of {self.__name__}, '{self.signature}'>"


def _element_type(kind: Any) -> np.dtype[Any]:
    return types.as_dtype(kind.dtype if isinstance(kind, types.Array) else kind)


def _signature_list(given: Any) -> list[Any]:
    if isinstance(given, list | tuple):
        return list(given)
    return [given]


def vectorize(ftylist_or_function: Any = (), **options: Any) -> Any:
    """Makes a function of arrays of a function of numbers.

    Without signatures it is compiled for the types of the arguments.

    >>> @cuda.vectorize(["float32(float32, float32)"])
    ... def add(a, b):
    ...     return a + b
    """
    kept = _kept_options(options, "vectorize")
    is_function = callable(ftylist_or_function) and not types.is_type(ftylist_or_function)
    if is_function:
        return CUDAUFunc(ftylist_or_function, (), kept)
    signatures = _signature_list(ftylist_or_function)
    return lambda function: CUDAUFunc(function, signatures, kept)


def guvectorize(ftylist: Any, signature: str, **options: Any) -> Any:
    """Makes a function of arrays of a function of parts of them.

    >>> @cuda.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->()")
    ... def dot(a, b, out):
    ...     out[0] = 0
    ...     for i in range(a.size):
    ...         out[0] += a[i] * b[i]
    """
    kept = _kept_options(options, "guvectorize")
    signatures = _signature_list(ftylist)
    return lambda function: CUDAGUFunc(function, signatures, signature, kept)


def _kept_options(options: dict[str, Any], name: str) -> dict[str, Any]:
    """Those that jit takes; the rest is checked."""
    target = options.pop("target", "cuda")
    if target != "cuda":
        raise UnsupportedError(f"{name} got target={value_text(target)}; it has 'cuda'")
    if options.pop("nopython", True) is not True:
        raise ArgumentTypeError("nopython flag must be True")
    options.pop("identity", None)
    unknown = [key for key in options if key not in ("fastmath", "debug", "lineinfo", "opt")]
    if unknown:
        names = ", ".join(f"'{each}'" for each in unknown)
        raise ArgumentTypeError(f"The following target options are not supported: {names}")
    return options
