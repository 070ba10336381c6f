"""cuda.jit with Numba's parameters, and what its functions offer beside launches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from ... import _core
from ..._core import value_text
from ..._errors import ArgumentTypeError, ArgumentValueError, LaunchError, UnsupportedError
from ..._script import Function, type_of, type_text
from .. import types
from .._devices import get_current_device
from .._installed_numba import own_errors, own_type
from .._streams import as_stream
from ..errors import FailedLaunch
from .compiled import CompiledKernel
from .declared import DeclaredLaunch
from .options import jit_options
from .sass import disassembled
from .warnings import warn_of_host_arrays, warn_of_small_grid


class Dispatcher(Function):
    """A Python function that is compiled for the types it is called with.

    `kernel[grid, block, stream, shared](...)` launches it; a device function is called by kernels.
    """

    def __init__(
        self,
        py_func: Callable[..., Any],
        *,
        device: bool,
        signatures: list[Any],
        options: Any,
        is_specialized: bool = False,
        extensions: Sequence[Any] = (),
    ) -> None:
        self._extensions = list(extensions)
        self._declared = [types.as_signature(each) for each in signatures]
        texts = [argument_text(each, device) for each in signatures]
        super().__init__(
            py_func, device=device, signatures=() if device else tuple(texts), options=options
        )
        # Calls in kernels convert their arguments to those of one of these.
        self.__warpwise_declared__ = tuple(
            (_result_text(each), text) for each, text in zip(self._declared, texts) if device
        )
        self._is_specialized = is_specialized
        self.specializations: dict[Any, Dispatcher] = {}

    def how_made(self) -> dict[str, Any]:
        return super().how_made() | {
            "signatures": self._declared,
            "is_specialized": self._is_specialized,
            "extensions": self._extensions,
        }

    @property
    def extensions(self) -> list[Any]:
        """Objects whose `prepare_args(type, value, stream=, retr=)` changes each argument.

        It returns the type and the value; what it appends to `retr` is called after the launch.
        """
        self.forget_launches()  # those made before know of none
        return self._extensions

    def launch_of(self, config: Any) -> Any:
        """A launch: [grid, block], [grid, block, stream] or [grid, block, stream, shared]."""
        if not isinstance(config, tuple) or not 2 <= len(config) <= 4:
            raise ArgumentValueError("must specify at least the griddim and blockdim")
        return self.configure(*config)

    def configure(self, griddim: Any, blockdim: Any, stream: Any = 0, sharedmem: int = 0) -> Any:
        """The same as an index."""
        for name, extents in (("griddim", griddim), ("blockdim", blockdim)):
            _check_extents(name, extents)
        launch = super().configure(griddim, blockdim, _given(stream), sharedmem)
        warn_of_small_grid(griddim)
        return DeclaredLaunch(launch, self._declared) if self._declared else launch

    def forall(  # type: ignore[override]
        self, ntasks: int, tpb: int = 0, stream: Any = 0, sharedmem: int = 0
    ) -> Any:
        """A launch of one thread for each of `ntasks`, in blocks of `tpb` or of a good size."""
        if not isinstance(ntasks, int) or ntasks < 0:
            raise ArgumentValueError(f"Can't create ForAll with negative task count: {ntasks}")
        launch = super().forall(ntasks, _given(stream), sharedmem, tpb)
        return DeclaredLaunch(launch, self._declared) if self._declared else launch

    def on_host_arrays(self) -> None:
        """Called by a launch that copies host arrays."""
        warn_of_host_arrays()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.is_device:
            raise ArgumentTypeError(
                f"{self.__name__} is a device function: kernels and device functions call it"
            )
        raise ArgumentValueError(
            f"Kernel launch configuration was not specified: call {self.__name__}[grid, block](...)"
        )

    # --- What was compiled.

    @property
    def overloads(self) -> dict[tuple[Any, ...], Any]:
        """Compiled kernels, by their tuples of types."""
        known = {_types_of_text(text): kernel for text, kernel in self.kernels.items()}
        declared = {each.args for each in self._declared}
        wanted = [key for key in known if not declared or key in declared]
        return {tuple(own_type(each) for each in key): CompiledKernel(known[key]) for key in wanted}

    @property
    def signatures(self) -> list[tuple[Any, ...]]:
        """The types of what was compiled."""
        return list(self.overloads)

    nopython_signatures = signatures

    @property
    def specialized(self) -> bool:
        """Whether it is of one signature only."""
        return self._is_specialized

    def specialize(self, *args: Any) -> Dispatcher:
        """This kernel compiled for the types of these arguments, and for no others.

        The arguments may be types. `specializations` has what was made before.
        """
        if self._is_specialized:
            raise ArgumentValueError("Dispatcher already specialized")
        kinds = tuple(_type_of_argument(each) for each in args)
        key = (get_current_device().compute_capability, kinds)
        if key not in self.specializations:
            self.specializations[key] = Dispatcher(
                self.py_func,
                device=self.is_device,
                signatures=[kinds],
                options=self.options,
                is_specialized=True,
            )
        return self.specializations[key]

    def return_type(self, argument_types: Any) -> Any:
        """The type that a device function returns for arguments of these types."""
        text = ", ".join(type_text(each) for each in argument_types)
        return types.parse_signature(self.result_of(text))

    # --- Errors that are Numba's too, where Numba is installed.

    def launch_anew(self, launcher: Any, where: tuple[Any, ...], args: list[Any]) -> None:
        with own_errors():
            if not self._extensions:
                self._launched(launcher, where, args)
                return
            after: list[Callable[[], object]] = []
            stream = where[3 if where[0] is None else 1] or 0
            prepared = [self._prepared(each, stream, after) for each in args]
            self._launched(None, where, prepared)
            for each in after:
                each()

    def _launched(self, launcher: Any, where: tuple[Any, ...], args: list[Any]) -> None:
        try:
            super().launch_anew(launcher, where, args)
        except LaunchError as error:
            if type(error) is not LaunchError:
                raise
            places = (error.kernel, error.block, error.thread)
            made = FailedLaunch(str(error.args[0]), *places)
            raise made.with_traceback(error.__traceback__) from None

    def _prepared(self, value: Any, stream: Any, after: list[Callable[[], object]]) -> Any:
        """An argument as the extensions make it, the last one first."""
        try:
            kind = own_type(types.typeof(value))
        except ArgumentTypeError:
            kind = None  # an extension's own
        for each in reversed(self._extensions):
            kind, value = each.prepare_args(kind, value, stream=stream, retr=after)
        return value

    def compile(self, types: Any, device: Any = None) -> Any:
        with own_errors():
            return super().compile(types, device)

    def result_of(self, types: Any) -> str:
        with own_errors():
            return super().result_of(types)

    def inspect_source(self, types: Any = None) -> Any:
        with own_errors():
            return super().inspect_source(types)

    # --- Looking at the code.

    def inspect_llvm(self, signature: Any = None) -> Any:
        """LLVM's code of the CPU device, or PTX of a GPU: by signature, or of one."""
        return self._inspected(signature, "llvm" if _is_on_cpu() else "ptx")

    def inspect_asm(self, signature: Any = None) -> Any:
        """PTX of a GPU, or assembly of the CPU device: by signature, or of one."""
        return self._inspected(signature, "asm" if _is_on_cpu() else "ptx")

    inspect_ptx = inspect_asm

    def inspect_sass(self, signature: Any = None) -> Any:
        """Machine code of a GPU as text, by nvdisasm: by signature, or of one.

        Raises UnsupportedError on the CPU device, whose machine code inspect_asm() shows, and
        without nvdisasm.
        """
        return self._inspected(signature, "sass")

    def inspect_sass_cfg(self, signature: Any = None) -> Any:
        """The control flow of a GPU's machine code in DOT, by nvdisasm: as inspect_sass()."""
        return self._inspected(signature, "sass_cfg")

    def inspect_types(self, file: Any = None) -> None:
        """Prints the CUDA C++ that was made, in which every variable has its type."""
        target = sys.stdout if file is None else file
        for key, kernel in self.overloads.items():
            print(f"{self.__name__} {key}", file=target)
            print("-" * 80, file=target)
            print(kernel.source, file=target)
            print("=" * 80, file=target)

    def _inspected(self, signature: Any, format: str) -> Any:
        if signature is not None:
            return self._text_of(argument_text(signature, self.is_device), format)
        known = self.overloads.items()
        return {key: self._text_of(kernel.types, format) for key, kernel in known}

    def _text_of(self, text: str, format: str) -> str:
        target = "cpu" if _is_on_cpu() else _core.Device().info.architecture
        if self.is_device and format.startswith("sass"):
            raise UnsupportedError(
                f"Cannot inspect SASS of a device function: {self.__name__} has machine code in "
                "the kernels that call it"
            )
        with own_errors():
            source = (
                self.device_source(text, self.__name__, returns_status=True)
                if self.is_device
                else str(self.inspect_source(text))
            )
        if format.startswith("sass"):
            return self._sass_of(source, target, format == "sass_cfg")
        return str(_core.compile(source, target, format, name=f"{self.__name__}.cu"))

    def _sass_of(self, source: str, target: str, cfg: bool) -> str:
        if target == "cpu":
            raise UnsupportedError(
                "inspect_sass shows the machine code of GPUs, and this is the CPU device; "
                "inspect_asm() shows its assembly"
            )
        cubin = _core.compile(source, target, "cubin", name=f"{self.__name__}.cu")
        assert isinstance(cubin, bytes)
        return disassembled(cubin, cfg=cfg)

    # --- What a kernel needs.

    def get_regs_per_thread(self, signature: Any = None) -> Any:
        """Registers of a thread; 0 on the CPU device."""
        return self._property(signature, "num_regs")

    def get_const_mem_size(self, signature: Any = None) -> Any:
        """Bytes of constant memory."""
        return self._property(signature, "constant_bytes")

    def get_shared_mem_per_block(self, signature: Any = None) -> Any:
        """Bytes of static shared memory."""
        return self._property(signature, "static_shared_bytes")

    def get_max_threads_per_block(self, signature: Any = None) -> Any:
        """The largest block that can be launched."""
        return self._property(signature, "max_threads_per_block")

    def get_local_mem_per_thread(self, signature: Any = None) -> Any:
        """Bytes of local memory of a thread."""
        return self._property(signature, "local_bytes")

    def _property(self, signature: Any, name: str) -> Any:
        if signature is not None:
            return getattr(self.compile(argument_text(signature, False)).kernel, name)
        if self._is_specialized:
            return self._property(self._declared[0], name)
        return {key: getattr(known.kernel, name) for key, known in self.overloads.items()}


