"""Kernels written in Python: what `ww.cuda.jit` returns, and names that kernels alone can use."""

from __future__ import annotations

import functools
import inspect
import threading
import types
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Self

import numpy as np

from ._core import (
    Device,
    FrozenValues,
    LaunchTable,
    PythonFunction,
    PythonKernel,
    PythonLauncher,
    make_launcher,
)
from ._errors import ArgumentTypeError, ArgumentValueError, RaisedInKernel
from ._host_arguments import HostCall
from ._pickled import code_of, filled, found, function_of, is_importable, state_of
from ._program.known import known
from ._raised import exception_of
from ._script_tree import Program, write_program
from ._script_types import text_of_numbas
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
        self._results: tuple[PythonFunction | None, dict[str, str]] = (None, {})
        functools.update_wrapper(self, py_func)
        for signature in signatures:
            if device:
                self.result_of(signature)
            else:
                self.compile(signature)

    def __reduce__(self) -> tuple[Any, ...]:
        function = self.py_func
        if not is_importable(function):
            made = (type(self), *code_of(function))
            return _unfilled, made, (state_of(function), self.how_made()), None, None, _filled
        names = (function.__module__, function.__qualname__)
        return _restored, (*names, self.options, self.is_device)

    def __deepcopy__(self, memo: Any) -> Self:
        return self  # as Python's functions

    def how_made(self) -> dict[str, Any]:
        """The arguments that made it of its Python function."""
        return {"device": self.is_device, "options": self.options}

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
        self, launcher: PythonLauncher | None, where: tuple[Any, ...], args: list[Any]
    ) -> None:
        """A launch that the launcher has no kernel for: called by it."""
        try:
            self._launch_anew(launcher, where, args)
        except RaisedInKernel as error:
            raise self.exception_of(error) from None

    def _launch_anew(
        self, launcher: PythonLauncher | None, where: tuple[Any, ...], args: list[Any]
    ) -> None:
        missing = self.py_func.__code__.co_argcount - len(args)
        defaults = self.py_func.__defaults__ or ()
        if 0 < missing <= len(defaults):
            self._launch_anew(None, where, [*args, *defaults[-missing:]])
            return
        takes_rest = bool(self.py_func.__code__.co_flags & inspect.CO_VARARGS)
        if takes_rest or any(has_parts(one) for one in args):
            shape = shaped(args)
            whole = self._of_parts(shape)
            try:
                whole._launch_anew(None, where, shape.parts)
            except RaisedInKernel as error:
                raise whole.exception_of(error) from None
            return
        core = self._current()
        call = HostCall(args)
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
                f"Cannot compile a device function as a kernel: {self.__name__} is one, which "
                "kernels call; launch a kernel"
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
        core, text = self._current(), signature_text(types)
        of, known = self._results
        if of is not core:
            known = {}
            self._results = core, known
        if text not in known:
            known[text] = core.result_of(text)
        return known[text]

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


def _unfilled(kind: type[Function], *code: Any) -> Function:
    """A function without the values that it names, which may be itself: see _filled()."""
    made = kind.__new__(kind)
    made.py_func = function_of(*code)
    return made


def _filled(function: Function, state: tuple[Any, dict[str, Any]]) -> None:
    values, how = state
    filled(function.py_func, values)
    type(function).__init__(function, function.py_func, **how)


def _restored(module: str, name: str, options: JitOptions, device: bool) -> Function:
    value = found(module, name)
    return value if isinstance(value, Function) else Function(value, device=device, options=options)


def restored_launcher(function: Function, where: tuple[Any, ...]) -> PythonLauncher:
    """What pickle calls for kernel[grid, block]."""
    return make_launcher(function, where)


def warn_of_host_arrays(message: str) -> None:
    """Warns at the caller's line."""
    warnings.warn(message, stacklevel=3)
