"""pycuda.driver and pycuda.compiler: modules of machine code, and linking."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import warpwise as ww

from .._basics.enums import jit_input_type
from .._basics.errors import NoBinaryError, OtherBinaryError, boundary, joined, read_file
from .._launch.module import Module
from .compile import (
    check_architecture,
    chosen_options,
    compiling,
    is_for_linking,
    joined_values,
    keep_source,
    kept_in,
    opened_image,
    outside_of_extern_c,
    with_command_line,
)
from .headers import HEADERS

# How PTX, cubins and fatbins begin.
_MACHINE_CODE = (b"//", b".version", b"\x7fELF", b"\x50\xed\x55\xba")

Handler = Callable[[bool, str, str], None]


@boundary
def module_from_file(filename: str | os.PathLike[str]) -> Module:
    """A file of PTX, a cubin or a fatbin, or of what compiler.compile() gave."""
    return Module(_loaded(read_file(filename)))


def _loaded(image: bytes) -> ww.Module | ww.SourceModule:
    parts = opened_image(image)
    if parts is not None:
        return ww.SourceModule(**parts, headers=HEADERS)
    if ww.Device().kind != "cuda" and not image.startswith(_MACHINE_CODE):
        raise ww.ArgumentValueError(
            f"these {len(image)} bytes are neither PTX, a cubin nor a fatbin, nor what "
            "compiler.compile() gave"
        )
    try:
        return ww.Module.from_bytes(image)
    except ww.UnsupportedError as error:
        raise NoBinaryError(str(error)) from None
    except ww.ArgumentValueError as error:
        if "but the device is" in str(error):
            raise OtherBinaryError(str(error)) from None
        raise


@boundary
def module_from_buffer(
    buffer: Any, options: Sequence[Any] = [], message_handler: Handler | None = None
) -> Module:
    """The bytes of PTX, a cubin or a fatbin, or what compiler.compile() gave. Options of the
    driver's compiler have no effect."""
    if options:
        warnings.warn("options of the driver's compiler have no effect", UserWarning, stacklevel=3)
    try:
        module = _loaded(buffer.encode() if isinstance(buffer, str) else bytes(buffer))
    except ww.CompileError as error:
        if message_handler is not None:
            message_handler(False, "", error.log)
        raise
    if message_handler is not None:
        message_handler(True, module.log, "")
    return Module(module)


class Linker:
    """Links images by nvJitLink; on the CPU device, sources and what compiler.compile() gave.

    Options of the driver's linker have no effect. With log_verbose, the message handler is told
    of each part.
    """

    def __init__(
        self,
        message_handler: Handler | None = None,
        options: Sequence[Any] | None = None,
        log_verbose: bool = False,
    ) -> None:
        self._parts: list[Any] = []
        self._options: list[str] = []
        self._include_dirs: list[str] = []
        self._handler = message_handler
        self._verbose: list[str] | None = [] if log_verbose else None
        if options:
            warnings.warn("options of the driver's linker have no effect", UserWarning,
                          stacklevel=2)  # fmt: skip

    def add_data(self, data: Any, input_type: jit_input_type, name: str = "unknown") -> None:
        jit_input_type(input_type)  # what is no type is refused; the image says which it is
        image = bytes(data.encode() if isinstance(data, str) else data)
        self._note(name, len(image))
        parts = opened_image(image)
        if parts is None:
            self._parts.append(image)
        else:
            self._add_source(parts["source"], parts["options"], parts["include_dirs"])

    def _add_source(self, source: str, options: Sequence[str], include_dirs: Sequence[str]) -> None:
        self._parts.append(source)
        self._options += [one for one in joined_values(options) if one not in self._options]
        self._include_dirs += [one for one in include_dirs if one not in self._include_dirs]

    def _note(self, name: str, size: int) -> None:
        if self._verbose is not None:
            self._verbose.append(f"linked {name}, {size} bytes\n")

    def add_file(self, filename: str | os.PathLike[str], input_type: jit_input_type) -> None:
        self.add_data(read_file(filename), input_type, os.fspath(filename))

    @boundary
    def link_module(self) -> Module:
        return Module(self._link())

    def _link(self) -> ww.Module:
        try:
            module = with_command_line(
                self._options,
                lambda: ww.link(
                    self._parts,
                    options=_of_this_device(self._options),
                    include_dirs=self._include_dirs,
                    headers=HEADERS,
                ),
            )
        except ww.CompileError as error:
            if self._handler is not None:
                self._handler(False, "", error.log)
            raise
        if self._handler is not None:
            self._handler(True, "".join(self._verbose or ()) + module.log, "")
        return module