def _check_extents(name: str, extents: Any) -> None:
    values = list(extents) if isinstance(extents, tuple | list) else [extents]
    if not 1 <= len(values) <= 3:
        raise ArgumentValueError(f"{name} must be a sequence of 1, 2 or 3 integers, got {values}")
    if not all(hasattr(each, "__index__") for each in values):
        raise ArgumentTypeError(f"{name} must be a sequence of integers, got {values}")


def _given(stream: Any) -> Any:
    """None for the current stream."""
    return None if stream is None or (type(stream) is int and stream == 0) else as_stream(stream)


def _is_on_cpu() -> bool:
    return _core.Device().kind == "cpu"


def _type_of_argument(value: Any) -> Any:
    return types.as_type(value) if types.is_type(value) else types.parse_signature(type_of(value))


def _types_of_text(text: str) -> tuple[Any, ...]:
    return types.as_signature(f"void({text})").args


def _result_text(signature: types.Signature) -> str:
    """Of a device function; without one, it is what the function returns."""
    given = signature.return_type
    return "" if given == types.none else type_text(given)


def argument_text(signature: Any, device: bool) -> str:
    """A signature as the front end reads it; raises for a kernel that returns something."""
    known = types.as_signature(signature)
    if not device and known.return_type != types.none:
        raise ArgumentTypeError(f"CUDA kernel must have void return type, got {known.return_type}")
    return ", ".join(type_text(each) for each in known.args)


