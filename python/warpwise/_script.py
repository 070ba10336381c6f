"""Kernels written in Python: what `ww.cuda.jit` returns, and names that kernels alone can use."""

from __future__ import annotations

import enum
import functools
import threading
import types
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ._core import (
    Array,
    Device,
    FrozenValues,
    LaunchTable,
    PythonFunction,
    PythonKernel,
    PythonLaunch,
    PythonLauncher,
    asarray,
    from_buffer,
    from_dlpack,
    make_launcher,
)
from ._errors import ArgumentTypeError, ArgumentValueError, RaisedInKernel
from ._raised import exception_of
from ._script_tree import Program, known, text_of_numbas, write_program
from ._shaped_arguments import Shaped, has_parts, shaped, whole_function

__all__ = ["Function", "Intrinsic", "JitOptions", "known", "type_of", "type_text"]


class JitOptions(NamedTuple):
    """How a function is compiled."""

    debug: bool = False  # exceptions reach the host; indices and divisors are checked
    fastmath: bool = False
    lineinfo: bool = False
    max_registers: int | None = None
    zero_unset: bool = False  # variables that a path leaves unset are zero there
    frozen: bool = False  # globals stay what they were at the first compile
    compiler_options: tuple[str, ...] = ()
    launch_bounds: tuple[int, ...] = ()  # threads of a block, blocks and clusters, of a kernel
    linked: tuple[tuple[str, str], ...] = ()  # names and texts of CUDA C++ with declared functions


class Intrinsic:
    """A name that means something in kernels only: Intrinsic("cuda.grid")."""

    def __init__(self, name: str, doc: str | None = None) -> None:
        self.__warpwise_known__ = name
        self.__name__ = name.rpartition(".")[2]
        if doc:
            self.__doc__ = doc

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        raise ArgumentTypeError(
            f"{self.__warpwise_known__}() works inside of kernels only, in a function under "
            "@ww.cuda.jit"
        )

    def __repr__(self) -> str:
        return f"<{self.__warpwise_known__} of kernels>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (Intrinsic, (self.__warpwise_known__, self.__doc__))


def type_text(value: Any) -> str:
    """A type as signatures name it: of a str, a dtype, a Python or NumPy type, a type of Numba.

    Raises ArgumentTypeError for what is no type of an argument.
    """
    if isinstance(value, str):
        return value
    if value is None or value is type(None):
        return "none"
    own = getattr(value, "__warpwise_type__", None)
    if isinstance(own, str):
        return own
    if isinstance(value, tuple):
        return "Tuple(" + ", ".join(type_text(one) for one in value) + ")"
    if value is bool:
        return "bool"
    if value is int:
        return "int64"
    if value is float:
        return "float64"
    if value is complex:
        return "complex128"
    foreign = text_of_numbas(value)
    if foreign is not None:
        return foreign
    try:
        return str(np.dtype(value).name)
    except (TypeError, ValueError):
        pass
    raise ArgumentTypeError(
        f"{value!r} is no type of a kernel's argument; give a dtype, or a text such as 'float32[:]'"
    )