def _of_this_device(options: Sequence[str]) -> list[str]:
    """The CPU device has the device's run time built in, and no other library to link. The linker
    of GPUs, nvJitLink, gets the libraries, and none of the host linker's options."""
    if ww.Device().kind != "cuda":
        return compiling(options)
    libraries = ("-l", "-L", "--library")
    return [one for one in options if not is_for_linking(one) or one.startswith(libraries)]


class DynamicModule(Module):
    """Sources and images that are linked to one module."""

    @boundary
    def __init__(
        self,
        nvcc: str = "nvcc",
        link_options: Sequence[Any] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | None = None,
        include_dirs: Sequence[str] = [],
        message_handler: Handler | None = None,
        log_verbose: bool = False,
        cuda_libdir: str | None = None,
    ) -> None:
        self._linker = Linker(message_handler, link_options, log_verbose)
        self._cache_dir = cache_dir
        self._include_dirs = include_dirs
        self._keep, self._no_extern_c = keep, no_extern_c
        check_architecture(arch, code)
        if cuda_libdir is not None:
            self._linker._options.append(f"-L{cuda_libdir}")
        self.module: Module | None = None

    def __getattr__(self, name: str) -> Any:
        if name == "_module":
            words = "this DynamicModule is not linked yet; link() it first"
            raise joined(ww.ArgumentValueError(words))
        raise AttributeError(f"'DynamicModule' object has no attribute '{name}'")

    def add_source(
        self, source: str, nvcc_options: Sequence[str] | None = None, name: str = "kernel.ptx"
    ) -> DynamicModule:
        size = len(source)
        if not name.endswith(".ptx"):
            source = f'#line 1 "{name}"\n{source}'
        text = outside_of_extern_c(source, self._no_extern_c)
        options = chosen_options(nvcc_options, [])
        if self._keep:
            keep_source(text)
        self._linker._note(name, size)
        self._linker._add_source(text, options, self._include_dirs)
        return self

    def add_data(
        self, data: Any, input_type: jit_input_type, name: str = "unknown"
    ) -> DynamicModule:
        self._linker.add_data(data, input_type, name)
        return self

    def add_file(self, filename: str, input_type: jit_input_type) -> DynamicModule:
        self._linker.add_file(filename, input_type)
        return self

    def add_stdlib(self, libname: str) -> DynamicModule:
        """A library of the toolkit: "cudadevrt"."""
        self._linker._options.append(f"-l{libname}")
        return self

    @boundary
    def link(self) -> DynamicModule:
        with kept_in(self._cache_dir):
            super().__init__(self._linker._link())
        self.module = self
        return self


class DynamicSourceModule(DynamicModule):
    """One source whose kernels launch kernels."""

    @boundary
    def __init__(
        self,
        source: str,
        nvcc: str = "nvcc",
        options: Sequence[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | None = None,
        include_dirs: Sequence[str] = [],
        cuda_libdir: str | None = None,
    ) -> None:
        super().__init__(
            keep=keep,
            no_extern_c=no_extern_c,
            arch=arch,
            code=code,
            cache_dir=cache_dir,
            include_dirs=include_dirs,
            cuda_libdir=cuda_libdir,
        )
        self.add_source(source, options)
        self.add_stdlib("cudadevrt")
        self.link()