def jit(
    func_or_sig: Any = None,
    device: bool = False,
    inline: Any = False,
    link: Any = None,
    debug: bool | None = None,
    opt: Any = True,
    lineinfo: bool = False,
    cache: bool = False,
    **kws: Any,
) -> Any:
    """Makes a kernel, or a device function, of a Python function.

    Parameters
    ----------
    func_or_sig : function, signature or list of signatures
        With signatures, as text ("void(float32[:], int32)") or as types, it is compiled at once.
    device : bool
        A function for kernels to call.
    inline : bool
        Accepted: device functions are inlined where that pays.
    link : list of str and CUSource
        Files and texts of CUDA C++, whose device functions `declare_device` makes callable.
    debug : bool
        Exceptions reach the host, with block and thread.
    opt : bool
        Accepted: the code is optimised.
    lineinfo : bool
        Lines of the Python file for profilers.
    cache : bool
        Accepted: compiled kernels are kept on disk anyway.
    fastmath : bool
        Faster, less exact functions of float32.
    max_registers : int
        The most registers of a thread.
    extensions : list
        What changes arguments before launches: see Dispatcher.extensions.
    """
    options = jit_options(device, link, debug, opt, lineinfo, kws, frozen=_is_numbas_name())
    is_one = _is_signature(func_or_sig)

    def made(function: Any) -> Dispatcher:
        if isinstance(function, Dispatcher):
            function = function.py_func
        if not callable(function):
            raise ArgumentTypeError(f"cuda.jit expects a function, got {value_text(function)}")
        return Dispatcher(
            function,
            device=device,
            signatures=func_or_sig if isinstance(func_or_sig, list) else [func_or_sig] * is_one,
            options=options,
            is_specialized=is_one,
            extensions=kws.get("extensions") or (),
        )

    is_function = func_or_sig is not None and not is_one and not isinstance(func_or_sig, list)
    return made(func_or_sig) if is_function else made


def _is_signature(value: Any) -> bool:
    return isinstance(value, str | tuple | types.Signature) or (
        hasattr(value, "return_type") and hasattr(value, "args") and not callable(value)
    )


def _is_numbas_name() -> bool:
    """Whether programs here import this package as numba.cuda: globals stay frozen then."""
    return sys.modules.get("numba.cuda") is sys.modules["warpwise.cuda"]