def type_of(value: Any) -> str:
    """The type of an argument, as signatures name it."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biufc":
            raise ArgumentTypeError(f"kernels take arrays of numbers, got dtype {value.dtype}")
        axes = [":"] * value.ndim
        if axes and value.flags.c_contiguous:
            axes[-1] = "::1"
        return f"{value.dtype.name}[{', '.join(axes)}]"
    return PythonFunction.types_of(value)


def signature_text(signature: Any) -> str:
    """A signature: a str, a type, a tuple or list of types, or a signature of Numba."""
    if isinstance(signature, str):
        return signature
    arguments = getattr(signature, "args", None)
    if arguments is not None and not isinstance(signature, tuple):
        signature = tuple(arguments)
    if isinstance(signature, tuple | list):
        return ", ".join(type_text(one) for one in signature)
    return type_text(signature)


_DEFAULTS = JitOptions()

# Arguments that the core takes as they are, beside arrays.
_DIRECT = frozenset(
    {Array, int, float, bool, complex, type(None)}
    | {np.dtype(name).type for name in "?bBhHiIqQefdFD"}
)


class Function(LaunchTable):
    """A Python function as a kernel, or as a function that kernels call.

    Parameters
    ----------
    py_func : function
        Its source is read when it is first compiled.
    device : bool
        Kernels may call it; it is no kernel itself.
    signatures : sequence
        Types to compile for at once.
    options : JitOptions
    """

    __name__: str

    def __init__(
        self,
        py_func: Callable[..., Any],
        *,
        device: bool = False,
        signatures: Iterable[Any] = (),
        options: JitOptions = _DEFAULTS,
    ) -> None:
        super().__init__()
        if not isinstance(py_func, types.FunctionType):
            raise ArgumentTypeError(
                f"kernels are made of Python functions, got {type(py_func).__name__}"
            )
        self.py_func = py_func
        self.is_device = device
        self.options = options
        self._lock = threading.Lock()
        self._program: Program | None = None
        self._core: PythonFunction | None = None
        self._values: FrozenValues | None = None
        self._shaped: dict[Any, Function] = {}
        functools.update_wrapper(self, py_func)
        for signature in signatures:
            if device:
                self.result_of(signature)
            else:
                self.compile(signature)

    def __reduce__(self) -> tuple[Any, ...]:
        return (
            _restored,
            (self.py_func.__module__, self.py_func.__qualname__, self.options, self.is_device),
        )

    def __repr__(self) -> str:
        kind = "device function" if self.is_device else "kernel"
        return f"<{kind} {self.__name__} of {self.__module__}>"

    def __get__(self, owner: Any, owner_type: Any = None) -> Any:
        return self if owner is None else types.MethodType(self, owner)

    # --- The program.

    def _current(self) -> PythonFunction:
        """The program with the values that its globals have now."""
        program, core = self._program, self._core
        if core is not None and program is not None:
            if self.options.frozen:
                return core
            if all(one.is_current() for one in program.frozen):
                return core
        return self._write()

    def _write(self) -> PythonFunction:
        program = write_program(self.py_func)
        with self._lock:
            same = self._program is not None and self._program.text == program.text
            if not same or self._core is None:
                options = self.options
                self._core = PythonFunction(
                    program.text,
                    zero_unset=options.zero_unset,
                    debug=options.debug,
                    fast_math=options.fastmath,
                    line_info=options.lineinfo,
                    max_registers=options.max_registers or 0,
                    options=list(options.compiler_options),
                    launch_bounds=list(options.launch_bounds),
                    preamble="".join(_marked(*source) for source in self._linked(program)),
                )
            self._program = program
            if not self.options.frozen:
                self._values = FrozenValues([one.in_dict() for one in program.frozen])
            return self._core

    def _linked(self, program: Program) -> list[tuple[str, str]]:
        # Declared functions may name their sources themselves.
        return list(dict.fromkeys([*self.options.linked, *program.linked]))

    # --- Launches.

    def launch_of(self, key: Any) -> PythonLauncher:
        """kernel[grid, block, stream, shared], for the table of launches."""
        entries = key if isinstance(key, tuple) else (key,)
        if not 2 <= len(entries) <= 4:
            raise ArgumentValueError(
                f"kernel[grid, block, stream, shared] expects 2 to 4 entries, got {len(entries)}"
            )
        return self._launch(*entries)

    def _launch(self, grid: Any, block: Any, stream: Any = None, shared: int = 0) -> PythonLauncher:
        self._require_kernel()
        stream = None if isinstance(stream, int) and stream == 0 else stream
        return make_launcher(self, (None, grid, block, stream, shared))

    def launch_anew(
        self, launcher: PythonLauncher, where: tuple[Any, ...], args: list[Any]
    ) -> None:
        """A launch that the launcher has no kernel for: called by it."""
        try:
            self._launch_anew(launcher, where, args)
        except RaisedInKernel as error:
            raise self.exception_of(error) from None

    def _launch_anew(
        self, launcher: PythonLauncher | None, where: tuple[Any, ...], args: list[Any]
    ) -> None:
        if any(has_parts(one) for one in args):
            shape = shaped(args)
            whole = self._of_parts(shape)
            try:
                whole._launch_anew(None, where, shape.parts)
            except RaisedInKernel as error:
                raise whole.exception_of(error) from None
            return
        core = self._current()
        call = _HostCall(args)
        kernel = core.kernel_for(*call.values)
        n, *rest = where
        if n is None:
            launch = core.configure(*rest)
        elif n > 0:
            launch = core.configure_for_all(kernel, n, *rest)
        else:
            return
        call.run(launch, kernel, self)
        if launcher is not None and call.is_direct and not self.options.debug:
            launcher.keep(kernel, launch, self._values)

    def _of_parts(self, shape: Shaped) -> Function:
        """The kernel of the parts of arguments that have some."""
        with self._lock:
            known = self._shaped.get(shape.key)
            if known is None:
                function = whole_function(self.py_func, shape)
                known = self._shaped[shape.key] = Function(function, options=self.options)
            return known

    def configure(
        self, grid: Any, block: Any, stream: Any = None, shared: int = 0
    ) -> PythonLauncher:
        """A launch of that grid and block.

        Parameters
        ----------
        grid, block : int or tuple of int
        stream : Stream, optional
            The current one by default.
        shared : int
            Bytes of dynamic shared memory.
        """
        return self._launch(grid, block, stream, shared)

    def forall(self, n: int, stream: Any = None, shared: int = 0, block: int = 0) -> PythonLauncher:
        """A launch of one thread for each of n elements."""
        self._require_kernel()
        stream = None if isinstance(stream, int) and stream == 0 else stream
        return make_launcher(self, (n, stream, shared, block))

    def _require_kernel(self) -> None:
        if self.is_device:
            raise ArgumentTypeError(
                f"{self.__name__} is a device function: kernels call it; launch a kernel"
            )

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if self.is_device:
            return self.py_func(*args, **keywords)
        raise ArgumentValueError(
            f"the kernel {self.__name__} needs a grid and a block: "
            f"{self.__name__}[blocks, threads](...) or {self.__name__}.forall(n)(...)"
        )

    def on_host_arrays(self) -> None:
        """Called before a launch that copies arrays of the host."""

    def exception_of(self, error: RaisedInKernel) -> BaseException:
        """The exception that the statement of the program makes, with the thread's place."""
        program = self._program
        assert program is not None
        return exception_of(error, program.functions)

    # --- Compiling.

    def compile(self, types: Any, device: Device | None = None) -> PythonKernel:
        """The kernel for these types, compiled where it is new.

        Parameters
        ----------
        types : str or tuple
            "float32[:], int32", or types one by one.
        """
        return self._current().compile(signature_text(types), device)

    @property
    def kernels(self) -> dict[str, PythonKernel]:
        """What was compiled so far, by the types of the arguments."""
        core = self._core
        return {} if core is None else {kernel.types: kernel for kernel in core.kernels()}

    def result_of(self, types: Any) -> str:
        """The type that the function returns for arguments of these types."""
        return self._current().result_of(signature_text(types))

    def device_source(
        self, types: Any, name: str, returns_status: bool = False, result: str = ""
    ) -> str:
        """The CUDA C++ of a device function for these types, as extern "C" of that name."""
        return self._current().device_source(signature_text(types), name, returns_status, result)

    def inspect_source(self, types: Any = None) -> str | dict[str, str]:
        """The CUDA C++ for these types; of all that were compiled, by their types."""
        if types is not None:
            return self._current().source(signature_text(types))
        return {name: kernel.source for name, kernel in self.kernels.items()}


def _marked(name: str, text: str) -> str:
    """CUDA C++ with a marker of its lines."""
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line 1 "{quoted}"\n{text}\n#line 1 "<kernel>"\n'


def _restored(module: str, name: str, options: JitOptions, device: bool) -> Function:
    import importlib

    value: Any = importlib.import_module(module)
    for part in name.split("."):
        value = getattr(value, part)
    return value if isinstance(value, Function) else Function(value, device=device, options=options)


# --- Arguments that live on the host.


class _HostCall:
    """One launch, perhaps with NumPy arrays or other libraries' arrays among its arguments."""

    def __init__(self, args: list[Any]) -> None:
        self._hosts: list[tuple[int, np.ndarray[Any, Any]]] = []
        self.values: list[Any] = []
        self.is_direct = all(type(one) in _DIRECT or isinstance(one, Array) for one in args)
        if self.is_direct:
            self.values = args
            return
        for index, one in enumerate(args):
            self.values.append(self._converted(index, one))
        self._share_memory()

    def _converted(self, index: int, value: Any) -> Any:
        if isinstance(value, Array):
            return value
        own = getattr(value, "__warpwise_array__", None)
        if own is not None:
            return own()
        if isinstance(value, np.void) and value.dtype.names is not None:
            value = _record_in_place(value)
        if isinstance(value, np.ndarray):
            is_record = value.dtype.names is not None
            if not is_record and (value.dtype.kind not in "biufc" or not value.dtype.isnative):
                raise ArgumentTypeError(
                    f"argument {index + 1} is an array of {value.dtype}; kernels take arrays of "
                    "numbers and of records of them"
                )
            self._hosts.append((index, value))
            return value
        if isinstance(value, enum.Enum):
            return value.value
        is_foreign = hasattr(value, "__cuda_array_interface__") or hasattr(value, "__dlpack__")
        if is_foreign and not isinstance(value, np.generic):
            return from_dlpack(value) if hasattr(value, "__dlpack__") else asarray(value)
        return value

    def _share_memory(self) -> None:
        """Arrays of the host on the device: those that overlap share one buffer."""
        self._buffers: list[tuple[np.ndarray[Any, Any], Array, list[int]]] = []
        groups: list[list[tuple[int, np.ndarray[Any, Any]]]] = []
        for entry in self._hosts:
            touching = [
                group
                for group in groups
                if any(np.may_share_memory(entry[1], other) for _, other in group)
            ]
            merged = [entry]
            for group in touching:
                merged = group + merged
                groups.remove(group)
            groups.append(merged)
        for group in groups:
            if len(group) == 1:
                index, host = group[0]
                device = asarray(host)
                self.values[index] = device
                self._buffers.append((host, device, [index]))
            else:
                self._share(group)

    def _share(self, group: list[tuple[int, np.ndarray[Any, Any]]]) -> None:
        bounds = [_bounds(host) for _, host in group]
        low = min(start for start, _ in bounds)
        high = max(end for _, end in bounds)
        holder = types.SimpleNamespace(
            __array_interface__={
                "version": 3,
                "shape": (high - low,),
                "typestr": "|u1",
                "data": (low, not all(host.flags.writeable for _, host in group)),
            },
            hosts=[host for _, host in group],
        )
        whole = np.asarray(holder)
        device = asarray(whole)
        for index, host in group:
            offset = host.__array_interface__["data"][0] - low
            self.values[index] = _view(device, offset, host)
        self._buffers.append((whole, device, [index for index, _ in group]))

    def run(self, launch: PythonLaunch, kernel: PythonKernel, function: Function) -> None:
        if not self._hosts:
            launch(*self.values)
            return
        function.on_host_arrays()
        for index, host in self._hosts:
            if kernel.writes(index) and not host.flags.writeable:
                raise ArgumentValueError(
                    f"{function.__name__} writes its argument {index + 1}, which is read-only"
                )
        launch(*self.values)
        for host, device, indices in self._buffers:
            if any(kernel.writes(index) for index in indices):
                np.copyto(host, device.get())


def _record_in_place(record: np.void) -> np.ndarray[Any, Any]:
    """An array without axes over the memory of a record, which NumPy exports read-only."""
    address = np.frombuffer(record, np.uint8).__array_interface__["data"][0]
    holder = types.SimpleNamespace(
        __array_interface__={
            "version": 3,
            "shape": (record.nbytes,),
            "typestr": "|u1",
            "data": (address, not record.flags.writeable),
        },
        record=record,
    )
    whole: np.ndarray[Any, Any] = np.asarray(holder).view(record.dtype)
    return whole.reshape(())


def _bounds(host: np.ndarray[Any, Any]) -> tuple[int, int]:
    """The first address and the one behind the last."""
    low = high = host.__array_interface__["data"][0]
    if host.size == 0:
        return low, high
    for extent, stride in zip(host.shape, host.strides, strict=True):
        reach = (extent - 1) * stride
        low += min(reach, 0)
        high += max(reach, 0)
    return low, high + host.itemsize


def _view(buffer: Array, offset: int, host: np.ndarray[Any, Any]) -> Array:
    """The part of a buffer of bytes that lies as the host's array does."""
    return from_buffer(buffer.gpudata, host.shape, host.dtype, host.strides, offset=offset)


def warn_of_host_arrays(message: str) -> None:
    """Warns at the caller's line."""
    warnings.warn(message, stacklevel=3)
